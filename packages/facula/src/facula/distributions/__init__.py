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
    uniform,
    utils,
)

__all__ = [
    "Bernoulli", "Categorical", "Distribution", "Exponential", "Geometric", "Gumbel", "HalfNormal", "Independent",
    "Laplace", "LogNormal", "Normal", "OneHotCategorical", "Uniform", "bernoulli", "categorical", "constraints",
    "distribution", "exponential", "geometric", "gumbel", "half_normal", "independent", "kl", "kl_divergence",
    "laplace", "log_normal", "normal", "one_hot_categorical", "register_kl", "uniform", "utils",
]  # fmt: skip

publish(
    __name__,
    "bernoulli",
    "categorical",
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
    "uniform",
    "utils",
)
