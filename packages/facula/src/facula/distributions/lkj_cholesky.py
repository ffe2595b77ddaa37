"""`LKJCholesky`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.lkj_cholesky"):
    from facula_distributions import LKJCholesky

__all__ = ["LKJCholesky"]
