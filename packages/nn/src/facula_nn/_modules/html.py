"""HTML reprs of modules for notebooks: a collapsible tree with shapes, parameters and bytes. No scripts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from facula_errors.extend import format_bytes

from .members import BUFFER, MODULE, PARAMETER, members
from .uninitialized import is_lazy

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from .tree import AnyTree

OPEN_LEVELS = 1  # levels that are expanded initially


def html_of(module: AnyTree) -> str:
    """Return the module and all its descendants as nested ``<details>`` elements."""
    return f"<div>{_node(module, '', 0, (), set())}</div>"


def _node(module: AnyTree, name: str, level: int, above: tuple[AnyTree, ...], shown: set[int]) -> str:
    """Return the HTML of a module and its descendants.

    Arguments:
        module: the module.
        name: its name in its parent.
        level: its depth in the tree.
        above: its ancestors.
        shown: the identities of the modules shown so far, to which the module is added.
    """
    children = [(child, submodule) for child, submodule in members(module, MODULE) if submodule is not None]
    known, unknown = [], 0  # parameters with a shape, and the number of the others
    for parameter in {id(parameter): parameter for parameter in module.parameters()}.values():
        if is_lazy(parameter):
            unknown += 1
        else:
            known.append(parameter)
    count = sum([parameter.numel() for parameter in known])
    trained = sum([parameter.numel() for parameter in known if parameter.requires_grad])
    nbytes = sum([parameter.numel() * parameter.itemsize for parameter in known])
    said = f"{count:,} parameter{'' if count == 1 else 's'}" + (f", {trained:,} trained" if trained != count else "")
    said += f", {format_bytes(nbytes)}" if nbytes else ""
    if unknown:
        said = f"{said}, {unknown} uninitialized" if known else "uninitialized"
    made_with = "" if children else " ".join(module.extra_repr().split())
    title = f"{escape(f'({name}): ' if name else '')}<b>{escape(module._get_name())}</b>({escape(made_with)})"
    summary = f"<code>{title}</code> <small>{said}</small>"
    if any([module is parent for parent in above]):
        return f"<div>{summary} <small>(it contains itself)</small></div>"
    if id(module) in shown:
        return f"<div>{summary} <small>(shared: shown above)</small></div>"
    shown.add(id(module))
    tensors: list[tuple[str, str, Tensor | None]] = [("parameter", *member) for member in members(module, PARAMETER)]
    tensors += [("buffer", *member) for member in members(module, BUFFER)]
    lines = [_tensor(kind, own, tensor) for kind, own, tensor in tensors if tensor is not None]
    inner = "".join([_node(submodule, child, level + 1, (*above, module), shown) for child, submodule in children])
    if not lines and not inner:
        return f"<div>{summary}</div>"
    unfolded = " open" if level < OPEN_LEVELS else ""
    body = f'<div style="margin-left:1.5em">{"".join(lines)}{inner}</div>'
    return f"<details{unfolded}><summary>{summary}</summary>{body}</details>"


def _tensor(kind: str, name: str, tensor: Tensor) -> str:
    """Return the HTML line of one parameter or buffer.

    Arguments:
        kind: "parameter" or "buffer".
        name: its name.
        tensor: the tensor.
    """
    frozen = ", frozen" if kind == "parameter" and not tensor.requires_grad else ""
    shape, size = "", "uninitialized"
    if not is_lazy(tensor):
        count = tensor.numel()
        shape, size = f" {tuple(tensor.shape)}", f"{count:,}, {format_bytes(count * tensor.itemsize)}"
    text = f"{name}: {kind}{shape} {tensor.dtype.name}{frozen}"
    return f"<div><code>{escape(text)}</code> <small>{size}</small></div>"
