"""What a recorder is told of optimizers: their steps, and the numbers that these take from groups."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any

from facula_errors.extend import guarded
from facula_tensor import Tensor

from .branch_stack import BranchStack
from .graph_breaks import RATES_READ
from .records import Numbers, do_if

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .graph_breaks import GraphBreak
    from .records import Launched, Site


class OptimizerRecorder:
    """The part of a recorder that optimizers tell."""

    def __init__(self) -> None:
        self.breaks: GraphBreak | None = None
        self.launches: list[Launched] = []
        self.branches = BranchStack()  # of conditions and loops that are under way
        self.refills: list[Numbers] = []
        self.optimizers: dict[int, tuple[Any, list[dict[str, Any]]]] = {}  # id -> it, and its groups before the step
        self.groups: dict[int, Any] = {}  # id -> an optimizer whose parameters were gone through
        self.actions: list[tuple[Any, Callable[[], object]]] = []  # what Python does beside, and for whom
        self.reads_options = False  # whether the program looks at options of optimizers itself
        self.acting = False  # whether this is an action
        self.condition: Callable[[], bool] | None = None  # whether what is done now is left out of a replay

    @abstractmethod
    def watch_tensor(self, tensor: Tensor) -> None:
        """A tensor of the program that the function may read."""

    @abstractmethod
    def broken(self, problem: str, remedy: str, site: Site | None = None) -> None:
        """What cannot be captured."""

    def optimizes(self, optimizer: Any) -> None:
        """An optimizer's step begins."""
        self.branches.refuse("an optimizer's step")
        if self.breaks is None:
            groups = [dict(group) for group in optimizer.param_groups]
            self.optimizers.setdefault(id(optimizer), (optimizer, groups))
            self._watch_parameters(optimizer)

    def reads_groups(self, optimizer: Any) -> None:
        """The parameters of an optimizer's groups are about to be gone through, without a step."""
        self.groups[id(optimizer)] = optimizer
        self._watch_parameters(optimizer)

    def _watch_parameters(self, optimizer: Any) -> None:
        """The parameters of an optimizer, and what it keeps for them."""
        for group in optimizer.param_groups:
            for one in group["params"]:
                self.watch_tensor(one)
                for state in optimizer.state.get(one, {}).values():
                    if isinstance(state, Tensor):
                        self.watch_tensor(state)

    @guarded
    def stepping(self, owner: Any, group: dict[str, Any], step: Callable[[], None]) -> Iterator[None]:
        """A block in which an optimizer does `step()`, for one group.

        Where that launches nothing but operators that take numbers, a replay asks for these numbers by itself.
        """
        grads = [None if one._grad is None else one._grad._layout for one in group["params"]]
        first, numbers = len(self.launches), Numbers(step, owner, group, dict(group), grads, [], [])
        if self.breaks is None:
            if any([one is owner for one, _ in self.actions]):
                self.broken("a schedule steps before its optimizer does", "call optimizer.step() first")
            self.refills.append(numbers)
        yield
        if self.breaks is None and len(self.launches) - first != sum(map(len, numbers.launches)):
            self.refills.remove(numbers)

    def stepped(self, rows: Sequence[Sequence[object]], numbers: Sequence[float]) -> bool:
        """An optimizer's operator begins; whether it is to be done."""
        if self.breaks is None and self.refills:
            self.refills[-1].rows.append((len(rows), len(rows[0]), len(numbers)))
            self.refills[-1].launches.append([])
        return True

    def numbered(self) -> None:
        """The next launch takes the numbers of that operator."""
        if self.breaks is None and self.refills:
            self.refills[-1].launches[-1].append(len(self.launches))

    def act(self, owner: Any, action: Callable[[], object]) -> None:
        """Do what Python does beside the operators, for an optimizer or None; each replay does it again."""
        self.branches.refuse("a step of a schedule or scaler")
        if owner is not None and self.reads_options:
            self.broken(*RATES_READ)
        if self.breaks is None and not self.acting:
            if self.condition is not None:
                self.actions.append((owner, partial(do_if, self.condition, action)))
            else:
                self.actions.append((owner, action))
        acting, self.acting = self.acting, True
        try:
            action()
        finally:
            self.acting = acting

    def actions_of_schedules(self) -> bool:
        """Whether an action changes an optimizer's numbers, which replays then follow."""
        return any([owner is not None for owner, _ in self.actions])
