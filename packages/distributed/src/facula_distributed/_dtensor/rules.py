"""Rules of element-wise operators, reductions, and operators along a dimension; see Note [Letters] in dispatch.py."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_tensor import Tensor
from facula_tensor.linalg import vector_norm

from .dispatch import Call, Letters, Signature
from .layout import Layout, box_at
from .norms import combined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RULES: dict[str, Callable[[Call], Signature]] = {}


def rule(names: str) -> Callable[[Any], Any]:
    """Make a function the rule of operators, whose names are separated by spaces."""

    def add(function: Any) -> Any:
        RULES.update(dict.fromkeys(names.split(), function))
        return function

    return add


def broadcast(shape: Sequence[int], result: Sequence[int]) -> Letters:
    """Return the letters of an operand of a shape: numbers of the result's dimensions; None where it is repeated."""
    ahead = len(result) - len(shape)
    return tuple([None if length == 1 != result[at + ahead] else at + ahead for at, length in enumerate(shape)])


def pointwise(call: Call, linear: str = "", used: int | None = None) -> Signature:
    """Return the signature of an element-wise operator, whose operands are broadcast.

    Arguments:
        call: the call.
        linear: as in a signature.
        used: the number of operands whose elements are used; all if None.
    """
    results = [tuple(range(one.ndim)) for one in call.results]
    shape = tuple(call.results[0].shape)
    operands = [broadcast(layout.shape, shape) for layout in call.layouts[:used]]
    return Signature([*operands, *[None] * (len(call.layouts) - len(operands))], results, {}, linear)


@rule(
    "abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh "
    "bitwise_and bitwise_not bitwise_or bitwise_xor ceil celu clamp clamp_max clamp_min clip copysign cos cosh deg2rad "
    "digamma elu eq erf erfc erfinv exp exp2 expm1 fix float_power floor floor_divide fmax fmin fmod frac ge gelu gt "
    "hardshrink hardsigmoid hardswish hardtanh heaviside hypot invert isclose isfinite isinf isnan ldexp le leaky_relu "
    "lerp lgamma log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit "
    "logsigmoid lt masked_fill maximum minimum mish mul_scalar nan_to_num ne nextafter not_equal polar pow rad2deg "
    "reciprocal relu relu6 remainder round rsqrt rtruediv rsub rpow rfloordiv rmod floordiv mod selu sgn sigmoid sign "
    "signbit silu sin sinc sinh softplus softshrink softsign sqrt square tan tanh tanhshrink threshold trunc where "
    "xlogy addcmul addcdiv greater greater_equal less less_equal and or xor rand ror rxor true_divide_scalar "
    "full_like ones_like fill bool int long"
)
def _nonlinear(call: Call) -> Signature:
    return pointwise(call)


@rule("neg negative positive clone contiguous detach copy zero zeros_like empty_like real imag deg2rad rad2deg alias")
def _linear(call: Call) -> Signature:
    return pointwise(call, "all")


@rule("to type float double half bfloat16 type_as")
def _conversion(call: Call) -> Signature:
    is_linear = call.results[0].is_floating_point() and call.metas[0].is_floating_point()
    return pointwise(call, "all" if is_linear else "", used=1)


@rule("add sub subtract radd")
def _sum(call: Call) -> Signature:
    return pointwise(call, "all" if len(call.operands) == 2 else "")


@rule("mul multiply rmul")
def _product(call: Call) -> Signature:
    return pointwise(call, "each" if len(call.operands) == 2 else "all")


@rule("div divide true_divide")
def _quotient(call: Call) -> Signature:
    is_exact = call.argument(2, "rounding_mode") is None and isinstance(call.args[0], Tensor)
    return pointwise(call, ("first" if len(call.operands) == 2 else "all") if is_exact else "")


def widened(local: Tensor) -> Tensor:
    """Return a local tensor in at least float32, for sums that float16 could not hold."""
    return local.float() if local.is_floating_point() and local.itemsize < 4 else local


