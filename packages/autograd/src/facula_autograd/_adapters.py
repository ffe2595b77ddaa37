"""What the engine must know of a type of gradient: one small adapter object per type."""

from __future__ import annotations

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from ._types import AnyAdapter, AnyValue, Slot

    _Adapters = dict[type, "Adapter"]
else:
    _Adapters = dict


class Adapter:
    """How to handle one type of value. Subclass, override, and `register_adapter`.

    This base class is also the default for types that have registered none: it adds with `+`
    and clones nothing, which is right for immutable values such as numbers; whatever needs to
    know more raises NotImplementedError with the method's name.

    >>> Adapter().add(1.5, 2.0)
    3.5
    """

    #: Operator namespaces handed to rules: without recording, and with (under `create_graph`).
    #: They are different objects. `recorded_ops` has at least `add(a, b)` and `clone(v)`.
    no_record_ops: Slot = None
    recorded_ops: Slot = None

    def _missing(self, method: str, v: object) -> NotImplementedError:
        return UnsupportedError(
            f"{method}: the adapter for {type(v).__name__} ({type(self).__name__}) does not have it; "
            "override it and pass the adapter to facula_autograd.extend.register_adapter"
        )

    # ---- sums and copies: the engine's own needs

    def add(self, a: AnyValue, b: AnyValue) -> AnyValue:
        """`a + b` as a new value, recording nothing."""
        return a + b

    def add_into(self, a: AnyValue, b: AnyValue) -> AnyValue:
        """`a + b`, in `a`'s own memory where that is possible. The result takes `a`'s place."""
        return a + b

    def clone(self, v: AnyValue) -> AnyValue:
        """A copy with memory of its own: what becomes `.grad` when the gradient has another owner."""
        return v

    def adopt(self, v: AnyValue) -> AnyValue:
        """What becomes `.grad` when the engine owns `v`: `v` itself, or a tidier copy."""
        return v

    def ones_like(self, v: AnyValue) -> AnyValue:
        """The gradient that a backward pass starts from when none is given."""
        raise self._missing("ones_like", v)

    def zeros_like(self, v: AnyValue) -> AnyValue:
        """A zero gradient for `v`."""
        raise self._missing("zeros_like", v)

    def zeros(self, metadata: Hashable) -> AnyValue:
        """A zero gradient for a value that had this metadata, and may be gone."""
        raise UnsupportedError(f"zeros: {type(self).__name__} does not have it; got metadata {metadata!r}")

    def alias(self, v: AnyValue) -> AnyValue:
        """A new value over the same data, sharing its version, with `node` None."""
        raise self._missing("alias", v)

    # ---- checks

    def metadata(self, v: AnyValue) -> Hashable:
        """What a gradient must agree on with the value it is for (shape, dtype, device)."""
        return None

    def fit_gradient(self, metadata: Hashable, v: AnyValue, reduce: bool = False) -> AnyValue:
        """`v` as the gradient of a value with this metadata: itself, or converted to its dtype.

        Arguments:
            metadata: what `self.metadata` gave for the value.
            v: the gradient.
            reduce: sum `v` to the value's shape, where that can be broadcast to the shape of `v`.

        Raises:
            ValueError: `v` does not fit; the message says what differs.
        """
        mine = self.metadata(v)
        if mine != metadata:
            raise InvalidValueError(f"expected {metadata}; got {mine}")
        return v

    def differentiable(self, v: AnyValue) -> bool:
        """Whether `v` can have a gradient (its elements are real or complex numbers)."""
        return True

    def is_scalar(self, v: AnyValue) -> bool:
        """Whether a backward pass may start from `v` without a gradient given: `v` is one real number."""
        return True

    def version(self, v: AnyValue) -> int:
        """How often `v`'s memory has been written since it was made."""
        return 0

    def describe(self, v: AnyValue) -> str:
        """`v` in a few words, for error messages."""
        return type(v).__name__

    def describe_mutation(self, v: AnyValue) -> str | None:
        """ "operator at file:line" of the last write to `v`'s memory, or None if unknown."""
        return None

    def is_finite(self, v: AnyValue, nan: bool = True, inf: bool = True) -> bool:
        """Whether all elements of `v` are finite.

        Arguments:
            v: the value.
            nan: look for NaN.
            inf: look for infinities.
        """
        raise self._missing("is_finite", v)

    def all_finite(self, values: Sequence[AnyValue], nan: bool = True, inf: bool = True) -> bool:
        """A quick look at all gradients of one node: False where one of them may be not finite.

        Arguments:
            values: the gradients, of any types.
            nan: look for NaN.
            inf: look for infinities.
        """
        return all([adapters[type(v)].is_finite(v, nan, inf) for v in values])

    def nbytes(self, v: AnyValue) -> int:
        """The size of `v` in bytes."""
        raise self._missing("nbytes", v)

    # ---- where saved values are

    def to_host(self, v: AnyValue, pin_memory: bool = False) -> AnyValue:
        """A copy of `v` on the host, in page-locked memory if wanted; `v` itself where it is there."""
        return v

    def from_host(self, v: AnyValue, metadata: Hashable) -> AnyValue:
        """The inverse of `to_host`, for a value that had this metadata."""
        return v

    def to_bytes(self, v: AnyValue) -> memoryview:
        """The bytes of `v`'s elements in row-major order, in memory of the host's."""
        raise self._missing("to_bytes", v)

    def from_bytes(self, metadata: Hashable, fill: Callable[[memoryview], None]) -> AnyValue:
        """A new value with this metadata, whose bytes on the host `fill` writes."""
        raise UnsupportedError(f"from_bytes: {type(self).__name__} does not have it; got metadata {metadata!r}")

    def memory(self, v: AnyValue) -> tuple[object, int]:
        """What owns `v`'s memory, the same object for all values that share it, and its size in bytes."""
        return v, self.nbytes(v)

    def saved_values(self, node: Slot) -> Iterable[tuple[AnyValue, bool]]:
        """Values that `node` saved in a form which the engine does not know, or their `Packed`; and of each whether
        it was put together just now, from parts that the node holds."""
        return ()

    # ---- values that share memory

    def increment_version(self, v: AnyValue) -> None:
        """Count a change of `v`'s memory by something else than an operator."""

    def check_inplace(self, name: str, v: AnyValue) -> None:
        """Raise if operator `name` must not change `v` in place while a gradient is wanted."""

    def rebase_history(self, v: AnyValue, former: object) -> None:
        """`v` was changed in place and has a new node; `former` is the edge to it before. Values that share
        its memory have changed, too."""

    def register_output(self, v: AnyValue, out: AnyValue) -> None:
        """`v` is the result of a Function whose `forward` returned `out`: the same, or what `v` is an alias of.
        It may share memory with an argument, without any operator's knowledge."""

    def release_idle_memory(self) -> None:
        """A backward pass has ended, and many nodes were made since the last such call: time to give memory back.

        Seldom enough that it may take some microseconds. The pass may be part of another one.
        """

    # ---- several gradients at once, and transforms

    def unstack(self, v: AnyValue) -> list[AnyValue]:
        """The values along the first dimension."""
        raise self._missing("unstack", v)

    def stack(self, values: list[AnyValue]) -> AnyValue:
        """These values along a new first dimension."""
        raise self._missing("stack", values[0])

    def row_count(self, v: AnyValue) -> int:
        """How many values there are along the first dimension; 0 where there is none."""
        return len(self.unstack(v))

    def map_rows(
        self,
        function: Callable[[Sequence[AnyValue], bool | None], list[AnyValue]],
        batches: Sequence[AnyValue],
        retain: bool | None,
    ) -> list[AnyValue]:
        """What `function` gives for each place along the first dimension of `batches`, stacked; None where it is None.

        Arguments:
            function: takes values, one of each batch, and whether it is called again.
            batches: of one length, at least 1.
            retain: what the last call gets.
        """
        rows = [self.unstack(one) for one in batches]
        last = len(rows[0]) - 1
        found = [function(row, True if at < last else retain) for at, row in enumerate(zip(*rows, strict=True))]
        return [None if some[0] is None else self.stack(list(some)) for some in zip(*found, strict=True)]

    def transform(self, args: Sequence[object]) -> Slot:
        """What answers a Function called with these arguments, one of which a transform wraps; None for others.

        It has `apply_function(function, args, kwargs)`.
        """
        return None

    # ---- for gradcheck

    def push_forward(
        self, function: Callable[[AnyValue], list[AnyValue]], point: AnyValue, tangent: AnyValue
    ) -> list[AnyValue]:
        """The tangents of what `function` gives at `point` along `tangent`, by forward mode; zeros where it has none.

        Arguments:
            function: takes a value, and gives values that require grad.
            point: the value.
            tangent: the direction.
        """
        raise self._missing("push_forward", point)

    def elements(self, v: AnyValue) -> list[complex]:
        """`v`'s elements as Python numbers, in row-major order."""
        raise self._missing("elements", v)

    def from_elements(self, like: AnyValue, elements: Sequence[complex]) -> AnyValue:
        """A new leaf with `like`'s metadata and these elements, which wants no gradient."""
        raise self._missing("from_elements", like)

    # ---- the surroundings of an operator

    def context(self) -> AbstractContextManager[object] | None:
        """A re-usable context manager that restores what a rule must run under (stream, autocast), or None."""
        return None

    def save_random_state(self) -> Callable[[], AbstractContextManager[object]] | None:
        """The random state at this point, as a function that makes a context manager; None where there is none."""
        return None

    def random_position(self) -> Hashable:
        """Where the random numbers are: a number, say, that grows with each that is drawn."""
        return None

    def skip_random(self, before: Hashable, after: Hashable) -> None:
        """Leave out as many random numbers as were drawn between two `random_position`s."""


