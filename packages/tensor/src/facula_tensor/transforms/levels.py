"""What levels have in common: wrapped tensors, calls with what they wrap, and families of views."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import Node, edge_to, next_seq, replace_mode
from facula_storage.extend import new_instance

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

    from facula_autograd.extend import Rule
    from facula_storage import DType

    from .._core.types import Operands, Parameters, Result
    from .._dispatch.operator import Operator


def wrap_content(layout: LevelLayout, content: Tensor) -> Tensor:
    """A tensor with this layout and no memory, at the offset of its content."""
    new = new_instance(Tensor)
    new._layout, new._storage, new._offset, new.node = layout, no_storage(content._storage), content._offset, None  # type: ignore[assignment]
    return new


def call_contents(op: Operator, contents: Operands, parameters: Parameters, record: bool) -> Result:
    """The operator, with what a level's operands wrap."""
    call = op.library_call if record else op.no_record
    if op.arity < 0:
        return call(contents, parameters)
    found = call(*contents, parameters) if parameters else call(*contents)
    if op.widens:  # one without dimensions may be in float32 beside halves, which would now be promoted
        narrow = min([layout_of_tensor(a).dtype for a in contents if isinstance(a, Tensor)], key=_itemsize)
        if layout_of_tensor(found).dtype is not op.result_dtype(narrow):
            found = (recorded_ops if record else no_record_ops).to(found, (narrow,))
    return found


def _itemsize(dtype: DType) -> int:
    return dtype.itemsize


def record_view(view: Tensor, input: Tensor, rule: Rule, parameters: tuple[object, ...]) -> None:
    """Give a view the node that leads to what it was taken of.

    Arguments:
        view: the view.
        input: what it was taken of.
        rule: how the node goes backward.
        parameters: those of the view, which the rule asks for.
    """
    node = view.node = Node()
    node.rule, node.seq, node.e0, node.rest = rule, next_seq(), edge_to(input), (layout_of_tensor(input), parameters)
    node.code, node.lasti = user_site()


def copy_contents(operation: str, target: Tensor, source: Tensor, record: bool = True) -> None:
    """Copy what one tensor wraps into what another does, recorded as the mode says or not at all."""
    with nullcontext() if record else replace_mode(grad=False):
        copy_as(operation, target, source)


def record_copy(target: Tensor, source: Tensor, edge: Any) -> None:
    """Give a tensor that another was copied into the node of that, and its family of views theirs.

    Arguments:
        target: the tensor.
        source: the other.
        edge: where the gradient of `source` goes; None for nowhere.
    """
    edges = (edge_to(target), edge)
    layouts = (layout_of_tensor(target), layout_of_tensor(source))
    node_for(operators["overwrite"], (target, source), layouts, (), [target], None, edges)
    rebase(target, edges[0])


def family_contents(target: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """The tensors of a family of views, the root first, each with another over its memory, which are such a family."""
    root = root_of(target)
    base = _alias_of(root)
    members = {id(one): one for one in (target, *views_of(root)) if one is not root}
    pairs = [(root, base)]
    for one in members.values():
        content = _alias_of(one)
        content._viewed = base
        register(content, base)
        pairs.append((one, content))
    return iter(pairs)


def _alias_of(tensor: Tensor) -> Tensor:
    new = new_instance(Tensor)
    new._layout, new._storage, new._offset, new.node = tensor._layout, tensor._storage, tensor._offset, tensor.node
    return new


def is_at(level: object, value: Any) -> bool:
    """Whether this is a tensor that this level wraps."""
    return getattr(getattr(value, "_layout", None), "level", None) is level
