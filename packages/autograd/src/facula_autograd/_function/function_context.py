"""The `ctx` of one call of a `Function`: the data that `forward` passes to `backward`."""

from __future__ import annotations

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._adapters import adapter_of
from .._graph.node import LEAF, Node
from .._modes.mode_state import active_modes, current_mode
from .._saved_values.packing import Packed
from .._saved_values.versions import check_saved
from .._value import Value
from .outputs import output_node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
    from weakref import ref

    from .._graph.node import Rule
    from .._types import AnyValue, Leaf

    Entry = tuple[Leaf | Packed, int, int | None]

    class Definition(Protocol):
        """A subclass of `Function`, for modules below that class."""

        __name__: str
        _rule: Rule

        def backward(self, *args: object) -> object: ...


@boundary
class FunctionContext:
    """The `ctx` of one call, which carries data for `backward`. Any attribute may be set on it.

    `needs_input_grad` contains, for each argument of `apply`, whether its gradient is needed.
    """

    def __init__(self, function: Definition, needs_input_grad: tuple[bool, ...]) -> None:
        self._function = function
        self.needs_input_grad = needs_input_grad
        self._to_save: tuple[Value | None, ...] = ()
        self._saved: list[Entry | None] | None = None
        self._for_forward: tuple[object, ...] | None = None
        self._in_forward_mode = False
        self._dirty: tuple[Value, ...] = ()
        self._non_differentiable: tuple[object, ...] = ()
        self._materialize = True
        self._node: ref[Node] | None = None

    def save_for_backward(self, *values: object) -> None:
        """Keep inputs, outputs, or other values (None too) for `backward`, which reads them from `saved_tensors`."""
        for k, value in enumerate(values):
            if value is not None and not isinstance(value, Value):
                raise InvalidTypeError(
                    f"{self._function.__name__}: save_for_backward takes values or None; argument {k} is "
                    f"a {type(value).__name__}. Store other things as attributes of ctx"
                )
        self._to_save = values  # type: ignore[assignment]  # checked above

    def save_for_forward(self, *values: object) -> None:
        """Keep values for `jvp`, which reads them from `saved_tensors`; by default, those saved for backward."""
        self._for_forward = values

    def mark_dirty(self, *values: Value) -> None:
        """Declare inputs that `forward` changed in place; they must be among the outputs."""
        self._dirty = values

    def mark_non_differentiable(self, *values: object) -> None:
        """Declare outputs without a gradient."""
        self._non_differentiable = values

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether `backward` receives zeros (the default) or None for outputs without a gradient."""
        self._materialize = bool(value)

    @property
    def saved_tensors(self) -> tuple[AnyValue, ...]:
        """The values passed to `save_for_backward`. Raises MutationError if one has been changed in place."""
        if self._in_forward_mode and self._for_forward is not None:
            return self._for_forward
        if self._saved is None:
            return self._to_save
        node = self._node() if self._node is not None else None
        return tuple(self._unpack(k, entry, node) for k, entry in enumerate(self._saved))

    @property
    def saved_values(self) -> tuple[AnyValue, ...]:
        """Another name for `saved_tensors`."""
        return self.saved_tensors

    def _keep(self, outputs: list[object], results: list[object]) -> None:
        """Convert the arguments of `save_for_backward` to a form that a node may keep."""
        # An output refers to its node, and the node to this context, so an output is kept as an alias without a node.
        # Any other value except a leaf is kept as an alias with its present node: a later in-place change of the value
        # could lead back here.
        hooks = current_mode().saved_hooks if active_modes else None
        self._saved = []
        for value in self._to_save:
            if value is None:
                self._saved.append(None)
                continue
            adapter = adapter_of(value)
            k = next((k for k, out in enumerate(outputs) if out is value or results[k] is value), None)
            kept: Leaf = value
            if isinstance(value, Value) and value.node is not LEAF:
                kept = adapter.alias(value)
                kept.node = value.node if k is None else None
            if hooks is None:
                self._saved.append((kept, adapter.version(value), k))
            else:
                self._saved.append((Packed(kept, hooks), 0, k))
        self._to_save = ()

    def _unpack(self, position: int, entry: Entry | None, node: Node | None) -> Leaf | None:
        if entry is None:
            return None
        saved, version, k = entry
        value = saved.get() if isinstance(saved, Packed) else saved
        if value is saved and node is not None:
            check_saved(node, value, version, f"saved value {position}")
        if k is None or node is None:
            return value
        kinds, only = node.s1
        value = adapter_of(value).alias(value)
        if only is None:
            if kinds[k] is not None:
                value.node = output_node(node, k, len(kinds))
        elif k == only:
            value.node = node
        return value
