"""Scans: cumulative sums, products and extremes along a dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import Layout, contiguous, int64
from facula_storage.extend.layouts import FLOATING

from ..._core.promotion import accumulating, as_dtype
from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import operator, under
from ..._dispatch.namespaces import composite
from ..._dispatch.written import function
from ..memory.copying import cast_to
from .arguments import in_one_pass
from .extreme_pairs import CumMax, CumMin
from .one_dim import check_ordered, extreme_pair, one_dim

if TYPE_CHECKING:
    from ..._core.types import DTypeLike, Function
    from ..._dispatch.kinds import Axis, Outs
    from ..._dispatch.namespaces import Namespace
    from .extreme_pairs import Extremes


def forwards(operation: str, input: Tensor, dim: int | None) -> tuple[Tensor, tuple[int, bool]]:
    """Return the operand and the parameters of a scan from the beginning."""
    input, dim = one_dim(operation, input, dim)
    return input, (dim, False)


def same_layout(layout: Layout, *rest: object) -> Layout:
    """Return a contiguous layout with the operand's shape and dtype."""
    return contiguous(layout.shape, layout.dtype, layout.device)


def unexpanded(F: Namespace, g: Tensor) -> Tensor:
    """Return a copy of an expanded gradient, because repeated elements are slow to scan; others unchanged."""
    return F.contiguous(g) if 0 in layout_of_tensor(g).strides else g


@operator
class _cumsum:
    """Cumulative sums along a dimension, from either end."""

    parameters = ("dim", "backwards")
    linear = ("input",)
    compute_dtype = accumulating  # the conversion to narrower integers wraps
    outputs = same_layout

    def vjp_input(F, g, _input_layout, dim, backwards):
        return F.cumsum(unexpanded(F, g), (dim, not backwards))


# Note [Gradient of running products]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# The derivative of the product up to j with respect to x[i] is x[0] ... x[i-1] x[i+1] ... x[j]. The gradient of x[i] is
# therefore the product of all elements before it, times s[i] = g[i] + g[i+1] x[i+1] + g[i+2] x[i+1] x[i+2] + ..., where
# s[i] = g[i] + x[i+1] s[i+1] is a linear recurrence from the end. It contains no division, so it is exact for zeros, in
# derivatives of any order.
@operator
class _cumprod:
    """Cumulative products along a dimension."""

    parameters = ("dim", "backwards")
    compute_dtype = accumulating
    outputs = same_layout

    def vjp_input(F, g, input, out, dim):
        if in_one_pass(F, g, input):
            return F.cumprod_grad(input, unexpanded(F, g), out, (dim,))
        return F.mul(F.before(out, dim, 1), F.recurrence(input, g, (dim, True)))


@operator
class _cumprod_grad:
    """The gradient of running products in one pass; see Note [Gradient of running products]."""

    inputs = ("input", "grad", "products")
    parameters = ("dim",)

    def outputs(layout, grad, products, dim):
        return contiguous(layout.shape, layout.dtype, layout.device)


@operator
class _extreme_grad:
    """The gradient of running extremes: sums of the elements with each index, which does not decrease along `dim`."""

    inputs = ("grad", "index")
    parameters = ("dim",)

    def outputs(layout, index, dim):
        return contiguous(layout.shape, layout.dtype, layout.device)


@operator
class _recurrence:
    """y[i] = b[i] + a[i] y[i - 1] along a dimension; backwards, y[i] = b[i] + a[i + 1] y[i + 1]."""

    inputs = ("a", "b")
    parameters = ("dim", "backwards")

    def outputs(layout, b, dim, backwards):
        return contiguous(layout.shape, layout.dtype, layout.device)

    def vjp_b(F, g, a, dim, backwards):
        return F.recurrence(a, g, (dim, not backwards))

    def vjp_a(F, g, a, b, dim, backwards):
        y, back = F.recurrence(a, b, (dim, backwards)), F.recurrence(a, g, (dim, not backwards))
        return F.mul(y, F.before(back, dim, 0)) if backwards else F.mul(back, F.before(y, dim, 0))


@composite
def before(F: Namespace, input: Tensor, dim: int, start: int) -> Tensor:
    """Return the predecessor of each element along a dimension; `start` (0 or 1) precedes the first."""
    layout = layout_of_tensor(input)
    if not layout.shape:
        return F.zeros_of(input, layout) if start == 0 else F.ones_like(input)
    n = layout.shape[dim]
    if not n:
        return input
    head = F.slice(input, dim, 0, 1, 1)
    first = F.zeros_of(head, layout_of_tensor(head)) if start == 0 else F.ones_like(head)
    return F.cat((first, F.slice(input, dim, 0, n - 1, 1)), (dim,))


