"""facula_tensor: the Tensor and its operators, differentiable, on any backend.

Contents: `Tensor`, operators with one declaration each (`ops/`, one file for each family), creation, indexing,
random numbers. May import: facula_storage, facula_autograd, facula_cpu, facula_errors, each only as the package
and its `extend`.
The layers, each of which imports only earlier ones: `_core`, `_dispatch`, `_creation`, `ops`, `transforms`,
`_interop`. Start at `ops/elementwise/arithmetic.py` (declarations of operators), then `_dispatch/fast/unary.py` (a
call). `_startup.py` runs at import; `extend` is for sibling packages. Private modules have no `__all__`: `_NAMES`
lists their public names.
"""

import sys as _sys

# Names from lower packages that programs with tensors need; they are defined there.
from facula_autograd import Function as Function
from facula_autograd import enable_grad as enable_grad
from facula_autograd import inference_mode as inference_mode
from facula_autograd import is_grad_enabled as is_grad_enabled
from facula_autograd import no_grad as no_grad
from facula_autograd import set_grad_enabled as set_grad_enabled
from facula_errors.extend import publish as _publish
from facula_errors.extend import publish_methods as _publish_methods
from facula_errors.extend import register as _register
from facula_errors.extend import settle as _settle
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
from ._core import names as _names
from ._dispatch import torch_function as _torch_function

_register("facula_tensor")

__version__ = "0.1.0"

