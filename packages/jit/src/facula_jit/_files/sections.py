"""Sections of graph.json: graphs, operators and memory, with their validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import json_values
from .batch_sizes import MAX_SIZE
from .call_signatures import tensors_of
from .errors import refuse
from .json_values import a_list, an_int, entries, is_int
from .plan_requests import version_of

if TYPE_CHECKING:
    from facula_storage import Layout, Storage

    Parts = tuple[Storage, Layout, int]


class Section:
    """One graph of a file as data."""

    def __init__(self, data: Any):
        self.data, self.sizes, self.arguments = entries(data, ("graph", "sizes", "arguments"), "a graph")
        name, roots = entries(self.data, ("name", "roots"), "a graph")
        self.is_differentiable = roots != 0
        if type(name) is not str:
            refuse("the name of a graph is not text")
        self.name: str = name[:200]
        training = self.data.get("training")  # missing in files of earlier versions
        self.training: bool | None = training if type(training) is bool else None
        for size in a_list(self.sizes, "sizes"):
            an_int(size, 0, MAX_SIZE, "a size")
        self.first_size = min(self.sizes, default=0)
        _check_arguments(self.arguments)


def _check_arguments(arguments: Any) -> None:
    for argument in a_list(arguments, "arguments"):
        name, _ = a_list(argument, "an argument", 2)
        if name is not None and type(name) is not str:
            refuse("the name of an argument is not text")
    for tensor in tensors_of(arguments):
        shown, wants = entries(tensor, ("tensor", "gradient"), "an argument")
        a_list(shown, "an argument", 3)
        if wants not in ("", "leaf", "computed"):
            refuse("an argument is of an unknown kind")


def check_versions(operators: Any) -> None:
    if type(operators) is not dict:
        refuse("operators is no object")
    for name, version in operators.items():
        if not is_int(version, 1) or version > version_of(name):
            refuse(
                f"the operator {name!r:.60} has version {version!r:.40}, and this version of facula has "
                f"{version_of(name)}; update facula-jit to read it"
            )


def memory_of(described: list[Any], contents: dict[str, Parts]) -> list[tuple[Storage, Layout]]:
    """Return the storages of a file, each with its layout."""
    found: list[tuple[Storage, Layout]] = []
    left = set(contents)
    for tensor in described:
        name, nbytes = entries(tensor, ("tensor", "bytes"), "memory")
        if type(name) is not str or name not in left:
            refuse(f"the tensor {name!r:.60} is missing or duplicated")
        left.discard(name)
        storage, layout, _ = contents[name]
        if layout.nbytes != an_int(nbytes, 0, json_values.MAX_BYTES, "bytes"):
            refuse(f"the tensor {name!r:.60} has {layout.nbytes} bytes; expected {nbytes}")
        found.append((storage, layout))
    if left:
        refuse(f"there are tensors that no graph uses: {', '.join(sorted(left)[:3])!r:.100}")
    return found
