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
    cauchy,
    chi2,
    constraint_registry,
    constraints,
    continuous_bernoulli,
    dirichlet,
    distribution,
    exp_family,
    exponential,
    fishersnedecor,
    gamma,
    generalized_pareto,
    geometric,
    gumbel,
    half_cauchy,
    half_normal,
    independent,
    inverse_gamma,
    kl,
    kumaraswamy,
    laplace,
    lkj_cholesky,
    log_normal,
    logistic_normal,
    lowrank_multivariate_normal,
    mixture_same_family,
    multinomial,
    multivariate_normal,
    negative_binomial,
    normal,
    one_hot_categorical,
    pareto,
    poisson,
    relaxed_bernoulli,
    relaxed_categorical,
    studentT,
    transformed_distribution,
    transforms,
    uniform,
    utils,
    von_mises,
    weibull,
    wishart,
)

__all__ = [
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform", "Categorical", "Cauchy",
    "Chi2", "ComposeTransform", "ContinuousBernoulli", "CorrCholeskyTransform", "CumulativeDistributionTransform",
    "Dirichlet", "Distribution", "ExpTransform", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma",
    "GeneralizedPareto", "Geometric", "Gumbel", "HalfCauchy", "HalfNormal", "Independent", "IndependentTransform",
    "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace", "LogNormal", "LogisticNormal",
    "LowRankMultivariateNormal", "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial", "MultivariateNormal",
    "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "PositiveDefiniteTransform", "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform", "StickBreakingTransform",
    "StudentT", "TanhTransform", "Transform", "TransformedDistribution", "Uniform", "VonMises", "Weibull", "Wishart",
    "bernoulli", "beta", "biject_to", "binomial", "categorical", "cauchy", "chi2", "constraint_registry",
    "constraints", "continuous_bernoulli", "dirichlet", "distribution", "exp_family", "exponential", "fishersnedecor",
    "gamma", "generalized_pareto", "geometric", "gumbel", "half_cauchy", "half_normal", "identity_transform",
    "independent", "inverse_gamma", "kl", "kl_divergence", "kumaraswamy", "laplace", "lkj_cholesky", "log_normal",
    "logistic_normal", "lowrank_multivariate_normal", "mixture_same_family", "multinomial", "multivariate_normal",
    "negative_binomial", "normal", "one_hot_categorical", "pareto", "poisson", "register_kl", "relaxed_bernoulli",
    "relaxed_categorical", "studentT", "transform_to", "transformed_distribution", "transforms", "uniform", "utils",
    "von_mises", "weibull", "wishart",
]  # fmt: skip

publish(__name__)
