"""Arguments and results of derivatives at a point: a tensor, or a tuple of tensors, that are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, DTypeError, InvalidTypeError

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from .._creation.like import ones_like
from .grad import differentiable
from .trees import check_callable

if TYPE_CHECKING:
    from .._core.types import Function

Tensors = Any  # a tensor, or a tuple of tensors


def points_of(name: str, func: object, inputs: Tensors, create_graph: bool) -> tuple[tuple[Tensor, ...], bool]:
    """The inputs as tensors to differentiate by, and whether there was one that is not in a tuple.

    Arguments:
        name: how errors begin.
        func: what is differentiated; TypeError where it is no function.
        inputs: a tensor or a tuple of tensors.
        create_graph: whether what they were computed from takes part.
    """
    check_callable(name, func)
    values = inputs if isinstance(inputs, tuple) else (inputs,)
    check_tensors(name, "inputs", values)
    for k, value in enumerate(values):
        if not differentiable(value):
            shown = show(layout_of_tensor(value))
            raise DTypeError(f"{name}: expected floating or complex inputs; number {k} is {shown}; convert it first")
    points = tuple([x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in values])
    return points, values is not inputs


def results_at(name: str, func: Function, points: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], bool]:
    """The results of `func` as a tuple, and whether it returned one tensor in no tuple."""
    found = func(*points)
    values = found if isinstance(found, tuple) else (found,)
    check_tensors(name, "what func returns", values)
    return values, values is not found


def check_tensors(name: str, what: str, values: tuple[Any, ...]) -> None:
    """TypeError unless all `values` are tensors; `what` says what they are."""
    for k, value in enumerate(values):
        if not isinstance(value, Tensor):
            raise InvalidTypeError(
                f"{name}: expected {what} to be a Tensor or a tuple of Tensors; number {k} is of type "
                f"{type(value).__name__}"
            )


def one_element(name: str, out: Tensor | None) -> Tensor:
    """What a function returned, without dimensions: one element."""
    if not isinstance(out, Tensor) or out.numel() != 1:
        shown = f"a tensor of shape {tuple(out.shape)}" if isinstance(out, Tensor) else f"a {type(out).__name__}"
        raise ArgumentError(f"{name}: expected func to return a Tensor of one element; got {shown}")
    return out.reshape(())


def vector_like(name: str, v: Tensors, like: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """`v` as a tuple, checked against the tensors that it must be like."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise ArgumentError(f"{name}: expected v, which can be left out only for a single tensor of one element")
        return (ones_like(like[0]),)
    vector = v if isinstance(v, tuple) else (v,)
    check_tensors(name, "v", vector)
    shapes, wanted = [tuple(one.shape) for one in vector], [tuple(one.shape) for one in like]
    if shapes != wanted:
        raise ArgumentError(f"{name}: expected v of shapes {wanted}; got {shapes}")
    return vector


def finished(values: tuple[Any, ...], single: bool, create_graph: bool) -> Tensors:
    """`values`, detached unless `create_graph`; the only one out of its tuple where `single`."""
    kept = values if create_graph else tuple([value.detach() for value in values])
    return kept[0] if single else kept
