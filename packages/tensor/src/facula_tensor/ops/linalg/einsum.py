"""`einsum` and `tensordot`: sums of products by index, as a sequence of matrix products.

Note [Contraction]
~~~~~~~~~~~~~~~~~~
Labels of one operand that the result lacks are summed first. Then operands are multiplied in pairs, beginning with the
pair whose product is smallest relative to its operands. Each multiplication is one matrix product: labels of the first
operand only become rows, labels of the second only become columns, shared labels that are not needed later form the
inner dimension, and other shared labels form the batch. No product is therefore larger than its result. The steps
depend only on shapes and are cached.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError

from ..._core.promotion import as_integer
from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from .subscripts import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from ..._dispatch.kinds import Checked

Labels = tuple[int, ...]
Step = tuple[str, tuple[Any, ...]]  # the name of an operator, and its parameter
Steps = tuple[Step, ...]
Sublist = tuple[object, ...]  # integers and `...`
Subscripts = str | tuple[tuple[Sublist, ...], Sublist | None]  # an equation, or the lists of operands and result
Product = tuple[bool, str, Steps, Steps, Steps]  # the product of two operands: see `_pair`
Plan = tuple[tuple[Steps, ...], tuple[tuple[int, int, Product], ...], Steps]


def _shape_of_labels(labels: Labels, sizes: dict[int, int]) -> tuple[int, ...]:
    return tuple([sizes[label] for label in labels])


def _moved(labels: Labels, wanted: Labels) -> Steps:
    """Return the step that permutes dimensions into the wanted order; none if they are in order."""
    return () if labels == wanted else (("permute", tuple([labels.index(label) for label in wanted])),)


def _sum_step(labels: Labels, kept: set[int]) -> tuple[Labels, Steps]:
    """Return the labels that remain after summing all but the `kept` ones, and the step that sums them."""
    dims = tuple([place for place, label in enumerate(labels) if label not in kept])
    left = tuple([label for label in labels if label in kept])
    return left, ((("sum", (dims, False)),) if dims else ())


def _pair(a: Labels, b: Labels, kept: set[int], result: Labels | None, sizes: dict[int, int]) -> tuple[Product, Labels]:
    """Plan the product of operands with these labels, and return it with the labels of the result.

    Arguments:
        a: the labels of the first operand.
        b: the labels of the second.
        kept: the labels that other operands or the result need.
        result: the labels of the result if this is the last product, else None.
        sizes: the length of each label.

    Returns:
        Whether to swap the operands, the operator, the preceding steps of each operand, and the steps after it.
    """
    rows = tuple([label for label in a if label not in b])
    columns = tuple([label for label in b if label not in a])
    if result is not None:  # the last product: its dimensions should have the order of the result
        order = [label for label in result if label in rows or label in columns]
        swapped = bool(order) and order[0] in columns
        stack = tuple([label for label in result if label in a and label in b])
        rows, columns = [tuple([label for label in order if label in some]) for some in (rows, columns)]
    else:
        swapped = False
        stack = tuple([label for label in a if label in b and label in kept])
    if swapped:
        a, b, rows, columns = b, a, columns, rows
    inner = tuple([label for label in a if label in b and label not in kept])
    if not inner:
        wanted = (*stack, *rows, *columns)
        narrow = tuple([1] * len(columns))
        first: Steps = _moved(a, (*stack, *rows)) + (
            (("reshape", (*_shape_of_labels((*stack, *rows), sizes), *narrow)),) if columns else ()
        )
        second = _moved(b, (*stack, *columns))
        if stack and rows:
            spread = (*_shape_of_labels(stack, sizes), *[1] * len(rows), *_shape_of_labels(columns, sizes))
            second += (("reshape", spread),)
        return (swapped, "mul", first, second, ()), wanted
    size = prod(_shape_of_labels(inner, sizes))
    ahead = _shape_of_labels(stack, sizes)
    lengths = [(prod(_shape_of_labels(some, sizes)),) if some or stack else () for some in (rows, columns)]
    left = _moved(a, (*stack, *rows, *inner))
    if len(rows) != 1 or len(inner) != 1:
        left += _reshape_step((*stack, *rows, *inner), (*ahead, *lengths[0], size), sizes)
    right = _moved(b, (*stack, *inner, *columns))
    if len(columns) != 1 or len(inner) != 1:
        right += _reshape_step((*stack, *inner, *columns), (*ahead, size, *lengths[1]), sizes)
    wanted = (*stack, *rows, *columns)
    after: Steps = ()
    if (*ahead, *lengths[0], *lengths[1]) != _shape_of_labels(wanted, sizes):
        after = (("reshape", _shape_of_labels(wanted, sizes)),)
    return (swapped, "matmul", left, right, after), wanted


def _reshape_step(labels: Labels, shape: tuple[int, ...], sizes: dict[int, int]) -> Steps:
    """Return the step that reshapes dimensions with these labels; none if the shape is right."""
    return () if _shape_of_labels(labels, sizes) == shape else (("reshape", shape),)


@lru_cache(maxsize=1024)
def _plan(subscripts: Subscripts, shapes: tuple[tuple[int, ...], ...]) -> Plan:
    """Return the steps for these shapes: for each operand, for each product, and for the last result.

    `subscripts` is the equation, or a tuple with the label lists of the operands and of the result.
    """
    operands, result = labels_of(subscripts, shapes)  # type: ignore[arg-type]  # inner lists are tuples here
    sizes: dict[int, int] = {}
    for labels, shape in zip(operands, shapes, strict=True):
        for label, size in zip(labels, shape, strict=True):
            known = sizes.setdefault(label, size)
            if known == 1:
                sizes[label] = size
            elif size not in (1, known):
                raise ArgumentError(
                    f"einsum: expected every label to have one length; got lengths {known} and {size} for one, in "
                    f"operands of shapes {', '.join(map(str, shapes))}"
                )
    first: list[Steps] = []
    left: list[Labels] = []
    for labels, shape in zip(operands, shapes, strict=True):
        steps: Steps = ()
        if len(set(labels)) < len(labels):
            groups = tuple(
                [
                    tuple([place for place, other in enumerate(labels) if other == label])
                    for label in dict.fromkeys(labels)
                ]
            )
            if any(len({shape[place] for place in group}) > 1 for group in groups):
                raise ArgumentError(f"einsum: expected equal lengths for a label that repeats; got shape {shape}")
            steps = (("diagonals", groups),)
            shape = tuple([shape[group[0]] for group in groups])
            labels = tuple(dict.fromkeys(labels))
        # Drop a dimension of length 1 whose label has another length in another operand.
        short = tuple([place for place, label in enumerate(labels) if shape[place] == 1 != sizes[label]])
        if short:
            labels = tuple([label for place, label in enumerate(labels) if place not in short])
            steps += (("reshape", _shape_of_labels(labels, sizes)),)
        first.append(steps)
        left.append(labels)
    for place, labels in enumerate(left):
        kept = set(result).union(*[other for number, other in enumerate(left) if number != place])
        left[place], step = _sum_step(labels, kept)
        first[place] += step

    pairs: list[tuple[int, int, Product]] = []
    while len(left) > 1:
        best = None
        for i, j in combinations(range(len(left)), 2):
            kept = set(result).union(*[operand for place, operand in enumerate(left) if place not in (i, j)])
            size = prod(_shape_of_labels(tuple((set(left[i]) | set(left[j])) & kept), sizes))
            cost = size - prod(_shape_of_labels(left[i], sizes)) - prod(_shape_of_labels(left[j], sizes))
            if best is None or cost < best[0]:
                best = cost, i, j, kept
            if len(left) == 2:
                break
        assert best is not None
        _, i, j, kept = best
        product, left[i] = _pair(left[i], left[j], kept, result if len(left) == 2 else None, sizes)
        pairs.append((i, j, product))
        del left[j]
    return tuple(first), tuple(pairs), _moved(left[0], result)


def _diagonals(input: Tensor, groups: tuple[tuple[int, ...], ...]) -> Tensor:
    """Return a view of the diagonals along each group of dimensions, with one dimension for each group."""
    strides = layout_of_tensor(input).strides
    shape = tuple([input.shape[group[0]] for group in groups])
    return recorded_ops.as_strided(input, shape, tuple([sum([strides[dim] for dim in group]) for group in groups]), 0)


def _run(value: Tensor, steps: Steps) -> Tensor:
    for step, parameters in steps:
        if step == "diagonals":
            value = _diagonals(value, parameters)
        else:
            value = getattr(recorded_ops, step)(value, parameters)
    return value


def _contract(operation: str, subscripts: Subscripts, operands: list[Tensor]) -> Tensor:
    """Multiply and sum the operands according to `subscripts`."""
    first, pairs, last = _plan(subscripts, tuple([layout_of_tensor(operand).shape for operand in operands]))
    left = [_run(operand, steps) if steps else operand for operand, steps in zip(operands, first, strict=True)]
    for i, j, (swapped, product, before_a, before_b, after) in pairs:
        b = left.pop(j)
        a = left[i]
        if swapped:
            a, b = b, a
        left[i] = _run(getattr(recorded_ops, product)(_run(a, before_a), _run(b, before_b)), after)
    result = _run(left[0], last)
    return (
        recorded_ops.view(result, tuple(result.shape)) if any([result is operand for operand in operands]) else result
    )


@function(overridable=True)
def einsum(*args: str | Tensor | Sequence[object]) -> Tensor:
    """Sum products according to an equation: `einsum("ij,jk->ik", a, b)` is a matrix product.

    The equation has a letter for each dimension of each operand; commas separate operands. The letters after the arrow
    are the result's dimensions, in that order; all others are summed over. Without an arrow the result has the letters
    that occur once, in alphabetical order. A letter that repeats within an operand selects the diagonal. `...` stands
    for any further dimensions, which broadcast and come first. Operands may be passed as one list. Instead of an
    equation, a list of integers and `...` may follow each operand: `einsum(a, [0, 1], b, [1, 2], [0, 2])`.

    Raises ValueError if the equation does not fit the operands.

    Arguments:
        args: the equation and the operands, or each operand and its list.

    >>> from facula_tensor import ones
    >>> einsum("bij,bjk->bik", ones(5, 2, 3), ones(5, 3, 4)).shape
    facula.Size([5, 2, 4])
    >>> einsum("ii", ones(3, 3))
    tensor(3.)
    """
    if not args:
        raise InvalidTypeError("einsum: expected an equation and tensors; got nothing")
    if isinstance(args[0], str):
        equation: Subscripts = args[0]
        operands: tuple[object, ...] = args[1:]
    else:
        operands, lists = args[0::2], args[1::2]
        result = None
        if len(operands) > len(lists):  # the last one belongs to the result
            operands, result = operands[:-1], operands[-1]
        equation = (tuple([_sublist(labels) for labels in lists]), None if result is None else _sublist(result))
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not operands:
        raise InvalidTypeError("einsum: expected an equation and tensors; got no tensor")
    tensors = [operand if isinstance(operand, Tensor) else as_tensor("einsum", operand) for operand in operands]
    return _contract("einsum", equation, tensors)


def _sublist(labels: object) -> Sublist:
    if not isinstance(labels, (list, tuple)):
        raise InvalidTypeError(
            f"einsum: expected an equation, or a list of numbers after each tensor; got {type(labels).__name__}"
        )
    return tuple([label if label is Ellipsis else as_integer(label, "einsum", "subscripts") for label in labels])


@function(overridable=True)
def tensordot(
    a: Checked, b: Checked, dims: SupportsIndex | Sequence[object] | Tensor = 2, out: Tensor | None = None
) -> Tensor:
    """Sum products over pairs of dimensions.

    Arguments:
        a: a tensor.
        b: a tensor.
        dims: two lists of dimensions, of `a` and of `b`; or the number of last dimensions of `a` and first ones of `b`.

    Returns:
        A tensor with the remaining dimensions of `a`, then those of `b`.

    Raises:
        ValueError: if lengths differ.

    >>> from facula_tensor import ones
    >>> tensordot(ones(2, 3, 4), ones(4, 3, 5), dims=([2, 1], [0, 1])).shape
    facula.Size([2, 5])
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (list, tuple)):
        if len(dims) != 2:
            raise ArgumentError(f"tensordot: expected dims to be a number or two lists; got {dims}")
        pairs = [[entry] if not isinstance(entry, (list, tuple)) else list(entry) for entry in dims]
        chosen = [[_dim(dim, operand.ndim) for dim in some] for some, operand in zip(pairs, (a, b), strict=True)]
    else:
        count = as_integer(dims, "tensordot", "dims")
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise ArgumentError(
                f"tensordot: expected dims from 0 to {min(a.ndim, b.ndim)}; got {count} for shapes {tuple(a.shape)} "
                f"and {tuple(b.shape)}"
            )
        chosen = [list(range(a.ndim - count, a.ndim)), list(range(count))]
    lengths = [[operand.shape[dim] for dim in some] for some, operand in zip(chosen, (a, b), strict=True)]
    if len(lengths[0]) != len(lengths[1]) or any(
        length != other and 1 not in (length, other) for length, other in zip(*lengths, strict=True)
    ):
        raise ArgumentError(
            f"tensordot: expected equally long dimensions in pairs; got dims {chosen} for shapes {tuple(a.shape)} "
            f"and {tuple(b.shape)}"
        )
    first = list(range(a.ndim))
    second = [first[chosen[0][chosen[1].index(dim)]] if dim in chosen[1] else a.ndim + dim for dim in range(b.ndim)]
    kept = [label for label in first if label not in second] + [label for label in second if label >= a.ndim]
    result = _contract("tensordot", ((tuple(first), tuple(second)), tuple(kept)), [a, b])
    if a.dtype is b.dtype is not result.dtype:  # a sum along a broadcast dimension has dtype int64
        result = recorded_ops.to(result, (a.dtype,))
    return write_out("tensordot", result, out)


def _dim(dim: object, ndim: int) -> int:
    place = as_integer(dim, "tensordot", "dims")
    if not -ndim <= place < ndim:
        raise ArgumentError(f"tensordot: expected dims from {-ndim} to {ndim - 1}; got {place}")
    return place % ndim
