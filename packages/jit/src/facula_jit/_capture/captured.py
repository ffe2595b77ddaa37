"""Captured functions, whose calls are dispatched by the state of their signature (Note [States of a signature])."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import ref

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import describe_call_site
from facula_errors import FaculaError
from facula_errors.extend import boundary, html_of, trim_traceback, warn
from facula_storage.extend.memory import launching_modules
from facula_storage.extend.recording import current_recorder
from facula_tensor import Tensor

from .._graph.graph import Graph, numbered
from .._recording.graph_breaks import CaptureError, GraphBreak
from .._recording.marked_sizes import Decisions
from .._recording.recorder import Recorder
from .._recording.signature import Signature, by_value, shown, tensors_in
from .._replay.checked_calls import Digest, Expected, described, difference, interval_of, stays
from .._replay.memory_pool import Pool
from .._replay.replay import MISS, BusyFlag, Replay
from ..passes._pass_manager import run_passes
from .cache_entry import EAGER, MAX_REPLAYS, REPLAYING, SPLIT, CacheEntry, WithoutAttributes, latest_of
from .outcomes import outcome_of
from .recorded_call import RecordedCall
from .reloads import Reloadable, watch_reloads
from .report import report_of, table_of
from .split_function import SplitFunction, own_function, plain_parts_by_name

P = ParamSpec("P")
R = TypeVar("R")

launching_modules.add(__name__)

MAX_SIGNATURES = 16  # captured per function


@boundary
class Captured(Reloadable, Generic[P, R]):
    """The callable returned by `capture`, which documents it. `function` is the original function.

    Its other attributes are those of the function, such as `parameters()` and `train()` of a captured module.

    Arguments:
        function: the function to capture.
        on_break: "eager", "error" or "split".
        passes: the passes that run over the graph of each capture.
        allow: the objects that are treated as constant.
        check: the number of calls between two checked calls.
    """

    function: Callable[P, R]
    recorder_kind = Recorder

    def __init__(
        self,
        function: Callable[P, R],
        on_break: str,
        passes: tuple[Callable[[Graph], object], ...],
        allow: tuple[Any, ...] = (),
        check: int | None = None,
    ):
        self.function, self.on_break, self.passes, self.allow, self.check = function, on_break, passes, allow, check
        self._interval = interval_of(check) if self.recorder_kind is Recorder else 0  # traces fix Python decisions
        self._allowed = {id(allowed) for part in allow for allowed in (part, getattr(part, "__code__", None))}
        self._own = own_function(function)
        self._paused = self._warned = False
        self._busy_flag = BusyFlag()
        self._reset()
        update_wrapper(self, function, updated=())
        watch_reloads()

    def _reset(self) -> None:
        """Discard all captures; the next calls are recorded again."""
        piece = partial(
            _captured, on_break=self.on_break, passes=self.passes, allow=self.allow, check=self.check, warns=False
        )
        self._split = SplitFunction(self.function, piece) if self.on_break == "split" else None
        self._entries: dict[Any, CacheEntry] = {}
        self._latest: Replay | None = None
        self._plain_args: list[tuple[int, object]] = []  # non-tensor arguments of the latest call, with positions
        self._tensor_places: list[int] = []  # positions of its tensors; `_arg_count` is the number of its arguments
        self._direct_split: Any = None  # runs instead of the function if no signature is captured as a whole
        self._pool = Pool()
        self._arg_count = self._eager = self._uses = 0

    def _pause(self, is_paused: bool) -> None:
        """Make later calls run eagerly, or end this."""
        self._paused, self._latest = is_paused, None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            latest, result = self._latest, MISS
            if latest is not None and not kwargs and not active_modes:
                if not (others := self._plain_args):
                    result = latest.replay(args)  # type: ignore[arg-type]  # all arguments are tensors
                elif len(args) == self._arg_count and all([args[place] is arg for place, arg in others]):
                    result = latest.replay(tuple([args[place] for place in self._tensor_places]))  # type: ignore[misc]
                if result is not MISS:
                    return result  # type: ignore[return-value]
            latest = None  # a checked call may replace it
            return self._call(args, kwargs)  # type: ignore[no-any-return]
        except (FaculaError, TypeError) as error:
            trim_traceback(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Handle a call that the latest replay cannot serve directly."""
        if self._paused or current_recorder() is not None:
            return self.function(*args, **kwargs)
        if self._direct_split is not None:
            return self._direct_split(*args, **kwargs)
        signature = Signature(args, kwargs)
        if not signature.supported:
            return self._run_eagerly(args, kwargs)
        entry = self._entries.get(signature.key)
        if entry is None:
            parts = plain_parts_by_name(self.function, signature.key, len(args))
            if len(self._entries) >= MAX_SIGNATURES:
                return self._refuse_signature(parts, args, kwargs)
            entry = self._entries[signature.key] = CacheEntry(shown(args, kwargs), signature.kept, parts)
        state, why = entry.state, ""
        if state is SPLIT:
            return entry.split(*args, **kwargs)  # type: ignore[misc]  # not None in this state
        if state is EAGER:
            return self._run_eagerly(args, kwargs)
        if state is REPLAYING:
            tensors = tuple(signature.tensors)
            for replay in reversed(entry.replays):
                if replay.count and (replay.count != replay.check_at or stays(replay)):
                    self._improve(replay, entry.words)
                if replay.identity_args and not replay.has_same_objects(args, kwargs):
                    why = why or replay.describe(replay.missed)
                    continue
                if replay.count == replay.check_at and replay.fits(tensors, signature.containers):
                    self._release_memory()
                    expected = Expected(replay, entry.replays, self._interval)
                    del replay  # the call may replace it, and needs its memory
                    return self._check(entry, expected, signature, args, kwargs)
                result = MISS if replay.knows(signature.containers) else self._try(replay, tensors)
                if result is not MISS:
                    self._use_next(replay, args, kwargs)
                    return result
                why = why or replay.describe(replay.missed)
            if not entry.evict():
                return self._give_up(entry, why, args, kwargs)
        return self._record(entry, signature, args, kwargs, why)

    def _use_next(self, replay: Replay, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Register a replay for the fast path of the next call, unless it needs the full signature."""
        self._uses = replay.used_at = self._uses + 1
        others = [(place, arg) for place, arg in enumerate(args) if not isinstance(arg, Tensor)]
        is_flat = not any([by_value(arg) is not None for _, arg in others])
        is_flat = is_flat and not (replay.reads_attributes and any([x._own_attributes for x in tensors_in(args)]))
        quick: Any = WithoutAttributes(replay) if replay.reads_attributes else replay
        self._latest = quick if replay.is_improved and is_flat and not kwargs and not active_modes else None
        self._plain_args, self._arg_count = others if self._latest is not None else [], len(args)
        self._tensor_places = [place for place, arg in enumerate(args) if isinstance(arg, Tensor)]

    def _try(self, replay: Replay, tensors: tuple[Any, ...]) -> Any:
        if not replay.has_memory:
            self._latest = None  # it may lose its memory
            self._pool.share(replay, self._replays())
        result = replay.replay(tensors)
        if result is MISS and replay.numbers_from <= replay.missed < len(replay.checks) and replay.refill():
            result = replay.replay(tensors)
        return result

    def _record(
        self, entry: CacheEntry, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any], changed: str
    ) -> Any:
        """Run the function under a recorder; `changed` names the guard of earlier captures that failed."""
        run = self._run(entry, signature, args, kwargs)
        if run.breaks is None and self._split is not None and not run.recorder.launches:
            entry.reject(GraphBreak("it contains no tensor operations", "leave it as it is", None))
        elif (replay := self._captured_by(run, entry, signature)) is not None:
            replay.reason = changed
            self._use_next(replay, args, kwargs)
        return run.result

    def _captured_by(self, run: RecordedCall, entry: CacheEntry, signature: Signature) -> Replay | None:
        """Add the replay of a run to its entry and return it; return None if the run cannot be replayed."""
        made = outcome_of(run, entry, signature, self._name, self._busy_flag, self._interval, self._split is not None)
        if isinstance(made, GraphBreak):
            self._reject(entry, made, run)
            return None
        return entry.capture(made)

    def _reject(self, entry: CacheEntry, why: GraphBreak, run: RecordedCall) -> None:
        """Reject a signature after a run with a graph break."""
        if self._split is None or run.recorder.reads_locals:
            entry.reject(why)
            self._refuse(why)
            return
        split = self._split.around(run.recorder.line if why is run.recording.breaks else None)
        entry.reject(why, split)
        if not any([known.replays for known in self._entries.values()]):
            self._direct_split = split
        if self._split.refusal:
            self._refuse(why._replace(remedy=f"it cannot be split there: {self._split.refusal}"))

    def _give_up(self, entry: CacheEntry, changed: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Reject a signature whose guards fail too often, and run this call."""
        last = entry.replays[-1]
        problem = f"state that it depends on has changed {MAX_REPLAYS} times, most recently {changed}"
        why = GraphBreak(problem, last.remedy, None)
        entry.reject(why, None if self._split is None else self._split.around_names([last.name_of_missed]))
        entry.replays.clear()
        self._release_memory()
        return self._broken(why, args, kwargs) if entry.split is None else entry.split(*args, **kwargs)

    def _refuse_signature(self, parts: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call whose signature exceeds `MAX_SIGNATURES`."""
        if self._split is not None:
            return (self._split_around_varying(parts) or self._run_eagerly)(args, kwargs)
        words, remedy = [entry.words for entry in self._entries.values()], "pad the arguments to fewer shapes"
        if words.count(present := shown(args, kwargs)) > 1:  # these signatures differ only in an object's identity
            remedy = "pass tensors, dicts and dataclasses, not objects that are created for each call"
        problem = f"calls of more than {MAX_SIGNATURES} signatures, such as {present} and {words[0]}"
        return self._broken(GraphBreak(problem, remedy, None), args, kwargs)

    def _run(
        self, entry: CacheEntry, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> RecordedCall:
        """Run the function under a recorder, without memory of replays."""
        self._release_memory()
        recorder = self.recorder_kind(signature.tensors, self.on_break == "error")
        recorder.decisions = Decisions() if len(self._entries) > 1 else None
        run = RecordedCall(self.function, self._own, recorder, signature, self._allowed)
        run.execute(self._busy_flag, self._name, partial(_fall_back, ref(self), ref(entry)), args, kwargs)
        return run

    def _check(
        self, entry: CacheEntry, expected: Expected, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Run the function instead of a replay, and compare its launches with the capture: Note [Checked calls]."""
        run = self._run(entry, signature, args, kwargs)
        if run.recorder.retry is not None or run.recording.overlaps:  # incomplete: it cannot be compared
            return run.result
        wrong = run.breaks or run.recording.unsettled
        words, site = (str(wrong), None) if wrong else difference(expected.digest, Digest(run.recording))
        if not words:
            if not entry.is_rejected and (replay := expected.kept or self._captured_by(run, entry, signature)):
                expected.met_by(replay)
                if replay.is_improved:
                    self._pool.share(replay, self._replays())
                self._use_next(replay, args, kwargs)
            return run.result
        entry.replays.clear()
        self._release_memory()
        message = described(self._name, words, site)
        entry.reject(GraphBreak(message, "move the state that changes out of the function", None))
        if self._interval is not None:
            raise CaptureError(message, "" if site is None else describe_call_site(*site))
        warn(f"capture: {message}; it runs eagerly from now on")
        return run.result

    def _improve(self, replay: Replay, words: str) -> None:
        """Run the passes over a capture once. They pay off only for a capture that is replayed again."""
        if not replay.is_improved and not self._busy_flag.busy:
            replay.is_improved = self._busy_flag.busy = True
            try:
                replay.rewrite(run_passes(replay.recording, self.passes, self._name, words))
            finally:
                self._busy_flag.busy = False

    def _release_memory(self) -> None:
        """Release the memory of replays; the next ones take memory again."""
        self._latest = None
        self._pool.release(self._replays())

    def _replays(self) -> list[Replay]:
        return [replay for entry in self._entries.values() for replay in entry.replays]

    def _split_around_varying(self, parts: dict[str, Any]) -> Any:
        """Return the function split around the first use of an argument that varies in most calls, or None."""
        assert self._split is not None
        values = {name: {entry.parts.get(name) for entry in self._entries.values()} for name in parts}
        made = self._split.around_names([name for name, found in values.items() if len(found) > MAX_SIGNATURES // 2])
        return made and (lambda args, kwargs: made(*args, **kwargs))

    def _run_eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._eager += 1
        return self.function(*args, **kwargs)

    def _broken(self, why: GraphBreak, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._refuse(why)
        return self._run_eagerly(args, kwargs)

    def _fall_back(self, entry: CacheEntry, why: GraphBreak) -> None:
        """Reject a signature after its run, because a backward pass needs the function itself."""
        if not entry.is_rejected:
            entry.reject(why)
            entry.replays.clear()
            self._release_memory()
            self._refuse(why)

    def _refuse(self, why: GraphBreak) -> None:
        if self.on_break == "error":
            raise CaptureError(why)
        if not self._warned:
            self._warned = True
            warn(f"capture: {self._name} runs eagerly: {why}")

    @property
    def _name(self) -> str:
        return str(getattr(self.function, "__qualname__", None) or type(self.function).__name__)

    def report(self) -> str:
        """Return a description of all captures: launches, replays and memory by signature, and reasons of eager calls.

        >>> from facula_tensor import ones
        >>> from facula_jit import capture
        >>> twice = capture(lambda x: x + x)
        >>> _ = twice(ones(2)), twice(ones(2))
        >>> print(twice.report())  # doctest: +ELLIPSIS
        <lambda>: 1 signature
          (float32 (2,)): 1 launch, replayed once, 0 bytes of temporaries
        """
        split = [] if self._split is None else [piece.report() for piece in self._split.captured()]
        return report_of(self._name, [*self._entries.values()], self._eager, split)

    def graph(self, number: int | None = None) -> Graph:
        """Return one capture as a graph of operators: the one with this index in `report()`, or the latest.

        The latest, which `save` also writes, ran last among those that fit the present modes and settings. The graph
        contains no memory of arguments and results. Editing it does not change the capture.

        >>> from facula_tensor import ones
        >>> from facula_jit import capture
        >>> scaled = capture(lambda x, y: (x @ y).relu() * 2)
        >>> _ = scaled(ones(2, 3), ones(3, 4))
        >>> print(scaled.graph())
        def lambda(x0: float32[2, 3], x1: float32[3, 4]):
            # outside of modules
            t0 = matmul(x0, x1)
            y0 = fused(relu(t0) * 2)
            return y0
        """
        found = self._found()
        if number is None and found:
            latest = latest_of([replay for replay, _, owner in found if owner is found[-1][2]])
            found = [row for row in found if row[0] is latest]
        replay, words, owner = numbered(found, -1 if number is None else number, "captures")
        owner._improve(replay, words)
        key = next(key for key, entry in owner._entries.items() if replay in entry.replays)
        return Graph(replay.recording, replay.name, words, (owner, [(key, replay)]))

    def _found(self) -> list[tuple[Replay, str, Captured[..., Any]]]:
        """Return all captures, including those of split parts, each with its signature and its captured function."""
        found = [(replay, entry.words, self) for entry in self._entries.values() for replay in entry.replays]
        split = [] if self._split is None else self._split.captured()
        return found + [replay for piece in split for replay in piece._found()]

    def _improved(self) -> list[tuple[Any, Replay]]:
        """Return `_latest_by_signature()` after running the passes over each capture, for graphs and files."""
        for key, replay in (found := self._latest_by_signature()):
            self._improve(replay, self._entries[key].words)
        return found

    def _latest_by_signature(self) -> list[tuple[Any, Replay]]:
        """Return the `latest` capture of each signature, with its key."""
        return [(key, entry.latest) for key, entry in self._entries.items() if entry.replays]

    def _repr_html_(self) -> str:
        return html_of(*table_of(self))

    def __repr__(self) -> str:
        return f"<captured {self._name}: {len(self._entries)} signature{'s' if len(self._entries) != 1 else ''}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _captured, (self.function, self.on_break, self.passes, self.allow, self.check)


def _fall_back(captured: ref[Captured[..., Any]], entry: ref[CacheEntry], why: GraphBreak) -> None:
    """Reject a signature after its run if the captured function and its entry still exist."""
    if (owner := captured()) is not None and (calls := entry()) is not None:
        owner._fall_back(calls, why)


def _captured(
    function: Any,
    on_break: str,
    passes: tuple[Callable[[Graph], object], ...],
    allow: tuple[Any, ...] = (),
    check: int | None = None,
    warns: bool = True,
) -> Captured[..., Any]:
    """Create a captured function from these options; `warns=False`, as for split parts, suppresses warnings."""
    made: Captured[..., Any] = Captured(function, on_break, passes, allow, check)
    made._warned = not warns
    return made
