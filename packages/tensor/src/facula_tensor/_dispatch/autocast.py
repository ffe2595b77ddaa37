"""Mixed precision: the dtypes that operators compute in inside `autocast`, which package `facula` defines.

Note [Autocast]
~~~~~~~~~~~~~~~
The mode's field `autocast` holds an `Autocast`, or None. Operators read it where they check for any mode, so
programs that do not use it pay nothing. Operators in the two lists below cast their operands first; all others
compute in their operands' dtypes. Casts are recorded, so gradients have the operands' original dtypes.
Composite functions are listed by name and run without casts inside: their wrapper (`overridable`) checks the
mode once `watch_functions` was called. The lists are those that PyTorch documents for the CPU.

A parameter that is cast many times in one block is cast once: `Autocast.casts` keeps it as long as its memory
is unchanged, and lives as long as the outermost block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

    # By a parameter's id and whether gradients are recorded: the parameter (which keeps the id unique), its
    # storage and version at the time, and the cast.
    Casts = dict[tuple[int, bool], tuple[Tensor, Storage, int | None, Tensor]]

# Operators and composite functions that compute in the lower dtype.
LOWER = frozenset("attention conv2d conv2d_input linear matmul".split())
LOWER_FUNCTIONS = frozenset(
    "addbmm addmm baddbmm conv1d conv3d conv_transpose1d conv_transpose2d conv_transpose3d inner prelu "
    "scaled_dot_product_attention tensordot vecdot".split()
)
# Operators and composite functions that compute in at least float32.
FLOAT32 = frozenset(
    "binary_cross_entropy cross_entropy logistic_loss nll_loss prod squared_difference weighted_logistic_loss".split()
)
FLOAT32_FUNCTIONS = frozenset(
    "adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d cdist cholesky cholesky_ex cholesky_inverse cholesky_solve "
    "cond cosine_embedding_loss ctc_loss eig eigh eigvals eigvalsh fft fft2 fftn grid_sample hfft "
    "hinge_embedding_loss huber_loss ifft ifft2 ifftn ihfft inv inv_ex inverse irfft irfft2 irfftn kl_div l1_loss "
    "local_response_norm lstsq lu lu_solve margin_ranking_loss matrix_rank max_pool3d max_pool3d_with_indices "
    "max_unpool1d max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss nanquantile pinverse "
    "poisson_nll_loss polar qr quantile rfft rfft2 rfftn smooth_l1_loss soft_margin_loss solve svd svdvals tensorinv "
    "tensorsolve trace triangular_solve triplet_margin_loss view_as_complex".split()
)
# Functions that compute in the widest dtype among their operands.
WIDEST_FUNCTIONS = frozenset("index_copy".split())
# Functions that compute in their operands' dtypes although they call listed operators.
AS_GIVEN_FUNCTIONS = frozenset("addmv bilinear dot multilabel_soft_margin_loss mv vdot".split())
LISTED = LOWER | FLOAT32
LISTED_FUNCTIONS = LOWER_FUNCTIONS | FLOAT32_FUNCTIONS | WIDEST_FUNCTIONS | AS_GIVEN_FUNCTIONS
HALVES = (bfloat16, float16)
VECTORS_AS_GIVEN = frozenset(("inner", "tensordot"))  # two vectors: as `dot`


class Autocast:
    """The state of one `autocast` block: its lower dtype, and the casts of parameters, or None without a cache."""

    __slots__ = ("casts", "dtype")

    def __init__(self, dtype: DType, casts: Casts | None) -> None:
        self.dtype: DType = dtype
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
        to = self.lower if operator in LOWER else widen_halves
        return tuple([to(a, grad) if isinstance(a, Tensor) else a for a in operands])

    def lower(self, tensor: Tensor, grad: bool) -> Tensor:
        """Cast a tensor of float32 or less to the lower dtype; return others unchanged."""
        layout = layout_of_tensor(tensor)
        if layout.dtype is self.dtype or layout.dtype not in (float32, bfloat16, float16):
            return tensor
        if tensor.node is not LEAF or self.casts is None or collecting:  # captured functions cast on every call
            return recorded_ops.to(tensor, (self.dtype,))
        storage, key = tensor._storage, (id(tensor), grad)
        known = self.casts.get(key)
        if known is not None and known[1] is storage and known[2] == storage.version:
            return known[3]
        cast = recorded_ops.to(tensor, (self.dtype,))
        self.casts[key] = (tensor, storage, storage.version, cast)
        return cast

    def arguments(self, function: str, args: Args, kwargs: Kwargs, grad: bool) -> tuple[Args, Kwargs]:
        """Return the arguments of a listed function, cast; also in lists and tuples.

        Arguments:
            function: the function's name.
            args: its positional arguments.
            kwargs: its keyword arguments.
            grad: whether gradients are recorded, as for `operands`.
        """
        to = widen_halves
        if function in WIDEST_FUNCTIONS:
            if all(arg.dtype in (*HALVES, int64) for arg in (*args, *kwargs.values()) if isinstance(arg, Tensor)):
                return args, kwargs
        elif function in LOWER_FUNCTIONS:
            if function in VECTORS_AS_GIVEN and all(arg.ndim < 2 for arg in args if isinstance(arg, Tensor)):
                return args, kwargs
            to = self.lower
        elif function in AS_GIVEN_FUNCTIONS:
            return args, kwargs

        def cast(value: Any) -> Any:
            if isinstance(value, Tensor):
                return to(value, grad)
            return type(value)([cast(element) for element in value]) if type(value) in (list, tuple) else value

        return tuple([cast(value) for value in args]), {key: cast(value) for key, value in kwargs.items()}


def widen_halves(tensor: Tensor, grad: bool) -> Tensor:
    """Cast a half-precision tensor to float32; return others unchanged."""
    return recorded_ops.to(tensor, (float32,)) if layout_of_tensor(tensor).dtype in HALVES else tensor


def autocast_state() -> Autocast | None:
    """Return the state of this thread's autocast block, or None."""
    return current_mode().autocast if active_modes else None  # type: ignore[no-any-return]


def recurrent_operands(state: Autocast, tensors: Sequence[Tensor | None], *, lower: bool) -> list[Tensor | None]:
    """Cast the operands of a recurrent layer: to the lower dtype, or without `lower` to the first one's dtype."""
    grad = current_mode().grad
    if lower or tensors[0].dtype in HALVES:  # type: ignore[union-attr]  # the input is always given
        return [None if tensor is None else state.lower(tensor, grad) for tensor in tensors]
    return [None if tensor is None else widen_halves(tensor, grad) for tensor in tensors]
