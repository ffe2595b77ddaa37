"""The names that a pickle may use, and the functions of ours that stand for them.

Note [Globals of pickles]
~~~~~~~~~~~~~~~~~~~~~~~~~
A pickle names classes and functions of Python, and says how to call them. The reader never looks a name up in Python:
it looks it up in a table. A row of the table, a `Global`, has an object of ours for the name and the functions, with
checked arguments, that take the place of a call, of `__new__` and of `__setstate__`. A name without a row is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from facula_errors import FaculaError

Value = Any  # of a pickle: known when it was read

# Names of other versions of Python, besides those that its own pickle knows.
_RENAMED = {
    "__builtin__ basestring": "builtins str", "pathlib._local PosixPath": "pathlib PosixPath",
    "pathlib._local WindowsPath": "pathlib WindowsPath",
}  # fmt: skip


class PickleError(FaculaError, ValueError):  # never leaves this package: it becomes a CheckpointError
    """A pickle that is damaged, or that asks for something that the reader does not do."""


class Marker:
    """The object for a name that can be called in a pickle and is no object of a program, such as a rebuild function.

    >>> Marker("torch._utils _rebuild_tensor_v2")
    <torch._utils _rebuild_tensor_v2>
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Pending(Marker):
    """A name without a row, which only `getattr` may be called with."""

    __slots__ = ()


class Global:
    """A row of the table.

    Fields:
        value: the object for the name, where it is not called.
        call: takes the arguments of a call.
        new: takes the arguments of `__new__`, without the class.
        build: takes an instance and its state, and changes the instance.
        instance: the class of the instances that `build` takes, where that is not `value`.
        inner: takes the arguments of a call, or the state, and gives values in them that are copied, too.
        hashed: takes the arguments of a call, and gives what the call puts into a set or dict, where it does.
        named: the program named the class itself, so its own methods may fill an instance.
        stateful: an instance gets a state exactly once.
    """

    __slots__ = ("build", "call", "hashed", "inner", "instance", "named", "new", "stateful", "value")

    def __init__(
        self,
        value: object,
        call: Callable[..., Value] | None = None,
        new: Callable[..., Value] | None = None,
        build: Callable[[Value, Value], None] | None = None,
        instance: type | None = None,
        inner: Callable[..., Iterable[Value]] | None = None,
        hashed: Callable[..., list[Value]] | None = None,
        named: bool = False,
        stateful: bool = False,
    ) -> None:
        self.value, self.call, self.new, self.build, self.instance = value, call, new, build, instance
        self.inner, self.hashed, self.named, self.stateful = inner, hashed, named, stateful


def refuse(reason: str) -> NoReturn:
    """Raise PickleError."""
    raise PickleError(reason)


def shown(value: object) -> str:
    """A short text for a value of a stranger, at a bounded cost: containers by their type alone."""
    if value is None or type(value) in (bool, float):
        return repr(value)
    if type(value) is int:
        return repr(value) if value.bit_length() < 256 else "a large int"
    if type(value) in (str, bytes):
        return repr(value[:60])  # type: ignore[index]
    if type(value) is tuple and len(value) <= 8 and all(type(one) is int and abs(one) < 1 << 64 for one in value):
        return repr(value)
    if isinstance(value, (type, Marker)):
        return repr(value)
    return f"a {type(value).__name__}"


class Table:
    """Rows by "module name". Subclasses add rows by overriding `more`, which is asked once for each unknown name.

    Fields:
        encoding, errors, fix_imports: for what Python 2 wrote, as of `pickle.load`.
        getter: the object for `getattr`, where the table has that.
        pending: names that `getattr` was asked for, or about, and that have no row.
    """

    encoding: str = "utf-8"
    errors: str = "strict"
    fix_imports: bool = True
    getter: Marker | None = None
    pending: dict[str, Pending]

    def __init__(self, rows: Mapping[str, Global]) -> None:
        self.rows = dict(rows)
        self.pending = {}

    def more(self, name: str) -> Global | None:
        """A row for a name that `rows` lacks."""
        return None

    def remedy(self, name: str) -> str:
        """What to do about a name without a row."""
        return "a file that you trust can be loaded by the program that wrote it, and saved as a dict of tensors"

    def has(self, module: str, name: str) -> bool:
        """Whether a global is in the table."""
        try:
            self.find(module, name)
        except PickleError:
            return False
        return True

    def find(self, module: str, name: str, owner: bool = False) -> Global:
        """The row of a global; PickleError for one that is not in the table.

        With `owner`, when `getattr` is about to be called with it, one without a row only becomes pending: pickles
        of protocol 2 have `Outer.Inner` as an attribute of `Outer`.
        """
        asked = renamed(module, name) if self.fix_imports else f"{module} {name}"
        row = self.row(asked) or self.row(f"{module} {name}")
        if row is None and owner:
            return Global(self.pending.setdefault(asked, Pending(asked)))
        return row or self.unknown(asked)

    def row(self, name: str) -> Global | None:
        """The row of "module name", or None."""
        row = self.rows.get(name) or self.more(name)
        if row is not None:
            self.rows[name] = row
        return row

    def row_of(self, value: Value) -> Global | None:
        """The row of an object that is called and is no global of the pickle."""
        if isinstance(value, Pending):
            self.unknown(value.name)
        return None

    def unknown(self, name: str) -> NoReturn:
        """Refuse a name."""
        called = name.replace(" ", ".") if len(name) < 200 else f"{name[:200]}..."
        refuse(f"it uses {called!r}, which is not among the classes and functions that are loaded; "
               f"{self.remedy(name)}")  # fmt: skip

    def finish(self) -> None:
        """Refuse names that are still pending when the pickle has ended."""
        for name in self.pending:
            self.unknown(name)


def renamed(module: str, name: str) -> str:
    """A global of Python 2's, or of NumPy's before version 2, under its present name, as "module name"."""
    from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING  # of Python's own pickle

    if module == "numpy.core" or module.startswith("numpy.core."):
        return f"numpy._core{module[len('numpy.core') :]} {name}"
    asked = f"{module} {name}"
    if asked in _RENAMED:
        return _RENAMED[asked]
    return " ".join(NAME_MAPPING.get((module, name)) or (IMPORT_MAPPING.get(module, module), name))
