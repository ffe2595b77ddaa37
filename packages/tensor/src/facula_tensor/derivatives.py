"""Derivatives of functions, with the names and arguments of `torch.autograd.functional`.

The functions to differentiate take tensors and return a tensor, or a tuple, list or dict of tensors. `inputs` is a
tensor or a tuple of tensors. Results are tuples if `inputs` or the outputs are. With `create_graph` results can be
differentiated; otherwise they require no gradient. If an output does not depend on an input, the derivative is zero;
under `strict` a GradientError is raised. See `facula_tensor.func` for transforms that return functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from facula_autograd import GradientError, enable_grad
from facula_autograd.extend.transforms import check_callable, put_together
from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_errors.extend import boundary, published

from ._core.errors import show
from ._core.tensor import Tensor, layout_of_tensor
from ._creation.filled import ones_like
from .transforms.functions import TensorCall
from .transforms.functions import jvp as func_jvp
from .transforms.grad import differentiable
from .transforms.jacobians import by_rows, jacfwd
from .transforms.plain import PointTape
from .transforms.trees import map_tensors, tensors_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ._core.types import Function

    In = TypeVar("In", bound=Tensor | tuple[Tensor, ...])
    Out = TypeVar("Out", bound=Tensor | tuple[Tensor, ...])

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

__dir__ = published(__name__)

Tensors = Any  # a tensor, or a tuple of tensors


@overload
def jacobian(
    func: Callable[..., Tensor],
    inputs: Tensor,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Tensor: ...
@overload
def jacobian(
    func: Callable[..., Tensor],
    inputs: tuple[Tensor, ...],
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> tuple[Tensor, ...]: ...
@overload
def jacobian(
    func: Callable[..., tuple[Tensor, ...]],
    inputs: Tensor,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> tuple[Tensor, ...]: ...
@overload
def jacobian(
    func: Callable[..., tuple[Tensor, ...]],
    inputs: tuple[Tensor, ...],
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> tuple[tuple[Tensor, ...], ...]: ...
@boundary
def jacobian(
    func: Callable[..., Tensors],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Compute the Jacobian of `func`: the derivatives of all output elements with respect to all input elements.

    The shape is that of the output followed by that of the input. If outputs and inputs are tuples, the result is a
    tuple with one tuple for each output, which has one tensor for each input.

    Arguments:
        func: a function of the tensors in `inputs` that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, at which to compute the derivatives.
        create_graph: whether the results can be differentiated again.
        strict: raise an error if an output does not depend on an input, instead of returning zeros.
        vectorize: whether reverse mode computes all rows together with `vmap`; otherwise one by one.
        strategy: "reverse-mode", with one pass per output element, or "forward-mode", with one per input element.

    >>> from facula_tensor import tensor
    >>> jacobian(lambda x: x * x, tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian("jacobian", func, inputs, create_graph, strict, vectorize, _is_forward("jacobian", strategy))


def _jacobian(
    name: str, func: Function, inputs: Tensors, create_graph: bool, strict: bool, vectorize: bool, forwards: bool
) -> Any:
    """Compute `jacobian` by columns or by rows, with another name in errors."""
    points = _points(name, func, inputs)
    argnums = tuple(range(len(points))) if isinstance(inputs, tuple) else 0
    with enable_grad():
        if forwards:
            return _by_columns(name, func, points, argnums, create_graph, strict)
        called = TensorCall(name, func, points, level=PointTape(create_graph))
        parts = []
        for place, out in enumerate(called.outputs):
            if out.is_complex():
                shown = show(layout_of_tensor(out))
                raise ArgumentError(f"{name}: expected real outputs; output {place} is {shown}")
            if strict and not out.requires_grad:
                raise GradientError(
                    f"{name}: expected outputs that depend on inputs; output {place} does not (strict=True)"
                )

            def pull(*unit: Tensor, place: int = place) -> list[Tensor]:
                required = f"output {place}" if strict else None
                return called.pull(unit, create_graph, outputs=called.outputs[place : place + 1], required=required)

            (blocks,) = by_rows(pull, [out], called.points, vectorize=vectorize)
            parts.append(tuple(blocks) if isinstance(inputs, tuple) else blocks[0])
        return put_together(called.out_shape, parts)


def _by_columns(
    name: str, func: Function, inputs: tuple[Tensor, ...], argnums: Any, create_graph: bool, strict: bool
) -> Any:
    """Compute `jacobian` by forward mode."""
    tape = PointTape(create_graph)
    points = [tape.leaf(tensor) for tensor in inputs]

    def checked(*args: Tensor) -> Any:
        found = func(*args)
        tensors_of(name, "what the function returns", found)
        return found

    for place, point in enumerate(points if strict else ()):
        before, after = points[:place], points[place + 1 :]
        func_jvp(lambda moved, a=before, b=after: checked(*a, moved, *b), (point,), (ones_like(point),), strict=True)
    return map_tensors(tape.value, jacfwd(checked, argnums)(*points))


@overload
def hessian(
    func: Callable[..., Tensor],
    inputs: Tensor,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Tensor: ...
@overload
def hessian(
    func: Callable[..., Tensor],
    inputs: tuple[Tensor, ...],
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> tuple[tuple[Tensor, ...], ...]: ...
@boundary
def hessian(
    func: Callable[..., Tensor],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Compute the second derivatives of a function that returns one element: the Jacobian of its gradient.

    Arguments:
        func: a function of the tensors in `inputs` that returns one element.
        inputs: a tensor or a tuple of tensors, at which to compute the derivatives.
        create_graph: whether the results can be differentiated again.
        strict: raise an error if an output does not depend on an input, instead of returning zeros.
        vectorize: whether reverse mode computes all rows together with `vmap`; otherwise one by one.
        outer_jacobian_strategy: the mode that differentiates the gradient: "reverse-mode" or "forward-mode".

    >>> from facula_tensor import tensor
    >>> hessian(lambda x: (x * x * x).sum(), tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    forwards = _is_forward("hessian", outer_jacobian_strategy)
    check_callable("hessian", func)

    def gradient(*points: Tensor) -> tuple[Tensor, ...]:
        return tuple(_gradient("hessian", func, points, None if forwards else PointTape(True), strict)[1])

    result = _jacobian("hessian", gradient, inputs, create_graph, strict, vectorize, forwards)
    return result if isinstance(inputs, tuple) else result[0]


def _gradient(
    name: str, func: Function, points: tuple[Tensor, ...], level: PointTape | None, strict: bool
) -> tuple[TensorCall, list[Tensor]]:
    """Call a function that returns one element, and compute its gradient."""
    called = TensorCall(name, lambda *args: _one_element(name, func(*args)), points, level=level)
    return called, called.pull([ones_like(called.values()[0])], True, required=_required(strict))


@boundary
def vjp(
    func: Callable[..., Out], inputs: In, v: Out | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Out, In]:
    """Return the outputs of `func` and the product of the vector `v` with its Jacobian, in one backward pass.

    Arguments:
        func: a function of the tensors in `inputs` that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, at which to compute the derivatives.
        v: the vector, with the structure of the outputs; may be omitted for a single output of one element.
        create_graph: whether the results can be differentiated again.
        strict: raise an error if an output does not depend on an input, instead of returning zeros.
    """
    called = TensorCall("vjp", func, _points("vjp", func, inputs), level=PointTape(create_graph))
    found = called.pull(_vector_like("vjp", v, called.outputs), create_graph, required=_required(strict))
    return called.result(), _like_inputs(inputs, found)


@boundary
def jvp(
    func: Callable[..., Out], inputs: In, v: In | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Out, Out]:
    """Return the outputs of `func` and the product of its Jacobian with the vector `v`, in two backward passes.

    The first pass computes g(u) = u J, which is linear in u. The second computes its derivative along `v`. This is the
    "double backward trick" of J. Townsend, 2017.

    Arguments:
        func: a function of the tensors in `inputs` that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, at which to compute the derivatives.
        v: the vector, with the structure of the inputs; may be omitted for a single input of one element.
        create_graph: whether the results can be differentiated again.
        strict: raise an error if an output does not depend on an input, instead of returning zeros.
    """
    called = TensorCall("jvp", func, _points("jvp", func, inputs), level=PointTape(create_graph))
    vector = _vector_like("jvp", v, called.points)
    found = called.pusher(PointTape(True), _required(strict))(vector, create_graph)
    return called.result(), put_together(called.out_shape, found)


@boundary
def vhp(
    func: Callable[..., Tensor], inputs: In, v: In | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, In]:
    """Return the output of `func`, which has one element, and the product of the vector `v` with its Hessian.

    Arguments:
        func: a function of the tensors in `inputs` that returns one element.
        inputs: a tensor or a tuple of tensors, at which to compute the derivatives.
        v: the vector, with the structure of the inputs; may be omitted for a single input of one element.
        create_graph: whether the results can be differentiated again.
        strict: raise an error if an output does not depend on an input, instead of returning zeros.
    """
    return _vector_hessian("vhp", func, inputs, v, create_graph, strict)


@boundary
def hvp(
    func: Callable[..., Tensor], inputs: In, v: In | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, In]:
    """Return the output of `func`, which has one element, and the product of its Hessian with the vector `v`.

    This is the same as `vhp`, because the Hessian is symmetric.

    Arguments:
        func: a function of the tensors in `inputs` that returns one element.
        inputs: a tensor or a tuple of tensors, at which to compute the derivatives.
        v: the vector, with the structure of the inputs; may be omitted for a single input of one element.
        create_graph: whether the results can be differentiated again.
        strict: raise an error if an output does not depend on an input, instead of returning zeros.
    """
    return _vector_hessian("hvp", func, inputs, v, create_graph, strict)


def _vector_hessian(
    name: str, func: Function, inputs: Tensors, v: Tensors, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    """Return the output of `func` and the product of `v` with its Hessian; errors name the function `name`."""
    points = _points(name, func, inputs)
    called, gradient = _gradient(name, func, points, PointTape(create_graph), strict)
    vector = _vector_like(name, v, called.points)
    found = called.pull(vector, create_graph, outputs=gradient, required=_required(strict))
    return called.values()[0], _like_inputs(inputs, found)


def _required(strict: bool) -> str | None:
    return "the result" if strict else None


def _is_forward(name: str, strategy: str) -> bool:
    """Return whether the strategy is forward mode; ValueError for an unknown strategy."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise ArgumentError(f"{name}: expected strategy 'reverse-mode' or 'forward-mode'; got {strategy!r}")
    return strategy == "forward-mode"