@operator
class logcumsumexp:
    """Return log(cumsum(exp(x))) along `dim`, without overflow. Floating dtypes; TypeError for others.

    >>> from facula_tensor import tensor
    >>> logcumsumexp(tensor([0.0, 0.0]), 0)
    tensor([0.0000, 0.6931])
    """

    method = out = True
    parameters = ("dim", "backwards")
    prepare = forwards

    @staticmethod
    def signature(input: Tensor, dim: int | None = None, *, axis: Axis = None) -> None: ...

    def outputs(layout, dim, backwards):
        if layout.dtype.category != FLOATING:
            raise DTypeError(f"logcumsumexp: not defined for {layout.dtype.name}; convert with .float()")
        return same_layout(layout)

    def vjp_input(F, g, input, out, dim):
        earlier = F.before(out, dim, 0)
        factor = F.where(F.eq(earlier, out), 1, F.exp(F.sub(earlier, out)))
        slope = F.where(F.eq(input, float("-inf")), 0, F.exp(F.sub(input, out)))
        return F.mul(slope, F.recurrence(factor, g, (dim, True)))


def _scan(name: str, call: Function, input: Tensor, dim: int | None, dtype: DTypeLike | None) -> Tensor:
    """Compute a cumulative sum or product, with the dtype int64 for narrower integers, or `dtype`."""
    input, dim = one_dim(name, input, dim)
    own = layout_of_tensor(input).dtype
    wanted = accumulating(own) if dtype is None else as_dtype(dtype, name)
    if wanted is not own:
        input = cast_to(input, wanted)
    return call(input, (dim, False))


@function(method=True, changes=True, out=True)
def cumsum(
    F: Namespace, input: Tensor, dim: int | None = None, *, axis: Axis = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Return cumulative sums along `dim`. Integers and bool are added in int64 and wrap if `dtype` is narrower.

    float32 is accumulated in double precision, half precisions in float32 or a wider dtype.

    >>> from facula_tensor import tensor
    >>> cumsum(tensor([1, 2, 3]), 0)
    tensor([1, 3, 6])
    """
    return _scan("cumsum", F.cumsum, input, dim, dtype)


@function(method=True, changes=True, out=True)
def cumprod(
    F: Namespace, input: Tensor, dim: int | None = None, *, axis: Axis = None, dtype: DTypeLike | None = None
) -> Tensor:
    """Return cumulative products along `dim`, with the dtypes of `cumsum`. Gradients are exact for zeros.

    >>> from facula_tensor import tensor
    >>> cumprod(tensor([1, 2, 3]), 0)
    tensor([1, 2, 6])
    """
    return _scan("cumprod", F.cumprod, input, dim, dtype)


def _extremes(name: str, which: str, made: type[Extremes], example: str, result: str) -> Function:
    @operator
    @under("_" + name, "Cumulative extremes and their indices.")
    class scan:
        parameters = ("dim", "backwards")
        results = ("values", "indices")

        def outputs(layout, dim, backwards):
            check_ordered(name, layout)
            values = same_layout(layout)
            return values, values.to_dtype(int64)

        def vjp_input(F, g, indices, input_layout, dim):
            if in_one_pass(F, g, indices):
                return F.extreme_grad(unexpanded(F, g), indices, (dim,))
            return F.chosen_back(g, indices, input_layout, dim)

    @function(
        name=name, words={"which": which, "example": f"{name}(tensor({example}), 0)", "result": result}, method=True
    )
    def body(F: Namespace, input: Tensor, dim: int | None = None, *, axis: Axis = None, out: Outs = None) -> Extremes:
        """Return the cumulative {which} along `dim` and the index of its last occurrence. NaN propagates.

        >>> from facula_tensor import tensor
        >>> {example}.values
        tensor({result})
        """
        input, dim = one_dim(name, input, dim)
        return extreme_pair(made, getattr(F, name)(input, (dim, False)), out)

    return body


cummax = _extremes("cummax", "maximum", CumMax, "[1, 3, 2]", "[1, 3, 3]")
cummin = _extremes("cummin", "minimum", CumMin, "[3, 1, 2]", "[3, 1, 1]")
