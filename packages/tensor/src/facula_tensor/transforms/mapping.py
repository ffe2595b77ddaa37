"""`vmap`: turn a function of one element into a function of a batch."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.transforms import Shape, check_callable, put_together, take_apart
from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary

from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import call_inside
from .._creation.batches import open_batches
from .._creation.generator import default_states, restore_default_states
from .._dispatch.namespaces import recorded_ops
from .batch import BatchLevel
from .levels import is_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from .trees import Tree

RANDOMNESS = ("error", "same", "different")


@boundary
def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that applies `func` to all elements of a batch at once and stacks the results.

    Each operator is called once for the whole batch. `func` sees ordinary tensors without the batch dimension. It
    cannot read elements (`item`, `bool`, sizes that depend on data) or copy batched values into a tensor that is not
    batched. Operators without a rule for a whole batch run once for each element, with a warning. Transforms nest in
    any order.

    Arguments:
        func: a function that takes and returns tensors or tuples, lists and dicts of tensors.
        in_dims: the batch dimension of each argument: a number for all, or a tuple with an entry for each,
        which is a number, None for an argument without a batch dimension, or a structure like the argument's.
        Keyword arguments have it in front.
        out_dims: the position of the batch dimension in the results, in the same form; None for a result that
        is the same for all elements.
        randomness: the behaviour of random operators: "error"; "same", one draw for all elements; "different",
        one for each.
        chunk_size: the number of elements to compute at a time; all if None.

    Raises:
        ValueError: if batch dimensions differ in length or do not exist, or `in_dims` does not match the arguments.
        TypeError: if `func` returns values other than tensors.

    >>> from facula_tensor import tensor
    >>> vmap(lambda a, b: (a * b).sum(), in_dims=(0, None))(tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([1.0, 10.0]))
    tensor([21., 43.])
    """
    check_callable("vmap", func)
    if randomness not in RANDOMNESS:
        raise ArgumentError(f"vmap: expected randomness 'error', 'same' or 'different'; got {randomness!r}")
    if chunk_size is not None and (type(chunk_size) is not int or chunk_size < 1):
        raise ArgumentError(f"vmap: expected chunk_size to be a positive int or None; got {chunk_size!r}")

    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, shape = take_apart((args, kwargs))
        dims = [*_dims_of("in_dims", in_dims, shape.parts[0]), *_dims_of("in_dims", 0, shape.parts[1])]
        size = _size_of(leaves, dims)
        inputs = [
            leaf if dim is None else recorded_ops.movedim(leaf, dim, 0) for leaf, dim in zip(leaves, dims, strict=True)
        ]
        if chunk_size is None or size <= chunk_size:
            return _mapped(func, inputs, dims, shape, out_dims, randomness, size)
        return _in_chunks(func, inputs, dims, shape, out_dims, randomness, size, chunk_size)

    return boundary(wraps(func)(mapped) if hasattr(func, "__name__") else mapped)


def _mapped(
    func: Callable[..., Any],
    inputs: list[Any],
    dims: list[int | None],
    shape: Shape,
    out_dims: Any,
    randomness: str,
    size: int,
) -> Tree:
    """Return the results of `func` for one batch.

    Its inputs, the leaves of `shape`, have the batch in front unless their dim is None.
    """
    level = BatchLevel(size, randomness)
    given = [tensor if dim is None else level.make(tensor) for tensor, dim in zip(inputs, dims, strict=True)]
    args, kwargs = put_together(shape, given)
    try:
        open_batches[level] = None
        found = call_inside(level, func, *args, **kwargs)
    finally:
        open_batches.pop(level, None)
    outputs, out_shape = take_apart(found)
    places = _dims_of("out_dims", out_dims, out_shape)
    return put_together(
        out_shape,
        [_result(level, place, tensor, dim) for place, (tensor, dim) in enumerate(zip(outputs, places, strict=True))],
    )


