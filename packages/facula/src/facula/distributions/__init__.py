"""facula.distributions: probability distributions; the names of facula_distributions, in PyTorch's places too.

May import: siblings. Where next: `facula_distributions`.
"""

# ruff: noqa: F403, F405  the face takes over what its siblings list as public
from .._names import publish
from .._siblings import needs

with needs("facula.distributions"):
    from facula_distributions import *

from . import (  # type: ignore[no-redef]  # modules of the face over those of the sibling
    bernoulli,
    categorical,
    constraint_registry,
    constraints,
    distribution,
    exponential,
    geometric,
    gumbel,
    half_normal,
    independent,
    kl,
    laplace,
    log_normal,
    normal,
    one_hot_categorical,
    transformed_distribution,
    transforms,
    uniform,
    utils,
)

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "CatTransform", "Categorical", "ComposeTransform",
    "CorrCholeskyTransform", "CumulativeDistributionTransform", "Distribution", "ExpTransform", "Exponential",
    "Geometric", "Gumbel", "HalfNormal", "Independent", "IndependentTransform", "Laplace", "LogNormal",
    "LowerCholeskyTransform", "Normal", "OneHotCategorical", "PositiveDefiniteTransform", "PowerTransform",
    "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "TransformedDistribution", "Uniform", "bernoulli",
    "biject_to", "categorical", "constraint_registry", "constraints", "distribution", "exponential", "geometric",
    "gumbel", "half_normal", "identity_transform", "independent", "kl", "kl_divergence", "laplace", "log_normal",
    "normal", "one_hot_categorical", "register_kl", "transform_to", "transformed_distribution", "transforms",
    "uniform", "utils",
]  # fmt: skip

publish(
    __name__,
    "bernoulli",
    "categorical",
    "constraint_registry",
    "constraints",
    "distribution",
    "exponential",
    "geometric",
    "gumbel",
    "half_normal",
    "independent",
    "kl",
    "laplace",
    "log_normal",
    "normal",
    "one_hot_categorical",
    "transformed_distribution",
    "transforms",
    "uniform",
    "utils",
)
