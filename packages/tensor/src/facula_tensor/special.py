"""Special functions with the names of `torch.special`."""

from typing import TYPE_CHECKING

from facula_errors.extend import published

from .ops.elementwise.bessel import _i0e as i0e
from .ops.elementwise.bessel import _i1 as i1
from .ops.elementwise.bessel import _i1e as i1e
from .ops.elementwise.bessel import i0
from .ops.elementwise.exponents import exp2, xlogy
from .ops.elementwise.gamma import _zeta as zeta
from .ops.elementwise.gamma import digamma, polygamma
from .ops.elementwise.gamma import lgamma as gammaln
from .ops.elementwise.gamma import mvlgamma as multigammaln
from .ops.elementwise.pointwise import expm1, log1p
from .ops.elementwise.pointwise import sigmoid as expit
from .ops.elementwise.special import _entr as entr
from .ops.elementwise.special import _erfcx as erfcx
from .ops.elementwise.special import _log_ndtr as log_ndtr
from .ops.elementwise.special import _ndtr as ndtr
from .ops.elementwise.special import _ndtri as ndtri
from .ops.elementwise.special import _xlog1py as xlog1py
from .ops.elementwise.special import erf, erfc, erfinv
from .ops.neural.activation.softmax import log_softmax, softmax
from .ops.reduction.norms import logsumexp

psi = digamma

if TYPE_CHECKING:  # the stubs declare their types
    from .ops.elementwise.rounding import round
    from .ops.elementwise.special import logit, sinc
else:
    from .ops.elementwise.rounding import round
    from .ops.elementwise.special import logit, sinc

__all__ = [
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammaln", "i0", "i0e", "i1", "i1e",
    "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri", "polygamma", "psi",
    "round", "sinc", "softmax", "xlog1py", "xlogy", "zeta",
]  # fmt: skip

__dir__ = published(__name__)
