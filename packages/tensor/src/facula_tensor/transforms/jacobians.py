"""Jacobians and Hessians of functions, computed by rows or by columns."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.transforms import (
    check_callable,
    named_like,
    pair_of,
    per_argument,
    places_of,
    put_together,
    with_arguments,
)
from facula_errors import ArgumentError
from facula_errors.extend import boundary

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from .._creation.filled import zeros
from .._creation.ranges import arange
from .._dispatch.namespaces import recorded_ops
from ..ops.shape.joining import cat
from .functions import TensorCall, jvp
from .mapping import vmap
from .trees import tensors_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_autograd.extend.transforms import Argnums

    from .trees import Tree


def basis_of(tensors: list[Tensor], start: int = 0, stop: int | None = None) -> list[Tensor]:
    """Return the unit vectors for the elements of some tensors, all or some, stacked along a first dimension."""
    parts, rows = _parts_of(tensors), []
    stop = parts[-1].stop if stop is None else stop
    for tensor, part in zip(tensors, parts, strict=True):
        at, columns = arange(start, stop, device=tensor.device), arange(part.start, part.stop, device=tensor.device)
        rows.append((at.unsqueeze(1) == columns).to(tensor.dtype).reshape((stop - start, *tensor.shape)))
    return rows


def _parts_of(tensors: list[Tensor]) -> list[slice]:
    """Return the range of each tensor's elements among the elements of all."""
    counts = [tensor.numel() for tensor in tensors]
    return [slice(stop - count, stop) for count, stop in zip(counts, accumulate(counts), strict=True)]


@boundary
def jacrev(
    func: Callable[..., Tree],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `func` by reverse mode, in one pass for all output elements.

    The shape is that of the output followed by that of the argument. If the output or the argument consists of
    several tensors, the Jacobian has the structure of the output, with parts that have the structure of the
    argument.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); the result is then a pair (Jacobian, aux).
        chunk_size: the number of rows to compute at a time; all if None.
        _preallocate_and_copy: accepted and not needed.

    >>> from facula_tensor import tensor
    >>> jacrev(lambda x: x * x)(tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_callable("jacrev", func)
    _check_chunk(chunk_size)

    @named_like(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        called = TensorCall("jacrev", func, args, argnums, kwargs, has_aux)
        values = called.values()
        _check_real("jacrev", "inputs", called.points)
        _check_real("jacrev", "outputs", values)
        blocks = by_rows(lambda *unit: called.pull(unit), values, called.points, chunk_size)
        parts = [per_argument(argnums, put_together(called.in_shape, some)) for some in blocks]
        result = put_together(called.out_shape, parts)
        return (result, called.aux) if has_aux else result

    return jacobian


def by_rows(
    pull: Callable[..., list[Tensor]],
    values: list[Tensor],
    points: list[Tensor],
    chunk_size: int | None = None,
    vectorize: bool = True,
) -> list[list[Tensor]]:
    """Return the blocks of a Jacobian by reverse mode: for each value, one for each point.

    Arguments:
        pull: computes the gradients of the points from those of the values.
        values: the outputs.
        points: the inputs.
        chunk_size: the number of rows to compute at a time; all if None.
        vectorize: whether to compute rows together; otherwise one by one, so that `pull` never sees batches.
    """
    compute = (
        vmap(pull)
        if vectorize
        else lambda *unit: [g.unsqueeze(0) for g in pull(*[unit_vectors[0] for unit_vectors in unit])]
    )
    total = sum([value.numel() for value in values])
    size = (chunk_size or total or 1) if vectorize else 1
    chunks = [compute(*basis_of(values, k, min(k + size, total))) for k in range(0, total, size)]
    rows = [some[0] if len(some) == 1 else cat(some) for some in zip(*chunks, strict=True)] or [None] * len(points)
    return [
        [_joined(row, part, value, point, 0) for row, point in zip(rows, points, strict=True)]
        for value, part in zip(values, _parts_of(values), strict=True)
    ]


def _check_chunk(chunk_size: object) -> None:
    if chunk_size is not None and (type(chunk_size) is not int or chunk_size < 1):
        raise ArgumentError(f"jacrev: expected chunk_size to be a positive integer or None; got {chunk_size!r}")


def _check_real(operation: str, what: str, tensors: list[Tensor]) -> None:
    """Raise ValueError for complex tensors, for which unit vectors show only half of the derivative."""
    for tensor in tensors:
        if tensor.is_complex():
            raise ArgumentError(
                f"{operation}: expected real {what}; got {show(layout_of_tensor(tensor))}; use view_as_real(), or "
                "real and imag"
            )


def _joined(rows: Tensor | None, part: slice, value: Tensor, point: Tensor, dim: int) -> Tensor:
    """Return the block of a Jacobian for one output and one argument, from its rows (`dim` 0) or columns (1)."""
    shape = (*value.shape, *point.shape)
    if rows is None:
        like = value if dim else point  # the dtype of the rows or columns
        return zeros(shape, dtype=like.dtype, device=like.device)
    rows = rows[part]
    return (recorded_ops.movedim(rows, 0, -1) if dim else rows).reshape(shape)


@boundary
def jacfwd(
    func: Callable[..., Tree], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `func` by forward mode, in one pass for all input elements.

    The result has the same structure as that of `jacrev`. `func` runs under `vmap`.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); the result is then a pair (Jacobian, aux).
        randomness: the behaviour of random operators under `vmap`: "error", "same" or "different".

    >>> from facula_tensor import tensor
    >>> jacfwd(lambda x: x * x)(tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_callable("jacfwd", func)
    if randomness not in ("error", "same", "different"):
        raise ArgumentError(f"jacfwd: expected randomness 'error', 'same' or 'different'; got {randomness!r}")

    @named_like(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        places = places_of("jacfwd", argnums, len(args))
        points, shape = tensors_of(
            "jacfwd", "the arguments to differentiate by", tuple([args[place] for place in places])
        )
        _check_real("jacfwd", "inputs", points)

        def of_points(*changed: Any) -> Any:
            return func(*with_arguments(args, places, changed), **kwargs)

        primals, called = put_together(shape, points), list[Any]()

        def push(*unit: Tensor) -> list[Tensor]:
            outputs, slopes, *aux = jvp(of_points, primals, put_together(shape, list(unit)), has_aux=has_aux)
            called[:] = [outputs, *aux]
            return tensors_of("jacfwd", "what the function returns", slopes)[0]

        columns: list[Tensor | None] | None = None
        if any([point.numel() for point in points]):
            columns = vmap(push, randomness=randomness)(*basis_of(points))
        else:
            called[:] = pair_of("jacfwd", of_points(*primals)) if has_aux else [of_points(*primals)]
        outputs, *aux = called
        values, out_shape = tensors_of("jacfwd", "what the function returns", outputs)
        columns = [None] * len(values) if columns is None else columns
        parts = [
            [_joined(column, part, value, point, 1) for part, point in zip(_parts_of(points), points, strict=True)]
            for value, column in zip(values, columns, strict=True)
        ]
        result = put_together(out_shape, [per_argument(argnums, put_together(shape, some)) for some in parts])
        return (result, *aux) if has_aux else result

    return jacobian


@boundary
def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that computes the second derivatives of `func` by forward mode over reverse mode.

    Arguments:
        func: the function.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.

    >>> from facula_tensor import tensor
    >>> hessian(lambda x: (x**3).sum())(tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    check_callable("hessian", func)
    return jacfwd(jacrev(func, argnums), argnums)
