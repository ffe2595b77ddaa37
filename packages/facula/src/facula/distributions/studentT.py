"""`StudentT`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.studentT"):
    from facula_distributions import StudentT

__all__ = ["StudentT"]
