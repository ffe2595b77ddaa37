"""Scopes: the module call in which a node was created.

Note [Scopes]
A scope is one call of a module: the numbers of the first and of the last node that can have been created in it. Nodes
are numbered anyway, so operators do no extra work, and modules only while scopes are requested (`track_modules`,
`detect_anomaly`). The package that defines modules registers how their calls become scopes; it is notified when scopes
are first requested. The latest scopes are kept, with weak references to the modules. The paths in a module that no
other module called are kept too, in case it is gone at the time of a query: `Net()(x)`. If two threads were in modules
at the same time, only the present thread's calls count.
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

    Names = list[tuple[ref[object], str]]
    Parts = Callable[[object], Iterable[tuple[str, object]]]
    _Scope = tuple[int, float, ref[object], Names]

#: The number of events to remember; each module call has two, its start and its end.
MAX_SCOPES = 20_000
# The number of the next node; the module, or None at the end of its call; the thread; names in the outermost module.
_events: deque[tuple[int, ref[object] | None, int, Names]] = deque(maxlen=2 * MAX_SCOPES)
# By thread: the names in the outermost module, once for each module entered.
_names_by_thread: dict[int, list[Names]] = {}
_known: WeakKeyDictionary[object, Names] = WeakKeyDictionary()  # the names in modules that no other module called
_wanted: list[None] = []  # not empty once scopes have been requested
_installers: list[Callable[[], None]] = []
_parts: list[Parts] = [lambda owner: [(type(owner).__name__, owner)]]


def provide_scopes(install: Callable[[], None], parts: Parts) -> None:
    """Register how calls of modules become scopes.

    Arguments:
        install: called once, when scopes are first requested; from then on, module calls use
            `enter_scope`/`leave_scope`.
        parts: yields the modules inside a module, each after its path, starting with the module itself.
    """
    _parts[0] = parts
    if _wanted:
        install()
    else:
        _installers.append(install)


def want_scopes() -> None:
    """Record module calls from here on, in threads and tasks whose mode has `scopes`."""
    if not _wanted:
        _wanted.append(None)
        while _installers:
            _installers.pop()()


def enter_scope(owner: object) -> bool:
    """Start a call of the module `owner`. Returns whether it is recorded; if so, `leave_scope` must follow."""
    if not (passive_modes or active_modes) or not current_mode().scopes:
        return False
    thread = get_ident()
    around = _names_by_thread.setdefault(thread, [])
    around.append(around[-1] if around else _names_in(owner))
    _events.append((next_seq(), ref(owner), thread, around[-1]))
    return True


def leave_scope() -> None:
    """End the latest call entered in this thread."""
    thread = get_ident()
    around = _names_by_thread.get(thread)
    if around:
        around.pop()
    if not around:
        _names_by_thread.pop(thread, None)
    _events.append((next_seq(), None, thread, []))


def _names_in(owner: object) -> Names:
    """Return the paths of the modules inside one; computed on its first call, for use after the modules are gone."""
    names = _known.get(owner)
    if names is None:
        names = _known[owner] = [(ref(part), path) for path, part in _parts[0](owner)]
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
    found = (path for outer in alive for path, part in _parts[0](outer) if part is inner)
    return next(found, type(inner).__name__)


class track_modules(replace_mode):
    """Context manager and decorator that records module calls, so that `report` can list the values each of them saved.

    `detect_anomaly` does the same. The cost is about a microsecond per call.
    """

    __slots__ = ()

    def __init__(self) -> None:
        want_scopes()
        super().__init__(scopes=True)
