"""`checkpoint`: a part of the graph that keeps nothing but its operands, and is computed again when it is needed.

Note [Computing again]
The part's nodes are recorded as always; what they save is packed into its number in the order of saving
(`saved_tensors_hooks`). When the backward pass unpacks the first of them, the function runs again, in the mode
it ran in, and every value that it saves is caught under the same number. The second graph is dropped at once.
"""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from ._adapters import adapter_of, all_adapters
from ._errors import GradientError, MutationError
from ._mode_state import FIELDS, current_mode
from ._modes import flag, is_grad_enabled, replace_mode, saved_tensors_hooks
from ._value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol, TypeVar

    from ._types import AnyValue

    Context = AbstractContextManager[object] | None
    Args = tuple[object, ...]
    Keywords = dict[str, object]

    T = TypeVar("T")

    class Chain(Protocol):
        """A module of modules that run one after the other."""

        def children(self) -> Iterable[Callable[[AnyValue], AnyValue]]: ...


@boundary
def checkpoint(
    function: Callable[..., T],
    *args: object,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], tuple[Context, Context]] | None = None,
    **kwargs: object,
) -> T:
    """`function(*args, **kwargs)`, whose intermediate values are not kept but computed again in the backward pass.

    The result and gradients are those of a plain call; memory goes down and time up. Source: Chen et al., "Training
    deep nets with sublinear memory cost", 2016.

    Arguments:
        function: what to run; it must save the same values when it runs again.
        args: its arguments, which must not be changed in place before the backward pass; `kwargs` likewise.
        use_reentrant: no difference: there is one way of doing this.
        preserve_rng_state: draw the same random numbers again.
        context_fn: gives two context managers, for the first run and for those after it.

    Returns:
        The function's result.

    Raises:
        GradientError: the function saved other values the second time.
        MutationError: an argument was changed in place.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> checkpoint(lambda x: x * x * x, x).backward()
    >>> x.grad
    Variable(27.0)
    """
    if use_reentrant is not None:
        flag("checkpoint: use_reentrant", use_reentrant)
    first, again = context_fn() if context_fn is not None else (None, None)
    repeated = _Recomputation(function, args, kwargs, flag("checkpoint: preserve_rng_state", preserve_rng_state), again)
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
    """`functions` one after the other, in `segments` parts of which all but the last are `checkpoint`s.

    The last part keeps its values, as it is the first that the backward pass needs.

    Arguments:
        functions: a sequence of callables, or a module, whose `children()` they are.
        segments: the number of parts.
        input: the argument of the first function.
        use_reentrant, preserve_rng_state: as for `checkpoint`.

    Returns:
        The last function's result.

    Raises:
        ValueError: `segments` is not from 1 to the number of functions.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> checkpoint_sequential([lambda x: x * x, lambda x: x + x], 2, x).backward()
    >>> x.grad
    Variable(12.0)
    """
    chain = list(functions.children() if hasattr(functions, "children") else functions)
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
    """Functions one after the other."""

    def __init__(self, functions: list[Callable[[AnyValue], AnyValue]]) -> None:
        self.functions = functions

    def __call__(self, value: AnyValue) -> AnyValue:
        for function in self.functions:
            value = function(value)
        return value


def _inside(context: Context, function: Callable[..., T], args: Args, kwargs: Keywords) -> T:
    if context is None:
        return function(*args, **kwargs)
    with context:
        return function(*args, **kwargs)


class _Recomputation:
    """One checkpointed call: how to run it again, and what that gave."""

    def __init__(
        self, function: Callable[..., object], args: Args, kwargs: Keywords, random: bool, context: Context
    ) -> None:
        self.function, self.args, self.kwargs, self.context = function, args, kwargs, context
        self.mode = current_mode()
        states = (adapter.save_random_state() for adapter in all_adapters()) if random else ()
        self.random_states = [state for state in states if state is not None]
        operands = [v for v in (*args, *kwargs.values()) if isinstance(v, Value)]
        self.versions = [(v, adapter_of(v).version(v)) for v in operands]
        self.count = 0
        self.values: list[object] | None = None
        self.used: set[int] = set()

    def pack(self, value: object) -> int:
        self.count += 1
        return self.count - 1

    def unpack(self, number: int) -> object:
        if self.values is None:
            self.values, self.used = self.recompute(), set()
        value = self.values[number]
        self.used.add(number)
        if len(self.used) == len(self.values):
            self.values = None
        return value

    def recompute(self) -> list[object]:
        """Run the function again; the values that it saves."""
        name = getattr(self.function, "__name__", type(self.function).__name__)
        for value, version in self.versions:
            if adapter_of(value).version(value) != version:
                raise MutationError(f"checkpoint: expected the arguments of {name} as they were; "
                                    f"{adapter_of(value).describe(value)} was changed in place before the backward "
                                    "pass. Change a clone() instead",
                                    operator="checkpoint", saved="an argument",
                                    mutation=adapter_of(value).describe_mutation(value))  # fmt: skip
        values: list[object] = []
        changes: dict[str, object] = {field: getattr(self.mode, field) for field in FIELDS}
        changes.update(anomaly=None, saved_hooks=(values.append, _refuse_unpacking))
        with replace_mode(**changes):
            self.run(self.random_states)
        if len(values) != self.count:
            raise GradientError(f"checkpoint: expected {name} to do the same when it runs again; it saved {self.count} "
                                f"values for the backward pass the first time, and now {len(values)}")  # fmt: skip
        return values

    def run(self, random_states: list[Callable[[], AbstractContextManager[object]]]) -> None:
        if random_states:
            with random_states[0]():
                return self.run(random_states[1:])
        _inside(self.context, self.function, self.args, self.kwargs)
        return None


def _refuse_unpacking(packed: object) -> object:
    raise GradientError("checkpoint: a function that is run again must not run a backward pass over its own values")