def dims_of(dim: Any, ndim: int) -> tuple[int, ...]:
    """Return the dimensions that an argument names, from 0 on; all if it is None or empty."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    given = dim if isinstance(dim, (tuple, list)) else (dim,)
    return tuple([one % ndim for one in given]) if ndim else ()


def reduction(call: Call, dims: Sequence[int], op: str = "", linear: str = "", run: Any = None) -> Signature:
    """Return the signature of a reduction.

    Arguments:
        call: the call.
        dims: the dimensions that are reduced.
        op: the reduction of the processes' results; "" if the dimensions must be whole, "whole" if `run` returns whole
            results.
        linear: whether operands may be terms, as in a signature.
        run: as in a signature.
    """
    ndim = len(call.shape())
    kept = [dim for dim in range(ndim) if dim not in dims]
    named: Letters = tuple(kept)
    if call.results and call.results[0].ndim == ndim:
        named = tuple([dim if dim in kept else None for dim in range(ndim)])
    operand = tuple([dim if op or dim in kept else None for dim in range(ndim)])
    return Signature([operand], [named] * len(call.results), dict.fromkeys(dims, op), linear, run=run)


@rule("sum nansum count_nonzero")
def _sum_along(call: Call) -> Signature:
    dims = dims_of(call.argument(1, "dim"), len(call.shape()))
    return reduction(call, dims, "sum", "all" if call.name == "sum" else "")


@rule("mean")
def _mean(call: Call) -> Signature:
    dims = dims_of(call.argument(1, "dim"), len(call.shape()))

    def run(call: Call, operands: Sequence[Any], choices: Any) -> Any:
        if not any(choice.results[0].is_partial() and choice.operands[0].is_shard() for choice in choices):
            return call.call(operands)
        total = call.call([widened(operands[0])], Tensor.sum)
        return (total / prod([call.shape()[dim] for dim in dims])).to(call.results[0].dtype)

    return reduction(call, dims, "sum", "all", run)


@rule("prod")
def _prod(call: Call) -> Signature:
    return reduction(call, dims_of(call.argument(1, "dim"), len(call.shape())), "product")


@rule("amax amin")
def _extreme(call: Call) -> Signature:
    layout = call.layouts[0]
    last = [size - 1 for size in call.mesh.shape]
    box = box_at(layout.shape, call.mesh.shape, layout.placements, last)  # the smallest part
    op = call.name.removeprefix("a") if all(begin < end for begin, end in box) else ""
    return reduction(call, dims_of(call.argument(1, "dim"), len(call.shape())), op)


@rule("max min")
def _max(call: Call) -> Signature:
    if len(call.operands) == 2:
        return pointwise(call)
    if call.argument(1, "dim") is None:
        return _extreme(call)
    return _whole_along(call)


@rule("all any argmax argmin logsumexp median mode std std_mean var var_mean")
def _whole_along(call: Call) -> Signature:
    place = 2 if call.name == "quantile" else 1
    dim = call.argument(place, "dim")
    return reduction(call, dims_of(None if isinstance(dim, bool) else dim, len(call.shape())))


@rule("vector_norm norm")
def _norm(call: Call) -> Signature:
    order = call.argument(1, "p" if call.name == "norm" else "ord")
    order = 2 if order in ("fro", None) else order
    if call.argument(2, "dim") is not None or call.argument(3, "keepdim") or not 0 < order < float("inf"):
        return reduction(call, dims_of(call.argument(2, "dim"), len(call.shape())))

    def run(call: Call, operands: Sequence[Any], choices: Any) -> Any:
        dims = [dim for dim, choice in enumerate(choices) if choice.operands[0].is_shard()]
        return combined(call.call(operands), call.mesh, dims, lambda numbers: vector_norm(numbers, order, 0))

    return reduction(call, range(len(call.shape())), "whole", run=run)


def along(place: int, default: Any = -1, linear: str = "") -> Any:
    """Return the rule of an operator whose results have the operand's dimensions, all sharded but one.

    Arguments:
        place: the place of the argument `dim`.
        default: its default.
        linear: as in a signature.
    """

    return lambda call: _whole_dims(call, call.argument(place, "dim", default), linear)


def _whole_dims(call: Call, dim: Any, linear: str) -> Signature:
    ndim = len(call.shape())
    dims = dims_of(dim, ndim)
    named = tuple([None if at in dims else at for at in range(ndim)])
    return Signature([named] * len(call.operands), [named] * len(call.results), {}, linear)


rule("softmax log_softmax softmin argsort sort cumprod logcumsumexp cummax cummin")(along(1))
rule("cumsum")(along(1, linear="all"))
rule("topk kthvalue")(along(2))


@rule("flip")
def _flip(call: Call) -> Signature:
    dims = call.args[1:] or (call.kwargs["dims"],)
    return _whole_dims(call, dims[0] if len(dims) == 1 else dims, "all")


@rule("tril triu")
def _triangle(call: Call) -> Signature:
    ndim = len(call.shape())
    named = (*range(ndim - 2), None, None)
    return Signature([named], [named], {}, "all")


@rule("cat concat concatenate")
def _joined(call: Call) -> Signature:
    ndim = call.results[0].ndim
    dim = call.argument(1, "dim", 0) % ndim
    named = tuple([None if at == dim else at for at in range(ndim)])
    return Signature([named] * len(call.operands), [named], {}, "all")


@rule("stack")
def _stacked(call: Call) -> Signature:
    ndim = call.results[0].ndim
    dim = call.argument(1, "dim", 0) % ndim
    operand = tuple(range(ndim - 1))
    return Signature([operand] * len(call.operands), [(*operand[:dim], None, *operand[dim:])], {}, "all")


@rule("index_select")
def _selected(call: Call) -> Signature:
    ndim = len(call.shape())
    dim = call.argument(1, "dim") % max(ndim, 1)
    named = tuple([None if at == dim else at for at in range(ndim)])
    return Signature([named, (None,) * len(call.shape(1))], [named], {}, "first")


@rule("gather take_along_dim")
def _gathered(call: Call) -> Signature:
    ndim = len(call.shape())
    dim = call.argument(1 if call.name == "gather" else 2, "dim") % max(ndim, 1)
    named = tuple([None if at == dim or call.shape(0)[at] != call.shape(1)[at] else at for at in range(ndim)])
    return Signature([named, named], [named])


def local_shape(call: Call, choices: Any, number: int = 0) -> tuple[int, ...]:
    """Return the shape of this process's part of a result."""
    placements = tuple([choice.results[number] for choice in choices])
    return Layout(call.mesh, placements, tuple(call.results[number].shape), ()).local_shape()
