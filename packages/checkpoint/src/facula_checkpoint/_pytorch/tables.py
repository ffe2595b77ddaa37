"""Tables of the names that a pickle may use, and of the functions that replace them.

Note [Globals of pickles]
~~~~~~~~~~~~~~~~~~~~~~~~~
A pickle names classes and functions of Python and describes how to call them. The reader never imports a name: it looks
the name up in a table. A row of the table, a `Global`, contains an object for the name, and functions with validated
arguments that replace a call, `__new__` and `__setstate__`. A name without a row is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from facula_errors import FaculaError

Value = Any  # a value of a pickle, with a type known only after reading

# Names from other versions of Python, in addition to those of Python's own pickle module.
_RENAMED = {
    "__builtin__ basestring": "builtins str", "pathlib._local PosixPath": "pathlib PosixPath",
    "pathlib._local WindowsPath": "pathlib WindowsPath",
}  # fmt: skip


class PickleError(FaculaError, ValueError):  # never leaves this package: it becomes a CheckpointError
    """A pickle that is damaged, or that requires an unsupported operation."""


class Marker:
    """The object for a name that a pickle can call but programs cannot use, such as a rebuild function.

    >>> Marker("torch._utils _rebuild_tensor_v2")
    <torch._utils _rebuild_tensor_v2>
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.name}>"


class Pending(Marker):
    """A name without a row, which may only be an argument of `getattr`."""

    __slots__ = ()


class Global:
    """A row of the table.

    Fields:
        value: the object for the name, if it is not called.
        call: receives the arguments of a call.
        new: receives the arguments of `__new__`, without the class.
        build: receives an instance and its state, and modifies the instance.
        instance: the class of the instances for `build`, if it differs from `value`.
        inner: receives the arguments of a call, or the state, and returns nested values that are also copied.
        hashed: receives the arguments of a call, and returns the values that the call inserts into a set or dict, if
            any.
        named: whether the program permitted the class itself, so that its own methods may fill an instance.
        stateful: whether an instance must receive a state exactly once.
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
    """Format an untrusted value briefly and at a bounded cost: containers only by their type."""
    if value is None or type(value) in (bool, float):
        return repr(value)
    if type(value) is int:
        return repr(value) if value.bit_length() < 256 else "a large int"
    if type(value) in (str, bytes):
        return repr(value[:60])  # type: ignore[index]
    if (
        type(value) is tuple
        and len(value) <= 8
        and all(type(number) is int and abs(number) < 1 << 64 for number in value)
    ):
        return repr(value)
    if isinstance(value, (type, Marker)):
        return repr(value)
    return f"a {type(value).__name__}"


class Table:
    """Rows by "module name". Subclasses add rows by overriding `more`, which is called once for each unknown name.

    Fields:
        encoding, errors, fix_imports: for pickles of Python 2, as in `pickle.load`.
        getter: the object for `getattr`, if the table contains it.
        pending: names without a row that are arguments of `getattr`.
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
        """Return a row for a name that `rows` lacks, or None."""
        return None

    def remedy(self, name: str) -> str:
        """Return the remedy for a name without a row."""
        return "a file that you trust can be loaded by the program that wrote it, and saved as a dict of tensors"

    def has(self, module: str, name: str) -> bool:
        """Return whether a global is in the table."""
        try:
            self.find(module, name)
        except PickleError:
            return False
        return True

    def find(self, module: str, name: str, owner: bool = False) -> Global:
        """Return the row of a global; raise PickleError if the table lacks it.

        With `owner`, if the global is about to become an argument of `getattr`, a missing row only makes it pending:
        pickles of protocol 2 represent `Outer.Inner` as an attribute of `Outer`.
        """
        asked = renamed(module, name) if self.fix_imports else f"{module} {name}"
        row = self.row(asked) or self.row(f"{module} {name}")
        if row is None and owner:
            return Global(self.pending.setdefault(asked, Pending(asked)))
        return row or self.unknown(asked)

    def row(self, name: str) -> Global | None:
        """Return the row of "module name", or None."""
        row = self.rows.get(name) or self.more(name)
        if row is not None:
            self.rows[name] = row
        return row

    def row_of(self, value: Value) -> Global | None:
        """Return the row of a called object that is not a global of the pickle."""
        if isinstance(value, Pending):
            self.unknown(value.name)
        return None

    def unknown(self, name: str) -> NoReturn:
        """Raise PickleError for a name."""
        called = name.replace(" ", ".") if len(name) < 200 else f"{name[:200]}..."
        refuse(f"it uses {called!r}, which is not among the classes and functions that are loaded; "
               f"{self.remedy(name)}")  # fmt: skip

    def finish(self) -> None:
        """Raise PickleError for names that are still pending at the end of the pickle."""
        for name in self.pending:
            self.unknown(name)


def renamed(module: str, name: str) -> str:
    """Return the current "module name" of a global from Python 2, or from NumPy before version 2."""
    from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING  # tables of Python's own pickle module

    if module == "numpy.core" or module.startswith("numpy.core."):
        return f"numpy._core{module[len('numpy.core') :]} {name}"
    asked = f"{module} {name}"
    if asked in _RENAMED:
        return _RENAMED[asked]
    return " ".join(NAME_MAPPING.get((module, name)) or (IMPORT_MAPPING.get(module, module), name))
