"""`checkpoint`: a part of the graph that keeps only its operands, and is recomputed when it is needed.

Note [Computing again]
The part's nodes are recorded as usual. Each saved value is packed into its index in the order of saving
(`saved_tensors_hooks`). When the backward pass unpacks the first of them, the function runs again, in its original
mode, and every value that it saves is stored under the same index. The second graph is dropped immediately. Once the
last value is stored, the rest of the function is not needed, and it is left (`early_stop`).
"""

from __future__ import annotations

from contextvars import ContextVar

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._adapters import adapter_of, all_adapters
from .._errors import CheckpointError, GradientError, MutationError
from .._modes.context_managers import checked_bool, replace_mode
from .._modes.grad_mode import is_grad_enabled, saved_tensors_hooks
from .._modes.mode_state import FIELDS, current_mode
from .._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol, TypeVar

    from .._types import AnyValue

    Context = AbstractContextManager[object] | None
    Args = tuple[object, ...]
    Keywords = dict[str, object]

    T = TypeVar("T")

    class Chain(Protocol):
        """A module of modules that run in sequence."""

        def children(self) -> Iterable[Callable[[AnyValue], AnyValue]]: ...


@boundary
def checkpoint(
    function: Callable[..., T],
    *args: object,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[Context, Context]] | None = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: object,
) -> T:
    """Return `function(*args, **kwargs)`, with intermediate values recomputed in the backward pass instead of kept.

    The result and gradients equal those of a plain call, with less memory and more time. Source: Chen et al., "Training
    deep nets with sublinear memory cost", 2016.

    Arguments:
        function: the function to run; it must save the same values when it runs again.
        args: its arguments, which must not be changed in place before the backward pass; the same applies to `kwargs`.
        use_reentrant: accepted, without effect: there is only one implementation.
        preserve_rng_state: draw the same random numbers again.
        context_fn: returns two context managers, for the first run and for the later ones;
            `create_selective_checkpoint_contexts` creates such a pair.
        determinism_check: "default" compares shapes, dtypes and devices of the values that the function saves in both
            runs; "none" does not.
        debug: accepted, without effect: errors always contain all known details.
        early_stop: end the second run once it has saved all the values of the first run.

    Returns:
        The function's result.

    Raises:
        CheckpointError: the function saved different values when it ran again.
        MutationError: an argument was changed in place.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> checkpoint(lambda x: x * x * x, x).backward()
    >>> x.grad
    Variable(27.0)
    """
    if use_reentrant is not None:
        checked_bool("checkpoint: use_reentrant", use_reentrant)
    if determinism_check not in ("default", "none"):
        raise InvalidValueError(
            f"checkpoint: expected determinism_check to be 'default' or 'none'; got {determinism_check!r}"
        )
    _check_callable("checkpoint", "function", function)
    checked_bool("checkpoint: debug", debug)
    random = checked_bool("checkpoint: preserve_rng_state", preserve_rng_state)
    stops = checked_bool("checkpoint: early_stop", early_stop)
    forced = _early_stop.get()
    first, again = _contexts(context_fn)
    repeated = _Recomputation(function, args, kwargs, random, again)
    repeated.checks, repeated.stops = determinism_check == "default", stops if forced is None else forced
    if is_grad_enabled():
        with saved_tensors_hooks(repeated.pack, repeated.unpack):
            return _inside(first, function, args, kwargs)
    return _inside(first, function, args, kwargs)


@boundary
def checkpoint_sequential(
    functions: Chain | Sequence[Callable[[AnyValue], AnyValue]],
    segments: int,
    input: AnyValue,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
) -> AnyValue:
    """Run `functions` in sequence, in `segments` parts, all but the last of which `checkpoint` runs.

    The last part keeps its values, because the backward pass needs it first.

    Arguments:
        functions: a sequence of callables, or a module, whose `children()` are run.
        segments: the number of parts.
        input: the argument of the first function.
        use_reentrant, preserve_rng_state: as in `checkpoint`.

    Returns:
        The last function's result.

    Raises:
        TypeError: one of the functions is not callable.
        ValueError: `segments` is not from 1 to the number of functions.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> checkpoint_sequential([lambda x: x * x, lambda x: x + x], 2, x).backward()
    >>> x.grad
    Variable(12.0)
    """
    try:
        chain = list(functions.children() if hasattr(functions, "children") else functions)
    except TypeError:
        raise InvalidTypeError(
            "checkpoint_sequential: expected functions to be a sequence of callables, or a module of modules; got "
            f"{type(functions).__name__}"
        ) from None
    for k, function in enumerate(chain):
        _check_callable("checkpoint_sequential", f"function {k}", function)
    if not isinstance(segments, int) or not 1 <= segments <= len(chain):
        raise InvalidValueError(
            f"checkpoint_sequential: expected segments to be an int from 1 to {len(chain)}, the number of functions; "
            f"got {segments!r}"
        )

    size = len(chain) // segments
    for start in range(0, size * (segments - 1), size):
        part = _Chain(chain[start : start + size])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state)
    return _Chain(chain[size * (segments - 1) :])(input)


class _Chain:
    """Functions to run in sequence."""

    def __init__(self, functions: list[Callable[[AnyValue], AnyValue]]) -> None:
        self.functions = functions

    def __call__(self, value: AnyValue) -> AnyValue:
        for function in self.functions:
            value = function(value)
        return value


def _check_callable(operation: str, name: str, given: object) -> None:
    if not callable(given):
        raise InvalidTypeError(f"{operation}: expected {name} to be callable; got {type(given).__name__}")


