"""facula_distributions: probability distributions with PyTorch's names, arguments and shapes.

What it is: `Distribution`, to derive your own from, the usual ones, `kl_divergence`, and `constraints`.
May import: facula_tensor and its `extend`; facula_errors; no other sibling.
Where next: `_distribution.py` (shapes, checks), `_normal.py` (what a distribution is), `kl.py`.
"""

from facula_errors.extend import register as _register
from facula_tensor.extend import listed as _listed

from . import constraint_registry, constraints, kl, transforms, utils
from ._categorical import Categorical, OneHotCategorical
from ._continuous import Exponential, Gumbel, Laplace, Uniform
from ._distribution import Distribution
from ._independent import Independent
from ._normal import HalfNormal, LogNormal, Normal
from ._transformed import TransformedDistribution
from ._trials import Bernoulli, Geometric
from .constraint_registry import biject_to, transform_to
from .kl import kl_divergence, register_kl
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
    "CatTransform",
    "Categorical",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "Laplace",
    "LogNormal",
    "LowerCholeskyTransform",
    "Normal",
    "OneHotCategorical",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "biject_to",
    "constraint_registry",
    "constraints",
    "identity_transform",
    "kl",
    "kl_divergence",
    "register_kl",
    "transform_to",
    "transforms",
    "utils",
]

__dir__ = _listed(__name__)
