"""Selective checkpoints: keep some results instead of recomputing them. See `create_selective_checkpoint_contexts`.

Note [Kept results]
In the first run of the function, every operator calls the mode before it computes (`Mode.compute`). Results that the
policy selects are kept, as aliases without history. When the function runs again, the same call of the same operator
returns the kept result instead of computing it. Nodes and saved values are recorded as usual. The policy is not called
for views and in-place changes: views cost nothing, and in-place changes must happen in each run. If a kept result was
drawn at random, the same number of random numbers is skipped. A policy is called outside of this mode, without
recording: it may compute with the operands that it receives.
"""

from __future__ import annotations

from enum import Enum

from facula_errors import InvalidTypeError
from facula_errors.extend import Exit, boundary, pass_on

from .._adapters import adapter_of, all_adapters
from .._errors import MutationError
from .._modes.context_managers import checked_bool, replace_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from .._types import AnyAdapter, AnyValue

    Compute = Callable[[], Sequence[AnyValue]]


class CheckpointPolicy(Enum):
    """A policy's decision for one call of an operator. MUST and PREFER have the same effect here."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_RECOMPUTED = (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)
_OFFLOADED = (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD)

#: Operators for which no policy is called: their results are always recomputed.
SAC_IGNORED_OPS: set[str] = set()


class SelectiveCheckpointContext:
    """The context passed to a policy. `is_recompute` is always False: policies are called in the first run."""

    __slots__ = ("is_recompute",)

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


class OperatorName(str):
    """The name of an operator, which also equals a function of that name."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, getattr(other, "__name__", other)) is True  # type: ignore[arg-type]


class _Kept:
    """A kept result."""

    __slots__ = ("adapter", "copy", "metadata", "name", "version")

    def __init__(self, name: str, value: AnyValue, offload: bool) -> None:
        self.name: str = name
        self.adapter: AnyAdapter = adapter_of(value)
        self.metadata: Hashable = self.adapter.metadata(value)
        host = self.adapter.to_host(value) if offload else value
        self.copy = self.adapter.alias(value) if host is value else host
        self.version = self.adapter.version(self.copy)

    def get(self, mutable: bool) -> object:
        """Return the result."""
        if not mutable and self.adapter.version(self.copy) != self.version:
            mutation = self.adapter.describe_mutation(self.copy)
            raise MutationError(
                f"checkpoint: expected the result of {self.name}, which the policy keeps, to stay unchanged; it was "
                f"changed in place{f', last by {mutation}' if mutation else ''}. Change a clone(), or let the policy "
                "recompute it",
                operator=self.name, forward="an unknown line", saved="a result", mutation=mutation,
            )  # fmt: skip
        if self.adapter.metadata(self.copy) != self.metadata:
            return self.adapter.from_host(self.copy, self.metadata)
        return self.adapter.alias(self.copy)


class _Call:
    """One call of an operator in the first run: its results if they are kept, and the random state after it."""

    __slots__ = ("random", "results")

    def __init__(self, results: list[_Kept] | None, random: list[tuple[AnyAdapter, Hashable, Hashable]]) -> None:
        self.results, self.random = results, random


class _Keeping(replace_mode):
    """The context of the first run."""

    __slots__ = ("calls",)

    def __init__(self, policy: Callable[..., CheckpointPolicy]) -> None:
        calls: dict[str, list[_Call]] = {}
        told, outside = SelectiveCheckpointContext(is_recompute=False), replace_mode(compute=None, grad=False)

        def compute(name: str, kernel: Compute, operands: Sequence[AnyValue], parameters: Sequence[AnyValue]) -> object:
            if name in SAC_IGNORED_OPS:
                return kernel()
            with outside:
                choice = policy(told, OperatorName(name), *operands, *parameters)
                if not isinstance(choice, CheckpointPolicy):
                    raise InvalidTypeError(
                        "checkpoint: expected the policy of create_selective_checkpoint_contexts to return a "
                        f"CheckpointPolicy for {name}; got {choice!r:.200}"
                    )
            before = [(adapter, adapter.random_position()) for adapter in all_adapters()]
            results = kernel()
            drawn = [
                (generator, then, now) for generator, then in before if (now := generator.random_position()) != then
            ]
            kept = None
            if choice not in _RECOMPUTED:
                kept = [_Kept(name, value, choice in _OFFLOADED) for value in results]
            calls.setdefault(name, []).append(_Call(kept, drawn))
            return results

        self.calls = calls
        super().__init__(compute=compute)


class _Replaying:
    """The context of all later runs."""

    __slots__ = ("_calls", "_modes", "_mutable")

    def __init__(self, calls: dict[str, list[_Call]], mutable: bool) -> None:
        self._calls, self._mutable = calls, mutable
        self._modes: list[replace_mode] = []

    def __enter__(self) -> None:
        pending = {name: iter(calls) for name, calls in self._calls.items()}
        mutable = self._mutable

        def compute(name: str, kernel: Compute, operands: Sequence[AnyValue], parameters: Sequence[AnyValue]) -> object:
            call = next(pending[name], None) if name in pending else None
            if call is None or call.results is None:
                return kernel()
            for adapter, then, now in call.random:
                adapter.skip_random(then, now)
            return [result.get(mutable) for result in call.results]

        mode = replace_mode(compute=compute)
        self._modes.append(mode)
        pass_on(self, mode)
        mode.__enter__()

    def _leave(self, *exc: object) -> None:
        self._modes.pop().__exit__(*exc)

    __exit__ = Exit(_leave)


@boundary
def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., CheckpointPolicy] | Sequence[object], allow_cache_entry_mutation: bool = False
) -> tuple[_Keeping, _Replaying]:
    """Return two contexts for `checkpoint`'s `context_fn` that keep the results selected by a policy.

    Arguments:
        policy_fn_or_list: a function `(context, operator, *args)` that returns a `CheckpointPolicy`. `operator` is the
            name used in error messages, and equals the function of that name. Or a list of names or functions: their
            results are kept, and all others are recomputed.
        allow_cache_entry_mutation: do not raise an error if a kept result was changed in place.

    >>> from functools import partial
    >>> from facula_autograd import Variable, checkpoint
    >>> x = Variable(3.0, requires_grad=True)
    >>> contexts = partial(create_selective_checkpoint_contexts, ["mul"])
    >>> y = checkpoint(lambda x: (x * x) ** 2, x, context_fn=contexts)
    >>> y.backward()  # the product is there: the power alone is computed again
    >>> x.grad
    Variable(108.0)
    """
    mutable = checked_bool(
        "create_selective_checkpoint_contexts: allow_cache_entry_mutation", allow_cache_entry_mutation
    )
    if isinstance(policy_fn_or_list, (list, tuple, set, frozenset)):
        names = set()
        for member in policy_fn_or_list:
            name = getattr(member, "__name__", member)
            if not isinstance(name, str):
                raise InvalidTypeError(
                    f"create_selective_checkpoint_contexts: expected names of operators, or functions; got {member!r}"
                )
            names.add(name)

        def policy(context: object, operator: str, *args: object) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if operator in names else CheckpointPolicy.PREFER_RECOMPUTE
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise InvalidTypeError(
            "create_selective_checkpoint_contexts: expected a function or a list of operators; got "
            f"{type(policy_fn_or_list).__name__}"
        )
    keeping = _Keeping(policy)
    return keeping, _Replaying(keeping.calls, mutable)
