"""Results of a loaded graph: the tree that a call returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import bool_
from facula_tensor.extend.names import return_types

from .._recording.pytrees import Tree, parts_of, rebuilt
from .._recording.recording import AliasOutput, InputOutput, Output
from .._recording.records import NEW_LEAF
from . import json_values
from .errors import refuse
from .json_values import a_list, an_int

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from facula_storage import Layout
    from facula_tensor import Tensor

    class Reader(Protocol):
        def layout(self, data: Any) -> Layout: ...
        def tensor(self, number: Any) -> Tensor: ...
        def check_inside(self, block: int, offset: int, layout: Layout) -> None: ...


TREES: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}
MAX_DEPTH = 20


def named_results() -> dict[str, type]:
    """Return the classes of named results of operators; those of `linalg` exist after its import."""
    import facula_tensor.linalg  # noqa: F401  # few programs need it

    return return_types()


def result_of(reader: Reader, made: Any, data: Any, depth: int = MAX_DEPTH) -> Any:
    """Return the result, or a part of it, that graph.json describes.

    Arguments:
        reader: the reader with the blocks and tensors.
        made: the recording, with its inputs and outputs.
        data: the description.
        depth: the maximum depth of the tree.
    """
    if type(data) is not dict or len(data) != 1 or not depth:
        refuse(f"a result is {data!r:.60}")
    ((kind, value),) = data.items()
    if kind == "value":
        return json_values.to_parameter(value)
    if kind == "tensor":
        return reader.tensor(value)
    if kind == "argument":
        return InputOutput(an_int(value, 0, len(made.inputs) - 1, "an argument"))
    if kind == "output":
        return _output(reader, made, a_list(value, "a result", 5))
    if kind == "view":
        return _view(reader, made, a_list(value, "a result", 6))
    parts = a_list(value, "a result")
    keys, tree = None, TREES.get(kind)
    if kind == "named":
        name, *parts = parts or [None]
        tree = named_results().get(name) if type(name) is str else None
        kind = str(name)
    if kind == "dict":
        pairs = [a_list(part, "an entry", 2) for part in parts]
        keys = tuple([result_of(reader, made, key, 1) for key, _ in pairs])
        parts = [part for _, part in pairs]
        if not all([key is None or isinstance(key, (bool, int, float, str)) for key in keys]):
            refuse("a key of a result is not a plain value")
    if tree is None:
        refuse(f"a result is {kind!r:.60}")
    return Tree(tree, keys, tuple([result_of(reader, made, part, depth - 1) for part in parts]))


def gives_arguments(result: Any) -> bool:
    """Return True if a result contains arguments themselves."""
    return type(result) is InputOutput or (
        type(result) is Tree and any([gives_arguments(part) for part in result.parts])
    )


def with_arguments(result: Any, made: Any, given: Sequence[Tensor]) -> Any:
    """Return the result of a replay with the arguments of the call in place of copies on which it ran."""
    if type(result) is InputOutput:
        return given[result.place]
    if type(result) is not Tree:
        return made
    pieces = parts_of(made)
    assert pieces is not None
    return rebuilt(result, [with_arguments(*pair, given) for pair in zip(result.parts, pieces[1], strict=True)])


def _output(reader: Reader, made: Any, value: list[Any]) -> Output:
    """Return a result tensor in new memory."""
    place, shown, offset, wants_grad, root = value
    place = an_int(place, 0, len(made.outputs) - 1, "a result")
    layout, offset = reader.layout(shown), an_int(offset, 0, json_values.MAX_BYTES, "an offset")
    reader.check_inside(made.outputs[place], offset, layout)
    return Output(place, layout, offset, wants_grad is True, _root(made, root))


def _view(reader: Reader, made: Any, value: list[Any]) -> AliasOutput:
    """Return a result tensor in the memory of an argument."""
    argument, shown, offset, wants_grad, root, is_view = value
    place = an_int(argument, 0, len(made.inputs) - 1, "an argument")
    layout, offset = reader.layout(shown), an_int(offset, 0, json_values.MAX_BYTES, "an offset")
    like = made.inputs[place].layout
    unit, boolean = json_values.alignment(layout.dtype), (layout.dtype is bool_) is not (like.dtype is bool_)
    if offset + layout.extent > like.extent or offset % unit or unit > json_values.alignment(like.dtype) or boolean:
        refuse("a result is outside of an argument, or of another dtype")
    return AliasOutput(place, layout, offset, wants_grad is True, _root(made, root), is_view is True)


def _root(made: Any, root: Any) -> int:
    return an_int(root, NEW_LEAF, len(made.roots) - 1, "the number of a result")
