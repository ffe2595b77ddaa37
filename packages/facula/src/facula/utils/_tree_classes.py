"""Data classes as containers of `_pytree.py`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from ._pytree import register_pytree_node
from ._tree_keys import GetAttrKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@boundary
def register_dataclass(
    cls: type,
    *,
    field_names: Sequence[str] | None = None,
    drop_field_names: Sequence[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Register a data class as a container of its fields; fields that are None have no leaf.

    Arguments:
        cls: the class.
        field_names: the fields that are children; those that the constructor takes if None.
        drop_field_names: fields that get their defaults when an instance is rebuilt from children.
        serialized_type_name: the name of the class in files of PyTorch's exporter, which are not written.

    Raises:
        TypeError: `cls` is not a data class.
        ValueError: the names are not the fields that the constructor takes, or the class is registered already.

    >>> from dataclasses import make_dataclass
    >>> from facula.utils._pytree import tree_map
    >>> Pair = make_dataclass("Pair", ["a", "b"])
    >>> register_dataclass(Pair)
    >>> tree_map(lambda leaf: leaf * 2, Pair(1, None))
    Pair(a=2, b=None)
    """
    if not (isinstance(cls, type) and is_dataclass(cls)):
        raise InvalidTypeError(f"register_dataclass: expected a data class; got {cls!r:.60}")
    taken = [field.name for field in fields(cls) if field.init]
    dropped = [] if drop_field_names is None else list(drop_field_names)
    names = [name for name in taken if name not in dropped] if field_names is None else list(field_names)
    if {*names, *dropped} != {*taken}:
        raise InvalidValueError(
            f"register_dataclass: expected the fields {taken}, each in field_names or drop_field_names; got "
            f"{names} and {dropped}"
        )

    def flatten(obj: Any) -> tuple[list[Any], Any]:
        values = {name: getattr(obj, name) for name in names}
        present = [name for name in names if values[name] is not None]
        return [values[name] for name in present], [present, [name for name in names if values[name] is None]]

    def flatten_with_keys(obj: Any) -> tuple[list[Any], Any]:
        children, context = flatten(obj)
        return [(GetAttrKey(name), child) for name, child in zip(context[0], children, strict=True)], context

    def unflatten(values: Iterable[Any], context: Any) -> Any:
        return cls(**dict(zip(context[0], values, strict=True)), **dict.fromkeys(context[1]))

    register_pytree_node(cls, flatten, unflatten, flatten_with_keys_fn=flatten_with_keys)
