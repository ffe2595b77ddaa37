"""Draws whose parameters are tensors: `poisson`, `binomial`, and what gamma and Dirichlet distributions are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, DTypeError, InvalidTypeError, UnsupportedError
from facula_storage import Layout, bfloat16, contiguous, float16, float32
from facula_storage.extend import FLOATING

from ..._core.tensor import Tensor, elements
from ..._creation.batches import for_each_draw, open_batches
from ..._creation.generator import Generator, default_generator
from ..._dispatch.declaration import elementwise, operator
from ..._dispatch.namespaces import may_alias_grad, no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.value_checks import refuse_unless
from ..._dispatch.written import function
from ..indexing.where import nonzero

if TYPE_CHECKING:
    from facula_storage import DType

    from ..._core.types import Function
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace

TINY = {4: 2.0**-126, 8: 2.0**-1022}  # the least normal numbers of 4 and 8 bytes
LAST = {4: 1 - 2.0**-24, 8: 1 - 2.0**-53}  # the last numbers below 1


def _alike(layout: Layout, *_: object) -> Layout:
    return contiguous(layout.shape, layout.dtype, layout.device)


@operator
class _standard_gamma:
    """Draws from gamma distributions of these shapes and of rate 1. What is drawn follows from seed and offset."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _alike
    row_major = True

    def vjp_input(F, g, input, out):
        return F.mul(g, F.standard_gamma_grad(input, out))


def _refused(F: Namespace, g: Tensor) -> Tensor:
    """The rule of an operand by which derivatives of draws have none that is known."""
    raise UnsupportedError(
        "gamma and Dirichlet distributions have no second derivatives by their parameters; use detach() where these "
        "are not wanted"
    )


@elementwise
class _standard_gamma_grad:
    """The derivative of a gamma draw `other` by its shape `input`."""

    inputs = ("input", "other")
    inplace = False
    vjp_input = _refused

    def vjp_other(F, g, input, other, out):
        # -dP / da / p, where p is the density dP / dx
        by_shape = F.sub(F.log(other), F.digamma(input))
        return F.neg(F.mul(g, F.add(by_shape, F.mul(out, F.sub(F.div(F.sub(input, 1), other), 1)))))


@elementwise
class _gamma_share:
    """The probability that a gamma draw of shape `input` is at most `other`: P(input, other), DLMF 8.2.4."""

    inputs = ("input", "other")
    inplace = False

    def vjp_input(F, g, input, other):
        return F.neg(F.mul(g, F.mul(_density(F, input, other), F.standard_gamma_grad(input, other))))

    def vjp_other(F, g, input, other):
        return F.mul(g, _density(F, input, other))


def _density(F: Namespace, shape: Tensor, x: Tensor) -> Tensor:
    """The gamma distribution's, of rate 1."""
    return F.exp(F.sub(F.sub(F.xlogy(F.sub(shape, 1), x), x), F.lgamma(shape)))


@operator
class _log_standard_gamma:
    """The logarithms of draws from gamma distributions: those of small shapes are less than any number."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _alike
    row_major = True


@operator
class _sample_dirichlet:
    """Draws from Dirichlet distributions of these concentrations along the last dimension: shares of gamma draws."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _alike

    def execute(operands, parameters):
        logs = no_record_ops.log_standard_gamma(operands[0], parameters)
        shares = no_record_ops.softmax(logs, (logs.ndim - 1,))
        size = shares.dtype.itemsize
        return [no_record_ops.clamp(shares, TINY[size], LAST[size])]

    def vjp_input(F, g, input, out):
        last = ((input.ndim - 1,), True)
        total = F.sum(input, last)
        rest = F.sub(g, F.sum(F.mul(g, out), last))
        return F.mul(F.beta_grad(out, input, F.sub(total, input)), rest)


@elementwise
class _beta_grad:
    """The derivative of a beta draw `input` of `first` and `second` by `first`, divided by 1 - input."""

    inputs = ("input", "first", "second")
    inplace = False
    vjp_input = vjp_first = vjp_second = _refused


