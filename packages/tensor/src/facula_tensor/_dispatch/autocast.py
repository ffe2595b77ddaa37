"""Mixed precision: in which dtype operators compute inside `autocast`, which the face has.

Note [Autocast]
~~~~~~~~~~~~~~~
The mode's field `autocast` holds an `Autocast`, or None. Operators ask for it where they ask for any mode, so programs
that do not use it pay nothing. Operators of the two lists below cast their operands first; all others compute in what
they get. Casts are recorded, so gradients come back in the operands' own dtypes. What is made of several operators
is listed by the function's name, and runs inside with nothing cast: its wrapper (`overridable`) looks at the mode once
`watch_functions` was called. The lists are those that PyTorch documents for the CPU.

A parameter that is cast many times in one block is cast once: `Autocast.casts` keeps it as long as its memory
is unchanged, and lives as long as the outermost block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, active_modes, current_mode
from facula_storage import bfloat16, float16, float32, int64
from facula_storage.extend import collecting

from .._core.tensor import Tensor, layout_of_tensor
from .namespaces import recorded_ops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType, Storage

    from .._core.types import Args, Kwargs, Operands

    # By a parameter's identity and whether gradients are recorded: the parameter, so that nobody else gets its
    # identity, its storage and version then, and the cast.
    Casts = dict[tuple[int, bool], tuple[Tensor, Storage, int | None, Tensor]]

# Operators that compute in the lower dtype, and functions made of several.
LOWER = frozenset("attention conv2d conv2d_input linear matmul".split())
LOWER_FUNCTIONS = frozenset(
    "addbmm addmm baddbmm conv1d conv3d conv_transpose1d conv_transpose2d conv_transpose3d inner prelu "
    "scaled_dot_product_attention tensordot vecdot".split()
)
# Operators that compute in float32 where they get less, and functions made of several.
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
# Functions that compute in what they get, though they are made of operators that are listed.
AS_GIVEN_FUNCTIONS = frozenset("addmv bilinear dot multilabel_soft_margin_loss mv vdot".split())
LISTED = LOWER | FLOAT32
LISTED_FUNCTIONS = LOWER_FUNCTIONS | FLOAT32_FUNCTIONS | WIDEST_FUNCTIONS | AS_GIVEN_FUNCTIONS
HALVES = (bfloat16, float16)
VECTORS_AS_GIVEN = frozenset(("inner", "tensordot"))  # two vectors: as `dot`


class Autocast:
    """The state of one `autocast` block: its lower dtype, and the casts of parameters, or None where none are kept."""

    __slots__ = ("casts", "dtype")

    def __init__(self, dtype: DType, casts: Casts | None) -> None:
        self.dtype: DType = dtype
        self.casts: Casts | None = casts

    def operands(self, operator: str, operands: Operands, grad: bool) -> Operands | None:
        """The operands of an operator that is listed, cast; None of others.

        Arguments:
            operator: the operator's name.
            operands: its operands; what is no tensor stays as it is.
            grad: whether gradients are recorded: casts that are kept are kept for each case.
        """
        if operator not in LISTED:
            return None
        to = self.lower if operator in LOWER else widen_halves
        return tuple([to(a, grad) if isinstance(a, Tensor) else a for a in operands])

    def lower(self, tensor: Tensor, grad: bool) -> Tensor:
        """A tensor of float32 or less in the lower dtype; any other as it is."""
        layout = layout_of_tensor(tensor)
        if layout.dtype is self.dtype or layout.dtype not in (float32, bfloat16, float16):
            return tensor
        if tensor.node is not LEAF or self.casts is None or collecting:  # what is captured casts by itself
            return recorded_ops.to(tensor, (self.dtype,))
        storage, key = tensor._storage, (id(tensor), grad)
        known = self.casts.get(key)
        if known is not None and known[1] is storage and known[2] == storage.version:
            return known[3]
        cast = recorded_ops.to(tensor, (self.dtype,))
        self.casts[key] = (tensor, storage, storage.version, cast)
        return cast

    def arguments(self, function: str, args: Args, kwargs: Kwargs, grad: bool) -> tuple[Args, Kwargs]:
        """The arguments of a listed function, cast; also in lists and tuples.

        Arguments:
            function: the function's name.
            args: its positional arguments.
            kwargs: its keyword arguments.
            grad: whether gradients are recorded, as for `operands`.
        """
        to = widen_halves
        if function in WIDEST_FUNCTIONS:
            if all(one.dtype in (*HALVES, int64) for one in (*args, *kwargs.values()) if isinstance(one, Tensor)):
                return args, kwargs
        elif function in LOWER_FUNCTIONS:
            if function in VECTORS_AS_GIVEN and all(one.ndim < 2 for one in args if isinstance(one, Tensor)):
                return args, kwargs
            to = self.lower
        elif function in AS_GIVEN_FUNCTIONS:
            return args, kwargs

        def cast(value: Any) -> Any:
            if isinstance(value, Tensor):
                return to(value, grad)
            return type(value)([cast(one) for one in value]) if type(value) in (list, tuple) else value

        return tuple([cast(value) for value in args]), {key: cast(value) for key, value in kwargs.items()}


def widen_halves(tensor: Tensor, grad: bool) -> Tensor:
    """A tensor of half precision in float32; any other as it is."""
    return recorded_ops.to(tensor, (float32,)) if layout_of_tensor(tensor).dtype in HALVES else tensor


def autocast_state() -> Autocast | None:
    """The state of the block of mixed precision that this thread is in, or None."""
    return current_mode().autocast if active_modes else None  # type: ignore[no-any-return]


def recurrent_operands(state: Autocast, tensors: Sequence[Tensor | None], *, lower: bool) -> list[Tensor | None]:
    """What a recurrent layer computes with: all in the lower dtype, or without `lower` in that of the first."""
    grad = current_mode().grad
    if lower or tensors[0].dtype in HALVES:  # type: ignore[union-attr]  # the input is always given
        return [None if one is None else state.lower(one, grad) for one in tensors]
    return [None if one is None else widen_halves(one, grad) for one in tensors]
