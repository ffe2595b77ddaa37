"""Transforms that return derivatives as functions: `grad`, `vjp`, `jvp` and `linearize`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd import GradientError
from facula_autograd.extend.transforms import (
    Call,
    check_callable,
    gradient_function,
    pair_of,
    put_together,
    value_and_pull,
)
from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import call_inside
from .._dispatch.namespaces import no_record_ops
from .dual import DualLevel, fitted
from .grad import GradLevel, differentiable
from .linear import LinearLevel
from .plain import PlainTape, serves
from .trees import map_tensors, tensors_like, tensors_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_autograd.extend.transforms import Argnums, Shape

    from .trees import Tree


class TensorCall(Call):
    """A call of a function of tensors.

    Its level is the ordinary tape (`plain.py`) if that can compute the gradient, otherwise a new level.
    """

    run = staticmethod(call_inside)

    def points_of(self, tree: Tree) -> tuple[list[Tensor], Shape]:
        points, shape = tensors_of(self.operation, "the arguments to differentiate by", tree)
        for point in points:
            if not differentiable(point):
                raise InvalidTypeError(
                    f"{self.operation}: expected floating or complex tensors to differentiate by; got "
                    f"{show(layout_of_tensor(point))}"
                )
        return points, shape

    def results_of(self, tree: Tree) -> tuple[list[Tensor], Shape]:
        return tensors_of(self.operation, "what the function returns", tree)

    def level_for(self, points: list[Tensor]) -> GradLevel | PlainTape:
        return PlainTape() if serves(points) else GradLevel()

    def zeros(self, value: Tensor) -> Tensor:
        return no_record_ops.zeros_like(value)

    def scalar(self) -> tuple[Tensor, Tensor]:
        values = self.values()
        if self.out_shape.kind is not None or values[0].ndim or values[0].is_complex():
            got = show(layout_of_tensor(values[0])) if self.out_shape.kind is None else f"{self.out_shape}"
            raise ArgumentError(
                f"{self.operation}: expected the function to return one real number, a tensor without dimensions; got "
                f"{got}; take its sum() or mean()"
            )
        return values[0], no_record_ops.ones_like(values[0])

    def fitted(self, what: str, tree: Tree, like: Shape, values: Sequence[Tensor]) -> list[Tensor]:
        names = ("output", "cotangent") if what == "the cotangents" else ("primal", "tangent")
        given = tensors_like(self.operation, what, tree, like)
        return [fitted(self.operation, value, entry, names) for value, entry in zip(values, given, strict=True)]


@boundary
def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of `func`.

    The gradient has the structure of the argument (tuples, lists and dicts of tensors). If `argnums` is a tuple, it is
    a tuple of gradients. The returned function can be differentiated and transformed. `no_grad` inside `func` disables
    gradients there; `no_grad` around the call only means that the result is not recorded.

    Arguments:
        func: a function that returns a zero-dimensional tensor.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); the result is then a pair (gradient, aux).

    >>> from facula_tensor import tensor
    >>> grad(lambda x: x**3)(tensor(2.0))
    tensor(12.)
    >>> grad(grad(lambda x: x**3))(tensor(2.0))
    tensor(12.)
    """
    return gradient_function(TensorCall, "grad", func, argnums, has_aux)


@boundary
def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the pair (gradient, value) of `func`.

    Arguments:
        func: a function that returns a zero-dimensional tensor.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); that pair then replaces the value.

    >>> from facula_tensor import tensor
    >>> grad_and_value(lambda x: x * x)(tensor(3.0))
    (tensor(6.), tensor(9.))
    """
    return gradient_function(TensorCall, "grad_and_value", func, argnums, has_aux)


@boundary
def value_and_grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the pair (value, gradient) of `func`, in the order of JAX.

    Arguments:
        func: a function that returns a zero-dimensional tensor.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to.
        has_aux: whether `func` returns a pair (output, aux); that pair then replaces the value.

    >>> from facula_tensor import tensor
    >>> value_and_grad(lambda x: x * x)(tensor(3.0))
    (tensor(9.), tensor(6.))
    """
    return gradient_function(TensorCall, "value_and_grad", func, argnums, has_aux)


