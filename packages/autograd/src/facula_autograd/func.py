"""facula_autograd.func: function transforms that differentiate functions of numbers and arrays.

The differentiated functions are plain: they receive Variables in place of numbers or arrays, alone or in tuples, lists
and dicts. Derivatives are plain if the arguments were. All transforms nest. Names and signatures are those of
`torch.func`; tensors have `facula.func`.
"""

from __future__ import annotations

from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, published

from ._adapters import adapter_of
from ._engine.backward import grad as _gradients
from ._errors import GradientError
from ._func_arguments import per_argument
from ._func_call import call_with_args, call_with_primals, checked_leaves
from ._modes.grad_mode import enable_grad
from ._numpy.arrays import numpy
from ._numpy.variable import Variable
from ._trees import put_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ._func_arguments import Argnums
    from ._func_call import Call, Function
    from ._types import AnyValue

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "value_and_grad", "vjp"]


__dir__ = published(__name__)


@boundary
def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of `func` and its value: `(gradient, value)`.

    Arguments:
        func: returns one real number; `(number, aux)` with `has_aux`.
        argnums: the index of the argument to differentiate with respect to, or a tuple of indices.
        has_aux: `func` returns another object with the number; the result is then `(gradient, (value, aux))`.

    >>> grad_and_value(lambda x: x**3)(2.0)
    (12.0, 8.0)
    """

    return _with_value("grad_and_value", func, argnums, has_aux)


def _with_value(name: str, func: Function, argnums: Argnums, has_aux: bool) -> Function:
    """Return the function for `grad_and_value`, with another name in its errors."""

    @boundary
    def call(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        this = call_with_args(name, func, argnums, has_aux, args, kwargs)
        loss = this.scalar()
        gradients = this.pulled_back([None], retain=False)
        found = put_together(this.in_shape, [this.released(g) for g in gradients])
        value = this.released(loss)
        return per_argument(argnums, found), (value, this.aux) if has_aux else value

    return call


@boundary
def value_and_grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Same as `grad_and_value`, in the other order: `(value, gradient)`, or `((value, aux), gradient)` with `has_aux`.

    Arguments:
        func, argnums, has_aux: as in `grad_and_value`.

    >>> value_and_grad(lambda x: x**3)(2.0)
    (8.0, 12.0)
    """
    both = _with_value("value_and_grad", func, argnums, has_aux)
    return lambda *args, **kwargs: both(*args, **kwargs)[::-1]


@boundary
def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of `func`; `(gradient, aux)` with `has_aux`.

    Arguments:
        func, argnums, has_aux: as in `grad_and_value`.

    >>> slope = grad(lambda x: x**3)
    >>> slope(2.0), grad(slope)(2.0)
    (12.0, 12.0)
    """
    both = _with_value("grad", func, argnums, has_aux)

    def call(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        gradient, value = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return call


@boundary
def vjp(func: Function, *primals: AnyValue, has_aux: bool = False) -> AnyValue:
    """Return the output of `func` at `primals`, and a function that maps output gradients to gradients of the primals.

    Arguments:
        func: any function of the primals.
        primals: its arguments.
        has_aux: `func` returns `(output, aux)`, and `aux` is returned as a third item.

    Returns:
        `(output, pull_back)`. `pull_back` takes gradients with the structure of the output, and returns a tuple with
        one gradient for each primal.

    >>> output, pull_back = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> output, pull_back(10.0)
    (6.0, (30.0, 20.0))
    """
    this = call_with_primals("vjp", func, primals, has_aux)
    output = this.result()

    @boundary
    def pull_back(cotangents: AnyValue) -> AnyValue:
        gs = checked_leaves("vjp", "the cotangents", cotangents, this.out_shape, this.outputs)
        return put_together(this.in_shape, [this.released(g) for g in this.pulled_back(gs)])

    return (output, pull_back, this.aux) if has_aux else (output, pull_back)


@boundary
def jvp(
    func: Function, primals: tuple[AnyValue, ...], tangents: tuple[AnyValue, ...], *, strict: bool = False,
    has_aux: bool = False,
) -> AnyValue:  # fmt: skip
    """Return the output of `func` at `primals`, and its directional derivative along `tangents`.

    The result of the reverse pass is linear in the output's gradient; differentiating it with respect to that gradient
    yields the tangent. This costs about three calls of `func`, regardless of the number of primals.

    Arguments:
        func: any function of the primals.
        primals: a tuple of its arguments.
        tangents: a tuple with the structure of the primals.
        strict: raise an error if an output does not depend on the primals, instead of returning a zero tangent.
        has_aux: `func` returns `(output, aux)`, and `aux` is returned as a third item.

    Returns:
        `(output, tangent)`.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))
    (6.0, 23.0)
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise InvalidTypeError(f"jvp: expected {name} to be a tuple; got {type(given).__name__}")
    this = call_with_primals("jvp", func, primals, has_aux)
    directions = checked_leaves("jvp", "the tangents", tangents, this.in_shape, this.inputs)
    if strict and any(v.node is None for v in this.outputs):
        raise GradientError("jvp: expected every output to depend on the primals, with strict=True; one does not")
    tangent = put_together(this.out_shape, [this.released(t) for t in _pusher(this)(directions)])
    return (this.result(), tangent, this.aux) if has_aux else (this.result(), tangent)


