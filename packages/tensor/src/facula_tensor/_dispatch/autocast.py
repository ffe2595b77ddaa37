"""Mixed precision: the dtypes that operators compute in inside `autocast`, which package `facula` defines.

Note [Autocast]
~~~~~~~~~~~~~~~
The mode's field `autocast` holds an `Autocast`, or None. Operators read it where they check for any mode, so
programs that do not use it pay nothing. Operators in the lists below cast their operands first; all others
compute in their operands' dtypes. Casts are recorded, so gradients have the operands' original dtypes.
Composite functions are listed by name and run without casts inside: their wrapper (`overridable`) checks the
mode once `watch_functions` was called. The lists are those that PyTorch documents for the CPU and for CUDA;
only tensors on devices that a block is for are cast.

A parameter that is cast many times in one block is cast once: `Autocast.casts` keeps it as long as its memory
is unchanged, and lives as long as the outermost block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.nodes import LEAF
from facula_storage import bfloat16, float16, float32, int64
from facula_storage.extend.recording import collecting

from .._core.tensor import Tensor, layout_of_tensor
from .namespaces import recorded_ops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType, Storage

    from .._core.types import Args, Kwargs, Operands

    # By a parameter's id, whether gradients are recorded, and the lower dtype: the parameter (which keeps the id
    # unique), its storage and version at the time, and the cast.
    Casts = dict[tuple[int, bool, DType], tuple[Tensor, Storage, int | None, Tensor]]


class Rules(NamedTuple):
    """The dtypes of a device type: operators and composite functions by the dtype that they compute in."""

    lower: frozenset[str]
    lower_functions: frozenset[str]
    float32: frozenset[str]  # at least
    float32_functions: frozenset[str]
    widest_functions: frozenset[str]  # the widest dtype among the operands
    as_given_functions: frozenset[str]  # the operands' dtypes, although the functions call listed operators


def names(*texts: str) -> frozenset[str]:
    """Return the names in texts."""
    return frozenset(" ".join(texts).split())


CPU = Rules(
    lower=names("attention conv2d conv2d_input linear matmul"),
    lower_functions=names(
        "addbmm addmm baddbmm conv1d conv3d conv_transpose1d conv_transpose2d conv_transpose3d inner prelu",
        "scaled_dot_product_attention tensordot vecdot",
    ),
    float32=names(
        "binary_cross_entropy cross_entropy logistic_loss nll_loss prod squared_difference weighted_logistic_loss"
    ),
    float32_functions=names(
        "adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d cdist cholesky cholesky_ex cholesky_inverse cholesky_solve",
        "cond cosine_embedding_loss ctc_loss eig eigh eigvals eigvalsh fft fft2 fftn grid_sample hfft",
        "hinge_embedding_loss huber_loss ifft ifft2 ifftn ihfft inv inv_ex inverse irfft irfft2 irfftn kl_div l1_loss",
        "local_response_norm lstsq lu lu_solve margin_ranking_loss matrix_rank max_pool3d max_pool3d_with_indices",
        "max_unpool1d max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss nanquantile pinverse",
        "poisson_nll_loss polar qr quantile rfft rfft2 rfftn smooth_l1_loss soft_margin_loss solve svd svdvals",
        "tensorinv tensorsolve trace triangular_solve triplet_margin_loss view_as_complex",
    ),
    widest_functions=names("index_copy"),
    as_given_functions=names("addmv bilinear dot multilabel_soft_margin_loss mv vdot"),
)
CUDA = Rules(
    lower=CPU.lower,
    lower_functions=(CPU.lower_functions | names("addmv addr chain_matmul multi_dot mv")) - names("tensordot vecdot"),
    float32=CPU.float32 | names(
        "acos asin cosh erfinv exp expm1 group_norm layer_norm log log10 log1p log2 pow reciprocal rsqrt sinh softplus",
        "square tan",
    ),
    float32_functions=(CPU.float32_functions | names(
        "binary_cross_entropy_with_logits cosine_similarity cumprod cumsum dist log_softmax mse_loss norm normalize",
        "pdist prod renorm softmax softmin sum",
    )) - names(
        "adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d grid_sample local_response_norm max_pool3d",
        "max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d trace",
    ),
    widest_functions=names("bilinear cross dot grid_sample index_put index_put_ scatter_add tensordot vdot"),
    as_given_functions=names("multilabel_soft_margin_loss"),
)  # fmt: skip
LISTED = CPU.lower | CPU.float32 | CUDA.float32
LISTED_FUNCTIONS = frozenset().union(*CPU[1::2], CPU[4], *CUDA[1::2], CUDA[4])
HALVES = (bfloat16, float16)
VECTORS_AS_GIVEN = frozenset(("inner", "tensordot"))  # two vectors: as `dot`


def rules_of(device_type: str) -> Rules:
    """Return the rules of a device type; accelerators share those of CUDA."""
    return CPU if device_type == "cpu" else CUDA


class Autocast:
    """The state of `autocast` blocks: the lower dtype of each device type, and the casts of parameters or None."""

    __slots__ = ("casts", "dtypes")

    def __init__(self, dtypes: dict[str, DType], casts: Casts | None) -> None:
        self.dtypes: dict[str, DType] = dtypes
        self.casts: Casts | None = casts

    def operands(self, operator: str, operands: Operands, grad: bool) -> Operands | None:
        """Return the cast operands of a listed operator; None for other operators.

        Arguments:
            operator: the operator's name.
            operands: its operands; values other than tensors are not changed.
            grad: whether gradients are recorded; casts are cached separately for each case.
        """
        if operator not in LISTED:
            return None

        def cast(tensor: Tensor) -> Tensor:
            rules = rules_of(layout_of_tensor(tensor).device.type)
            if operator in rules.lower:
                return self.lower(tensor, grad)
            return self.widen(tensor, grad) if operator in rules.float32 else tensor

        return tuple([cast(a) if isinstance(a, Tensor) else a for a in operands])

    def lower(self, tensor: Tensor, grad: bool) -> Tensor:
        """Cast a tensor of float32 or less to the lower dtype of its device; return others unchanged."""
        layout = layout_of_tensor(tensor)
        dtype = self.dtypes.get(layout.device.type)
        if dtype is None or layout.dtype is dtype or layout.dtype not in (float32, bfloat16, float16):
            return tensor
        if tensor.node is not LEAF or self.casts is None or collecting:  # captured functions cast on every call
            return recorded_ops.to(tensor, (dtype,))
        storage, key = tensor._storage, (id(tensor), grad, dtype)
        known = self.casts.get(key)
        if known is not None and known[1] is storage and known[2] == storage.version:
            return known[3]
        cast = recorded_ops.to(tensor, (dtype,))
        self.casts[key] = (tensor, storage, storage.version, cast)
        return cast

    def widen(self, tensor: Tensor, grad: bool) -> Tensor:
        """Cast a half-precision tensor on a device with a lower dtype to float32; return others unchanged."""
        layout = layout_of_tensor(tensor)
        if layout.dtype not in HALVES or layout.device.type not in self.dtypes:
            return tensor
        return recorded_ops.to(tensor, (float32,))

    def arguments(
        self, function: str, args: Args, kwargs: Kwargs, tensors: Sequence[Tensor], grad: bool
    ) -> tuple[Args, Kwargs] | None:
        """Return the arguments of a function, cast, also in lists and tuples; None if it is not listed.

        Arguments:
            function: the function's name.
            args: its positional arguments.
            kwargs: its keyword arguments.
            tensors: the tensors in these; the first on a device with a lower dtype determines the rules.
            grad: whether gradients are recorded, as for `operands`.
        """
        types = (layout_of_tensor(tensor).device.type for tensor in tensors)
        device_type = next((found for found in types if found in self.dtypes), "")
        rules, to = rules_of(device_type), self.widen
        if not device_type:
            return None
        if function in rules.widest_functions:
            if all(tensor.dtype in (*HALVES, int64) for tensor in tensors):
                return args, kwargs
        elif function in rules.lower_functions:
            to = self.lower
        elif function in rules.as_given_functions:
            return args, kwargs
        elif function not in rules.float32_functions:
            return None
        if function in VECTORS_AS_GIVEN and all(arg.ndim < 2 for arg in args if isinstance(arg, Tensor)):
            return args, kwargs

        def cast(value: Any) -> Any:
            if isinstance(value, Tensor):
                return to(value, grad)
            return type(value)([cast(element) for element in value]) if type(value) in (list, tuple) else value

        return tuple([cast(value) for value in args]), {key: cast(value) for key, value in kwargs.items()}


def autocast_state() -> Autocast | None:
    """Return the state of this thread's autocast blocks, or None."""
    return current_mode().autocast if active_modes else None  # type: ignore[no-any-return]


def recurrent_operands(state: Autocast, tensors: Sequence[Tensor | None], *, lower: bool) -> list[Tensor | None]:
    """Cast the operands of a recurrent layer: to the lower dtype, or without `lower` to the first one's dtype.

    Accelerators always compute in the lower dtype.
    """
    grad = current_mode().grad
    input = layout_of_tensor(tensors[0])  # type: ignore[arg-type]  # the input is always given
    to = state.lower if lower or input.dtype in HALVES or input.device.type != "cpu" else state.widen
    return [None if tensor is None else to(tensor, grad) for tensor in tensors]
