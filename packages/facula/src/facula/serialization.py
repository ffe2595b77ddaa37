"""facula.serialization: `save` and `load`, and the list of further classes and functions that files may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from ._lookup.names import publish
from ._lookup.siblings import needs
from ._pickles.saving import load, named_globals, safe, save
from ._pickles.saving import named as _named

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import BinaryIO

__all__ = [
    "add_safe_globals", "clear_safe_globals", "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load",
    "safe_globals", "save",
]  # fmt: skip


@boundary
def add_safe_globals(safe_globals: list[Callable[..., object] | tuple[Callable[..., object], str]]) -> None:
    """Allow `load` to use the program's classes and functions, under their names in files.

    An instance is created without its constructor, and filled by its `__setstate__` or with attributes, like in
    Python's pickle; a function is called. So name only classes and functions that are harmless with any arguments. A
    pair (class, "module.name") specifies a different name in files.

    TypeError if the argument is not a list, or contains an object without a name.

    >>> from pathlib import PurePath
    >>> with safe_globals([(PurePath, "old.place.Path")]):
    ...     sorted(named_globals())
    ['old.place Path']
    """
    if not isinstance(safe_globals, (list, tuple)):
        raise InvalidTypeError(
            f"add_safe_globals: expected a list of classes and functions; got {type(safe_globals).__name__}"
        )
    for entry in safe_globals:
        _named(entry)
    safe.extend(entry for entry in safe_globals if entry not in safe)


def get_safe_globals() -> list[object]:
    """Return the list of `add_safe_globals`."""
    return list(safe)


def clear_safe_globals() -> None:
    """Clear the list of `add_safe_globals`."""
    safe.clear()


@boundary
class safe_globals:
    """Context manager that adds classes and functions to the list; see `add_safe_globals`.

    >>> with safe_globals([complex]):
    ...     get_safe_globals()
    [<class 'complex'>]
    >>> get_safe_globals()
    []
    """

    before: list[object]

    def __init__(self, safe_globals: list[Callable[..., object] | tuple[Callable[..., object], str]]) -> None:
        self.wanted = safe_globals

    def __enter__(self) -> None:
        self.before = get_safe_globals()
        add_safe_globals(self.wanted)

    def __exit__(self, *exc: object) -> None:
        safe[:] = self.before


@boundary
def get_unsafe_globals_in_checkpoint(f: str | os.PathLike[str] | BinaryIO) -> list[str]:
    """Return the classes and functions of a file that `load` refuses, as "module.name", without loading it.

    Arguments:
        f: the path of a PyTorch file, or a file that is open in binary mode, whose position stays.

    Raises:
        ValueError: the file is damaged, or of another format.
        OSError: it cannot be opened.

    >>> import io
    >>> file = io.BytesIO()
    >>> save([1, {2}], file)
    >>> _ = file.seek(0)
    >>> get_unsafe_globals_in_checkpoint(file)
    []
    """
    with needs("facula.serialization"):
        from facula_checkpoint.extend import names_in
    from ._pickles.table import FaceTable

    table = FaceTable(named_globals())
    return [f"{module}.{name}" for module, name in names_in(f) if not table.has(module, name)]


publish(__name__)