def _contexts(context_fn: Callable[[], tuple[Context, Context]] | None) -> tuple[Context, Context]:
    """Return the contexts of the first run and of the later ones."""
    if context_fn is None:
        return None, None
    _check_callable("checkpoint", "context_fn", context_fn)
    pair = context_fn()
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise InvalidTypeError(f"checkpoint: expected context_fn to return two context managers; got {pair!r:.200}")
    for context in pair:
        if context is not None and not (hasattr(context, "__enter__") and hasattr(context, "__exit__")):
            raise InvalidTypeError(
                f"checkpoint: expected context_fn to return two context managers; got {context!r:.200} among them"
            )
    return pair[0], pair[1]


def noop_context_fn() -> tuple[AbstractContextManager[object], AbstractContextManager[object]]:
    """Return two contexts without effect, as a `context_fn` for `checkpoint`."""
    from contextlib import nullcontext

    return nullcontext(), nullcontext()


def _inside(context: Context, function: Callable[..., T], args: Args, kwargs: Keywords) -> T:
    if context is None:
        return function(*args, **kwargs)
    with context:
        return function(*args, **kwargs)


class Recomputed(int):
    """The packed form of a value that will be recomputed: its index."""

    __slots__ = ()


class _Recomputation:
    """One checkpointed call: the arguments to run it again, and the recomputed values."""

    def __init__(
        self, function: Callable[..., object], args: Args, kwargs: Keywords, random: bool, context: Context
    ) -> None:
        self.function, self.args, self.kwargs, self.context = function, args, kwargs, context
        self.mode = current_mode()
        states = (adapter.save_random_state() for adapter in all_adapters()) if random else ()
        self.random_states = [state for state in states if state is not None]
        operands = [v for v in (*args, *kwargs.values()) if isinstance(v, Value)]
        self.versions = [(v, adapter_of(v).version(v)) for v in operands]
        self.saved: list[Hashable] = []  # the metadata of each value, in the order of saving
        self.values: list[object] | None = None
        self.used: set[int] = set()
        self.checks = self.stops = True

    def pack(self, value: object) -> Recomputed:
        self.saved.append(adapter_of(value).metadata(value))
        return Recomputed(len(self.saved) - 1)

    def unpack(self, number: int) -> object:
        if self.values is None:
            self.values, self.used = self.recompute(), set()
        if number >= len(self.values):
            raise CheckpointError(
                f"checkpoint: expected a function that saves {len(self.saved)} values again; it saved "
                f"{len(self.values)}"
            )
        value = self.values[number]
        self.used.add(number)
        if len(self.used) == len(self.values):
            self.values = None
        return value

    def recompute(self) -> list[object]:
        """Run the function again, and return the values that it saves."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        for value, version in self.versions:
            if adapter_of(value).version(value) != version:
                raise MutationError(f"checkpoint: expected the arguments of {name} to stay unchanged; "
                                    f"{adapter_of(value).describe(value)} was changed in place before the backward "
                                    "pass. Change a clone() instead",
                                    operator="checkpoint", saved="an argument",
                                    mutation=adapter_of(value).describe_mutation(value))  # fmt: skip
        values: list[object] = []

        def collect(value: object) -> None:
            values.append(value)
            if self.stops and len(values) == len(self.saved):
                raise _AllSaved

        changes: dict[str, object] = {field: getattr(self.mode, field) for field in FIELDS}
        changes.update(anomaly=None, compute=None, saved_hooks=(collect, _refuse_unpacking))
        try:
            with replace_mode(**changes):
                self.run(self.random_states)
        except _AllSaved:
            pass
        if self.checks:
            self.check(values, name)
        return values

    def check(self, values: list[object], name: str) -> None:
        """Raise an error if the function saved other values than in the first run."""
        if len(values) != len(self.saved):
            raise CheckpointError(
                f"checkpoint: expected {name} to save the same values when it runs again; it saved "
                f"{len(self.saved)} values for the backward pass the first time, and now {len(values)}"
            )
        for k, (value, metadata) in enumerate(zip(values, self.saved, strict=True)):
            now = adapter_of(value).metadata(value)
            if now != metadata:
                raise CheckpointError(
                    f"checkpoint: expected {name} to save the same values when it runs again; value {k} that it saves "
                    f"for the backward pass was {metadata} the first time, and now {now}"
                )

    def run(self, random_states: list[Callable[[], AbstractContextManager[object]]]) -> None:
        if random_states:
            with random_states[0]():
                return self.run(random_states[1:])
        _inside(self.context, self.function, self.args, self.kwargs)
        return None


class _AllSaved(BaseException):
    """Raised when the second run has saved all needed values. Not an Exception, because programs catch those."""


_early_stop: ContextVar[bool | None] = ContextVar("facula_autograd.early_stop", default=None)


class set_checkpoint_early_stop:
    """Context manager: set whether checkpoints made inside stop early, overriding their `early_stop`.

    >>> with set_checkpoint_early_stop(False):
    ...     pass  # functions called by checkpoint() in here run again to their end
    """

    __slots__ = ("_former", "_wanted")

    @boundary
    def __init__(self, enable: bool) -> None:
        self._wanted = checked_bool("set_checkpoint_early_stop", enable)
        self._former: list[bool | None] = []

    def __enter__(self) -> None:
        self._former.append(_early_stop.get())
        _early_stop.set(self._wanted)

    def __exit__(self, *exc: object) -> None:
        _early_stop.set(self._former.pop())


class set_checkpoint_debug_enabled:
    """Context manager, accepted without effect: errors of `checkpoint` always contain all known details.

    >>> with set_checkpoint_debug_enabled(True):
    ...     pass
    """

    __slots__ = ()

    @boundary
    def __init__(self, enabled: bool | None) -> None:
        if enabled is not None:
            checked_bool("set_checkpoint_debug_enabled", enabled)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


def _refuse_unpacking(packed: object) -> object:
    raise GradientError("checkpoint: a function that is run again must not run a backward pass over its own values")
