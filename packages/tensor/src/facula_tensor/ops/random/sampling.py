"""Sampling with tensors of parameters: `poisson`, `binomial`, and the basis of gamma and Dirichlet distributions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, DTypeError, UnsupportedError
from facula_storage import Layout, bfloat16, contiguous, float16, float32
from facula_storage.extend.layouts import FLOATING

from ..._core.tensor import Tensor, elements
from ..._creation.batches import for_each_draw, open_batches
from ..._creation.generator import Generator, source_of_draws
from ..._dispatch.declaration import elementwise, operator
from ..._dispatch.namespaces import may_alias_grad, no_record_ops, recorded_ops, zero_grad
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.value_checks import refuse_unless
from ..._dispatch.written import function
from ..indexing.where import nonzero

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import DType

    from ..._core.types import Function
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace

SMALLEST_NORMAL = {4: 2.0**-126, 8: 2.0**-1022}  # the smallest normal numbers of 4 and 8 bytes
LARGEST_BELOW_ONE = {4: 1 - 2.0**-24, 8: 1 - 2.0**-53}  # the largest numbers below 1


def _same_layout(layout: Layout, *_: object) -> Layout:
    return contiguous(layout.shape, layout.dtype, layout.device)


@operator
class _standard_gamma:
    """Samples from gamma distributions with the given shapes and rate 1, determined by seed and offset."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _same_layout
    row_major = True

    def vjp_input(F, g, input, out):
        return F.mul(g, F.standard_gamma_grad(input, out))


def _no_second_derivative(operation: str) -> Callable[[Namespace, Tensor], Tensor]:
    """Return a gradient rule that raises: the derivatives of samples by parameters are not differentiable again."""

    def rule(F: Namespace, g: Tensor) -> Tensor:
        raise UnsupportedError(
            f"{operation}: gamma and Dirichlet distributions have no second derivatives with respect to their "
            "parameters; use detach() where they are not required"
        )

    return rule


@elementwise
class _standard_gamma_grad:
    """The derivative of a gamma sample `other` with respect to its shape `input`."""

    inputs = ("input", "other")
    inplace = False
    vjp_input = _no_second_derivative("standard_gamma")

    def vjp_other(F, g, input, other, out):
        # -dP / da / p, where p is the density dP / dx
        by_shape = F.log(other) - F.digamma(input)
        return -(g * (by_shape + out * ((input - 1) / other - 1)))


@elementwise
class _gamma_share:
    """The probability that a gamma sample of shape `input` is at most `other`: P(input, other), DLMF 8.2.4."""

    inputs = ("input", "other")
    inplace = False

    def vjp_input(F, g, input, other):
        return -(g * (_density(F, input, other) * F.standard_gamma_grad(input, other)))

    def vjp_other(F, g, input, other):
        return g * _density(F, input, other)


def _density(F: Namespace, shape: Tensor, x: Tensor) -> Tensor:
    """Return the density of the gamma distribution with rate 1."""
    return F.exp(F.xlogy(shape - 1, x) - x - F.lgamma(shape))


@operator
class _log_standard_gamma:
    """Logarithms of samples from gamma distributions; samples of small shapes would underflow."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _same_layout
    row_major = True


@operator
class _sample_dirichlet:
    """Samples from Dirichlet distributions with concentrations along the last dimension: normalized gamma samples."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _same_layout

    def execute(operands, parameters):
        logs = no_record_ops.log_standard_gamma(operands[0], parameters)
        shares = no_record_ops.softmax(logs, (logs.ndim - 1,))
        size = shares.dtype.itemsize
        return [no_record_ops.clamp(shares, SMALLEST_NORMAL[size], LARGEST_BELOW_ONE[size])]

    def vjp_input(F, g, input, out):
        last = ((input.ndim - 1,), True)
        total = F.sum(input, last)
        rest = F.sub(g, F.sum(F.mul(g, out), last))
        return F.mul(F.beta_grad(out, input, F.sub(total, input)), rest)


@elementwise
class _beta_grad:
    """The derivative of a beta sample `input` of `first` and `second` with respect to `first`, divided by 1 - input."""

    inputs = ("input", "first", "second")
    inplace = False
    vjp_input = vjp_first = vjp_second = _no_second_derivative("beta_grad")


@operator
class _poisson:
    """Samples from Poisson distributions with the given rates."""

    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    outputs = _same_layout
    row_major = True


