"""The repr of tensors: the elements, or the corners of large tensors, and properties that are not evident, as
in PyTorch."""

from __future__ import annotations

from typing import Any

from facula_autograd.extend.nodes import LEAF
from facula_errors.extend import boundary
from facula_storage import Layout, bool_, cpu, int64, meta

from .._core.parameter import Parameter
from .._core.promotion import get_default_dtype
from .._core.tensor import Tensor, elements, method, snapshot
from .._core.wrapped import LevelLayout
from .._dispatch.overrides import overrides
from .export import MAX_DIMS
from .formatting import Excerpt, laid_out
from .print_options import chosen


@method("__repr__")
@boundary
def represent(self: Tensor) -> str:
    """Return the elements (the corners of large tensors), the properties that are not evident, and a subclass's
    name."""
    now = snapshot(elements(self))
    layout = now._layout
    cls = type(self)
    is_parameter, is_own = isinstance(self, Parameter), cls is not Parameter
    prefix = f"{cls.__name__}(" if overrides(cls) or (is_parameter and is_own) else "tensor("
    options = chosen()
    hidden = layout.device.type == "meta" or len(layout.shape) > MAX_DIMS
    text = "..." if hidden else laid_out(Excerpt(now, options), len(prefix)) if layout.numel else "[]"
    # The notes follow on the last line, or on separate lines if they do not fit.
    text = prefix + text
    used = len(text) - text.rfind("\n") + 1
    found = notes(layout, self.node, hidden)
    if isinstance(self._layout, LevelLayout) and self._layout.level.open:
        found.append(f"level={self._layout.level.number}")
    for note in found:
        if used + len(note) + 2 > options.linewidth:
            text += ",\n" + " " * len(prefix) + note
            used = len(prefix) + len(note)
        else:
            text += ", " + note
            used += len(note) + 2
    text += ")"
    if is_parameter:
        return "Parameter containing:\n" + (f"Parameter({text})" if is_own else text)
    return text


def elements_as_text(tensor: Tensor, indent: int) -> str:
    """Return the elements of a tensor in brackets, with lines after the first indented."""
    now = snapshot(elements(tensor))
    return laid_out(Excerpt(now, chosen()), indent) if now._layout.numel else "[]"


def notes(layout: Layout, node: Any, hidden: bool) -> list[str]:
    """Return device, size, dtype and gradient, if the elements do not imply them."""
    found = []
    if layout.device is not cpu:
        found.append(f"device='{layout.device}'")
    if hidden or (not layout.numel and layout.shape != (0,)):
        found.append(f"size={tuple(layout.shape)}")
    default = {int64, bool_, get_default_dtype(), get_default_dtype().to_complex()}
    shows_none = not layout.numel or layout.device is meta
    if layout.dtype not in default or (shows_none and layout.dtype is not get_default_dtype()):
        found.append(f"dtype={layout.dtype}")
    if node is LEAF:
        found.append("requires_grad=True")
    elif node is not None:
        found.append(f"grad_fn=<{node.name()}>")
    return found
