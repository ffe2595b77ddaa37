"""`capture`: a function whose tensor work is taken down once for each kind of call, and replayed in C."""

from __future__ import annotations

from functools import partial, update_wrapper
from inspect import iscoroutinefunction, isgeneratorfunction
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, TypeVar, overload

from facula_autograd.extend import active_modes
from facula_errors import InvalidIndexError, InvalidTypeError, InvalidValueError, MissingAttributeError
from facula_errors.extend import boundary, warn
from facula_storage import Storage, contiguous, uint8
from facula_storage.extend import allocate, current_recorder, launching_modules
from facula_tensor import Tensor

from ._boundary import record_backward
from ._breaks import Break, CaptureError
from ._crossings import crossings
from ._graph import Graph
from ._recorder import Recorder, recording
from ._recording import Recording
from ._replay import IN_USE, MISS, Guard, Replay
from ._report import report_of
from ._signature import Signature
from ._variables import Variables

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

launching_modules.add(__name__)

MOST_SIGNATURES = 16  # kinds of calls that are captured
MOST_REPLAYS = 8  # of one kind: of other modes of modules, other `.grad`s
MOST_TRIES = 3  # runs that may leave new tensors with the program, as an optimizer's first step does


class _Kind:
    """What is known of calls of one signature."""

    __slots__ = ("breaks", "kept", "replays", "tries", "waits", "words")

    def __init__(self, signature: Signature):
        self.words, self.kept = signature.shown, signature.kept
        self.replays: list[Replay] = []
        self.breaks: Break | None = None  # why calls of it run as written
        self.waits: Break | None = None  # why the last run was not captured, though the next one may be
        self.tries = 0