@boundary
def vjp(func: Callable[..., Tree], *primals: Tree, has_aux: bool = False) -> Any:
    """Return the output of `func` at `primals`, and a function that computes vector-Jacobian products.

    The function, `pull`, takes cotangents with the structure of the output. It returns a tuple of gradients, one with
    the structure of each primal. It can be called repeatedly, and its results can be differentiated.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        primals: its arguments: tensors, or tuples, lists and dicts of tensors.
        has_aux: whether `func` returns a pair (output, aux); the result is then (output, pull, aux).

    >>> from facula_tensor import tensor
    >>> output, pull = vjp(lambda x, y: x * y, tensor(2.0), tensor(3.0))
    >>> output, pull(tensor(1.0))
    (tensor(6.), (tensor(3.), tensor(2.)))
    """
    return value_and_pull(TensorCall("vjp", func, primals, has_aux=has_aux, level=GradLevel()), has_aux)


@boundary
def jvp(
    func: Callable[..., Tree],
    primals: tuple[Tree, ...],
    tangents: tuple[Tree, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any:
    """Return the output of `func` at `primals` and its tangent for `tangents`, computed by forward mode.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        primals: a tuple of its arguments.
        tangents: a tuple of their tangents with the same structure; each is converted to the dtype of its primal.
        strict: raise an error if an output does not depend on the primals, instead of returning a tangent of zeros.
        has_aux: whether `func` returns a pair (output, aux); the result is then (output, tangent, aux).

    >>> from facula_tensor import tensor
    >>> jvp(lambda x: x**3, (tensor(2.0),), (tensor(1.0),))
    (tensor(8.), tensor(12.))
    """
    check_callable("jvp", func)
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple) or not given:
            raise InvalidTypeError(f"jvp: expected {name} to be a tuple of arguments; got {type(given).__name__}")
    points, shape = tensors_of("jvp", "the primals", primals)
    along = tensors_like("jvp", "the tangents", tangents, shape)
    along = [fitted("jvp", point, tangent) for point, tangent in zip(points, along, strict=True)]
    level = DualLevel()
    pairs = [level.make(point, tangent) for point, tangent in zip(points, along, strict=True)]
    found = call_inside(level, func, *put_together(shape, pairs))
    found, aux = pair_of("jvp", found) if has_aux else (found, None)
    outputs, out_shape = tensors_of("jvp", "what the function returns", found)
    slopes = []
    for place, out in enumerate(outputs):
        slope = level.tangent(out)
        if slope is None and strict:
            raise GradientError(
                f"jvp: expected outputs that depend on the primals; output {place} does not (strict=True)"
            )
        slopes.append(no_record_ops.zeros_like(out) if slope is None else slope)
    output = put_together(out_shape, [level.value(tensor) for tensor in outputs])
    tangent = put_together(out_shape, slopes)
    return (output, tangent, map_tensors(level.value, aux)) if has_aux else (output, tangent)


@boundary
def linearize(func: Callable[..., Tree], *primals: Tree) -> tuple[Tree, Callable[..., Tree]]:
    """Return the output of `func` at `primals`, and a function that computes tangents of the output.

    The function, `push(*tangents)`, can be called repeatedly. Each call makes two passes over the recorded graph and
    does not call `func` again. `func` may change tensors in place; values that its derivative needs are copied before.

    Arguments:
        func: a function that returns a tensor, or tuples, lists and dicts of tensors.
        primals: its arguments: tensors, or tuples, lists and dicts of tensors.

    >>> from facula_tensor import tensor
    >>> output, push = linearize(lambda x: x**3, tensor(2.0))
    >>> output, push(tensor(1.0)), push(tensor(2.0))
    (tensor(8.), tensor(12.), tensor(24.))
    """
    called = TensorCall("linearize", func, primals, level=LinearLevel())

    @boundary
    def push(*tangents: Tree) -> Tree:
        """Return the tangent of the output.

        Arguments:
            tangents: one tangent for each primal, with its structure.
        """
        along = called.fitted("the tangents", tangents, called.in_shape, called.points)
        level = GradLevel()
        level.records = called.level.records
        return put_together(called.out_shape, called.pusher(level)(along, level.records))

    return called.result(), push