# The public names of each module, `NAME=PATH` if the module uses another name; modules without names declare methods.
_NAMES = {
    "_core.default_device": "get_default_device set_default_device",
    "_core.formats":
        "channels_last channels_last_3d contiguous_format layout memory_format preserve_format sparse_bsc sparse_bsr "
        "sparse_coo sparse_csc sparse_csr strided",
    "_core.number_limits": "finfo iinfo",
    "_core.parameter": "Parameter",
    "_core.promotion": "can_cast get_default_dtype promote_types result_type set_default_dtype",
    "_core.size": "Size",
    "_core.tensor": "Tensor",
    "_creation.filled": "empty empty_like full full_like ones ones_like zeros zeros_like",
    "_creation.from_data": "as_tensor tensor",
    "_creation.from_memory": "from_dlpack from_numpy frombuffer",
    "_creation.generator": "Generator default_generator get_rng_state initial_seed manual_seed seed set_rng_state",
    "_creation.random": "bernoulli rand rand_like randint randint_like randn randn_like randperm",
    "_creation.random_fill": "normal",
    "_creation.ranges": "arange eye linspace",
    "_creation.strided": "asarray empty_permuted empty_strided from_file logspace range scalar_tensor",
    "_forms.ops.neural.activation.irregular": "rrelu_",
    "_forms.ops.neural.activation.piecewise": "celu_ selu_ threshold_",
    "_interop.flags": "get_device is_inference is_nonzero is_same_size is_signed",
    "_interop.print_options": "get_printoptions printoptions set_printoptions",
    "_interop.typed":
        "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor "
        "ShortTensor",
    "_interop.untyped_storage": "TypedStorage UntypedStorage is_storage",
    "ops.aliases":
        "absolute clip concat concatenate divide greater greater_equal less less_equal moveaxis multiply negative "
        "not_equal subtract swapdims true_divide",
    "ops.elementwise.apply": "",
    "ops.elementwise.arithmetic": "abs add maximum minimum mul neg positive rsub sign square sub",
    "ops.elementwise.bessel": "i0",
    "ops.elementwise.bitwise": "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor",
    "ops.elementwise.clamp": "clamp clamp_max clamp_min",
    "ops.elementwise.comparison": "eq ge gt le lt ne",
    "ops.elementwise.complex_numbers":
        "adjoint angle complex conj conj_physical imag is_conj is_neg isreal polar real resolve_conj resolve_neg sgn "
        "view_as_complex view_as_real",
    "ops.elementwise.division": "div floor_divide fmod remainder",
    "ops.elementwise.exponents": "exp2 hypot log10 log2 logaddexp logaddexp2 xlogy",
    "ops.elementwise.floating_point": "frexp heaviside ldexp nextafter",
    "ops.elementwise.fmax": "fmax fmin",
    "ops.elementwise.fused_arithmetic": "addcdiv addcmul lerp",
    "ops.elementwise.gamma": "digamma lgamma mvlgamma polygamma",
    "ops.elementwise.gcd": "gcd lcm",
    "ops.elementwise.isclose": "allclose equal isclose isin",
    "ops.elementwise.logic": "isfinite isinf isnan isneginf isposinf logical_and logical_not logical_or logical_xor",
    "ops.elementwise.pointwise": "cos exp expm1 log log1p reciprocal relu rsqrt sigmoid sin sqrt tanh",
    "ops.elementwise.power": "float_power pow",
    "ops.elementwise.rounding": "ceil copysign fix floor frac nan_to_num round signbit trunc",
    "ops.elementwise.special": "erf erfc erfinv logit sinc",
    "ops.elementwise.trigonometric":
        "acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh cosh deg2rad "
        "rad2deg sinh tan",
    "ops.indexing.gather": "gather",
    "ops.indexing.index_put": "index_put",
    "ops.indexing.index_select": "index_add index_copy index_fill index_reduce index_select",
    "ops.indexing.masks": "masked_fill masked_scatter masked_select",
    "ops.indexing.scatter": "scatter scatter_add scatter_reduce",
    "ops.indexing.slice_scatter": "as_strided_scatter diagonal_scatter select_scatter slice_scatter",
    "ops.indexing.take": "argwhere put take take_along_dim",
    "ops.indexing.unravel_index": "nonzero_static unravel_index",
    "ops.indexing.where": "nonzero where",
    "ops.linalg.cholesky": "cholesky cholesky_inverse cholesky_solve",
    "ops.linalg.decompositions": "qr svd",
    "ops.linalg.determinants": "det logdet slogdet",
    "ops.linalg.einsum": "einsum tensordot",
    "ops.linalg.inverse": "inverse",
    "ops.linalg.lu": "lu lu_solve lu_unpack",
    "ops.linalg.matmul": "bmm dot matmul mm mv",
    "ops.linalg.matrix_functions": "chain_matmul matrix_exp matrix_power",
    "ops.linalg.pinverse": "pinverse",
    "ops.linalg.products": "addbmm addmm addmv addr baddbmm cross ger inner kron outer vdot",
    "ops.linalg.triangular_solve": "triangular_solve",
    "ops.linalg.tril": "tril tril_indices triu triu_indices",
    "ops.linalg.vander": "vander",
    "ops.memory.assignment": "fill",
    "ops.memory.copying": "clone",
    "ops.memory.detach": "to_dlpack",
    "ops.memory.pin_memory": "",
    "ops.neural.activation.irregular": "prelu relu_ rrelu",
    "ops.neural.activation.piecewise": "celu hardshrink selu threshold",
    "ops.neural.activation.softmax": "log_softmax softmax",
    "ops.neural.bilinear": "bilinear",
    "ops.neural.convolution": "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d",
    "ops.neural.distances": "cdist cosine_similarity pairwise_distance pdist",
    "ops.neural.pooling.pooling":
        "adaptive_avg_pool1d adaptive_max_pool1d=adaptive_max_pool1d_with_indices avg_pool1d max_pool1d "
        "max_pool1d_with_indices max_pool2d max_pool3d",
    "ops.neural.vision.padding": "constant_pad_nd",
    "ops.neural.vision.pixel_shuffle": "channel_shuffle pixel_shuffle pixel_unshuffle",
    "ops.properties": "is_complex is_floating_point is_tensor numel typename",
    "ops.random.multinomial": "multinomial",
    "ops.random.sampling": "binomial poisson",
    "ops.reduction.aminmax": "aminmax",
    "ops.reduction.argmax": "argmax argmin",
    "ops.reduction.covariance": "corrcoef cov",
    "ops.reduction.differences": "cumulative_trapezoid diff gradient trapezoid trapz",
    "ops.reduction.extremes": "amax amin max min",
    "ops.reduction.histograms": "histc histogram histogramdd",
    "ops.reduction.moments": "std std_mean var var_mean",
    "ops.reduction.nan_reductions": "nanmean nansum",
    "ops.reduction.norms": "count_nonzero dist logsumexp norm",
    "ops.reduction.order_statistics": "kthvalue median mode nanmedian",
    "ops.reduction.quantiles": "nanquantile quantile",
    "ops.reduction.renorm": "renorm",
    "ops.reduction.scans": "cummax cummin cumprod cumsum logcumsumexp",
    "ops.reduction.searching": "bincount bucketize searchsorted unique unique_consecutive",
    "ops.reduction.sorting": "argsort msort sort topk",
    "ops.reduction.sums": "mean prod sum",
    "ops.reduction.truth": "all any",
    "ops.shape.as_strided": "as_strided",
    "ops.shape.broadcasting": "broadcast_shapes broadcast_tensors cartesian_prod combinations meshgrid ravel unflatten",
    "ops.shape.data_movement": "",
    "ops.shape.diagonal": "diag diag_embed diagflat diagonal trace",
    "ops.shape.flip": "flip fliplr flipud roll rot90",
    "ops.shape.joining": "cat stack",
    "ops.shape.slicing": "chunk narrow select split unbind",
    "ops.shape.stacking":
        "atleast_1d atleast_2d atleast_3d block_diag column_stack dsplit dstack hsplit hstack row_stack tensor_split "
        "vsplit vstack",
    "ops.shape.tiling": "repeat_interleave tile",
    "ops.shape.transpose": "movedim permute squeeze swapaxes t transpose unsqueeze",
    "ops.shape.view_copies":
        "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy "
        "slice_copy split_copy split_with_sizes split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy "
        "unfold_copy unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_copy view_copy",
    "ops.shape.views": "broadcast_to flatten reshape",
    "transforms.fuse": "fuse",
    "ops.inplace_functions":
        "abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ "
        "atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ "
        "exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ "
        "nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ "
        "square_ tan_ tanh_ trunc_ xlogy_ zero_",
}  # fmt: skip

