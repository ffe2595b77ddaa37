"""facula_tensor: the Tensor and its operators, differentiable, on any backend.

What it is: `Tensor`, operators declared once each (`ops/`, a file a family), creation, indexing, random numbers.
May import: facula_storage, facula_autograd, facula_cpu, facula_errors; of these the package and its `extend` alone.
Where next: the floors, each of which imports those before it alone: `_core`, `_dispatch`, `_creation`, `ops`,
`transforms`, `_interop`. `ops/arithmetic.py` shows what an operator is, `_dispatch/fast/unary.py` what a call does.
`_startup.py` is the work at import; `extend.py` is for sibling packages. A module's `__all__` is what it adds here.
"""

# ruff: noqa: F403  each family lists its public names in its own __all__
# The names that a program with tensors needs from the packages below are here too; their homes are there.
from facula_autograd import Function as Function
from facula_autograd import enable_grad as enable_grad
from facula_autograd import inference_mode as inference_mode
from facula_autograd import is_grad_enabled as is_grad_enabled
from facula_autograd import no_grad as no_grad
from facula_autograd import set_grad_enabled as set_grad_enabled
from facula_errors.extend import register as _register
from facula_storage import Device as device  # noqa: F401
from facula_storage import DType as dtype  # noqa: F401
from facula_storage import bfloat16 as bfloat16
from facula_storage import bool_ as bool  # noqa: F401
from facula_storage import complex64 as complex64
from facula_storage import complex128 as complex128
from facula_storage import float8_e4m3fn as float8_e4m3fn
from facula_storage import float8_e4m3fnuz as float8_e4m3fnuz
from facula_storage import float8_e5m2 as float8_e5m2
from facula_storage import float8_e5m2fnuz as float8_e5m2fnuz
from facula_storage import float8_e8m0fnu as float8_e8m0fnu
from facula_storage import float16 as float16
from facula_storage import float32 as float32
from facula_storage import float64 as float64
from facula_storage import int8 as int8
from facula_storage import int16 as int16
from facula_storage import int32 as int32
from facula_storage import int64 as int64
from facula_storage import uint8 as uint8
from facula_storage import uint16 as uint16
from facula_storage import uint32 as uint32
from facula_storage import uint64 as uint64

