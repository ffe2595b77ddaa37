"""Adapters: one small object for each type of gradient, with the operations that the engine needs."""

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
    """The operations of one type of value. Subclass, override, and `register_adapter`.

    This base class is also the default for types without a registered adapter. It adds with `+` and does not clone,
    which is right for immutable values such as numbers. Operations that need more knowledge raise NotImplementedError
    with the method's name.

    >>> Adapter().add(1.5, 2.0)
    3.5
    """

    #: Operator namespaces passed to rules: without recording, and with it (under `create_graph`).
    #: They are different objects. `recorded_ops` has at least `add(a, b)` and `clone(v)`.
    no_record_ops: Slot = None
    recorded_ops: Slot = None

    def _missing(self, method: str, v: object) -> NotImplementedError:
        return UnsupportedError(
            f"{method}: the adapter for {type(v).__name__} ({type(self).__name__}) does not have it; "
            "override it and pass the adapter to facula_autograd.extend.values.register_adapter"
        )

    # ---- sums and copies, for the engine itself

    def add(self, a: AnyValue, b: AnyValue) -> AnyValue:
        """Return `a + b` as a new value, without recording."""
        return a + b

    def is_apart(self, a: AnyValue, b: AnyValue) -> bool:
        """Whether the memory of `a` is known to be none of `b`'s."""
        return False

    def add_into(self, a: AnyValue, b: AnyValue) -> AnyValue:
        """Return `a + b`, in `a`'s own memory if possible. The result replaces `a`."""
        return a + b

    def clone(self, v: AnyValue) -> AnyValue:
        """Return a copy in separate memory, which becomes `.grad` if the gradient has another owner."""
        return v

    def copy_into(self, target: AnyValue, v: AnyValue) -> AnyValue:
        """Return a copy of `v`, in `target`'s own memory if possible."""
        return self.clone(v)

    def adopt(self, v: AnyValue) -> AnyValue:
        """Return the value that becomes `.grad` if the engine owns `v`: `v` itself, or a compact copy."""
        return v

    def ones_like(self, v: AnyValue) -> AnyValue:
        """Return the default gradient that a backward pass starts with."""
        raise self._missing("ones_like", v)

    def zeros_like(self, v: AnyValue) -> AnyValue:
        """Return a zero gradient for `v`."""
        raise self._missing("zeros_like", v)

    def zeros(self, metadata: Hashable) -> AnyValue:
        """Return a zero gradient for a value with this metadata, which may no longer exist."""
        raise UnsupportedError(f"zeros: {type(self).__name__} does not have it; got metadata {metadata!r}")

    def alias(self, v: AnyValue) -> AnyValue:
        """Return a new value over the same data, sharing its version, with `node` None."""
        raise self._missing("alias", v)

    # ---- checks

    def metadata(self, v: AnyValue) -> Hashable:
        """Return the properties that a gradient shares with its value (shape, dtype, device)."""
        return None

    def fit_gradient(self, metadata: Hashable, v: AnyValue, reduce: bool = False) -> AnyValue:
        """Return `v` as the gradient of a value with this metadata: unchanged, or converted to its dtype.

        Arguments:
            metadata: the result of `self.metadata` for the value.
            v: the gradient.
            reduce: sum `v` to the value's shape, if that shape can be broadcast to the shape of `v`.

        Raises:
            ValueError: `v` does not fit; the message names the difference.
        """
        mine = self.metadata(v)
        if mine != metadata:
            raise InvalidValueError(f"expected {metadata}; got {mine}")
        return v

    def differentiable(self, v: AnyValue) -> bool:
        """Return whether `v` can have a gradient (its elements are real or complex numbers)."""
        return True

    def is_scalar(self, v: AnyValue) -> bool:
        """Return whether a backward pass may start from `v` without a gradient: `v` is one real number."""
        return True

    def version(self, v: AnyValue) -> int:
        """Return how often `v`'s memory has been written since its creation."""
        return 0

    def describe(self, v: AnyValue) -> str:
        """Return a short description of `v`, for error messages."""
        return type(v).__name__

    def describe_mutation(self, v: AnyValue) -> str | None:
        """Return "operator at file:line" of the last write to `v`'s memory, or None if unknown."""
        return None

    def is_finite(self, v: AnyValue, nan: bool = True, inf: bool = True) -> bool:
        """Return whether all elements of `v` are finite.

        Arguments:
            v: the value.
            nan: check for NaN.
            inf: check for infinities.
        """
        raise self._missing("is_finite", v)

    def all_finite(self, values: Sequence[AnyValue], nan: bool = True, inf: bool = True) -> bool:
        """Check all gradients of one node quickly: False if one of them may not be finite.

        Arguments:
            values: the gradients, of any types.
            nan: check for NaN.
            inf: check for infinities.
        """
        return all([adapters[type(v)].is_finite(v, nan, inf) for v in values])

    def nbytes(self, v: AnyValue) -> int:
        """Return the size of `v` in bytes."""
        raise self._missing("nbytes", v)

    # ---- the location of saved values

    def to_host(self, v: AnyValue, pin_memory: bool = False) -> AnyValue:
        """Return a copy of `v` on the host, optionally in page-locked memory; `v` itself if it is already there."""
        return v

    def from_host(self, v: AnyValue, metadata: Hashable) -> AnyValue:
        """Reverse `to_host`, for a value that had this metadata."""
        return v

    def to_bytes(self, v: AnyValue) -> memoryview:
        """Return the bytes of `v`'s elements in row-major order, in host memory."""
        raise self._missing("to_bytes", v)

    def from_bytes(self, metadata: Hashable, fill: Callable[[memoryview], None]) -> AnyValue:
        """Return a new value with this metadata, whose bytes on the host `fill` writes."""
        raise UnsupportedError(f"from_bytes: {type(self).__name__} does not have it; got metadata {metadata!r}")

    def memory(self, v: AnyValue) -> tuple[object, int]:
        """Return the owner of `v`'s memory, the same object for all values that share it, and its size in bytes."""
        return v, self.nbytes(v)

    def saved_values(self, node: Slot) -> Iterable[tuple[AnyValue, bool]]:
        """Return the values, or their `Packed`, that `node` saved in a form unknown to the engine.

        A flag with each value is true if it was assembled for this call from parts that the node holds.
        """
        return ()

    # ---- values that share memory

    def increment_version(self, v: AnyValue) -> None:
        """Count a change of `v`'s memory that was not made by an operator."""

    def check_inplace(self, name: str, v: AnyValue) -> None:
        """Raise an error if operator `name` must not change `v` in place while gradients are recorded."""

    def rebase_history(self, v: AnyValue, former: object) -> None:
        """Update values that share memory with `v`, which was changed in place and has a new node.

        `former` is the edge to `v` before the change.
        """

    def register_output(self, v: AnyValue, out: AnyValue) -> None:
        """Register `v`, the result of a Function that returned `out` from `forward`.

        `v` is `out` or an alias of it. It may share memory with an argument, unknown to any operator.
        """

    def release_idle_memory(self) -> None:
        """Release idle memory: a backward pass has ended, and many nodes were created since the last such call.

        Calls are rare enough that each may take some microseconds. The pass may be part of another one.
        """

    # ---- several gradients at once, and transforms

    def unstack(self, v: AnyValue) -> list[AnyValue]:
        """Return the values along the first dimension."""
        raise self._missing("unstack", v)

    def stack(self, values: list[AnyValue]) -> AnyValue:
        """Stack these values along a new first dimension."""
        raise self._missing("stack", values[0])

    def row_count(self, v: AnyValue) -> int:
        """Return the number of values along the first dimension; 0 without dimensions."""
        return len(self.unstack(v))

    def map_rows(
        self,
        function: Callable[[Sequence[AnyValue], bool | None], list[AnyValue]],
        batches: Sequence[AnyValue],
        retain: bool | None,
    ) -> list[AnyValue]:
        """Return the stacked results of `function` for each index of the first dimension of `batches`; None for None.

        Arguments:
            function: takes values, one of each batch, and whether it is called again.
            batches: batches of equal length, at least 1.
            retain: passed to the last call.
        """
        rows = [self.unstack(batch) for batch in batches]
        last = len(rows[0]) - 1
        found = [function(row, True if at < last else retain) for at, row in enumerate(zip(*rows, strict=True))]
        return [None if some[0] is None else self.stack(list(some)) for some in zip(*found, strict=True)]

    def transform(self, args: Sequence[object]) -> Slot:
        """Return the handler of a Function call if a transform wraps one of these arguments, otherwise None.

        The handler has a method `apply_function(function, args, kwargs)`.
        """
        return None

    # ---- for gradcheck

    def push_forward(
        self, function: Callable[[AnyValue], list[AnyValue]], point: AnyValue, tangent: AnyValue
    ) -> list[AnyValue]:
        """Return the tangents of `function`'s outputs at `point` along `tangent`, by forward mode; zeros if missing.

        Arguments:
            function: takes a value, and returns values that require grad.
            point: the value.
            tangent: the direction.
        """
        raise self._missing("push_forward", point)

    def elements(self, v: AnyValue) -> list[complex]:
        """Return `v`'s elements as Python numbers, in row-major order."""
        raise self._missing("elements", v)

    def from_elements(self, like: AnyValue, elements: Sequence[complex]) -> AnyValue:
        """Return a new leaf with `like`'s metadata and these elements, which does not require grad."""
        raise self._missing("from_elements", like)

    # ---- the context of an operator

    def context(self) -> AbstractContextManager[object] | None:
        """Return a reusable context manager that restores the context of a rule (stream, autocast), or None."""
        return None

    def save_random_state(self) -> Callable[[], AbstractContextManager[object]] | None:
        """Return a function that creates a context manager with the present random state; None if there is no state."""
        return None

    def random_position(self) -> Hashable:
        """Return the position in the stream of random numbers, such as a count of the numbers drawn."""
        return None

    def skip_random(self, before: Hashable, after: Hashable) -> None:
        """Skip as many random numbers as were drawn between two results of `random_position`."""


class _Table(_Adapters):
    """Adapters by exact type; a new type uses the adapter of its nearest base class."""

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
    """Use `adapter` for values of type `kind`, and of its subclasses without their own adapter."""
    if not isinstance(kind, type):
        raise InvalidTypeError(f"register_adapter: expected a type; got {kind!r}")
    if not isinstance(adapter, Adapter):
        raise InvalidTypeError(
            f"register_adapter: expected an Adapter for {kind.__name__}; got {type(adapter).__name__}"
        )
    _registered[kind] = adapter
    _table.clear()


def adapter_of(v: object) -> AnyAdapter:
    """Return the adapter for `v`'s type."""
    return adapters[type(v)]


def all_adapters() -> list[AnyAdapter]:
    """Return every registered adapter."""
    return list(dict.fromkeys(_registered.values()))


def records(F: object) -> bool:
    """Return whether `F` is a namespace that records, that is, whether the pass has `create_graph`."""
    return F is not None and any(F is adapter.recorded_ops for adapter in _registered.values())


def reduces_to(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Return whether the shape `wanted` can be broadcast to `shape`."""
    extra = len(shape) - len(wanted)
    return extra >= 0 and all(n in (1, m) for n, m in zip(wanted, shape[extra:], strict=True))