def _pusher(this: Call) -> Callable[[Sequence[AnyValue]], Sequence[AnyValue]]:
    """Return a function that maps tangents of a call's inputs to tangents of its outputs.

    Gradients of the inputs are linear in gradients of the outputs, at any point. The tangents are the derivative of the
    former with respect to the latter, multiplied by the tangents of the inputs.
    """
    gs: list[AnyValue] = [adapter_of(v).zeros_like(v) for v in this.outputs]
    for g in gs:
        g.requires_grad_()
    gradients = this.pulled_back(gs, create=True)

    def push(directions: Sequence[AnyValue]) -> Sequence[AnyValue]:
        pairs = [(h, t) for h, t in zip(gradients, directions, strict=True) if h.node is not None]
        if not pairs:
            return [adapter_of(v).zeros_like(v) for v in this.outputs]
        with enable_grad():
            return _gradients(
                [h for h, _ in pairs], gs, [t for _, t in pairs], retain_graph=True, create_graph=this.recorded,
                materialize_grads=True,
            )  # fmt: skip

    return push


@boundary
def linearize(func: Function, *primals: AnyValue) -> tuple[AnyValue, Function]:
    """Return the output of `func` at `primals`, and a function that maps tangents of the primals to output tangents.

    `func` runs once, for any number of tangents; each tangent costs a pass over the recorded graph.

    Arguments:
        func: any function of the primals.
        primals: its arguments.

    >>> output, push = linearize(lambda x, y: x * y, 2.0, 3.0)
    >>> output, push(1.0, 10.0), push(1.0, 0.0)
    (6.0, 23.0, 3.0)
    """
    this = call_with_primals("linearize", func, primals, False)
    pushed = _pusher(this)

    @boundary
    def push(*tangents: AnyValue) -> AnyValue:
        along = checked_leaves("linearize", "the tangents", tangents, this.in_shape, this.inputs)
        return put_together(this.out_shape, [this.released(t) for t in pushed(along)])

    return this.result(), push


