"""Types in the stubs for arguments and results that declarations annotate with Any.

An argument's name has the same meaning in every operator, so its type is defined once, here; other annotations
are used unchanged. OVERLOADS has operators whose result type depends on the arguments. The types are those of
`_types.pyi`.
"""

from __future__ import annotations

# By the name of the argument. A default of None adds `| None`.
ARGUMENTS = {
    "alpha": "Scalar",
    "arguments": "float",
    "array": "np.ndarray",
    "axis": "Dims",
    "beta": "Scalar",
    "buffer": "Buffer",
    "context": "object",
    "counts": "Lengths",
    "data": "Data",
    "destination": "Dims",
    "device": "DeviceLike",
    "dim": "Dims",
    "dims": "Lengths",
    "dl_device": "tuple[int, int]",
    "dtype": "DTypeLike",
    "elements": "Operand",
    "dilation": "int | Sequence[int]",
    "end": "Scalar | Tensor",
    "exponent": "Operand",
    "ext_tensor": "SupportsDLPack",
    "fill_value": "Operand",
    "high": "SupportsIndex",
    "index": "Index",
    "input": "Operand",
    "kernel_size": "int | Sequence[int]",
    "layout": "object",
    "lengths": "Lengths",
    "mask": "Tensor",
    "max": "Operand",
    "mean": "Scalar | Tensor",
    "memory_format": "MemoryFormat",
    "min": "Operand",
    "order": "Lengths",
    "normalized_shape": "SupportsIndex | Sequence[int]",
    "other": "Operand",
    "output_size": "int | Sequence[int]",
    "padding": "int | Sequence[int]",
    "repeats": "Lengths | Tensor",
    "scale_factor": "float | Sequence[float]",
    "shape": "Lengths",
    "shapes": "Lengths",
    "shifts": "Lengths",
    "size": "Lengths",
    "split_size": "Lengths",
    "split_size_or_sections": "Lengths",
    "sizes": "Lengths",
    "src": "Operand",
    "start": "Scalar | Tensor",
    "std": "Scalar | Tensor",
    "step": "Scalar | Tensor",
    "stream": "object",
    "stride": "Lengths",
    "tensors": "Sequence[Tensor]",
    "test_elements": "Operand",
    "type": "DTypeLike",
    "value": "Operand",
    "weight": "Operand",
    "obj": "object",
    "base": "Scalar",
    "bins": "int | Tensor | Sequence[int] | Sequence[Tensor]",
    "filename": "str",
    "pad": "Lengths",
    "physical_layout": "Lengths",
    "q": "float | Tensor",
    "range": "Sequence[float]",
    "s": "Scalar",
    "spacing": "Scalar | Tensor | Sequence[Scalar] | Sequence[Tensor]",
    "split_sizes": "Lengths",
}

# By function and argument, for names with another meaning.
SPECIAL = {
    ("addcdiv", "value"): "Scalar",
    ("addcdiv_", "value"): "Scalar",
    ("addcmul", "value"): "Scalar",
    ("addcmul_", "value"): "Scalar",
    ("__matmul__", "other"): "Tensor | np.ndarray",
    ("__rmatmul__", "other"): "Tensor | np.ndarray",
    ("argmax", "axis"): "SupportsIndex",
    ("argmin", "axis"): "SupportsIndex",
    ("atleast_1d", "tensors"): "Tensor | Sequence[Tensor]",
    ("atleast_2d", "tensors"): "Tensor | Sequence[Tensor]",
    ("atleast_3d", "tensors"): "Tensor | Sequence[Tensor]",
    ("block_diag", "tensors"): "Tensor | Sequence[Tensor]",
    ("broadcast_tensors", "tensors"): "Tensor | Sequence[Tensor]",
    ("cartesian_prod", "tensors"): "Tensor | Sequence[Tensor]",
    ("meshgrid", "tensors"): "Tensor | Sequence[Tensor]",
    ("copy_", "source"): "Operand",
    ("einsum", "args"): "str | Tensor | Sequence[object]",
    ("fold", "stride"): "int | Sequence[int]",
    ("cuda", "device"): "DeviceLike | int",
    ("from_dlpack", "source"): "SupportsDLPack",
    ("moveaxis", "source"): "Dims",
    ("movedim", "source"): "Dims",
    ("pow", "self"): "Operand",
    ("tensordot", "dims"): "SupportsIndex | Sequence[object] | Tensor",
    ("unfold", "stride"): "int | Sequence[int]",
    ("to", "args"): "Tensor | DTypeLike | DeviceLike | None",
    ("narrow_copy", "length"): "SupportsIndex",
    ("set_", "source"): "Tensor | UntypedStorage | TypedStorage",
    ("view_copy", "size"): "Lengths | DTypeLike",
    ("unravel_index", "shape"): "Lengths | Tensor",
}

# By function; methods of reflected operators have the operator's result type.
RESULTS = {
    "T": "Tensor",
    "max_pool3d_with_indices": "tuple[Tensor, Tensor]",
    "max_pool2d_with_indices": "tuple[Tensor, Tensor]",
    "max_pool1d_with_indices": "tuple[Tensor, Tensor]",
    "adaptive_max_pool3d_with_indices": "tuple[Tensor, Tensor]",
    "adaptive_max_pool2d_with_indices": "tuple[Tensor, Tensor]",
    "adaptive_max_pool1d_with_indices": "tuple[Tensor, Tensor]",
    "__divmod__": "tuple[Tensor, Tensor]",
    "__rdivmod__": "tuple[Tensor, Tensor]",
    "cummax": "Extremes",
    "cummin": "Extremes",
    "imag": "Tensor",
    "item": "Number",
    "kthvalue": "Extremes",
    "layout": "object",
    "lu_unpack": "NamedResults",
    "mode": "Extremes",
    "qr": "NamedResults",
    "real": "Tensor",
    "slogdet": "NamedResults",
    "sort": "Extremes",
    "svd": "NamedResults",
    "tolist": "list[Any]",
    "topk": "Extremes",
    "histogramdd": "tuple[Tensor, tuple[Tensor, ...]]",
    "triangular_solve": "NamedResults",
}