def _result(level: BatchLevel, place: int, value: Any, dim: int | None) -> Tensor:
    """Return one result of the function with the batch at `dim`."""
    if not isinstance(value, Tensor):
        raise InvalidTypeError(
            f"vmap: expected the function to return tensors, in tuples, lists and dicts; result {place} is "
            f"{type(value).__name__} {value!r:.60}"
        )
    if dim is None:
        if is_at(level, value):
            raise ArgumentError(
                f"vmap: expected result {place} to be the same for all, since its out_dims is None; it is batched"
            )
        return value
    ndim = layout_of_tensor(value).ndim + 1
    if not -ndim <= dim < ndim:
        raise ArgumentError(f"vmap: expected out_dims from {-ndim} to {ndim - 1} for result {place}; got {dim}")
    if not is_at(level, value):
        value = recorded_ops.expand(recorded_ops.unsqueeze(value, 0), (level.size, *value.shape))
    return recorded_ops.movedim(level.value(value), 0, dim)


def _in_chunks(
    func: Callable[..., Any],
    inputs: list[Any],
    dims: list[int | None],
    shape: Shape,
    out_dims: Any,
    randomness: str,
    size: int,
    chunk_size: int,
) -> Tree:
    """Return the results of `_mapped` for chunks of the batch, concatenated."""
    parts: list[list[Any]] = []
    states = default_states() if randomness == "same" else None  # all chunks use the same draw
    for start in range(0, size, chunk_size):
        if states is not None:
            restore_default_states(states)
        length = min(chunk_size, size - start)
        part = [
            tensor if dim is None else recorded_ops.narrow(tensor, 0, start, length)
            for tensor, dim in zip(inputs, dims, strict=True)
        ]
        leaves, out_shape = take_apart(_mapped(func, part, dims, shape, out_dims, randomness, length))
        parts.append(leaves)
    places = _dims_of("out_dims", out_dims, out_shape)
    return put_together(
        out_shape,
        [
            some[0] if dim is None else recorded_ops.cat(some, (dim % some[0].ndim,))
            for some, dim in zip(zip(*parts, strict=True), places, strict=True)
        ],
    )


def _dims_of(name: str, dims: Any, shape: Shape) -> list[int | None]:
    """Return the dimension of each leaf of `shape`: `dims` is a tree whose leaves apply to all leaves below them."""
    if dims is None or type(dims) is int:
        return [dims] * _number_of_leaves(shape)
    if not isinstance(dims, (tuple, list, dict)):
        raise InvalidTypeError(f"vmap: expected {name} of ints and None; got {type(dims).__name__} {dims!r:.60}")
    if isinstance(dims, dict):
        fits = shape.keys and set(dims) == set(shape.keys)
        entries = [dims[key] for key in shape.keys] if fits else []
    else:
        fits = shape.kind is not None and not issubclass(shape.kind, dict) and len(dims) == len(shape.parts)
        entries = list(dims)
    if not fits:
        raise ArgumentError(f"vmap: expected {name} to be built like {shape}; got {dims!r:.80}")
    return [dim for entry, part in zip(entries, shape.parts, strict=True) for dim in _dims_of(name, entry, part)]


def _number_of_leaves(shape: Shape) -> int:
    return 1 if shape.kind is None else sum([_number_of_leaves(part) for part in shape.parts])


def _size_of(leaves: list[Any], dims: list[int | None]) -> int:
    """Return the length of the batch; raise unless all arguments with a batch dimension agree."""
    size = None
    for place, (leaf, dim) in enumerate(zip(leaves, dims, strict=True)):
        if dim is None:
            continue
        if not isinstance(leaf, Tensor):
            raise ArgumentError(
                f"vmap: expected tensors where in_dims is a number; input {place} is {type(leaf).__name__} "
                f"{leaf!r:.60}; give it None in in_dims"
            )
        shape = layout_of_tensor(leaf).shape
        if not -len(shape) <= dim < len(shape):
            raise ArgumentError(f"vmap: expected a dimension {dim} of input {place} (in_dims); it has shape {shape}")
        if size is not None and shape[dim] != size:
            raise ArgumentError(
                f"vmap: expected batch dimensions of one length; got {size}, and {shape[dim]} of input {place}, of "
                f"shape {shape} along dimension {dim}"
            )
        size = shape[dim]
    if size is None:
        raise ArgumentError("vmap: expected at least one tensor with a batch dimension; in_dims names none")
    return size
