"""`Kumaraswamy`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.kumaraswamy"):
    from facula_distributions import Kumaraswamy

__all__ = ["Kumaraswamy"]
