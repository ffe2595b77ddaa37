"""Which call of a module a node was made in.

Note [Scopes]
A scope is one call of a module: the numbers of the first and of the last node that can have been made in it. A node
has a number anyway, so operators do nothing for this, and modules only while it is wanted (`track_modules`,
`detect_anomaly`). The package that has modules learns when that is first so, and says how they are called. The latest
scopes are kept, with weak references to the modules; where two threads were in modules at once, this thread's count.
"""

from __future__ import annotations

from _thread import get_ident
from collections import deque
from weakref import ref

from ._graph import next_seq
from ._mode_state import active_modes, current_mode, passive_modes
from ._modes import replace_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Name = Callable[[Sequence[object]], str]

#: As many calls of modules are remembered, each by two events: its beginning and its end.
MOST_SCOPES = 20_000
# The number of the next node, the module, or None where its call ends; and the thread.
_events: deque[tuple[int, ref[object] | None, int]] = deque(maxlen=2 * MOST_SCOPES)
_wanted: list[None] = []  # not empty once anybody wanted scopes
_installers: list[Callable[[], None]] = []
_names: list[Name] = [lambda owners: ".".join(type(owner).__name__ for owner in owners)]


def provide_scopes(install: Callable[[], None], name: Name) -> None:
    """Say how calls of modules become scopes.

    Arguments:
        install: called once, when scopes are first wanted: from then on calls of modules `enter_scope`, and leave it.
        name: the path of the last of some modules, each of which called the next.
    """
    _names[0] = name
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
    _events.append((next_seq(), ref(owner), get_ident()))
    return True


def leave_scope() -> None:
    """End the call that was entered last in this thread."""
    _events.append((next_seq(), None, get_ident()))


class Scopes:
    """The scopes known now, for questions about many nodes."""

    def __init__(self) -> None:
        threads: dict[int, list[tuple[int, float, ref[object]]]] = {}
        running: dict[int, list[tuple[int, ref[object]]]] = {}
        for seq, owner, thread in list(_events):
            inside = running.setdefault(thread, [])
            if owner is not None:
                inside.append((seq, owner))
            elif inside:  # else its beginning is forgotten
                first, ended = inside.pop()
                threads.setdefault(thread, []).append((first, seq, ended))
        for thread, inside in running.items():
            threads.setdefault(thread, []).extend((first, float("inf"), owner) for first, owner in inside)
        every = [scope for scopes in threads.values() for scope in scopes]
        self._scopes = sorted(threads.get(get_ident()) or every, key=lambda scope: scope[0])
        self._paths: dict[tuple[int, ...], str] = {}

    def path(self, seq: float) -> str:
        """The path of the module in whose call the node of this number was made; empty where that is unknown."""
        around = [owner() for first, last, owner in self._scopes if first < seq < last]
        owners = [owner for owner in around if owner is not None]
        if not owners:
            return ""
        key = tuple(map(id, owners))
        if key not in self._paths:
            self._paths[key] = _names[0](owners)
        return self._paths[key]


class track_modules(replace_mode):
    """Context manager and decorator: calls of modules are noted, so that `report` can say what each of them saved.

    `detect_anomaly` does the same. Costs about a microsecond a call.
    """

    __slots__ = ()

    def __init__(self) -> None:
        want_scopes()
        super().__init__(scopes=True)