from . import _startup as _startup
from ._core import default_device as _default_device
from ._core import formats as _formats
from ._core import names as _names
from ._core import number_limits as _number_limits
from ._core import promotion as _promotion
from ._core.default_device import *
from ._core.formats import *
from ._core.number_limits import *
from ._core.parameter import Parameter
from ._core.promotion import *
from ._core.size import Size
from ._core.tensor import Tensor
from ._creation import filled as _filled
from ._creation import from_data as _from_data
from ._creation import generator as _generator
from ._creation import like as _like
from ._creation import random as _random
from ._creation import random_fill as _random_fill
from ._creation import ranges as _ranges
from ._creation import strided as _strided_creation
from ._creation.filled import *
from ._creation.from_data import *
from ._creation.generator import *
from ._creation.like import *
from ._creation.random import *
from ._creation.random_fill import *
from ._creation.ranges import *
from ._creation.strided import *
from ._dispatch import asking as _asking
from ._forms.activation import celu_, selu_, threshold_
from ._forms.irregular_activations import rrelu_
from ._interop import flags as _flags
from ._interop import print_options as _print_options
from ._interop import typed as _typed
from ._interop import untyped_storage as _untyped_storage
from ._interop.flags import *
from ._interop.print_options import *
from ._interop.typed import *
from ._interop.untyped_storage import *
from .ops import aliases as _aliases
from .ops import aminmax as _aminmax
from .ops import applying as _applying  # noqa: F401  methods alone
from .ops import arithmetic as _arithmetic
from .ops import bessel as _bessel
from .ops import bitwise as _bitwise
from .ops import cholesky as _cholesky
from .ops import choosing as _choosing
from .ops import clamping as _clamping
from .ops import comparing as _comparing
from .ops import comparison as _comparison
from .ops import complex_numbers as _complex_numbers
from .ops import convolution as _convolution
from .ops import copying as _copying
from .ops import covariance as _covariance
from .ops import determinants as _determinants
from .ops import diagonals as _diagonals
from .ops import differences as _differences
from .ops import dims as _dims
from .ops import division as _division
from .ops import einsum as _einsum
from .ops import elimination as _elimination
from .ops import exponents as _exponents
from .ops import flat_places as _flat_places
from .ops import flips as _flips
from .ops import further as _further
from .ops import fused_arithmetic as _fused_arithmetic
from .ops import gamma as _gamma
from .ops import gathering as _gathering
from .ops import grids as _grids
from .ops import histograms as _histograms
from .ops import index_assignment as _index_assignment
from .ops import index_ops as _index_ops
from .ops import inverses as _inverses
from .ops import join as _join
from .ops import logic as _logic
from .ops import masks as _masks
from .ops import matmul as _matmul
from .ops import matrix_functions as _matrix_functions
from .ops import matrix_roots as _matrix_roots
from .ops import moves as _moves  # noqa: F401  declares what others are made of
from .ops import multinomial as _multinomial
from .ops import numeric as _numeric
from .ops import parts as _parts
from .ops import pinning as _pinning  # noqa: F401  methods alone
from .ops import pointwise as _pointwise
from .ops import power as _power
from .ops import products as _products
from .ops import properties as _properties
from .ops import pseudo_inverse as _pseudo_inverse
from .ops import ranks as _ranks
from .ops import regions as _regions
from .ops import renorm as _renorm
from .ops import repeats as _repeats
from .ops import rounding as _rounding
from .ops import samples as _samples
from .ops import scans as _scans
from .ops import scattering as _scattering
from .ops import searching as _searching
from .ops import shape as _shape
from .ops import softmax as _softmax
from .ops import sorting as _sorting
from .ops import special as _special
from .ops import stacking as _stacking
from .ops import strided as _strided
from .ops import taking as _taking
from .ops import triangles as _triangles
from .ops import triangular as _triangular
from .ops import trigonometric as _trigonometric
from .ops import view_copies as _view_copies
from .ops.activation import celu, hardshrink, selu, threshold
from .ops.aliases import *
from .ops.aminmax import *
from .ops.arithmetic import *
from .ops.bessel import *
from .ops.bilinear import bilinear
from .ops.bitwise import *
from .ops.cholesky import *
from .ops.choosing import *
from .ops.clamping import *
from .ops.comparing import *
from .ops.comparison import *
from .ops.complex_numbers import *
from .ops.convolution import *
from .ops.copying import *
from .ops.covariance import *
from .ops.determinants import *
from .ops.diagonals import *
from .ops.differences import *
from .ops.dims import *
from .ops.distances import cdist, cosine_similarity, pairwise_distance, pdist
from .ops.division import *
from .ops.einsum import *
from .ops.elimination import *
from .ops.exponents import *
from .ops.flat_places import *
from .ops.flips import *
from .ops.further import *
from .ops.fused_arithmetic import *
from .ops.gamma import *
from .ops.gathering import *
from .ops.grids import *
from .ops.histograms import *
from .ops.index_assignment import *
from .ops.index_ops import *
from .ops.inverses import *
from .ops.irregular_activations import prelu, relu_, rrelu
from .ops.join import *
from .ops.logic import *
from .ops.masks import *
from .ops.matmul import *
from .ops.matrix_functions import *
from .ops.matrix_roots import *
from .ops.multinomial import *
from .ops.numeric import *
from .ops.parts import *
from .ops.pixels import channel_shuffle, pixel_shuffle, pixel_unshuffle
from .ops.pointwise import *
from .ops.pooling import (
    adaptive_avg_pool1d,
    avg_pool1d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool3d,
)
from .ops.pooling import adaptive_max_pool1d_with_indices as adaptive_max_pool1d
from .ops.power import *
from .ops.products import *
from .ops.properties import *
from .ops.pseudo_inverse import *
from .ops.ranks import *
from .ops.reduction import extreme_places as _extreme_places
from .ops.reduction import extremes as _extremes
from .ops.reduction import moments as _moments
from .ops.reduction import nan_extremes as _nan_extremes
from .ops.reduction import nan_reductions as _nan_reductions
from .ops.reduction import norms as _norms
from .ops.reduction import quantiles as _quantiles
from .ops.reduction import sums as _sums
from .ops.reduction import truth as _truth
from .ops.reduction.extreme_places import *
from .ops.reduction.extremes import *
from .ops.reduction.moments import *
from .ops.reduction.nan_extremes import *
from .ops.reduction.nan_reductions import *
from .ops.reduction.norms import *
from .ops.reduction.quantiles import *
from .ops.reduction.sums import *
from .ops.reduction.truth import *
from .ops.regions import *
from .ops.renorm import *
from .ops.repeats import *
from .ops.rounding import *
from .ops.samples import *
from .ops.scans import *
from .ops.scattering import *
from .ops.searching import *
from .ops.shape import *
from .ops.softmax import *
from .ops.sorting import *
from .ops.special import *
from .ops.stacking import *
from .ops.strided import *
from .ops.taking import *
from .ops.triangles import *
from .ops.triangular import *
from .ops.trigonometric import *
from .ops.view_copies import *
from .transforms.fuse import fuse

from .ops import inplace_functions as _inplace_functions  # isort: skip  after the operators, whose methods these are
from .ops.inplace_functions import *  # isort: skip

_register("facula_tensor")

