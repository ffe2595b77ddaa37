"""Averages of gradients over all processes, computed while the backward pass runs.

Note [Buckets in order]
~~~~~~~~~~~~~~~~~~~~~~~
Gradients are views of buckets in shared memory, the homes of the gradients, so they are neither copied to a bucket nor
back. A hook on each parameter counts down the gradients that its bucket lacks. Buckets become complete in different
orders on different ranks, but all ranks must reduce them in one order: a complete bucket waits for those before it.
The last bucket is reduced when the pass ends, in the thread of the pass; those before it by the group's thread.

Note [Missing gradients]
~~~~~~~~~~~~~~~~~~~~~~~~
At the end of a pass, a rank notices for free that gradients are missing. It then calls another operation than the
reduction of the incomplete bucket. All ranks raise MismatchError there, see the reason in the records, and exchange the
names of missing parameters for the error. So ranks without missing gradients do no additional work. With
`finds_unused`, missing gradients count as zeros, and a maximum over all ranks says which parameters were used at all.

Note [Captured passes]
~~~~~~~~~~~~~~~~~~~~~~
In a capture, the reduction of a bucket is a launch, where its last gradient is complete. Hooks do not run in replays,
so a pass is captured only if nothing but the reductions depends on other ranks. If another rank lacks gradients, a
replay raises the error that names them, as a pass does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from facula_errors import OperationError
from facula_tensor import Tensor, no_grad, uint8, zeros
from facula_tensor.extend import after_backward, current_recorder, set_gradient_home

from .._board.board import NUMBERS
from .._captures import break_capture, follow_state
from .._collectives.transfers import memory_of, prepare
from .._errors import DistError, MismatchError
from .._groups.work import RedOpType
from .buckets import GradBucket, assign, tensor_of
from .failures import fail_pass, missing_gradients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._collectives.transfers import Prepared
    from .._groups.groups import ProcessGroup

NAME = "DistributedDataParallel"
_MISSING = "unused_parameters"
_counts: WeakKeyDictionary[ProcessGroup, int] = WeakKeyDictionary()  # of reducers, which ranks create in one order


class Reducer:
    """Averages the gradients of parameters over all processes of a group, in each backward pass.

    Arguments:
        group: the process group.
        named: the names and parameters, which require gradients; the same on all ranks.
        limit: a bucket is complete when it has so many bytes.
        finds_unused: gradients that a pass does not compute count as zeros.
        is_static: all passes compute the same gradients, perhaps several times each.

    Attributes:
        hook: a function of a bucket that returns a future of the averaged buffer, or None for the average.
        divisor: divide sums by this number, or None: by the number of ranks.
    """

    _divides = False  # whether ranks keep only a part of the averages

    def __init__(
        self,
        group: ProcessGroup,
        named: Sequence[tuple[str, Tensor]],
        limit: float,
        finds_unused: bool,
        is_static: bool,
    ) -> None:
        self._group, self.finds_unused, self.is_static = group, finds_unused, is_static
        self._names = [name for name, _ in named]
        self._parameters = [parameter for _, parameter in named]
        self.divisor: int | None = None
        self.hook: Callable[[GradBucket], Any] | None = None
        self._number = _counts[group] = _counts.get(group, 0) + 1
        self._places = assign(self._parameters, limit)  # of the parameters of each bucket
        self._bucket_of = [0] * len(named)
        for index, places in enumerate(self._places):
            for place in places:
                self._bucket_of[place] = index
        self._forms = [_form(parameter) for parameter in self._parameters]
        self._expected = [1] * len(named)  # gradients in a pass
        self._used: Tensor | None = None  # with `is_static`, after the first pass
        own = ref(self)
        for parameter, home, place in zip(self._parameters, self._create_buckets(), range(len(named)), strict=True):
            set_gradient_home(parameter, home, _Hook(own, place))
        self._is_reached = False  # this pass, by a result that `expect` was given
        self._forget_pass()

    def _create_buckets(self) -> list[Any]:
        """Create the buckets; return the home of each parameter's gradient."""
        last = len(self._places) - 1
        self.buckets = [
            GradBucket(index, index == last, [self._parameters[place] for place in places])
            for index, places in enumerate(self._places)
        ]
        self._homes = list(self._parameters)
        for bucket, places in zip(self.buckets, self._places, strict=True):
            for place, home in zip(places, bucket.gradients(), strict=True):
                self._homes[place] = home
        return self._homes

    def expect(self, averages: bool, results: Iterable[object] = ()) -> None:
        """Average the next backward pass, and all that reach these results of a forward pass, or keep gradients local.

        Other passes, such as those of a call of the wrapped module itself, are local.
        """
        self._averages = averages
        for result in results if averages else ():
            if isinstance(result, Tensor) and result.requires_grad and not result.is_leaf:
                result.register_hook(self._reach)

    def _reach(self, grad: Tensor) -> None:
        if not self._is_reached:
            self._is_reached = True
            after_backward(self._leave)

    def _leave(self, error: BaseException | None) -> None:
        self._is_reached = False

    def _forget_pass(self) -> None:
        self._is_running = False
        self._averages = False  # the next pass
        self._next = 0  # the first bucket that is not being reduced
        self._waits: list[Callable[[], object]] = []
        self._error: MismatchError | None = None
        self._records: set[int] = set()  # the operations that the ranks called where they differ
        self._arrived = [0] * len(self._parameters)
        self._counts_down = not self.is_static or self._used is not None
        self._lacking = [0] * len(self._places)
        for place, index in enumerate(self._bucket_of):
            self._lacking[index] += self._expected[place] > 0

    def set_static(self) -> None:
        """Treat all passes from now on as with `is_static`."""
        self.is_static = True
        self._forget_pass()

    # ------------------------------------------------------------------------------------------- during the pass
    def arrive(self, place: int) -> None:
        """Take the gradient of a parameter, which is complete."""
        if current_recorder() is not None:
            self._check_capture(self._averages or self._is_reached)
        if not self._averages and not self._is_reached:
            return
        if not self._is_running:
            self._is_running = True
            after_backward(self._end)
        parameter = self._parameters[place]
        if (parameter.dtype, parameter.shape) != self._forms[place]:
            was, now = [f"{str(dtype).rpartition('.')[2]}, shape {tuple(shape)}"
                        for dtype, shape in (self._forms[place], _form(parameter))]  # fmt: skip
            raise OperationError(
                f"{NAME}: expected {self._names[place]} to be {was}, as when the model was wrapped; it is {now}; "
                "change the module before it is wrapped, or wrap it again"
            )
        self._store(place, parameter)
        self._arrived[place] += 1
        if not self._counts_down:
            return
        if self._arrived[place] == self._expected[place]:
            self._lacking[self._bucket_of[place]] -= 1
            while self._next < len(self._places) - 1 and not self._lacking[self._next]:
                self._start(is_async=True)
        elif self._arrived[place] > self._expected[place]:
            raise OperationError(
                f"{NAME}: expected {self._expected[place]} gradients of {self._names[place]} in a backward pass; got "
                f"another one, as with nested passes; pass static_graph=True, or checkpoint with use_reentrant=False"
            )

    def _store(self, place: int, parameter: Tensor) -> None:
        """Store a gradient that is complete in its bucket."""
        home, grad = self._homes[place], parameter._grad
        if grad is not home:
            with no_grad():
                home.zero_() if grad is None else home.copy_(grad.detach())
            if grad is None or grad.node is None:  # otherwise it is recorded, and gets the average later
                parameter._grad = home

    def _check_capture(self, averages: bool) -> None:
        """Break this thread's capture if replays could not repeat this pass: Note [Captured passes]."""
        follow_state(self._state, f"how {NAME} averages gradients")
        if averages and any(self._state()):
            problem = "has find_unused_parameters, static_graph, shard_gradients, a communication hook or a join"
            break_capture(NAME, problem, "leave that out, or call backward() outside of the captured function")

    def _state(self) -> tuple[bool, ...]:
        return self.finds_unused, self.is_static, self._divides, self.hook is not None, self.divisor is not None

    def _start(self, is_async: bool) -> None:
        bucket = self.buckets[self._next]
        self._next += 1
        if self.hook is not None:
            future = self.hook(bucket)
            self._waits.append(lambda: bucket.set_buffer(tensor_of(future)))
            return
        divisor = self.divisor
        reduction = RedOpType.AVG if divisor is None else RedOpType.SUM
        self._submit(self._prepared(bucket.buffer(), reduction, bucket.index(), is_async), is_async)
        if divisor is not None:
            self._waits.append(lambda: bucket.buffer().div_(divisor))

    def _prepared(self, tensor: Tensor, reduction: RedOpType, index: int, is_async: bool = False) -> Prepared:
        return prepare(
            self._group, NAME, like=tensor, send=[memory_of(NAME, tensor, is_written=True)], reduction=reduction,
            is_all_reduce=True, async_op=is_async, detail=self._number << 32 | index + 1, differs=self._fail_replay,
        )  # fmt: skip

    def _submit(self, prepared: Prepared, is_async: bool) -> None:
        """Run a collective after those before it, unless one of them differs between ranks."""

        def unless_failed() -> None:
            if self._error is None:
                try:
                    prepared.run()
                except MismatchError as error:
                    self._note(error)

        work = self._group._worker.submit(unless_failed, is_async, (), prepared.costs, prepared.exchange)
        if work is not None:
            self._waits.append(work.wait)

    def _note(self, error: MismatchError) -> None:
        member = self._group._member
        records = [member.record(rank, member.last_number()) for rank in member.ranks]
        self._records = {-1 if record is None else int(record.signature.operation) for record in records}
        self._error = error

    def _fail_replay(self, error: MismatchError) -> None:
        """Explain a mismatch in a replay, whose remaining buckets are not reduced."""
        self._note(error)
        try:
            self._explain([])
        finally:
            self._forget_pass()

    # ------------------------------------------------------------------------------------------------ at its end
    def _end(self, error: BaseException | None) -> None:
        try:
            if error is None:
                self._finish()
            else:
                fail_pass(self._group, error)
        except DistError:  # also on other ranks
            raise
        except BaseException as own:
            fail_pass(self._group, own)
            raise
        finally:
            self._forget_pass()

    def _finish(self) -> None:
        missing = [place for place, count in enumerate(self._arrived) if count < self._expected[place]]
        tolerates = self._used is None if self.is_static else self.finds_unused
        if missing and not tolerates:
            self._refuse(missing)
        if self.is_static and self._used is not None:
            missing = [place for place, count in enumerate(self._expected) if not count]
        kept = self._fill(missing)
        while self._next < len(self._places):
            self._start(is_async=False)
        used = self._used_anywhere() if tolerates else self._used
        while self._waits:
            self._waits.pop(0)()
        if self._error is not None:
            self._explain([])
        self._set_gradients(kept, used)
        if self.is_static and self._used is None:
            self._used, self._expected = used, self._arrived

    def _fill(self, missing: Sequence[int]) -> dict[int, Tensor | None]:
        """Write zeros for missing gradients; return the present gradients of these parameters."""
        kept: dict[int, Tensor | None] = {}
        with no_grad():
            for place in missing:
                grad, home = self._parameters[place]._grad, self._homes[place]
                kept[place] = None if grad is None else grad.clone()
                if grad is None:
                    home.zero_()
                elif grad is not home:
                    home.copy_(grad)
        return kept

    def _used_anywhere(self) -> Tensor:
        """Return for each parameter whether a rank has a gradient of it."""
        used = zeros(len(self._parameters), dtype=uint8)
        for place, count in enumerate(self._arrived):
            if count:
                used[place] = 1
        self._submit(self._prepared(used, RedOpType.MAX, 1 << 31), is_async=False)
        return used

    def _set_gradients(self, kept: dict[int, Tensor | None], used: Tensor | None) -> None:
        flags = None if used is None else used.tolist()
        with no_grad():
            for place, (parameter, home) in enumerate(zip(self._parameters, self._homes, strict=True)):
                if flags is not None and not flags[place]:  # no rank used it
                    former = kept.get(place)
                    if former is not None:
                        parameter._grad.copy_(former)
                    continue
                grad = parameter._grad
                if grad is not home:
                    if grad is not None and grad.node is not None:
                        grad.detach().copy_(home)
                    else:
                        parameter._grad = home

    # ------------------------------------------------------------------------------------------ missing gradients
    def _refuse(self, missing: Sequence[int]) -> None:
        self._submit(prepare(self._group, _MISSING), is_async=False)
        while self._waits:
            self._waits.pop(0)()
        if self._error is None:  # all ranks are here
            self._records = {NUMBERS[_MISSING]}
        self._explain(missing)

    def _explain(self, missing: Sequence[int]) -> None:
        """Raise the error of missing gradients on all ranks, if they are the reason why ranks differ."""
        if NUMBERS[_MISSING] not in self._records:
            raise self._error  # type: ignore[misc]
        asks = self._records <= {NUMBERS[_MISSING], NUMBERS[NAME]}  # all ranks come here
        if not asks and not missing:
            raise self._error  # type: ignore[misc]
        raise missing_gradients(NAME, self._group, [self._names[place] for place in missing], asks)

    # ------------------------------------------------------------------------------------------------------- join
    def shadow(self) -> None:
        """Take part in the reductions of a backward pass of other ranks, with zeros."""
        self._zero()
        try:
            while self._next < len(self._places):
                self._start(is_async=False)
            used = self._used
            if self.is_static and used is None:
                used = self._used = self._used_anywhere()
            elif self.finds_unused and not self.is_static:
                used = self._used_anywhere()
            while self._waits:
                self._waits.pop(0)()
            if self._error is not None:
                self._explain([])
            self._set_gradients({}, used)  # for an optimizer that updates a part of the parameters
        finally:
            self._forget_pass()

    def _zero(self) -> None:
        with no_grad():
            for bucket in self.buckets:
                bucket.buffer().zero_()


class _Hook:
    """The hook of a parameter. It does not keep the reducer, so that a model without its wrapper is as before."""

    __slots__ = ("place", "reducer")

    def __init__(self, reducer: ref[Reducer], place: int) -> None:
        self.reducer, self.place = reducer, place

    def __call__(self, parameter: Tensor) -> None:
        found = self.reducer()
        if found is not None:
            found.arrive(self.place)


def _form(tensor: Tensor) -> tuple[Any, Any]:
    return tensor.dtype, tensor.shape
