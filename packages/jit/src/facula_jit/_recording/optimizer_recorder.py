"""The recorder's part for optimizers: it records their steps, and the numbers that steps read from parameter groups."""

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
    """The part of a recorder that optimizers call."""

    is_backward: bool

    def __init__(self) -> None:
        self.breaks: GraphBreak | None = None
        self.launches: list[Launched] = []
        self.branches = BranchStack()  # conditions and loops that are running
        self.refills: list[Numbers] = []
        # id -> the optimizer, and its groups before the step
        self.optimizers: dict[int, tuple[Any, list[dict[str, Any]]]] = {}
        self.groups: dict[int, Any] = {}  # id -> an optimizer whose parameters were read
        # Python code that each replay repeats, with the optimizer
        self.actions: list[tuple[Any, Callable[[], object]]] = []
        self.reads_options = False  # True if the program itself reads options of optimizers
        self.in_action = False  # True while an action runs
        self.has_calls = False  # True if launches of Python code have effects besides their writes
        self.condition: Callable[[], bool] | None = None  # if it returns true, replays skip the present operations

    @abstractmethod
    def watch_tensor(self, tensor: Tensor) -> None:
        """Watch a tensor of the program that the function may read."""

    @abstractmethod
    def broken(self, problem: str, remedy: str, site: Site | None = None) -> None:
        """Report a graph break."""

    def optimizes(self, optimizer: Any) -> None:
        """Record the start of an optimizer's step."""
        self.branches.refuse("an optimizer's step")
        if self.breaks is None:
            groups = [dict(group) for group in optimizer.param_groups]
            self.optimizers.setdefault(id(optimizer), (optimizer, groups))
            self._watch_parameters(optimizer)

    def reads_groups(self, optimizer: Any) -> None:
        """Record that the parameters of an optimizer's groups are about to be read without a step."""
        self.groups[id(optimizer)] = optimizer
        self._watch_parameters(optimizer)

    def _watch_parameters(self, optimizer: Any) -> None:
        """Watch the parameters of an optimizer and their state."""
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                self.watch_tensor(parameter)
                for state in optimizer.state.get(parameter, {}).values():
                    if isinstance(state, Tensor):
                        self.watch_tensor(state)

    @guarded
    def stepping(self, owner: Any, group: dict[str, Any], step: Callable[[], None]) -> Iterator[None]:
        """Return a context manager in which an optimizer calls `step()` for one group.

        If the block launches only operators whose numbers are recorded, replays recompute these numbers.
        """
        grads = [None if parameter._grad is None else parameter._grad._layout for parameter in group["params"]]
        first, numbers = len(self.launches), Numbers(step, owner, group, dict(group), grads, [], [])
        if self.breaks is None:
            if any([known is owner for known, _ in self.actions]):
                self.broken("a schedule steps before its optimizer does", "call optimizer.step() first")
            self.refills.append(numbers)
        yield
        if self.breaks is None and len(self.launches) - first != sum(map(len, numbers.launches)):
            self.refills.remove(numbers)

    def stepped(self, rows: Sequence[Sequence[object]], numbers: Sequence[float]) -> bool:
        """Record the start of an optimizer's operator; return True if it must run."""
        if self.breaks is None and self.refills:
            self.refills[-1].rows.append((len(rows), len(rows[0]), len(numbers)))
            self.refills[-1].launches.append([])
        return True

    def numbered(self) -> None:
        """Record that the next launch uses the numbers of this operator."""
        if self.breaks is None and self.refills:
            self.refills[-1].launches[-1].append(len(self.launches))

    def act(self, owner: Any, action: Callable[[], object]) -> None:
        """Run Python code other than operators, for an optimizer or None; each replay repeats it."""
        self.branches.refuse("a step of a schedule or scaler")
        if owner is not None and self.reads_options:
            self.broken(*RATES_READ)
        if self.breaks is None and not self.in_action:
            if self.condition is not None:
                self.actions.append((owner, partial(do_if, self.condition, action)))
            else:
                self.actions.append((owner, action))
        was_in_action, self.in_action = self.in_action, True
        try:
            action()
        finally:
            self.in_action = was_in_action

    def calls(self, operation: str) -> None:
        """Record that a launch of Python code is about to have effects besides its writes: in no branch."""
        self.branches.refuse(operation)
        self.has_calls = True
        if self.is_backward:
            self.broken(
                f"{operation} runs in a backward pass outside of the function, which a capture repeats",
                "call backward() inside the captured function",
            )

    def actions_of_schedules(self) -> bool:
        """Return True if an action changes the numbers of an optimizer, so that replays must use the current ones."""
        return any([owner is not None for owner, _ in self.actions])