def _points(name: str, func: object, inputs: Tensors) -> tuple[Tensor, ...]:
    """Return the inputs as a tuple of tensors to differentiate by."""
    check_callable(name, func)
    points = inputs if isinstance(inputs, tuple) else (inputs,)
    for k, candidate in enumerate(points):
        if not isinstance(candidate, Tensor):
            raise InvalidTypeError(
                f"{name}: expected inputs to be a Tensor or a tuple of Tensors; number {k} is of type "
                f"{type(candidate).__name__}"
            )
        if not differentiable(candidate):
            shown = show(layout_of_tensor(candidate))
            raise DTypeError(f"{name}: expected floating or complex inputs; number {k} is {shown}; convert it first")
    return points


def _like_inputs(inputs: Tensors, found: list[Tensor]) -> Tensors:
    """Return a tuple of results if `inputs` is a tuple, otherwise the single result."""
    return tuple(found) if isinstance(inputs, tuple) else found[0]


def _one_element(name: str, out: object) -> Tensor:
    """Check that the result of a function has one element, and return it."""
    if not isinstance(out, Tensor) or out.numel() != 1:
        shown = f"a tensor of shape {tuple(out.shape)}" if isinstance(out, Tensor) else f"a {type(out).__name__}"
        raise ArgumentError(f"{name}: expected func to return a Tensor of one element; got {shown}")
    return out


def _vector_like(name: str, v: Tensors, like: list[Tensor]) -> list[Tensor]:
    """Return the tensors in `v` after checking them against those that they must match."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise ArgumentError(f"{name}: expected v; it can be omitted only for a single tensor of one element")
        return [ones_like(like[0])]
    vector, _ = tensors_of(name, "v", v)
    shapes, wanted = [tuple(tensor.shape) for tensor in vector], [tuple(tensor.shape) for tensor in like]
    if shapes != wanted:
        raise ArgumentError(f"{name}: expected v of shapes {wanted}; got {shapes}")
    return vector
