"""Scopes: the module call in which a node was created.

Note [Scopes]
A scope is one call of a module: the numbers of the first and of the last node that can have been created in it. Nodes
are numbered anyway, so operators do no extra work, and modules only while scopes are requested (`track_modules`,
`detect_anomaly`). The package that defines modules registers how their calls become scopes; it is notified when scopes
are first requested. The latest scopes are kept, with weak references to the modules. The paths in a module that no
other module called are kept too, in case it is gone at the time of a query: `Net()(x)`. If two threads were in modules
at the same time, only the present thread's calls count.

An observer, such as a profiler, is notified of module calls in all threads. Modules are only asked to report their
calls while there is an observer, or after scopes have been requested.
"""

from __future__ import annotations

from _thread import get_ident
from collections import deque
from weakref import WeakKeyDictionary, ref

from .._modes.context_managers import replace_mode
from .._modes.mode_state import active_modes, current_mode, passive_modes
from .node import next_seq

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol, TypeAlias

    class ScopeObserver(Protocol):
        """Called around module calls, in the thread that makes them."""

        def begin(self, owner: object, path: str, inputs: tuple[object, ...]) -> None:
            """Begin a call of the module `owner`.

            Arguments:
                owner: the module.
                path: its place in the outermost module: ``Net.body.0``.
                inputs: the positional arguments.
            """

        def end(self) -> None:
            """End the latest call of this thread, also after an exception."""

    #: Whether the call is a scope, and the observer that was notified of it.
    Entered: TypeAlias = tuple[bool, ScopeObserver | None]
    Names = list[tuple[ref[object], str]]
    Parts = Callable[[object], Iterable[tuple[str, object]]]
    _Scope = tuple[int, float, ref[object], Names]

#: The number of events to remember; each module call has two, its start and its end.
MAX_SCOPES = 20_000
# The number of the next node; the module, or None at the end of its call; the thread; names in the outermost module.
_events: deque[tuple[int, ref[object] | None, int, Names]] = deque(maxlen=2 * MAX_SCOPES)
_known: WeakKeyDictionary[object, Names] = WeakKeyDictionary()  # the names in modules that no other module called
_wanted: list[None] = []  # not empty once scopes have been requested
_observer: list[ScopeObserver | None] = [None]
_calls_by_thread: dict[int, list[object]] = {}  # by thread: the modules being called, outermost first
_paths: WeakKeyDictionary[object, dict[int, tuple[ref[object], str]]] = WeakKeyDictionary()  # by outermost module
_installers: list[Callable[[], Callable[[], None]]] = []
_installed: list[tuple[Callable[[], Callable[[], None]], Callable[[], None]]] = []  # installers, and what undoes them
# Classes of modules, each with the function that lists the modules inside one; a subclass of several has the latest.
_parts: list[tuple[type, Parts]] = [(object, lambda owner: [(type(owner).__name__, owner)])]


def provide_scopes(kind: type, install: Callable[[], Callable[[], None]], parts: Parts) -> None:
    """Register how calls of modules become scopes.

    Arguments:
        kind: the class of the modules.
        install: makes module calls use `enter_scope` and `leave_scope`; returns a function that undoes it.
        parts: yields the modules inside a module, each after its path, starting with the module itself.
    """
    _parts.insert(0, (kind, parts))
    _installers.append(install)
    if _wanted or _observer[0] is not None:
        _install()


def want_scopes() -> None:
    """Record module calls from here on, in threads and tasks whose mode has `scopes`."""
    if not _wanted:
        _wanted.append(None)
        _install()


def observe_scopes(observer: ScopeObserver | None) -> ScopeObserver | None:
    """Notify `observer` of module calls in all threads from here on, and return the former observer.

    None ends the observation.

    >>> observe_scopes(observe_scopes(None))
    """
    former, _observer[0] = _observer[0], observer
    if observer is not None:
        _install()
    elif not _wanted:
        while _installed:
            install, undo = _installed.pop()
            undo()
            _installers.append(install)
    return former


def _install() -> None:
    while _installers:
        install = _installers.pop()
        _installed.append((install, install()))


