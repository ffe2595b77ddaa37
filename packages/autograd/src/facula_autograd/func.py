"""facula_autograd.func: function transforms that differentiate functions of numbers and arrays.

The differentiated functions are plain: they receive Variables in place of numbers or arrays, alone or in tuples, lists
and dicts. Derivatives are plain if the arguments were. All transforms nest. Names and signatures are those of
`torch.func`; tensors have `facula.func`.
"""

from __future__ import annotations

from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, published

from ._adapters import adapter_of
from ._errors import GradientError
from ._func_arguments import per_argument
from ._func_arrays import ArrayCall
from ._func_call import gradient_function, value_and_pull
from ._numpy.arrays import numpy
from ._numpy.variable import Variable
from ._trees import put_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ._func_arguments import Argnums
    from ._func_call import Function
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
    return gradient_function(ArrayCall, "grad_and_value", func, argnums, has_aux)


@boundary
def value_and_grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Same as `grad_and_value`, in the other order: `(value, gradient)`, or `((value, aux), gradient)` with `has_aux`.

    Arguments:
        func, argnums, has_aux: as in `grad_and_value`.

    >>> value_and_grad(lambda x: x**3)(2.0)
    (8.0, 12.0)
    """
    return gradient_function(ArrayCall, "value_and_grad", func, argnums, has_aux)


@boundary
def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of `func`; `(gradient, aux)` with `has_aux`.

    Arguments:
        func, argnums, has_aux: as in `grad_and_value`.

    >>> slope = grad(lambda x: x**3)
    >>> slope(2.0), grad(slope)(2.0)
    (12.0, 12.0)
    """
    return gradient_function(ArrayCall, "grad", func, argnums, has_aux)


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
    return value_and_pull(ArrayCall("vjp", func, primals, has_aux=has_aux), has_aux)


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
    this = ArrayCall("jvp", func, primals, has_aux=has_aux)
    directions = this.fitted("the tangents", tangents, this.in_shape, this.leaves)
    if strict and any(v.node is None for v in this.outputs):
        raise GradientError("jvp: expected every output to depend on the primals, with strict=True; one does not")
    tangent = put_together(this.out_shape, this.pusher()(directions))
    return (this.result(), tangent, this.aux) if has_aux else (this.result(), tangent)


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
    this = ArrayCall("linearize", func, primals)
    pushed = this.pusher()

    @boundary
    def push(*tangents: AnyValue) -> AnyValue:
        return put_together(this.out_shape, pushed(this.fitted("the tangents", tangents, this.in_shape, this.leaves)))

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
    return _jacobian("jacfwd", func, argnums, has_aux)


def _jacobian(operation: str, func: Function, argnums: Argnums, has_aux: bool) -> Function:
    """Return the function for `jacfwd` or `jacrev`."""

    @boundary
    def call(*args: AnyValue, **kwargs: AnyValue) -> AnyValue:
        this = ArrayCall(operation, func, args, argnums, kwargs, has_aux)
        leaves, outputs = this.leaves, this.outputs
        for v in (*leaves, *outputs):
            if not isinstance(v, Variable):
                raise UnsupportedError(f"{operation}: expected numbers and arrays; got {adapter_of(v).describe(v)}")
        blocks: Iterable[Sequence[AnyValue]]
        if operation == "jacfwd":
            push = this.pusher()
            blocks = zip(*[_blocks(this, push, leaves, k, outputs, -1) for k in range(len(leaves))], strict=True)
        else:
            blocks = [_blocks(this, this.pull, outputs, k, leaves, 0) for k in range(len(outputs))]
        parts = [per_argument(argnums, put_together(this.in_shape, some)) for some in blocks]
        found = put_together(this.out_shape, parts)
        return (found, this.aux) if has_aux else found

    return call


def _blocks(
    this: ArrayCall,
    derive: Callable[[Sequence[AnyValue]], list[AnyValue]],
    values: Sequence[AnyValue],
    k: int,
    others: Sequence[AnyValue],
    axis: int,
) -> list[AnyValue]:
    """Return the blocks of a Jacobian for value `k` and each of `others`: its rows (`axis` 0) or its columns (-1).

    `derive` computes the derivatives of the others for a unit vector of the values.
    """
    shape, found = values[k].shape, [derive(unit) for unit in _units(values, k)]
    if not shape:
        return found[0]
    whole = [(*v.shape, *shape) if axis else (*shape, *v.shape) for v in others]
    if not found:
        return [this.level.value(Variable(numpy().zeros(one))) for one in whole]
    return [
        numpy().stack(parts, axis).reshape(one)  # type: ignore[arg-type]
        for one, parts in zip(whole, zip(*found, strict=True), strict=True)
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
    return _jacobian("jacrev", func, argnums, has_aux)


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