_EXTREME = (
    "(input: Tensor, dim: None = None, keepdim: bool = False, *, axis: None = None, keepdims: bool = False, "
    "out: Tensor | None = None) -> Tensor",
    "(input: Tensor, dim: Tensor, *, out: Tensor | None = None) -> Tensor",
    "(input: Tensor, *, other: Tensor, out: Tensor | None = None) -> Tensor",
    "(input: Tensor, dim: int, keepdim: bool = False, *, keepdims: bool = False, "
    "out: Sequence[Tensor] | None = None) -> Extremes",
    "(input: Tensor, *, keepdim: bool = False, axis: int, keepdims: bool = False, "
    "out: Sequence[Tensor] | None = None) -> Extremes",
)
_MEDIAN = (
    "(input: Tensor, *, out: Tensor | None = None) -> Tensor",
    "(input: Tensor, dim: int, keepdim: bool = False, *, keepdims: bool = False, "
    "out: Sequence[Tensor] | None = None) -> Extremes",
    "(input: Tensor, *, keepdim: bool = False, axis: int, keepdims: bool = False, "
    "out: Sequence[Tensor] | None = None) -> Extremes",
)
_COUNTED = "return_counts: bool = False, dim: int | None = None"
_DISTINCT = (
    "return_inverse: Literal[False] = False, return_counts: Literal[False] = False, dim: int | None = None) -> Tensor",
    f"*, return_inverse: Literal[True], {_COUNTED}) -> tuple[Tensor, ...]",
    "*, return_counts: Literal[True], return_inverse: bool = False, dim: int | None = None) -> tuple[Tensor, ...]",
    f"return_inverse: bool = False, {_COUNTED}) -> Tensor | tuple[Tensor, ...]",
)
_WINDOW = (
    "kernel_size: int | Sequence[int], stride: int | Sequence[int] | None = None, "
    "padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False"
)


def _with_indices(given: str) -> tuple[str, ...]:
    """Return the signatures of a function that returns a pair if `return_indices` is True."""
    return (
        f"(input: Tensor, {given}, return_indices: Literal[False] = False) -> Tensor",
        f"(input: Tensor, {given}, *, return_indices: Literal[True]) -> tuple[Tensor, Tensor]",
        f"(input: Tensor, {given}, return_indices: bool = False) -> Tensor | tuple[Tensor, Tensor]",
    )


_OUTPUT = "output_size: int | Sequence[int | None] | None"

# Signatures of functions, in the order in which type checkers try them; methods have `self` as the first argument.
OVERLOADS = {
    "adaptive_max_pool1d": _with_indices("output_size: int | Sequence[int]"),
    "adaptive_max_pool2d": _with_indices(_OUTPUT),
    "adaptive_max_pool3d": _with_indices(_OUTPUT),
    "as_subclass": ("(self: Tensor, cls: type[AnyTensor]) -> AnyTensor",),
    "gather": (
        "(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None) -> Tensor",
        "(input: Tensor, *, axis: int, index: Tensor, sparse_grad: bool = False, out: Tensor | None = None) -> Tensor",
    ),
    "index_select": (
        "(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor",
        "(input: Tensor, *, axis: int, index: Tensor, out: Tensor | None = None) -> Tensor",
    ),
    "max": _EXTREME,
    "max_pool1d": _with_indices(_WINDOW),
    "max_pool2d": _with_indices(_WINDOW),
    "max_pool3d": _with_indices(_WINDOW),
    "median": _MEDIAN,
    "min": _EXTREME,
    "nanmedian": _MEDIAN,
    "narrow": (
        "(input: Tensor, dim: int, start: SupportsIndex, length: int) -> Tensor",
        "(input: Tensor, *, axis: int, start: SupportsIndex, length: int) -> Tensor",
    ),
    "nonzero": (
        "(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor",
        "(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]",
        "(input: Tensor, *, as_tuple: bool) -> Tensor | tuple[Tensor, ...]",
    ),
    "select": (
        "(input: Tensor, dim: int, index: int) -> Tensor",
        "(input: Tensor, *, axis: int, index: int) -> Tensor",
    ),
    "type": (
        "(self: Tensor, dtype: None = None, non_blocking: bool = False) -> str",
        "(self: Tensor, dtype: DTypeLike | type[Tensor], non_blocking: bool = False) -> Tensor",
    ),
    "unique": tuple(f"(input: Tensor, sorted: bool = True, {rest}" for rest in _DISTINCT),
    "unique_consecutive": tuple(f"(input: Tensor, {rest}" for rest in _DISTINCT),
    "view": (
        "(input: Tensor, *shape: Lengths | DTypeLike) -> Tensor",
        "(input: Tensor, *, size: Lengths) -> Tensor",
        "(input: Tensor, *, dtype: DTypeLike) -> Tensor",
    ),
    "where": (
        "(condition: Tensor) -> tuple[Tensor, ...]",
        "(condition: Tensor, input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor",
    ),
}
