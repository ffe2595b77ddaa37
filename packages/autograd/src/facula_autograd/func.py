"""facula_autograd.func: derivatives of functions of numbers and arrays, as functions.

The functions written are plain: they get Variables where they are given numbers or arrays, alone or in tuples, lists
and dicts; and what comes out of a derivative is plain where what went in was. All of them nest. Names and signatures
are those of `torch.func`; tensors have `facula.func`.
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
    """A function that returns the gradient of `func` and its value: `(gradient, value)`.

    Arguments:
        func: returns one real number; `(number, aux)` with `has_aux`.
        argnums: the place of the argument that the gradient is taken of, or a tuple of places.
        has_aux: `func` returns something else beside the number, and so does the function: `(gradient, (value, aux))`.

    >>> grad_and_value(lambda x: x**3)(2.0)
    (12.0, 8.0)
    """

    return _with_value("grad_and_value", func, argnums, has_aux)


def _with_value(name: str, func: Function, argnums: Argnums, has_aux: bool) -> Function:
    """What `grad_and_value` returns, with another name in its errors."""

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
    """As `grad_and_value`, in the other order: `(value, gradient)`, with `has_aux` `((value, aux), gradient)`.

    Arguments:
        func, argnums, has_aux: as for `grad_and_value`.

    >>> value_and_grad(lambda x: x**3)(2.0)
    (8.0, 12.0)
    """
    both = _with_value("value_and_grad", func, argnums, has_aux)
    return lambda *args, **kwargs: both(*args, **kwargs)[::-1]


@boundary
def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of `func`; with `has_aux` `(gradient, aux)`.

    Arguments:
        func, argnums, has_aux: as for `grad_and_value`.

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
    """The output of `func` at `primals`, and the function from gradients of the output to those of the primals.

    Arguments:
        func: any function of the primals.
        primals: its arguments.
        has_aux: it returns `(output, aux)`, and `aux` is returned as a third.

    Returns:
        `(output, pull_back)`: `pull_back` takes what is built as the output is, and returns a tuple, one a primal.

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
    """The output of `func` at `primals`, and how it changes in the direction of `tangents`.

    Found by differentiating the reverse pass, which is linear in the output's gradient, by that: it costs about three
    calls of `func`, whatever the number of primals.

    Arguments:
        func: any function of the primals.
        primals: a tuple, its arguments.
        tangents: a tuple, built as the primals are.
        strict: an output that does not depend on the primals is an error, not a tangent of zero.
        has_aux: `func` returns `(output, aux)`, and `aux` is returned as a third.

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
    """A function that gives the tangents of a call's outputs from those of its inputs.

    Gradients of the inputs are linear in those of the outputs, wherever these are: their derivative by them, times
    tangents of the inputs, is what is wanted.
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
    """The output of `func` at `primals`, and the function from tangents of the primals to that of the output.

    `func` runs once, however many tangents follow; each costs a pass over what it recorded.

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
    """As `jacrev`, by columns: a pass for each element of the arguments. Better where these are few.

    Arguments:
        func, argnums, has_aux: as for `jacrev`.
        randomness: no difference: `func` runs once.

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
    """The derivatives of each output by input `k`."""
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
    """Zeros like some values, but for one element after the other of value `k`, which is 1."""
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
    """A function that returns all derivatives of `func`'s output: an array of the output's and the input's shape.

    One reverse pass for each element of the output. An output or argument made of several arrays has an array for each
    pair, built as the output is, and in it as the arguments are.

    Arguments:
        func: returns numbers or arrays; `(output, aux)` with `has_aux`.
        argnums: the place of the argument that derivatives are taken of, or a tuple of places.
        has_aux: the function returns `(derivatives, aux)`.
        chunk_size: no difference: elements have their turns one by one.

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
    """The derivatives of output `k` by each input."""
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
    """A function that returns all second derivatives of `func`: `jacrev` of `jacrev`.

    Arguments:
        func: returns a number, or arrays.
        argnums: the place of the argument that derivatives are taken of, or a tuple of places.

    >>> import numpy as np
    >>> hessian(lambda x: (x**3).sum())(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacrev(jacrev(func, argnums), argnums)