class _Table(_Adapters):
    """Adapters by exact type; a type seen for the first time takes its nearest base's."""

    __slots__ = ()

    def __missing__(self, kind: type) -> Adapter:
        for base in kind.__mro__:
            if base in _registered:
                return self.setdefault(kind, _registered[base])
        return self.setdefault(kind, _default)


_registered: dict[type, Adapter] = {}
_default = Adapter()
_table = _Table()
#: `adapters[type(v)]` is the adapter of `v`.
adapters: Mapping[type, AnyAdapter] = _table


def register_adapter(kind: type, adapter: Adapter) -> None:
    """Let `adapter` handle values of type `kind` and of its subclasses that have none of their own."""
    if not isinstance(kind, type):
        raise InvalidTypeError(f"register_adapter: expected a type; got {kind!r}")
    if not isinstance(adapter, Adapter):
        raise InvalidTypeError(
            f"register_adapter: expected an Adapter for {kind.__name__}; got {type(adapter).__name__}"
        )
    _registered[kind] = adapter
    _table.clear()


def adapter_of(v: object) -> AnyAdapter:
    """The adapter for `v`'s type."""
    return adapters[type(v)]


def all_adapters() -> list[AnyAdapter]:
    """Every adapter that was registered."""
    return list(dict.fromkeys(_registered.values()))


def records(F: object) -> bool:
    """Whether `F` is a namespace that records: whether this is a pass with `create_graph`."""
    return F is not None and any(F is adapter.recorded_ops for adapter in _registered.values())


def reduces_to(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether something of the shape `wanted` can be broadcast to `shape`."""
    extra = len(shape) - len(wanted)
    return extra >= 0 and all(n in (1, m) for n, m in zip(wanted, shape[extra:], strict=True))
