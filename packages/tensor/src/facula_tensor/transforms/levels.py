"""Helpers shared by all levels: wrapped tensors, calls with their contents, and view families."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import replace_mode
from facula_autograd.extend.nodes import Node, edge_to, next_seq
from facula_storage.extend.objects import new_instance

from .._core.call_sites import user_site
from .._core.tensor import Tensor, layout_of_tensor
from .._core.view_family import register, root_of, views_of
from .._core.wrapped import LevelLayout, no_storage
from .._dispatch.namespaces import no_record_ops, operators, recorded_ops
from .._dispatch.slow_path.nodes import node_for
from .._dispatch.slow_path.view_changes import rebase
from ..ops.memory.assignment import copy_as

if TYPE_CHECKING:
    from collections.abc import Iterator

    from facula_autograd.extend.nodes import Rule
    from facula_storage import DType

    from .._core.types import Operands, Parameters, Result
    from .._dispatch.operator import Operator


def wrap_content(layout: LevelLayout, content: Tensor) -> Tensor:
    """Return a tensor with this layout and no memory, at the offset of its content."""
    new = new_instance(Tensor)
    new._layout, new._storage, new._offset, new.node = layout, no_storage(content._storage), content._offset, None  # type: ignore[assignment]
    return new


def call_contents(op: Operator, contents: Operands, parameters: Parameters, record: bool) -> Result:
    """Call the operator on the contents of a level's operands."""
    call = op.library_call if record else op.no_record
    if op.arity < 0:
        return call(contents, parameters)
    found = call(*contents, parameters) if parameters else call(*contents)
    if op.widens:  # a zero-dimensional operand may be float32 next to half-precision ones, and would now promote them
        narrow = min([layout_of_tensor(a).dtype for a in contents if isinstance(a, Tensor)], key=_itemsize)
        if layout_of_tensor(found).dtype is not op.result_dtype(narrow):
            found = (recorded_ops if record else no_record_ops).to(found, (narrow,))
    return found


def _itemsize(dtype: DType) -> int:
    return dtype.itemsize


def record_view(view: Tensor, input: Tensor, rule: Rule, parameters: tuple[object, ...]) -> None:
    """Give a view the node that leads to the tensor it was taken from.

    Arguments:
        view: the view.
        input: the tensor it was taken from.
        rule: the backward rule of the node.
        parameters: the view's parameters, which the rule reads.
    """
    node = view.node = Node()
    node.rule, node.seq, node.e0, node.rest = rule, next_seq(), edge_to(input), (layout_of_tensor(input), parameters)
    node.code, node.lasti = user_site()


def copy_contents(operation: str, target: Tensor, source: Tensor, record: bool = True) -> None:
    """Copy the contents of one tensor into those of another, recorded according to the mode or not at all."""
    with nullcontext() if record else replace_mode(grad=False):
        copy_as(operation, target, source)


def record_copy(target: Tensor, source: Tensor, edge: Any) -> None:
    """Attach the node of a copy to its target, and the corresponding nodes to the target's view family.

    Arguments:
        target: the tensor that was changed.
        source: the tensor that was copied into it.
        edge: the edge that receives the gradient of `source`; None if there is none.
    """
    edges = (edge_to(target), edge)
    layouts = (layout_of_tensor(target), layout_of_tensor(source))
    node_for(operators["overwrite"], (target, source), layouts, (), [target], None, edges)
    rebase(target, edges[0])


def family_contents(target: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Return the tensors of a view family, the root first, each paired with a new tensor that shares its memory.

    The new tensors are a view family as well.
    """
    root = root_of(target)
    base = _alias_of(root)
    members = {id(view): view for view in (target, *views_of(root)) if view is not root}
    pairs = [(root, base)]
    for member in members.values():
        content = _alias_of(member)
        content._viewed = base
        register(content, base)
        pairs.append((member, content))
    return iter(pairs)


def _alias_of(tensor: Tensor) -> Tensor:
    new = new_instance(Tensor)
    new._layout, new._storage, new._offset, new.node = tensor._layout, tensor._storage, tensor._offset, tensor.node
    return new


def is_at(level: object, value: Any) -> bool:
    """Return whether this level wraps the tensor."""
    return getattr(getattr(value, "_layout", None), "level", None) is level