@operator
class _binomial:
    """The number of successes in `input` trials with success probability `other`; the operands have the same shape."""

    inputs = ("input", "other")
    parameters = ("seed", "offset")
    launch_scalars = ("seed", "offset")
    row_major = True

    def outputs(layout, other, *_):
        return _same_layout(layout)


def gamma_share(shape: Tensor, x: Tensor) -> Tensor:
    """Return the cumulative distribution function of the gamma distribution with rate 1 at `x`.

    The arguments broadcast; float32 and float64 are supported.

    >>> from facula_tensor import tensor
    >>> gamma_share(tensor(1.0), tensor(2.0))
    tensor(0.8647)
    """
    return recorded_ops.gamma_share(shape, x)


def _drawn(operation: str, operator: Function, generator: Generator | None, *operands: Tensor) -> Tensor:
    """Sample with `operator` and the given parameters; half precisions are sampled in float32."""
    first = operands[0]
    dtype = first.dtype
    source = source_of_draws(operation, generator, first.device)
    if dtype in (float16, bfloat16):
        operands = tuple([recorded_ops.to(operand, (float32,)) for operand in operands])
    if open_batches:
        operands = tuple([for_each_draw(operand) for operand in operands])
    drawn = operator(*operands, source.advance(first.numel()))
    return drawn if drawn.dtype is dtype else recorded_ops.to(drawn, (dtype,))


def _require_floating(operation: str, what: str, dtype: DType) -> None:
    """Raise a TypeError unless `dtype` is floating; `what` describes the argument."""
    if dtype.category != FLOATING:
        raise DTypeError(f"{operation}: expected {what} in a floating dtype; got {dtype.name}; convert with .float()")


def refuse_elements(operation: str, what: str, given: Tensor, wrong: Tensor) -> None:
    """Raise an ArgumentError for the first element that is `wrong`."""

    def describe() -> Exception:
        at = nonzero(elements(wrong))[0].tolist()
        where = f" at {at}" if at else ""
        return ArgumentError(f"{operation}: expected {what}; got {elements(given)[tuple(at)].item():.6g}{where}")

    in_short = partial(ArgumentError, f"{operation}: expected {what}; got another")
    refuse_unless(no_record_ops.bitwise_not(wrong), describe, in_short)


@operator
class _constant:
    """`input`, as a function of `other` with zero gradient."""

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

    vjp_other = zero_grad


def _as_zero_gradient(drawn: Tensor, *given: Tensor) -> Tensor:
    """Return the samples, connected to each parameter that requires a gradient by a gradient of 0."""
    for parameter in given:
        if parameter.node is not None and is_grad_enabled():
            drawn = recorded_ops.constant(drawn, parameter)
    return drawn


@function(overridable=True)
def poisson(input: Checked, generator: Generator | None = None) -> Tensor:
    """Sample from Poisson distributions with the rates `input`, with its shape and floating dtype; NaN for NaN rates.

    The gradient of the rates is 0.

    Raises:
        ValueError: for a negative rate.

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
    """Sample the number of successes in `count` trials, each with success probability `prob`; both broadcast.

    Both arguments and the result have the same floating dtype. The result is NaN where one of the arguments is. The
    gradient of both is 0.

    Arguments:
        count: the numbers of trials.
        prob: the probabilities of success.

    Raises:
        ValueError: if a count is negative or above 2^52, or a probability is not in [0, 1].

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
    """Sample from gamma distributions with the shapes `input` and rate 1, with implicit gradients.

    Samples are positive; negative and NaN shapes result in NaN. Second derivatives are not defined.

    >>> from facula_tensor import ones
    >>> bool((standard_gamma(ones(9)) > 0).all())
    True
    """
    _require_floating("standard_gamma", "shapes", input.dtype)
    return _drawn("standard_gamma", F.standard_gamma, generator, input)


@function(overridable=True)
def sample_dirichlet(F: Namespace, input: Checked, generator: Generator | None = None) -> Tensor:
    """Sample from Dirichlet distributions with concentrations along the last dimension, with implicit gradients.

    Elements are between 0 and 1, exclusive. Second derivatives are not defined.

    >>> from facula_tensor import ones
    >>> sample_dirichlet(ones(4, 3)).sum(-1).round(decimals=4)
    tensor([1., 1., 1., 1.])
    """
    _require_floating("sample_dirichlet", "concentrations", input.dtype)
    if not input.ndim:
        raise ArgumentError("sample_dirichlet: expected concentrations along a dimension; got shape ()")
    return _drawn("sample_dirichlet", F.sample_dirichlet, generator, input)
