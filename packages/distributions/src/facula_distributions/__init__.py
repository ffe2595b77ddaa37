"""facula_distributions: probability distributions with PyTorch's names, arguments and shapes.

What it is: `Distribution`, to derive your own from, the usual ones, `kl_divergence`, and `constraints`.
May import: facula_tensor and its `extend`; facula_errors; no other sibling.
Where next: `_distribution.py` (shapes, checks), `_normal.py` (what a distribution is), `kl.py`.
"""

from facula_errors.extend import register as _register
from facula_tensor.extend import listed as _listed

from . import constraints, kl, utils
from ._categorical import Categorical, OneHotCategorical
from ._continuous import Exponential, Gumbel, Laplace, Uniform
from ._distribution import Distribution
from ._independent import Independent
from ._normal import HalfNormal, LogNormal, Normal
from ._trials import Bernoulli, Geometric
from .kl import kl_divergence, register_kl

_register("facula_distributions")

__version__ = "0.1.0"

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Independent",
    "Laplace",
    "LogNormal",
    "Normal",
    "OneHotCategorical",
    "Uniform",
    "constraints",
    "kl",
    "kl_divergence",
    "register_kl",
    "utils",
]

__dir__ = _listed(__name__)
