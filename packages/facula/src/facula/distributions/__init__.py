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
    beta,
    binomial,
    categorical,
    chi2,
    constraint_registry,
    constraints,
    dirichlet,
    distribution,
    exponential,
    gamma,
    geometric,
    gumbel,
    half_normal,
    independent,
    inverse_gamma,
    kl,
    laplace,
    log_normal,
    multinomial,
    multivariate_normal,
    negative_binomial,
    normal,
    one_hot_categorical,
    poisson,
    transformed_distribution,
    transforms,
    uniform,
    utils,
)

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform", "Categorical", "Chi2",
    "ComposeTransform", "CorrCholeskyTransform", "CumulativeDistributionTransform", "Dirichlet", "Distribution",
    "ExpTransform", "Exponential", "Gamma", "Geometric", "Gumbel", "HalfNormal", "Independent", "IndependentTransform",
    "InverseGamma", "Laplace", "LogNormal", "LowerCholeskyTransform", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "Poisson", "PositiveDefiniteTransform", "PowerTransform",
    "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "TransformedDistribution", "Uniform", "bernoulli", "beta",
    "biject_to", "binomial", "categorical", "chi2", "constraint_registry", "constraints", "dirichlet", "distribution",
    "exponential", "gamma", "geometric", "gumbel", "half_normal", "identity_transform", "independent", "inverse_gamma",
    "kl", "kl_divergence", "laplace", "log_normal", "multinomial", "multivariate_normal", "negative_binomial",
    "normal", "one_hot_categorical", "poisson", "register_kl", "transform_to", "transformed_distribution",
    "transforms", "uniform", "utils",
]  # fmt: skip

publish(
    __name__,
    "bernoulli",
    "beta",
    "binomial",
    "categorical",
    "chi2",
    "constraint_registry",
    "constraints",
    "dirichlet",
    "distribution",
    "exponential",
    "gamma",
    "geometric",
    "gumbel",
    "half_normal",
    "independent",
    "inverse_gamma",
    "kl",
    "laplace",
    "log_normal",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "normal",
    "one_hot_categorical",
    "poisson",
    "transformed_distribution",
    "transforms",
    "uniform",
    "utils",
)
