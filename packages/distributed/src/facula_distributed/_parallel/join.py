"""Training with uneven inputs: processes that have none left shadow the collectives of the others."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import ones, zeros

from .._collectives.reductions import all_reduce
from .._groups.work import ReduceOp

if TYPE_CHECKING:
    from types import TracebackType

    from .._groups.groups import ProcessGroup
    from .._groups.work import Work

_MANY = 1000  # iterations of others after which a process warns


class JoinHook:
    """The work of a process in a `Join` context after its last input. Subclasses override the methods."""

    def main_hook(self) -> None:
        """Shadow the collectives of one iteration of the other processes."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Finish, after all processes have joined. `is_last_joiner`: this process was among the last."""


class _Config(NamedTuple):
    """How a `Join` context treats a Joinable."""

    enable: bool = False
    throws: bool = False
    is_first: bool = False


class Joinable(ABC):
    """A class whose collectives processes without inputs can shadow, such as `DistributedDataParallel`."""

    def __init__(self) -> None:
        super().__init__()
        self._join_config = _Config()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return the hook of a context with these arguments."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device of the tensors that are communicated."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The process group."""


@boundary
class Join:
    """A context in which processes may have different numbers of inputs.

    Each object calls `Join.notify_join_context(self)` in each iteration, before its collectives. A process that leaves
    the block calls the hooks of the objects until all processes have left it.

    Arguments:
        joinables: the objects, of one process group.
        enable: False if all processes have as many inputs: the context has no effect.
        throw_on_early_termination: raise an error on all processes when the first has no inputs left.
        kwargs: passed to each object's `join_hook`.

    Raises:
        ValueError: there are no objects, or they have several process groups.
        TypeError: an object is not a Joinable.
    """

    def __init__(
        self, joinables: list[Joinable], enable: bool = True, throw_on_early_termination: bool = False, **kwargs: Any
    ) -> None:
        if not joinables:
            raise InvalidValueError("Join: expected at least one Joinable; got none")
        for one in joinables:
            if not isinstance(one, Joinable):
                raise InvalidTypeError(f"Join: expected joinables to be Joinables; got {type(one).__name__}")
        groups = [one.join_process_group for one in joinables]
        if any([group is not groups[0] for group in groups]):
            raise InvalidValueError("Join: expected joinables of one process group; got several groups")
        self._joinables, self._enable, self._throws = list(joinables), enable, throw_on_early_termination
        self._group: ProcessGroup = groups[0]
        self._hooks = [one.join_hook(**kwargs) for one in joinables]

    def __enter__(self) -> None:
        for place, one in enumerate(self._joinables):
            one._join_config = _Config(self._enable, self._throws, place == 0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._enable and kind is None:
            self._wait_for_others()
        for one in self._joinables:
            one._join_config = _Config()

    def _wait_for_others(self) -> None:
        is_last, count = True, 0
        while self._count_others():
            if self._throws:
                all_reduce(ones(1), group=self._group)
                raise OperationError(
                    f"Join: rank {self._group._member.world.rank} has no inputs left; give all ranks as many, or pass "
                    "throw_on_early_termination=False"
                )
            for hook in self._hooks:
                hook.main_hook()
            is_last, count = False, count + 1
            if count == _MANY:
                warnings.warn(
                    f"Join: other processes have had inputs for {_MANY} iterations after this one; divide them evenly",
                    stacklevel=4,
                )
        for hook in self._hooks:
            hook.post_hook(is_last)

    def _count_others(self) -> int:
        count = zeros(1)
        all_reduce(count, group=self._group)
        return int(count.item())

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """Tell processes without inputs that this one begins an iteration.

        Arguments:
            joinable: the object. In a context of several, only the first one communicates.

        Returns:
            Work whose result is the number of processes with inputs; None outside of a context.
        """
        if not hasattr(joinable, "_join_config"):
            raise OperationError(
                f"Join: expected {type(joinable).__name__} to call Joinable.__init__; call super().__init__()"
            )
        config = joinable._join_config
        if not config.enable or not config.is_first:
            return None
        group = joinable.join_process_group
        work = all_reduce(ones(1), group=group, async_op=True)
        if config.throws:
            ended = zeros(1)
            all_reduce(ended, group=group)
            if ended.item():
                raise OperationError("Join: a rank has no inputs left; give all ranks as many")
        return work


def find_rank(group: ProcessGroup, is_candidate: bool) -> int:
    """Return the highest rank in the group among the candidates, which all ranks agree on; RuntimeError if none."""
    rank = zeros(1).fill_(group.rank() if is_candidate else -1)
    all_reduce(rank, ReduceOp.MAX, group)
    if rank.item() < 0:
        raise OperationError("Join: expected a rank with inputs; there is none")
    return int(rank.item())


def count_ranks(group: ProcessGroup, flag: bool) -> int:
    """Return the number of ranks whose flag is true."""
    count = zeros(1).fill_(float(flag))
    all_reduce(count, group=group)
    return int(count.item())