__version__ = "0.1.0"

__all__ = ["Parameter", "Size", "Tensor", "cdist", "channel_shuffle", "cosine_similarity", "max_pool2d"]
__all__ += ["adaptive_avg_pool1d", "adaptive_max_pool1d", "avg_pool1d", "bilinear", "fuse", "max_pool1d"]
__all__ += ["max_pool1d_with_indices", "max_pool3d"]
__all__ += ["pairwise_distance", "pdist", "pixel_shuffle", "pixel_unshuffle"]
__all__ += [
    "celu",
    "celu_",
    "hardshrink",
    "prelu",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "threshold",
    "threshold_",
]
__all__ += _comparing.__all__
__all__ += _filled.__all__
__all__ += _einsum.__all__
__all__ += _exponents.__all__
__all__ += _from_data.__all__
__all__ += _fused_arithmetic.__all__
__all__ += _default_device.__all__
__all__ += _number_limits.__all__
__all__ += _print_options.__all__
__all__ += _products.__all__
__all__ += _pseudo_inverse.__all__
__all__ += _promotion.__all__
__all__ += _generator.__all__
__all__ += _properties.__all__
__all__ += _like.__all__
__all__ += _random.__all__
__all__ += _random_fill.__all__
__all__ += _ranges.__all__
__all__ += _rounding.__all__
__all__ += _trigonometric.__all__
__all__ += _typed.__all__
__all__ += _aminmax.__all__
__all__ += _covariance.__all__
__all__ += _differences.__all__
__all__ += _flat_places.__all__
__all__ += _histograms.__all__
__all__ += _nan_extremes.__all__
__all__ += _nan_reductions.__all__
__all__ += _quantiles.__all__
__all__ += _renorm.__all__
__all__ += _view_copies.__all__
__all__ += _flags.__all__
__all__ += _further.__all__
__all__ += _inplace_functions.__all__
__all__ += _strided_creation.__all__
__all__ += _untyped_storage.__all__
__all__ += _aliases.__all__
__all__ += _arithmetic.__all__
__all__ += _bessel.__all__
__all__ += _bitwise.__all__
__all__ += _cholesky.__all__
__all__ += _choosing.__all__
__all__ += _clamping.__all__
__all__ += _comparison.__all__
__all__ += _complex_numbers.__all__
__all__ += _convolution.__all__
__all__ += _determinants.__all__
__all__ += _copying.__all__
__all__ += _dims.__all__
__all__ += _division.__all__
__all__ += _elimination.__all__
__all__ += _extreme_places.__all__
__all__ += _extremes.__all__
__all__ += _flips.__all__
__all__ += _repeats.__all__
__all__ += _triangles.__all__
__all__ += _triangular.__all__
__all__ += _diagonals.__all__
__all__ += _regions.__all__
__all__ += _stacking.__all__
__all__ += _grids.__all__
__all__ += _formats.__all__
__all__ += _gamma.__all__
__all__ += _gathering.__all__
__all__ += _index_assignment.__all__
__all__ += _index_ops.__all__
__all__ += _inverses.__all__
__all__ += _join.__all__
__all__ += _logic.__all__
__all__ += _masks.__all__
__all__ += _matmul.__all__
__all__ += _matrix_functions.__all__
__all__ += _matrix_roots.__all__
__all__ += _multinomial.__all__
__all__ += _moments.__all__
__all__ += _norms.__all__
__all__ += _numeric.__all__
__all__ += _parts.__all__
__all__ += _pointwise.__all__
__all__ += _power.__all__
__all__ += _ranks.__all__
__all__ += _samples.__all__
__all__ += _scans.__all__
__all__ += _searching.__all__
__all__ += _scattering.__all__
__all__ += _shape.__all__
__all__ += _softmax.__all__
__all__ += _sorting.__all__
__all__ += _special.__all__
__all__ += _strided.__all__
__all__ += _sums.__all__
__all__ += _taking.__all__
__all__ += _truth.__all__

_asking.asks(
    globals(),
    "addmv_ celu clamp_max_ clamp_min_ concat concatenate conj_physical_ conv2d deg2rad_ detach_ empty_like full_like "
    "is_complex is_floating_point ldexp_ linspace logspace max_pool2d nan_to_num_ numel ones_like rad2deg_ rand_like "
    "randint_like randn_like resize_as_ result_type round_ rrelu selu threshold zeros_like".split(),
)
_names.mark_missing(Tensor, "torch.Tensor", _names.PyTorchNames(__file__))


def __dir__() -> list[str]:
    """Public names, the modules for users among them."""
    shown = {name for name in globals() if not name.startswith("_") or name.startswith("__")}
    return sorted(
        shown - {"extend", "ops"} | {"derivatives", "fft", "functional", "library", "linalg", "special", "testing"}
    )