@boundary
def jacfwd(func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """Same as `jacrev`, computed by columns: one pass for each element of the arguments. Faster if these are few.

    Arguments:
        func, argnums, has_aux: as in `jacrev`.
        randomness: accepted, without effect: `func` runs once.

    >>> import numpy as np
    >>> jacfwd(lambda t: np.stack([np.cos(t), t**2]))(3.0).round(2)
    array([-0.14,  6.  ])
    """

    @boundary
    def call(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        this = call_with_args("jacfwd", func, argnums, has_aux, args, kwargs)
        _check_arrays("jacfwd", this)
        push = _pusher(this)
        columns = [_columns(this, push, k) for k in range(len(this.inputs))]
        found = put_together(this.out_shape, [
            per_argument(argnums, put_together(this.in_shape, [this.released(j) for j in some]))
            for some in zip(*columns, strict=True)
        ])  # fmt: skip
        return (found, this.aux) if has_aux else found

    return call


def _columns(this: Call, push: Callable[[Sequence[AnyValue]], Sequence[AnyValue]], k: int) -> list[AnyValue]:
    """Return the derivatives of each output with respect to input `k`."""
    shape = this.inputs[k].shape
    if not shape:
        return list(push(next(_units(this.inputs, k))))
    columns = [push(unit) for unit in _units(this.inputs, k)]
    if not columns:
        return [Variable(numpy().zeros((*v.shape, *shape))) for v in this.outputs]
    return [
        numpy().stack(parts, -1).reshape((*v.shape, *shape))  # type: ignore[arg-type]
        for v, parts in zip(this.outputs, zip(*columns, strict=True), strict=True)
    ]


def _units(values: Sequence[AnyValue], k: int) -> Iterator[list[AnyValue]]:
    """Yield values like `values` that are zero, except for one element of value `k`, in turn, which is 1."""
    zeros: list[AnyValue] = [adapter_of(v).zeros_like(v) for v in values]
    if not values[k].shape:
        yield [*zeros[:k], adapter_of(values[k]).ones_like(values[k]), *zeros[k + 1 :]]
        return
    for at in numpy().ndindex(values[k].shape):  # type: ignore[attr-defined]
        unit = Variable(zeros[k].value.copy())
        unit.value[at] = 1
        yield [*zeros[:k], unit, *zeros[k + 1 :]]


def _check_arrays(name: str, this: Call) -> None:
    for v in (*this.inputs, *this.outputs):
        if not isinstance(v, Variable):
            raise UnsupportedError(f"{name}: expected numbers and arrays; got {adapter_of(v).describe(v)}")


@boundary
def jacrev(func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None) -> Function:
    """Return a function that computes the Jacobian of `func`: an array with the output's shape followed by the input's.

    It runs one reverse pass for each element of the output. An output or argument with several arrays has a Jacobian
    for each pair: a tree with the structure of the output, whose leaves have the structure of the arguments.

    Arguments:
        func: returns numbers or arrays; `(output, aux)` with `has_aux`.
        argnums: the index of the argument to differentiate with respect to, or a tuple of indices.
        has_aux: the function returns `(derivatives, aux)`.
        chunk_size: accepted, without effect: elements are processed one by one.

    >>> import numpy as np
    >>> jacrev(lambda x: x**2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """

    @boundary
    def call(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        this = call_with_args("jacrev", func, argnums, has_aux, args, kwargs)
        _check_arrays("jacrev", this)
        jacobians = [
            per_argument(argnums, put_together(this.in_shape, [this.released(j) for j in _jacobian_rows(this, k)]))
            for k in range(len(this.outputs))
        ]
        found = put_together(this.out_shape, jacobians)
        return (found, this.aux) if has_aux else found

    return call


def _jacobian_rows(this: Call, k: int) -> list[AnyValue]:
    """Return the derivatives of output `k` with respect to each input."""
    output = this.outputs[k]
    rows = [this.pulled_back(unit) for unit in _units(this.outputs, k)]
    if not output.shape:
        return rows[0]
    if not rows:
        return [Variable(numpy().zeros((*output.shape, *v.shape))) for v in this.inputs]
    return [
        numpy().stack(parts).reshape((*output.shape, *v.shape))  # type: ignore[arg-type]
        for v, parts in zip(this.inputs, zip(*rows, strict=True), strict=True)
    ]


@boundary
def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """Return a function that computes all second derivatives of `func`: `jacrev` of `jacrev`.

    Arguments:
        func: returns a number, or arrays.
        argnums: the index of the argument to differentiate with respect to, or a tuple of indices.

    >>> import numpy as np
    >>> hessian(lambda x: (x**3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)
