"""Units: parameters that are gathered, freed and reduced together.

Note [Order of a pass]
~~~~~~~~~~~~~~~~~~~~~~
A backward pass reaches a unit through the results of its module, and leaves it through the arguments. When it reaches
it, the parameters are gathered; when it leaves it, they are freed. The gradients are reduced when all are complete;
large ones in the background, while the pass continues. Without arguments that require gradients, the parameters are
freed when their gradients are complete. What remains, such as the gradients of a unit with unused parameters, is done
when the pass ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakKeyDictionary

from facula_errors import OperationError
from facula_tensor import is_grad_enabled

from .._captures import break_capture
from .gathering import Gathering
from .gradients import BACKGROUND, Gradients
from .transfers import NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from facula_tensor import Tensor, dtype

    from .._groups.groups import ProcessGroup
    from .._groups.work import Work
    from .parameters import ShardedParameter
    from .schedule import Schedule

_counts: WeakKeyDictionary[ProcessGroup, int] = WeakKeyDictionary()  # of units, which ranks create in one order


class Unit:
    """Parameters that are gathered before a module uses them, and freed after it.

    Arguments:
        group: the ranks that have the parts.
        replicas: the ranks that have equal parts, or None.
        parameters: the parameters.
        originals: the parameters that they replace, with equal elements on all ranks.
        kind: the dtype of gathered floating-point parameters; their own if None.
        reduce_kind: the dtype of the gradients' reduction; that of the gathered parameters if None.
        wrap: makes the program's parameter: a function of this rank's elements, of the original and of the dimension.

    Attributes:
        frees_after_forward: whether parameters are gathered again for the backward pass; None: unless the unit is the
            outermost one.
        frees_after_backward: whether parameters are freed after the backward pass.
        gathers_in_backward: whether the backward pass needs the parameters.
        syncs: whether backward passes reduce gradients. Otherwise they are added up in whole parameters.
        reduces_replicas: whether gradients are also reduced over `replicas`.
        divisor: divide sums by this number; None: by the number of ranks.
        next_in_forward, next_in_backward: the units to gather in the background; None: those of the last pass.
    """

    frees_after_forward: bool | None = None
    frees_after_backward = gathers_in_backward = syncs = reduces_replicas = True
    divisor: float | None = None
    next_in_forward: list[Unit] | None = None
    next_in_backward: list[Unit] | None = None
    schedule: Schedule

    def __init__(
        self, group: ProcessGroup, replicas: ProcessGroup | None, parameters: Sequence[ShardedParameter],
        originals: Sequence[Tensor], kind: dtype | None, reduce_kind: dtype | None,
        wrap: Callable[[Tensor, Tensor, int], Tensor],
    ) -> None:  # fmt: skip
        self.group, self.parameters = group, list(parameters)
        number = _counts[group] = _counts.get(group, 0) + 1
        self._gathering = Gathering(group, number, parameters, originals, kind, wrap)
        self._gradients = Gradients(group, replicas, number, reduce_kind)
        self._work: Work | None = None  # the gathering in the background
        self.is_whole = self.is_in_backward = self._has_entrance = False
        self._missing: set[int] = set()  # parameters whose gradients the pass has not completed
        self.show_parts()

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise OperationError(f"{NAME}: expected a module to copy before {NAME}; got one after it; copy it before")

    def __reduce__(self) -> NoReturn:
        raise OperationError(f"{NAME}: expected a state_dict() to pickle; got a module after {NAME}")

    # ------------------------------------------------------------------------------------------------ parameters
    def begin_gathering(self) -> None:
        """Gather the parameters in the background, if that is worth a change of threads."""
        if self._work is None and not self.is_whole and self._gathering.nbytes >= BACKGROUND:
            self._adopt()
            self._work = self._gathering.begin(is_async=True)

    def gather(self) -> None:
        """Gather the parameters, or wait until they are."""
        if self._work is not None:
            work, self._work = self._work, None
            work.wait()
        elif not self.is_whole or not self._gathering.is_current():
            self._adopt()
            self._gathering.begin(is_async=False)
        self.is_whole = True

    def _adopt(self) -> None:
        """Take parameters that modules got instead of the parts, as by `load_state_dict(assign=True)`."""
        for one in self.parameters:
            table, name = one.places[0]
            found: Any = table.get(name)
            if found is not one.part and found is not one.whole and getattr(found, "_spec", None) is not None:
                one.part = found
                one.show(found)

    def free(self) -> None:
        """Let modules have the parts again, and free the whole parameters."""
        self.show_parts()
        if self._work is not None:
            work, self._work = self._work, None
            work.wait()
        self._gathering.free()
        self.is_whole = False

    def write_back(self) -> None:
        """Copy this rank's elements of the whole parameters to the parts."""
        self._gathering.write_back()

    def show_parts(self) -> None:
        """Let modules have the parts."""
        for one in self.parameters:
            one.show(one.part)

    def show_wholes(self) -> None:
        """Let modules have the whole parameters."""
        for one in self.parameters:
            one.show(one.whole)

    # --------------------------------------------------------------------------------------------------- forward
    def before_forward(self, arguments: Iterable[Tensor], is_first: bool = True) -> None:
        """Gather the parameters, and the next unit's in the background.

        Arguments:
            arguments: the tensors among the module's arguments.
            is_first: whether no other module of the unit has run before.
        """
        break_capture(NAME)
        if self.is_in_backward or not is_first:  # computed again, as by a checkpoint
            return
        self.gather()
        self.show_wholes()
        if is_grad_enabled():
            found = [one for one in arguments if one.requires_grad and not one.is_leaf]
            self._has_entrance = bool(found)
            for one in found:
                one.register_hook(self._leave)
        self.schedule.prefetch_forward(self)

    def after_forward(self, results: Iterable[Tensor], is_last: bool = True) -> None:
        """Free the parameters, and gather them again when a backward pass reaches the results.

        Arguments:
            results: the tensors among the module's results.
            is_last: whether all modules of the unit have run.
        """
        if self.is_in_backward:
            return
        is_recorded = False
        if is_grad_enabled():
            for one in results:
                if one.requires_grad and not one.is_leaf:
                    one.register_hook(self._reach)
                    is_recorded = True
        if not is_last:
            return
        frees = self.frees_after_forward
        if frees is None:
            frees = not self.schedule.is_root(self)
        if frees or not is_recorded:
            self.free()
        else:
            self.show_parts()
        self.schedule.left_forward(self)

    # -------------------------------------------------------------------------------------------------- backward
    def _reach(self, grad: Tensor) -> None:
        """Gather the parameters: a backward pass has reached a result of the module."""
        break_capture(NAME)
        self.schedule.enter_pass()
        if self.is_in_backward:
            return
        self.is_in_backward = True
        if self.gathers_in_backward or self._work is not None:
            self.gather()
        self.show_wholes()
        if self.syncs:
            trained = self._trained()
            self._gradients.prepare(trained, self._arrive)
            self._missing = {id(one) for one in trained}
        self.schedule.prefetch_backward(self)

    def _trained(self) -> list[ShardedParameter]:
        return [one for one in self.parameters if one.whole.node is not None]

    def _arrive(self, one: ShardedParameter, whole: Tensor) -> None:
        """Take a whole gradient, which is complete; reduce all when the last one has arrived."""
        self._missing.discard(id(one))
        if not self._missing and self.is_in_backward:
            self.reduce()
            if not self._has_entrance and all([one.whole.requires_grad for one in self.parameters]):
                self._leave(whole)

    def _leave(self, grad: Tensor) -> None:
        """Free the parameters: the backward pass has left the module."""
        if not self.is_in_backward:
            return
        self.is_in_backward = False
        if self.frees_after_backward:
            self.free()
        else:
            self.show_parts()

    def reduce(self) -> None:
        """Reduce the gradients, if there are some."""
        present = [one for one in self._trained() if one.whole._grad is not None] if self.syncs else []
        if present:
            self.schedule.finish_reductions(keeps=1)
            found = self._gradients.reduce(present, self.divisor, self.reduces_replicas)
            self.schedule.add_reductions(found)

    def end_pass(self) -> None:
        """Do what remains when a backward pass ends."""
        self._gradients.forget()
        if self.is_in_backward or self._work is not None or (self.is_whole and self.frees_after_backward):
            self.is_in_backward = False
            if self.frees_after_backward:
                self.free()
            else:
                self.show_parts()
