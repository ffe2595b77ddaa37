"""Checks before an in-place change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_autograd.extend.functions import from_function
from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.nodes import LEAF
from facula_errors import ArgumentError, DTypeError, OperationError, UnsupportedError
from facula_storage.extend.layouts import FLOATING

from ..._core.memory import check_writable, overlaps_itself
from ..._core.promotion import can_cast
from ..._core.tensor import Tensor, layout_of_tensor
from ..._core.view_family import bases_of, views_of
from ..._core.wrapped import innermost

if TYPE_CHECKING:
    from facula_storage import Layout

    from ..._core.types import Operands


def starts_inplace(name: str, target: Tensor, operands: Operands) -> bool:
    """Check that `target` may be changed; return whether to record the change (on a tape or a level)."""
    check_writable(name, target)
    if innermost(operands) is not None:
        return True
    if active_modes and not current_mode().grad:
        return False
    refuse_leaf(name, target)
    if not any([isinstance(a, Tensor) and a.node is not None for a in operands]):
        return False
    if layout_of_tensor(target).dtype.category < FLOATING:
        return False  # gradients do not flow through integers
    check_family(name, target)
    return True


def refuse_leaf(name: str, target: Tensor) -> None:
    """Raise if `target` is a leaf that requires a gradient."""
    if target.node is LEAF:
        plain = name.removesuffix("_")
        instead = "change a .clone() of it, through which the gradient flows"
        if plain != name and hasattr(Tensor, plain):
            instead = f"{plain}() for a new tensor"
        raise OperationError(
            f"{name}: this tensor is a leaf that requires a gradient, and changing it in place would change what the "
            f"gradient is taken of; use no_grad() around an update, or {instead}"
        )


def check_family(name: str, target: Tensor) -> None:
    """Raise if a change of `target` could not be recorded for the tensors that share its memory."""
    root = target
    for root in bases_of(target):
        if target.node is None and root.node is not None:
            raise OperationError(
                f"{name}: this tensor is a view made under no_grad() of a tensor that wants a gradient, and would lose "
                "the gradient of what is stored; take the view outside no_grad()"
            )
        if root.node is LEAF:
            raise OperationError(
                f"{name}: this tensor is a view of a leaf that requires a gradient; use no_grad() around an update, "
                "or change a .clone()"
            )
        if layout_of_tensor(root).dtype is not layout_of_tensor(target).dtype:
            raise UnsupportedError(
                f"{name}: a gradient is wanted through a change of a {layout_of_tensor(target).dtype.name} view of "
                f"{layout_of_tensor(root).dtype.name} elements; put the parts together with complex() instead, or "
                "change a .clone()"
            )
        if root.node is not None and from_function(target.node):
            raise OperationError(
                f"{name}: this tensor is the result of a Function that returned its argument, or a view of it, "
                "and the effect of a change for the argument's gradient is unknown; change a .clone(), or return one"
            )
    layout = layout_of_tensor(root)
    if overlaps_itself(layout) and (root is not target or views_of(target)):
        raise UnsupportedError(
            f"{name}: a gradient is wanted through a change of a tensor with views, and several elements of "
            f"their memory (shape {layout.shape}, strides {layout.strides}) share one place in memory; "
            "call .contiguous() before taking views"
        )


def check_result_fits(name: str, wanted: Layout, layout: Layout) -> None:
    """Raise ValueError or TypeError if a result with the layout `wanted` cannot be written into a tensor of
    `layout`."""
    if wanted.shape != layout.shape:
        raise ArgumentError(
            f"{name}: the result would be of shape {wanted.shape}, and the tensor to change has {layout.shape}; "
            "only the other operand may be broadcast"
        )
    if not can_cast(wanted.dtype, layout.dtype):
        raise DTypeError(
            f"{name}: the result is {wanted.dtype.name} and cannot be stored in a {layout.dtype.name} tensor; "
            f"use the form that makes a new tensor, or convert this one with .to(facula.{wanted.dtype.name}) first"
        )
