"""Libraries that are used where they are installed: whether they are found, and why they are not used."""

from __future__ import annotations

import os
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary, warn

from .._port.driver import opened

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "FACULA_CUDA_LIBRARIES"
#: Names of libraries with a stand-in for simulated devices. Others are not used there: they need a GPU.
stand_ins: set[str] = set()
_finding = RLock()


class Found(NamedTuple):
    """A library that was opened: what its adapter calls, its version and its file."""

    handle: Any
    version: str
    path: str


class Unusable(OperationError):
    """Raised by the function that finds a library, with the reason; with `version` and `path` if it was found."""

    def __init__(self, reason: str, version: str = "", path: str = ""):
        super().__init__(reason)
        self.version, self.path = version, path


class LibraryState(NamedTuple):
    """The state of a library: whether it is found and used, its version and file, and why it is not used."""

    found: bool
    used: bool
    version: str
    path: str
    reason: str


class Library:
    """A library.

    Arguments:
        name: its name in FACULA_CUDA_LIBRARIES.
        find: a function that opens it, or raises `Unusable`.
        package: the arguments of pip that install it.
    """

    def __init__(self, name: str, find: Callable[[], Found], package: str):
        self.name, self.find, self.package = name, find, package
        self.refused: dict[str, str] = {}  # by operator and dtype: why the reference is used
        self.forget()
        known[name] = self

    def forget(self) -> None:
        """Forget the library and all comparisons, so that the next use finds it again."""
        self._found: Found | None = None
        self._missing: Unusable | None = None
        self.refused.clear()

    def get(self) -> Found | None:
        """Return the opened library, or None if it is not used. Warns once about one of a wrong version."""
        if self._obstacle():
            return None
        if self._found is None and self._missing is None:
            with _finding:
                self._open()
        return self._found

    def _open(self) -> None:
        try:
            self._found = self._found or self.find()
        except Unusable as error:
            self._missing = error
            if error.version:
                warn(f"cuda: {error}; facula's own kernels or the CPU are used. {self.remedy()}")

    def _obstacle(self) -> str:
        """Return why the library is not used, whether it is installed or not; "" if it may be used."""
        if self.name not in enabled():
            return f"{VARIABLE}={os.environ[VARIABLE]}"
        if opened.simulated and self.name not in stand_ins:
            return "devices are simulated"
        return ""

    def remedy(self) -> str:
        """Return a sentence on what to install, or how to do without the library."""
        rest = ",".join(name for name in known if name != self.name) or "none"
        return f"Install it by: pip install {self.package}, or set {VARIABLE}={rest} to do without it"

    def refuse(self, kind: str, reason: str) -> None:
        """Use the reference for an operator and dtype from now on, and warn."""
        self.refused[kind] = reason
        found = self._found
        warn(
            f"cuda: {self.name} {found.version if found else ''} is not used for {kind}: {reason}. "
            f"facula's own kernel or the CPU is used instead. {self.remedy()}"
        )

    def state(self) -> LibraryState:
        """Return the state; opens the library if it may be used."""
        self.get()
        found, obstacle, missing = self._found, self._obstacle(), self._missing
        version, path = (found.version, found.path) if found else ("", "")
        if missing:
            version, path = missing.version, missing.path
        refused = "; ".join(f"{kind}: {reason}" for kind, reason in self.refused.items())
        reason = obstacle or (str(missing) if missing else refused)
        return LibraryState(bool(version), found is not None and not obstacle, version, path, reason)


known: dict[str, Library] = {}


def enabled() -> set[str]:
    """Return the names of the libraries that FACULA_CUDA_LIBRARIES allows: all of them by default."""
    value = os.environ.get(VARIABLE, "").strip()
    if not value:
        return set(known)
    names = set() if value == "none" else {name.strip() for name in value.split(",")}
    if not names <= set(known):
        expected = ", ".join(map(repr, known))
        raise InvalidValueError(
            f"{VARIABLE}: expected 'none' or some of {expected}, separated by commas; got {value!r:.60}"
        )
    return names


@boundary
def libraries() -> dict[str, LibraryState]:
    """Return the state of the libraries that replace facula's own kernels or the CPU where they are installed.

    Each state has `found`, `used`, `version`, `path`, and `reason`: why the library is not used, or for which operators
    and dtypes its results differed from the reference's. The environment variable FACULA_CUDA_LIBRARIES selects
    libraries: "none", or names separated by commas. It is read when an operator is first used with new shapes.

    >>> sorted(libraries()["cupy"]._fields)
    ['found', 'path', 'reason', 'used', 'version']
    """
    return {name: library.state() for name, library in known.items()}


os.register_at_fork(after_in_child=_finding._at_fork_reinit)  # type: ignore[attr-defined]
