"""facula_distributions: probability distributions with PyTorch's names, arguments and shapes.

What it is: `Distribution`, to derive your own from, the usual ones, `kl_divergence`, and `constraints`.
May import: facula_tensor and its `extend`; facula_errors; no other sibling.
Where next: `_distribution.py` (shapes, checks), `_normal.py` (what a distribution is), `kl.py`.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from . import _cross_kl as _cross_kl
from . import constraint_registry, constraints, kl, relaxed_bernoulli, relaxed_categorical, transforms, utils
from ._categorical import Categorical, OneHotCategorical, OneHotCategoricalStraightThrough
from ._continuous import Exponential, Gumbel, Laplace, Uniform
from ._continuous_bernoulli import ContinuousBernoulli
from ._counts import Binomial, Multinomial, NegativeBinomial, Poisson
from ._dirichlet import Beta, Dirichlet
from ._distribution import Distribution
from ._exponential_family import ExponentialFamily
from ._gamma import Chi2, Gamma, InverseGamma
from ._independent import Independent
from ._logistic_normal import LogisticNormal
from ._low_rank_normal import LowRankMultivariateNormal
from ._matrices import LKJCholesky, Wishart
from ._mixture import MixtureSameFamily
from ._multivariate_normal import MultivariateNormal
from ._normal import HalfNormal, LogNormal, Normal
from ._powers import GeneralizedPareto, Kumaraswamy, Pareto, Weibull
from ._student import Cauchy, FisherSnedecor, HalfCauchy, StudentT
from ._transformed import TransformedDistribution
from ._trials import Bernoulli, Geometric
from ._von_mises import VonMises
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