@operator
class _poisson:
    """Draws from Poisson distributions of these rates."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _alike
    row_major = True


@operator
class _binomial:
    """Draws of the number of `input` trials that succeed, each with probability `other`; operands of one shape."""

    inputs = ("input", "other")
    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    row_major = True

    def outputs(layout, other, *_):
        return _alike(layout)


def gamma_share(shape: Tensor, x: Tensor) -> Tensor:
    """The gamma distribution's function of rate 1, at `x`; both broadcast, in float32 and float64.

    >>> from facula_tensor import tensor
    >>> gamma_share(tensor(1.0), tensor(2.0))
    tensor(0.8647)
    """
    return recorded_ops.gamma_share(shape, x)


def _drawn(operation: str, operator: Function, generator: Generator | None, *operands: Tensor) -> Tensor:
    """Draws of a sampler from its parameters, half precisions in float32."""
    source = default_generator if generator is None else generator
    first = operands[0]
    dtype = first.dtype
    if not isinstance(source, Generator):
        raise InvalidTypeError(f"{operation}: expected generator to be a Generator, or None; got {source!r:.60}")
    if source is not default_generator and source.device.type != first.device.type:
        raise ArgumentError(f"{operation}: generator is for device '{source.device}'; the tensor on '{first.device}'")
    if dtype in (float16, bfloat16):
        operands = tuple([recorded_ops.to(one, (float32,)) for one in operands])
    if open_batches:
        operands = tuple([for_each_draw(one) for one in operands])
    drawn = operator(*operands, source.advance(first.numel()))
    return drawn if drawn.dtype is dtype else recorded_ops.to(drawn, (dtype,))


def _require_floating(operation: str, what: str, dtype: DType) -> None:
    """TypeError unless `dtype` is floating; `what` is the argument that has it."""
    if dtype.category != FLOATING:
        raise DTypeError(f"{operation}: expected {what} in a floating dtype; got {dtype.name}; convert with .float()")


def refuse_elements(operation: str, what: str, given: Tensor, wrong: Tensor) -> None:
    """ArgumentError for the first element that is `wrong`."""

    def describe() -> Exception:
        at = nonzero(elements(wrong))[0].tolist()
        where = f" at {at}" if at else ""
        return ArgumentError(f"{operation}: expected {what}; got {elements(given)[tuple(at)].item():.6g}{where}")

    refuse_unless(no_record_ops.bitwise_not(wrong), describe)


@operator
class _constant:
    """`input`, as a function of `other` with gradient 0."""

    inputs = ("input", "other")
    batching = "first"
    broadcasts = True

    def outputs(layout, other):
        return layout

    def execute(operands, parameters):
        return [no_record_ops.clone(operands[0])]

    @may_alias_grad
    def vjp_input(F, g):
        return g

    def vjp_other(F, g):
        return F.zeros_like(g)


def _as_zero_gradient(drawn: Tensor, *given: Tensor) -> Tensor:
    """The draws, through which a gradient of 0 goes to the parameters where one is wanted."""
    for one in given:
        if one.node is not None and is_grad_enabled():
            drawn = recorded_ops.constant(drawn, one)
    return drawn


@function(overridable=True)
def poisson(input: Checked, generator: Generator | None = None) -> Tensor:
    """Draws from Poisson distributions of the rates `input`, floating and of its shape and dtype; NaN at NaN.

    ValueError for a negative rate. The gradient to the rates is 0.

    >>> from facula_tensor import tensor
    >>> poisson(tensor([0.0, 0.0]))
    tensor([0., 0.])
    """
    _require_floating("poisson", "rates", input.dtype)
    given = input.detach()
    refuse_elements("poisson", "rates of 0 or more", given, no_record_ops.lt(given, 0))
    return _as_zero_gradient(_drawn("poisson", no_record_ops.poisson, generator, given), input)


@function(overridable=True)
def binomial(count: Checked, prob: Checked, generator: Generator | None = None) -> Tensor:
    """Draws of the number of `count` trials that succeed, each with probability `prob`; both broadcast.

    Both are of one floating dtype, which is the result's; NaN where one of them is. ValueError for a negative `count`
    or one above 2^52, and for probabilities outside [0, 1]. The gradient to both is 0.

    Arguments:
        count: the numbers of trials.
        prob: the probabilities of success.

    >>> from facula_tensor import tensor
    >>> binomial(tensor([3.0, 5.0]), tensor(1.0))
    tensor([3., 5.])
    """
    _require_floating("binomial", "count", count.dtype)
    if prob.dtype is not count.dtype:
        raise DTypeError(
            f"binomial: expected count and prob of one dtype; got {count.dtype.name} and {prob.dtype.name}; "
            "convert one with .to(dtype)"
        )
    n, p = count.detach(), prob.detach()
    refuse_elements(
        "binomial",
        "count from 0 to 2**52",
        n,
        no_record_ops.bitwise_or(no_record_ops.lt(n, 0), no_record_ops.gt(n, 2.0**52)),
    )
    refuse_elements(
        "binomial", "prob from 0 to 1", p, no_record_ops.bitwise_or(no_record_ops.lt(p, 0), no_record_ops.gt(p, 1))
    )
    shape = broadcast_shapes("binomial", tuple(n.shape), tuple(p.shape))
    drawn = _drawn("binomial", no_record_ops.binomial, generator, n.expand(shape), p.expand(shape))
    return _as_zero_gradient(drawn, count, prob)


@function(overridable=True)
def standard_gamma(F: Namespace, input: Checked, generator: Generator | None = None) -> Tensor:
    """Draws from gamma distributions of the shapes `input` and of rate 1, with gradients (implicit ones).

    Never 0; NaN at shapes that are negative or NaN. The gradient has no derivative of its own.

    >>> from facula_tensor import ones
    >>> bool((standard_gamma(ones(9)) > 0).all())
    True
    """
    _require_floating("standard_gamma", "shapes", input.dtype)
    return _drawn("standard_gamma", F.standard_gamma, generator, input)


@function(overridable=True)
def sample_dirichlet(F: Namespace, input: Checked, generator: Generator | None = None) -> Tensor:
    """Draws from Dirichlet distributions of concentrations along the last dimension, with gradients (implicit ones).

    Elements are above 0 and below 1. The gradient has no derivative of its own.

    >>> from facula_tensor import ones
    >>> sample_dirichlet(ones(4, 3)).sum(-1).round(decimals=4)
    tensor([1., 1., 1., 1.])
    """
    _require_floating("sample_dirichlet", "concentrations", input.dtype)
    if not input.ndim:
        raise ArgumentError("sample_dirichlet: expected concentrations along a dimension; got shape ()")
    return _drawn("sample_dirichlet", F.sample_dirichlet, generator, input)
