"""Variance and standard deviation, of all elements or along dimensions."""

from __future__ import annotations

from math import inf, nan, prod
from typing import TYPE_CHECKING

from facula_errors import DTypeError, InvalidTypeError
from facula_errors.extend import warn
from facula_storage import DType, Layout, float32, float64
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.promotion import as_real, floating
from ..._core.tensor import Tensor
from ..._dispatch.declaration import elementwise, operator
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import function
from ..elementwise.pointwise import is_real
from .arguments import reduced, reduction
from .sums import mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.types import Dims, Function
    from ..._dispatch.kinds import Axes, Flag, KeepDims, ReducedDims
    from ..._dispatch.namespaces import Namespace


def real_dtype(layout: Layout) -> DType:
    """Return the dtype of a magnitude, which is real for complex elements."""
    dtype = layout.dtype
    return dtype if dtype.category != COMPLEX else float32 if dtype.itemsize == 8 else float64


@elementwise
class _scaled_distance:
    """(input - center) * scale, in one pass."""

    inputs = ("input", "center", "scale")
    accepts = is_real

    compute_dtype = floating

    def vjp_input(F, g, scale):
        return g * scale

    def vjp_center(F, g, scale):
        return -(g * scale)

    def vjp_scale(F, g, input, center):
        return g * (input - center)


@operator
class _var:
    """The variance along dimensions, or its square root.

    The sum of squared distances from the mean is divided by the number of elements minus `correction`.
    """

    parameters = ("dims", "keepdim", "correction", "root")
    holomorphic = False

    def outputs(layout, dims, keepdim, correction, root):
        if layout.dtype.category < FLOATING:
            name = "std" if root else "var"
            raise DTypeError(f"{name}: not defined for {layout.dtype.name}; convert with .float()")
        count = prod([layout.shape[dim] for dim in dims])
        if count <= correction:  # once for each layout, since its plan is kept
            warn(
                f"{'std' if root else 'var'}: correction {correction:g} is not below the number of elements, {count}; "
                "the result is infinite or NaN; give correction=0 for single elements"
            )
        return reduced(layout, dims, keepdim, real_dtype(layout))

    def vjp_input(F, g, input, input_layout, dims, keepdim, correction, root):
        dtype, count = input_layout.dtype, prod([input_layout.shape[i] for i in dims])
        if not count:
            return F.zeros_of(input, input_layout)
        if dtype.itemsize == 2:  # sums of half precisions require a larger range
            input, g = F.to(input, (float32,)), F.to(g, (float32,))
        mean = F.mul(F.sum(input, (dims, True)), 1 / count)
        freedom, g = count - correction, F.keep_dims(g, dims, keepdim)
        if root:
            deviation = F.var(input, (dims, True, correction, True))
            g = F.where(F.eq(deviation, 0), 0, F.div(g, deviation))
        if freedom <= 0 and len(dims) == len(input_layout.shape):  # as in PyTorch, which differs along dimensions
            result = F.mul(F.where(F.eq(input, mean), nan, inf), g)
            return F.to(result, (dtype,)) if dtype.itemsize == 2 or dtype.category == COMPLEX else result
        scale = F.mul(g, (1 if root else 2) / freedom if freedom else inf)
        if dtype.category == COMPLEX:  # programs have no complex numbers
            return F.mul(F.sub(input, mean), scale)
        result = F.scaled_distance(input, mean, scale)
        return F.to(result, (dtype,)) if dtype.itemsize == 2 else result


def arguments(
    name: str,
    root: bool,
    input: Tensor,
    dim: Dims | None,
    unbiased: bool | None,
    keepdim: bool,
    correction: float | None,
) -> tuple[Tensor, tuple[tuple[int, ...], bool, float, bool]]:
    """Return the operator's operand and parameters; the third parameter is the correction."""
    if isinstance(dim, bool):  # PyTorch's signature var(x, unbiased)
        if unbiased is not None:
            raise InvalidTypeError(f"{name}: expected dim to be an integer; got {dim}")
        dim, unbiased = None, dim
    if correction is not None:
        if unbiased is not None:
            raise InvalidTypeError(
                f"{name}: expected unbiased or correction; got both, unbiased={unbiased} and correction={correction}; "
                f"unbiased=True is correction=1"
            )
        off = float(as_real(correction, name, "correction"))
    else:
        off = 1.0 if unbiased is None or unbiased else 0.0
    input, parameters = reduction(name, input, dim, keepdim)
    return input, (*parameters, off, root)


ARGUMENTS = """
    Arguments:
        unbiased: True for a correction of 1, False for 0; None for 1.
        correction: subtracted from the number of elements.
"""


def _deviation(name: str, root: bool, doc: str) -> Function:
    def body(
        F: Namespace,
        input: Tensor,
        dim: ReducedDims = None,
        unbiased: bool | None = None,
        keepdim: Flag = False,
        *,
        axis: Axes = None,
        keepdims: KeepDims = False,
        correction: float | None = None,
    ) -> Tensor:
        return F.var(*arguments(name, root, input, dim, unbiased, keepdim, correction))

    body.__doc__ = doc.format(arguments=ARGUMENTS)
    return function(name=name, method=True, out=True)(body)


var: Function = _deviation(
    "var",
    False,
    """Return the variance of all elements, or along `dim` (an integer or several); it is real for complex numbers.

    Squared distances from the mean, summed in double precision, are divided by their number minus `correction` (1), or
    by their number if `unbiased` is False. If the divisor is not positive, the result is infinite or NaN, with a
    warning. Floating and complex dtypes; TypeError for others.
    {arguments}
    >>> from facula_tensor import tensor
    >>> var(tensor([1.0, 2.0, 3.0, 4.0])), var(tensor([1.0, 3.0]), correction=0)
    (tensor(1.6667), tensor(1.))
    """,
)
std: Function = _deviation(
    "std",
    True,
    """Return the standard deviation of all elements, or along `dim`: the square root of `var`, with its arguments.
    {arguments}
    >>> from facula_tensor import tensor
    >>> std(tensor([[1.0, 3.0], [2.0, 2.0]]), 1, correction=0)
    tensor([1., 0.])
    """,
)


def _with_mean(name: str, root: bool) -> Function:
    def body(
        F: Namespace,
        input: Tensor,
        dim: ReducedDims = None,
        unbiased: bool | None = None,
        keepdim: Flag = False,
        *,
        axis: Axes = None,
        keepdims: KeepDims = False,
        correction: float | None = None,
        out: Sequence[Tensor] | None = None,
    ) -> tuple[Tensor, Tensor]:
        input, parameters = arguments(name, root, input, dim, unbiased, keepdim, correction)
        dims = parameters[0]
        results = F.var(input, parameters), mean(input, dims, parameters[1]) if dims else mean(input)
        if out is None:
            return results
        if not (isinstance(out, (tuple, list)) and len(out) == 2):
            raise InvalidTypeError(f"{name}: expected out to be two tensors; got {type(out).__name__}")
        return write_out(name, results[0], out[0]), write_out(name, results[1], out[1])

    body.__doc__ = f"""Return `{name.removesuffix("_mean")}` and `mean` of the same elements.
    {ARGUMENTS.rstrip()}
        out: the tensors that receive the results; None for new tensors.

    >>> from facula_tensor import tensor
    >>> {name}(tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    return function(name=name, overridable=True)(body)


var_mean: Function = _with_mean("var_mean", False)
std_mean: Function = _with_mean("std_mean", True)