def enter_scope(owner: object, inputs: tuple[object, ...] = ()) -> Entered | None:
    """Start a call of the module `owner`. Unless the result is None, `leave_scope(result)` must follow.

    Arguments:
        owner: the module.
        inputs: the positional arguments of the call, for observers.
    """
    observer = _observer[0]
    scoped = bool(passive_modes or active_modes) and current_mode().scopes
    if not scoped and observer is None:
        return None
    thread = get_ident()
    calls = _calls_by_thread.setdefault(thread, [])
    calls.append(owner)
    if scoped:
        _events.append((next_seq(), ref(owner), thread, _names_in(calls[0])))
    if observer is not None:
        observer.begin(owner, _path_in(calls, owner), inputs)
    return scoped, observer


def leave_scope(entered: Entered) -> None:
    """End the latest call entered in this thread."""
    scoped, observer = entered
    thread = get_ident()
    if observer is not None:
        observer.end()
    calls = _calls_by_thread[thread]
    calls.pop()
    if not calls:
        del _calls_by_thread[thread]
    if scoped:
        _events.append((next_seq(), None, thread, []))


def _parts_of(owner: object) -> Iterable[tuple[str, object]]:
    """Return the modules inside one, each after its path."""
    return next(parts for kind, parts in _parts if isinstance(owner, kind))(owner)


def _path_in(calls: list[object], owner: object) -> str:
    """Return the path of a module in the outermost module of these calls, or in the first that contains it."""
    paths = _paths.setdefault(calls[0], {})
    link = ref(owner)
    known = paths.get(id(link))  # `paths` keeps the reference, so that its id stays unique
    if known is None:
        if len(paths) > MAX_SCOPES:
            paths.clear()  # the program creates modules all the time
        found = (path for outer in calls for path, part in _parts_of(outer) if part is owner)
        known = paths[id(link)] = link, next(found)
    return known[1]


def _names_in(owner: object) -> Names:
    """Return the paths of the modules inside one; computed on its first call, for use after the modules are gone."""
    names = _known.get(owner)
    if names is None:
        names = _known[owner] = [(ref(part), path) for path, part in _parts_of(owner)]
    return names


class Scopes:
    """The scopes known now, for queries about many nodes."""

    def __init__(self) -> None:
        threads: dict[int, list[_Scope]] = {}
        running: dict[int, list[tuple[int, ref[object], Names]]] = {}
        for seq, owner, thread, names in list(_events):
            inside = running.setdefault(thread, [])
            if owner is not None:
                inside.append((seq, owner, names))
            elif inside:  # otherwise its start is no longer remembered
                first, ended, named = inside.pop()
                threads.setdefault(thread, []).append((first, seq, ended, named))
        for thread, inside in running.items():
            threads.setdefault(thread, []).extend((first, float("inf"), owner, named) for first, owner, named in inside)
        every = [scope for scopes in threads.values() for scope in scopes]
        self._scopes: list[_Scope] = sorted(threads.get(get_ident()) or every, key=lambda scope: scope[0])
        self._paths: dict[tuple[int, ...], str] = {}

    def path(self, seq: float) -> str:
        """Return the path of the module in whose call the node of this number was created; empty if unknown."""
        around = [scope for scope in self._scopes if scope[0] < seq < scope[1]]
        key = tuple([id(owner) for _, _, owner, _ in around])
        if key not in self._paths:
            self._paths[key] = _path_of([owner for _, _, owner, _ in around], around[-1][3]) if around else ""
        return self._paths[key]


def _path_of(owners: Sequence[ref[object]], names: Names) -> str:
    """Return the path of the last of some modules, each called by the one before: ``Net.body.0``."""
    inner = owners[-1]()
    if inner is None:
        around = _path_of(owners[:-1], names) if owners[:-1] else ""
        return next((path for candidate, path in names if candidate is owners[-1]), around)
    alive = [owner for link in owners if (owner := link()) is not None]
    found = (path for outer in alive for path, part in _parts_of(outer) if part is inner)
    return next(found, type(inner).__name__)


class track_modules(replace_mode):
    """Context manager and decorator that records module calls, so that `report` can list the values each of them saved.

    `detect_anomaly` does the same. The cost is about a microsecond per call.
    """

    __slots__ = ()

    def __init__(self) -> None:
        want_scopes()
        super().__init__(scopes=True)