for _module, _listed in _NAMES.items():
    __import__(f"{__name__}.{_module}")  # visible in `python -X importtime`, unlike import_module
    _found = _sys.modules[f"{__name__}.{_module}"]
    for _name in _listed.split():
        _public, _, _path = _name.partition("=")
        globals()[_public] = getattr(_found, _path or _public)

__all__ = [name.partition("=")[0] for listed in _NAMES.values() for name in listed.split()]

_torch_function.make_overridable(
    globals(),
    "addmv_ celu clamp_max_ clamp_min_ concat concatenate conj_physical_ conv2d deg2rad_ detach_ empty_like full_like "
    "is_complex is_floating_point ldexp_ linspace logspace max_pool2d nan_to_num_ numel ones_like rad2deg_ rand_like "
    "randint_like randn_like resize_as_ result_type round_ rrelu selu threshold zeros_like".split(),
)
_publish(__name__)
_publish_methods(__name__, globals()["Tensor"])
_settle("facula_tensor.functional", "adaptive_max_pool1d_with_indices", globals()["adaptive_max_pool1d"])
_names.mark_missing(globals()["Tensor"], "torch.Tensor", _names.PyTorchNames(__file__))


def __dir__() -> list[str]:
    """Return public names, including the public modules."""
    shown = {name for name in globals() if not name.startswith("_") or name.startswith("__")}
    return sorted(
        shown - {"extend", "ops"} | {"derivatives", "fft", "functional", "library", "linalg", "special", "testing"}
    )
