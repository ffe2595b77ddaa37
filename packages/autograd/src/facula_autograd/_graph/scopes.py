"""Which call of a module a node was made in.

Note [Scopes]
A scope is one call of a module: the numbers of the first and of the last node that can have been made in it. A node
has a number anyway, so operators do nothing for this, and modules only while it is wanted (`track_modules`,
`detect_anomaly`). The package that has modules learns when that is first so, and says how they are called. The latest
scopes are kept, with weak references to the modules, and the paths in a module that was called from no other, in case
it is gone when somebody asks: `Net()(x)`. Where two threads were in modules at once, this thread's count.
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

#: As many calls of modules are remembered, each by two events: its beginning and its end.
MAX_SCOPES = 20_000
# The number of the next node; the module, or None where its call ends; the thread; the names in the outermost module.
_events: deque[tuple[int, ref[object] | None, int, Names]] = deque(maxlen=2 * MAX_SCOPES)
_running: dict[int, list[Names]] = {}  # for each thread that is in modules the names, once for each of these
_known: WeakKeyDictionary[object, Names] = WeakKeyDictionary()  # the names in modules that were called from no other
_wanted: list[None] = []  # not empty once anybody wanted scopes
_installers: list[Callable[[], None]] = []
_parts: list[Parts] = [lambda owner: [(type(owner).__name__, owner)]]


def provide_scopes(install: Callable[[], None], parts: Parts) -> None:
    """Say how calls of modules become scopes.

    Arguments:
        install: called once, when scopes are first wanted: from then on calls of modules `enter_scope`, and leave it.
        parts: the modules in a module, each after its path; the module itself is the first.
    """
    _parts[0] = parts
    if _wanted:
        install()
    else:
        _installers.append(install)


def want_scopes() -> None:
    """Let calls of modules be noted from here on, in the threads and tasks that are in such a mode."""
    if not _wanted:
        _wanted.append(None)
        while _installers:
            _installers.pop()()


def enter_scope(owner: object) -> bool:
    """Begin a call of `owner`, a module. Whether it is noted, and `leave_scope` must follow."""
    if not (passive_modes or active_modes) or not current_mode().scopes:
        return False
    thread = get_ident()
    around = _running.setdefault(thread, [])
    around.append(around[-1] if around else _names_in(owner))
    _events.append((next_seq(), ref(owner), thread, around[-1]))
    return True


def leave_scope() -> None:
    """End the call that was entered last in this thread."""
    thread = get_ident()
    around = _running.get(thread)
    if around:
        around.pop()
    if not around:
        _running.pop(thread, None)
    _events.append((next_seq(), None, thread, []))


def _names_in(owner: object) -> Names:
    """The paths of the modules in one, found when it is first called, for when they are gone."""
    names = _known.get(owner)
    if names is None:
        names = _known[owner] = [(ref(part), path) for path, part in _parts[0](owner)]
    return names


class Scopes:
    """The scopes known now, for questions about many nodes."""

    def __init__(self) -> None:
        threads: dict[int, list[_Scope]] = {}
        running: dict[int, list[tuple[int, ref[object], Names]]] = {}
        for seq, owner, thread, names in list(_events):
            inside = running.setdefault(thread, [])
            if owner is not None:
                inside.append((seq, owner, names))
            elif inside:  # else its beginning is forgotten
                first, ended, named = inside.pop()
                threads.setdefault(thread, []).append((first, seq, ended, named))
        for thread, inside in running.items():
            threads.setdefault(thread, []).extend((first, float("inf"), owner, named) for first, owner, named in inside)
        every = [scope for scopes in threads.values() for scope in scopes]
        self._scopes: list[_Scope] = sorted(threads.get(get_ident()) or every, key=lambda scope: scope[0])
        self._paths: dict[tuple[int, ...], str] = {}

    def path(self, seq: float) -> str:
        """The path of the module in whose call the node of this number was made; empty where that is unknown."""
        around = [scope for scope in self._scopes if scope[0] < seq < scope[1]]
        key = tuple([id(owner) for _, _, owner, _ in around])
        if key not in self._paths:
            self._paths[key] = _path_of([owner for _, _, owner, _ in around], around[-1][3]) if around else ""
        return self._paths[key]


def _path_of(owners: Sequence[ref[object]], names: Names) -> str:
    """The path of the last of some modules, each of which called the next: ``Net.body.0``."""
    inner = owners[-1]()
    if inner is None:
        around = _path_of(owners[:-1], names) if owners[:-1] else ""
        return next((path for one, path in names if one is owners[-1]), around)
    alive = [owner for one in owners if (owner := one()) is not None]
    found = (path for outer in alive for path, part in _parts[0](outer) if part is inner)
    return next(found, type(inner).__name__)


class track_modules(replace_mode):
    """Context manager and decorator: calls of modules are noted, so that `report` can say what each of them saved.

    `detect_anomaly` does the same. Costs about a microsecond a call.
    """

    __slots__ = ()

    def __init__(self) -> None:
        want_scopes()
        super().__init__(scopes=True)
