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

#: As many calls of modules are remembered.
MOST_SCOPES = 20_000


class Scope:
    """One call of a module, while it runs and after."""

    __slots__ = ("first", "last", "owner", "thread")

    def __init__(self, owner: object) -> None:
        self.owner, self.thread = ref(owner), get_ident()
        self.first: float = next_seq()
        self.last = float("inf")

    def leave(self) -> None:
        """End the call."""
        self.last = next_seq()


_scopes: deque[Scope] = deque(maxlen=MOST_SCOPES)
_wanted: list[None] = []  # not empty once anybody wanted scopes
_installers: list[Callable[[], None]] = []
_names: list[Name] = [lambda owners: ".".join(type(owner).__name__ for owner in owners)]


def provide_scopes(install: Callable[[], None], name: Name) -> None:
    """Say how calls of modules become scopes.

    Arguments:
        install: called once, when scopes are first wanted: from then on calls of modules `enter_scope`.
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


def enter_scope(owner: object) -> Scope | None:
    """Begin a call of `owner`, a module; None where nobody wants to know."""
    if not (passive_modes or active_modes) or not current_mode().scopes:
        return None
    scope = Scope(owner)
    _scopes.append(scope)
    return scope


class Scopes:
    """The scopes known now, for questions about many nodes."""

    def __init__(self) -> None:
        me = get_ident()
        known = list(_scopes)
        self._scopes = [scope for scope in known if scope.thread == me] or known
        self._paths: dict[tuple[int, ...], str] = {}

    def path(self, seq: float) -> str:
        """The path of the module in whose call the node of this number was made; empty where that is unknown."""
        around = [scope.owner() for scope in self._scopes if scope.first < seq < scope.last]
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