@boundary
class Captured(Generic[P, R]):
    """A function that `capture` was given; see there. `function` is the function itself.

    Other attributes are the function's own: of a captured module `parameters()`, `train()`, `state_dict()` and so on.
    """

    function: Callable[P, R]

    def __init__(self, function: Callable[P, R], on_break: str):
        self.function, self.on_break = function, on_break
        self._kinds: dict[Any, _Kind] = {}
        self._latest: Replay | None = None
        self._arena: Storage = allocate(contiguous((0,), uint8))
        self._pool = 0
        self._eager = 0
        self._warned = False
        self._guard = Guard()
        update_wrapper(self, function, updated=())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        latest = self._latest
        if latest is not None and not kwargs and not active_modes:
            result: Any = latest.replay(args)  # type: ignore[arg-type]  # tensors all
            if result is not MISS:
                return result  # type: ignore[no-any-return]
        return self._call(args, kwargs)  # type: ignore[no-any-return]

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that is not like the one before."""
        if current_recorder() is not None:
            return self.function(*args, **kwargs)
        signature = Signature(args, kwargs)
        if not signature.supported:
            return self._as_written(args, kwargs)
        kind = self._kinds.get(signature.key)
        if kind is None:
            if len(self._kinds) >= MOST_SIGNATURES:
                problem = f"calls of more than {MOST_SIGNATURES} kinds: {signature.shown} beside {self._shown()}"
                return self._broken(Break(problem, "pad the arguments to fewer shapes", None), args, kwargs)
            kind = self._kinds[signature.key] = _Kind(signature)
        if kind.breaks is not None:
            return self._as_written(args, kwargs)
        tensors = tuple(signature.tensors)
        why = ""
        for replay in reversed(kind.replays):
            result = self._try(replay, tensors)
            if result is not MISS:
                self._use_next(replay, args, kwargs)
                return result
            why = why or replay.describe(replay.missed)
        if len(kind.replays) >= MOST_REPLAYS:
            problem = f"what it depends on has changed {MOST_REPLAYS} times, at last {why}"
            kind.breaks = Break(problem, "make it an argument, or a tensor that is changed in place", None)
            kind.replays.clear()
            self._latest = None
            return self._broken(kind.breaks, args, kwargs)
        return self._capture(kind, signature, args, kwargs, why)

    def _use_next(self, replay: Replay, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Let the next call go straight to this replay, if it needs no look at its signature."""
        plain = not kwargs and not active_modes and all([isinstance(one, Tensor) for one in args])
        self._latest = replay if plain else None

    def _try(self, replay: Replay, tensors: tuple[Any, ...]) -> Any:
        result = replay.replay(tensors)
        if result is MISS and replay.numbers_from <= replay.missed < len(replay.checks) and replay.refill():
            result = replay.replay(tensors)
        return result

    def _capture(
        self, kind: _Kind, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any], changed: str
    ) -> Any:
        """Run the function, and keep what it does; `changed` is what earlier captures did not fit."""
        recorder = Recorder(signature.tensors, self.on_break == "error")
        recorder.objects += [*signature.kept, getattr(self.function, "__self__", None), self.function]
        variables = Variables(recorder, self.function)
        if self._guard.busy:
            raise CaptureError(IN_USE.format(self._name))
        self._guard.busy = True
        try:
            with recording(recorder):
                with crossings(recorder):
                    result = self.function(*args, **kwargs)
                boundary = record_backward(recorder, result)
        finally:
            self._guard.busy = False
        found = Recording(recorder, result, boundary)
        why = found.breaks
        if found.unsettled is None:
            found.unsettled = recorder.outside or variables.changed()
        kind.waits = recorder.again or found.unsettled
        if why is None and recorder.again is not None:
            return result
        replay = None
        unsettled = found.unsettled
        if why is None and unsettled is None:
            replay = Replay(found, self._name, self.function, self._guard)
            given = {id(one) for one in signature.tensors}
            if any([id(expected) in given for _, _, expected in replay.checks]):
                problem = "an argument is a tensor that the function finds elsewhere, too"
                unsettled = Break(problem, "call it with a clone()", None)
        if why is None and unsettled is not None:
            kind.tries += 1
            if kind.tries < MOST_TRIES:
                return result
            why = unsettled
        if why is not None:
            kind.breaks = why
            if self.on_break == "error":
                raise CaptureError(why)
            self._warn(why)
            return result
        assert replay is not None
        replay.reason = changed
        self._make_room(0 if replay.has_backward else replay.pool_bytes)
        replay.use(self._arena)
        kind.replays.append(replay)
        self._use_next(replay, args, kwargs)
        return result

    def _make_room(self, nbytes: int) -> None:
        """Let the memory that all replays share have room for one more."""
        if nbytes > self._pool:
            self._arena, self._pool = allocate(contiguous((nbytes,), uint8)), nbytes
            for kind in self._kinds.values():
                for replay in kind.replays:
                    replay.use(self._arena)

    # ------------------------------------------------------------------------------------------------ as written
    def _as_written(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self._eager += 1
        return self.function(*args, **kwargs)

    def _broken(self, why: Break, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.on_break == "error":
            raise CaptureError(why)
        self._warn(why)
        return self._as_written(args, kwargs)

    def _warn(self, why: Break) -> None:
        if not self._warned:
            self._warned = True
            warn(f"capture: {self._name} runs as it is written: {why}")

    # ----------------------------------------------------------------------------------------------------- to look at
    @property
    def _name(self) -> str:
        return str(getattr(self.function, "__qualname__", None) or type(self.function).__name__)

    def _shown(self) -> str:
        return ", ".join([kind.words for kind in list(self._kinds.values())[:3]])

    def report(self) -> str:
        """What was captured of which calls, how often it was replayed, and what was not captured, by line.

        >>> from facula_tensor import ones
        >>> twice = capture(lambda x: x + x)
        >>> _ = twice(ones(2)), twice(ones(2))
        >>> print(twice.report())  # doctest: +ELLIPSIS
        <lambda>: 1 kind of call
          (float32 (2,)): 1 launch, replayed once, 0 bytes of temporaries
        """
        kinds = [(kind.words, kind.replays, kind.breaks, kind.waits) for kind in self._kinds.values()]
        return report_of(self._name, kinds, self._eager)

    def graph(self, number: int = -1) -> Graph:
        """What one capture does, as a graph of operators; by default the latest, else by its place in `report()`.

        The graph holds no memory of arguments and results. IndexError where nothing was captured yet, or not so much.

        >>> from facula_tensor import ones
        >>> scaled = capture(lambda x, y: (x @ y).relu() * 2)
        >>> _ = scaled(ones(2, 3), ones(3, 4))
        >>> print(scaled.graph())
        def lambda(x0: float32[2, 3], x1: float32[3, 4]):
            # outside of modules
            t0 = matmul(x0, x1)
            t1 = relu(t0)
            y0 = mul(t1, 2)
            return y0
        """
        found = [(replay, kind.words) for kind in self._kinds.values() for replay in kind.replays]
        if not -len(found) <= number < len(found):
            raise InvalidIndexError(f"graph: expected a number below {len(found)}, of captures; got {number}")
        replay, words = found[number]
        return Graph(replay.recording, self._name, words)

    def __repr__(self) -> str:
        return f"<captured {self._name}: {len(self._kinds)} kinds of calls>"

    def __getattr__(self, name: str) -> Any:
        if name == "function":  # not set yet: a copy is being made
            raise MissingAttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.function, name)

    def __get__(self, owner: object, kind: type | None = None) -> Any:
        """As a method: bound to `owner`, which is then an argument."""
        return self if owner is None else partial(self.__call__, owner)  # type: ignore[arg-type]  # the first of P

    def __reduce__(self) -> tuple[object, ...]:
        return capture, (self.function,), None, None, None


@overload
def capture(function: Callable[P, R], *, on_break: Literal["eager", "error"] = "eager") -> Captured[P, R]: ...
@overload
def capture(
    function: None = None, *, on_break: Literal["eager", "error"] = "eager"
) -> Callable[[Callable[P, R]], Captured[P, R]]: ...
@boundary
def capture(function: Callable[..., Any] | None = None, *, on_break: str = "eager") -> Any:
    """`function`, whose tensor work is taken down in a first call, and replayed by one call into C in later ones.

    What is taken down is everything the function does with tensors: forward, backward, an optimizer's step, random
    draws. Parameters, buffers and optimizers' state stay the program's tensors and are changed in place; results are
    fresh tensors. Calls of other shapes, dtypes, strides, modes or other arguments that are no tensors are captured by
    themselves, at most 16 kinds. Before a replay writes anything it looks whether the tensors and their memory, the
    attributes of the modules that were called, the optimizers' groups and state and the default dtype are as they were;
    where they are not, the function runs again and is captured again. Learning rates and other options of optimizers,
    schedules and the generators' states are followed.

    Python beside the operators runs while a call is captured, not in replays: a counter counts once, a list gets one
    entry. A replay cannot hand elements to Python (`item`, `if loss > 1`, printing) nor make a tensor that the program
    keeps without returning it: such a function runs as it is written, after a warning that names the line.

    A result that requires a gradient can be differentiated outside: its backward is captured, too. One thread at a time
    may use a capture.

    Arguments:
        function: what is captured; left out, a decorator is returned.
        on_break: "eager" to run what cannot be captured as it is written, "error" to raise CaptureError at its line.

    Returns:
        A callable like the function; its `report()` says what was captured, `function` is the function.

    Raises:
        CaptureError: something cannot be captured, or another thread is replaying the same capture.
        TypeError, ValueError: wrong arguments.

    >>> from facula_tensor import no_grad, tensor
    >>> weight = tensor([2.0, -1.0], requires_grad=True)
    >>> @capture
    ... def step(x, y):
    ...     weight.grad = None
    ...     loss = ((x @ weight - y) ** 2).mean()
    ...     loss.backward()
    ...     with no_grad():
    ...         weight.sub_(weight.grad * 0.1)
    ...     return loss.detach()
    >>> x, y = tensor([[1.0, 0.0], [0.0, 1.0]]), tensor([1.0, 1.0])
    >>> [round(step(x, y).item(), 3) for _ in range(3)]
    [2.5, 2.025, 1.64]
    >>> print(step.report())
    step: 1 kind of call
      (float32 (2, 2), float32 (2,)): 13 launches, replayed 2 times, 192 bytes of temporaries
    """
    if on_break not in ("eager", "error"):
        raise InvalidValueError(f"capture: expected on_break to be 'eager' or 'error'; got {on_break!r}")
    if function is None:
        return partial(capture, on_break=on_break)
    if not callable(function):
        raise InvalidTypeError(f"capture: expected a function; got {type(function).__name__}")
    if isgeneratorfunction(function) or iscoroutinefunction(function):
        raise InvalidTypeError(
            "capture: expected a function that returns its result; got one that yields or awaits; capture what it calls"
        )
    return Captured(function, on_break)
