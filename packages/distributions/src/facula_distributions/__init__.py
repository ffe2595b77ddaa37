"""facula_distributions: probability distributions with PyTorch's names, arguments and shapes.

Exports `Distribution`, the base class for custom distributions, the usual distributions, `kl_divergence` and
`constraints`.
May import: facula_tensor and its `extend`; facula_errors; no other sibling.
Rooms, each of which imports only earlier ones: `_transforms`, `_discrete`, `_continuous`, `_multivariate`, `_compound`
(distributions composed of others). `kl.py` imports all of them; they import `constraints.py` and `utils.py`.
Where next: `_distribution.py` (shapes, validation), `_continuous/normal.py` (an example), `kl.py`.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from . import _cross_kl as _cross_kl
from . import constraint_registry, constraints, kl, relaxed_bernoulli, relaxed_categorical, transforms, utils
from ._compound.independent import Independent
from ._compound.logistic_normal import LogisticNormal
from ._compound.mixture import MixtureSameFamily
from ._compound.transformed import TransformedDistribution
from ._continuous.continuous_bernoulli import ContinuousBernoulli
from ._continuous.gamma import Chi2, Gamma, InverseGamma
from ._continuous.heavy_tails import Cauchy, FisherSnedecor, HalfCauchy, StudentT
from ._continuous.inverse_cdf import Exponential, Gumbel, Laplace, Uniform
from ._continuous.normal import HalfNormal, LogNormal, Normal
from ._continuous.powers import GeneralizedPareto, Kumaraswamy, Pareto, Weibull
from ._continuous.von_mises import VonMises
from ._discrete.categorical import Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from ._discrete.counts import Binomial, NegativeBinomial, Poisson
from ._discrete.multinomial import Multinomial
from ._discrete.trials import Bernoulli, Geometric
from ._distribution import Distribution
from ._exponential_family import ExponentialFamily
from ._multivariate.dirichlet import Beta, Dirichlet
from ._multivariate.low_rank_normal import LowRankMultivariateNormal
from ._multivariate.matrices import LKJCholesky, Wishart
from ._multivariate.multivariate_normal import MultivariateNormal
from .constraint_registry import biject_to, transform_to
from .kl import kl_divergence, register_kl
from .relaxed_bernoulli import RelaxedBernoulli
from .relaxed_categorical import RelaxedOneHotCategorical
from .transforms import (
    AbsTransform,
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftmaxTransform,
    SoftplusTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
    identity_transform,
)

_register("facula_distributions")

__version__ = "0.1.0"

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "biject_to",
    "constraint_registry",
    "constraints",
    "identity_transform",
    "kl",
    "kl_divergence",
    "register_kl",
    "relaxed_bernoulli",
    "relaxed_categorical",
    "transform_to",
    "transforms",
    "utils",
]

__dir__ = _published(__name__)
