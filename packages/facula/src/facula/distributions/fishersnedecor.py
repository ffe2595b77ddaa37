"""`FisherSnedecor`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.fishersnedecor"):
    from facula_distributions import FisherSnedecor

__all__ = ["FisherSnedecor"]
