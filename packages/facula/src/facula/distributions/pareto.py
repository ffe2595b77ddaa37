"""`Pareto`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.pareto"):
    from facula_distributions import Pareto

__all__ = ["Pareto"]
