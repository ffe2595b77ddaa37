"""Derivatives of functions: the names and arguments of PyTorch's `torch.autograd.functional`.

A function here takes tensors and returns a tensor or a tuple of tensors. `inputs` is a tensor or a tuple of
tensors, and results are tuples where it or what the function returns is one. With `create_graph` results can be
differentiated; without, they want no gradient. An output that does not depend on an input has zeros for a
derivative, or is a GradientError under `strict`. `facula_tensor.func` has derivatives as functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from facula_autograd import GradientError, enable_grad, grad
from facula_errors import ArgumentError
from facula_errors.extend import boundary, published

from ._core.errors import show
from ._core.tensor import Tensor, layout_of_tensor
from ._creation.filled import zeros
from ._creation.like import ones_like, zeros_like
from .ops.shape.joining import stack
from .transforms.functions import grad as func_grad
from .transforms.jacobians import by_columns
from .transforms.points import finished, one_element, points_of, results_at, vector_like
from .transforms.trees import check_callable

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
    """The derivative of each element of each output by each element of each input.

    The shape is that of the output followed by that of the input; a tuple over outputs of tuples over inputs
    where both are tuples.

    Arguments:
        func: the function of one tensor, or of as many as `inputs` has; it returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of tensors: where the derivatives are taken.
        create_graph: whether the results can be differentiated again.
        strict: whether an output that does not depend on an input is an error, rather than derivatives of 0.
        vectorize: accepted; rows are computed one by one in any case.
        strategy: "reverse-mode", a pass for each element of the outputs, or "forward-mode", one for each of the inputs.

    >>> from facula_tensor import tensor
    >>> jacobian(lambda x: x * x, tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if _is_forward("jacobian", strategy):
        return _jacobian_forward("jacobian", func, inputs, create_graph, strict)
    return _jacobian("jacobian", func, inputs, create_graph, strict)


def _jacobian_forward(name: str, func: Function, inputs: Tensors, create_graph: bool, strict: bool) -> Any:
    """`jacobian` by forward mode."""
    with enable_grad():
        points, one_in = points_of(name, func, inputs, create_graph)
        outputs: list[tuple[bool, int]] = []

        def as_tuple(*args: Tensor) -> tuple[Tensor, ...]:
            found, one_out = results_at(name, func, args)
            outputs.append((one_out, len(found)))
            return found

        rows = by_columns(as_tuple, points, strict)
    if not create_graph:
        rows = tuple([tuple([one.detach() for one in row]) for row in rows])
    columns = tuple([row[0] for row in rows]) if one_in else rows
    return columns[0] if outputs[0][0] else columns


def _jacobian(name: str, func: Callable[..., Tensors], inputs: Tensors, create_graph: bool, strict: bool) -> Any:
    """`jacobian`, for what bears `name`."""
    with enable_grad():
        points, one_in = points_of(name, func, inputs, create_graph)
        outputs, one_out = results_at(name, func, points)
        rows = tuple([_jacobian_of(out, k, points, create_graph, strict, name) for k, out in enumerate(outputs)])
    columns = tuple([row[0] for row in rows]) if one_in else rows
    return columns[0] if one_out else columns


def _jacobian_of(
    out: Tensor, which: int, points: tuple[Tensor, ...], create_graph: bool, strict: bool, name: str
) -> tuple[Tensor, ...]:
    """The derivatives of one output, one for each input."""
    if out.is_complex():
        raise ArgumentError(f"{name}: expected real outputs; output {which} is {show(layout_of_tensor(out))}")
    rows: list[list[Tensor]] = [[] for _ in points]
    flat = out.reshape(-1)
    for element in flat if out.requires_grad else ():
        found = grad(element, points, retain_graph=True, create_graph=create_graph, allow_unused=True)
        for column, row, point, g in zip(range(len(points)), rows, points, found, strict=True):
            row.append(_or_zeros(name, g, point, strict, f"output {which}", f"input {column}"))
    if strict and not out.requires_grad:
        raise GradientError(f"{name}: expected outputs that depend on inputs; output {which} does not (strict=True)")
    shape = tuple(out.shape)
    return tuple(
        [
            stack(row).reshape(shape + tuple(point.shape))
            if row
            else zeros(shape + tuple(point.shape), dtype=point.dtype, device=point.device)
            for row, point in zip(rows, points, strict=True)
        ]
    )


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
    """The second derivatives of a function that returns one element: the Jacobian of its gradient.

    Arguments:
        func: the function of one tensor, or of as many as `inputs` has; it returns one element.
        inputs: a tensor or a tuple of tensors: where the derivatives are taken.
        create_graph: whether the results can be differentiated again.
        strict: whether an output that does not depend on an input is an error, rather than derivatives of 0.
        vectorize: accepted; rows are computed one by one in any case.
        outer_jacobian_strategy: "reverse-mode" or "forward-mode": how the gradient is differentiated.

    >>> from facula_tensor import tensor
    >>> hessian(lambda x: (x * x * x).sum(), tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    check_callable("hessian", func)
    forwards = _is_forward("hessian", outer_jacobian_strategy)
    check_callable("hessian", func)

    def gradient(*points: Tensor) -> Tensors:
        if forwards:
            return func_grad(lambda *args: one_element("hessian", func(*args)), tuple(range(len(points))))(*points)
        out = one_element("hessian", func(*points))
        found = _jacobian_of(out, 0, points, True, strict, "hessian")
        return tuple([g.reshape(point.shape) for g, point in zip(found, points, strict=True)])

    result = (_jacobian_forward if forwards else _jacobian)("hessian", gradient, inputs, create_graph, strict)
    return result if isinstance(inputs, tuple) else result[0]


@boundary
def vjp(
    func: Callable[..., Out], inputs: In, v: Out | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Out, In]:
    """(outputs, the product of the vector `v` with the Jacobian): one backward pass.

    `v` is like the outputs; it may be left out where there is one output of one element.

    Arguments:
        func: the function of one tensor, or of as many as `inputs` has; it returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of tensors: where the derivatives are taken.
        v: the vector, like the outputs; 1 if None.
        create_graph: whether the results can be differentiated again.
        strict: whether an output that does not depend on an input is an error, rather than derivatives of 0.
    """
    with enable_grad():
        points, one_in = points_of("vjp", func, inputs, create_graph)
        outputs, one_out = results_at("vjp", func, points)
        found = _pull_back("vjp", outputs, points, vector_like("vjp", v, outputs), create_graph, strict)
    return finished(outputs, one_out, create_graph), finished(found, one_in, create_graph)


@boundary
def jvp(
    func: Callable[..., Out], inputs: In, v: In | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Out, Out]:
    """(outputs, the product of the Jacobian with the vector `v`): two backward passes.

    `v` is like the inputs; it may be left out where there is one input of one element. The first pass gives
    g(u) = u J, which is linear in u, and the second its derivative along `v`: the "double backward trick" of
    J. Townsend, 2017.

    Arguments:
        func: the function of one tensor, or of as many as `inputs` has; it returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of tensors: where the derivatives are taken.
        v: the vector, like the inputs; 1 if None.
        create_graph: whether the results can be differentiated again.
        strict: whether an output that does not depend on an input is an error, rather than derivatives of 0.
    """
    with enable_grad():
        points, _ = points_of("jvp", func, inputs, create_graph)
        outputs, one_out = results_at("jvp", func, points)
        vector = vector_like("jvp", v, points)
        dummies = tuple([zeros_like(out).requires_grad_() for out in outputs])
        back = _pull_back("jvp", outputs, points, dummies, True, strict)
        found = _pull_back("jvp", back, dummies, vector, create_graph, False)
    return finished(outputs, one_out, create_graph), finished(found, one_out, create_graph)


@boundary
def vhp(
    func: Callable[..., Tensor], inputs: In, v: In | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, In]:
    """(output, the product of the vector `v` with the Hessian), for a function that returns one element.

    Arguments:
        func: the function of one tensor, or of as many as `inputs` has; it returns one element.
        inputs: a tensor or a tuple of tensors: where the derivatives are taken.
        v: the vector, like the inputs; 1 if None.
        create_graph: whether the results can be differentiated again.
        strict: whether an output that does not depend on an input is an error, rather than derivatives of 0.
    """
    return _vector_hessian("vhp", func, inputs, v, create_graph, strict)


@boundary
def hvp(
    func: Callable[..., Tensor], inputs: In, v: In | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Tensor, In]:
    """(output, the product of the Hessian with the vector `v`). The Hessian is symmetric: this is `vhp`.

    Arguments:
        func: the function of one tensor, or of as many as `inputs` has; it returns one element.
        inputs: a tensor or a tuple of tensors: where the derivatives are taken.
        v: the vector, like the inputs; 1 if None.
        create_graph: whether the results can be differentiated again.
        strict: whether an output that does not depend on an input is an error, rather than derivatives of 0.
    """
    return _vector_hessian("hvp", func, inputs, v, create_graph, strict)


def _vector_hessian(
    name: str, func: Function, inputs: Tensors, v: Tensors, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    """The output of `func`, and the product of `v` with its Hessian; errors name the function `name`."""
    with enable_grad():
        points, one_in = points_of(name, func, inputs, create_graph)
        out = one_element(name, func(*points))
        vector = vector_like(name, v, points)
        first = _pull_back(name, (out,), points, (ones_like(out),), True, strict)
        found = _pull_back(name, first, points, vector, create_graph, strict)
    return finished((out,), True, create_graph), finished(found, one_in, create_graph)


def _is_forward(name: str, strategy: str) -> bool:
    """Whether the strategy is forward mode; ValueError for what is none."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise ArgumentError(f"{name}: expected strategy 'reverse-mode' or 'forward-mode'; got {strategy!r}")
    return strategy == "forward-mode"


def _pull_back(
    name: str,
    outputs: tuple[Tensor, ...],
    points: tuple[Tensor, ...],
    vector: tuple[Tensor, ...],
    create_graph: bool,
    strict: bool,
) -> tuple[Tensor, ...]:
    """`vector` times the Jacobian, one for each point."""
    pairs = [(out, u) for out, u in zip(outputs, vector, strict=True) if out.requires_grad]
    found: tuple[Tensor | None, ...] = (None,) * len(points)
    if pairs:
        found = grad(
            [out for out, _ in pairs], points, [u for _, u in pairs],
            retain_graph=True, create_graph=create_graph, allow_unused=True,
        )  # fmt: skip
    return tuple(
        [
            _or_zeros(name, g, point, strict, "the result", f"input {k}")
            for k, (g, point) in enumerate(zip(found, points, strict=True))
        ]
    )


def _or_zeros(name: str, g: Tensor | None, point: Tensor, strict: bool, what: str, by: str) -> Tensor:
    """The gradient `g`, or zeros like `point` if None; with `strict` an error that `what` does not depend on `by`."""
    if g is not None:
        return g
    if strict:
        raise GradientError(f"{name}: expected {what} to depend on {by}; it does not (strict=True)")
    return zeros_like(point)
