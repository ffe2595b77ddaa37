"""`TransformedDistribution`, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.distributions.transformed_distribution"):
    from facula_distributions import TransformedDistribution

__all__ = ["TransformedDistribution"]
