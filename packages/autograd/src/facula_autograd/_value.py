"""`Value`: the base class of all differentiable values, and its methods for users."""

from __future__ import annotations

from sys import _getframe

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback

from ._adapters import adapter_of
from ._engine.backward import chosen_inputs, run_backward
from ._errors import GradientError
from ._graph.gradient_edge import resolve_edges
from ._graph.hooks import add_post_accumulate_hook, add_value_hook, retain_gradient, retains_gradient
from ._graph.node import LEAF, Node
from ._modes.context_managers import checked_bool
from ._modes.mode_state import active_modes, note_grad, note_grad_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from ._graph.handles import Handle, LeafHooks
    from ._graph.node import _Leaf
    from ._types import AnyValue


@boundary
class Value:
    """Base class of differentiable values.

    `node` is None (no gradient is recorded), `LEAF` (a leaf that requires grad), or the Node that computed the value;
    every constructor sets it. `_grad` and `hooks` are set when a value becomes a leaf that requires grad, and may be
    unset before. Subclasses add `__weakref__`.
    """

    __slots__ = ("_grad", "hooks", "node")

    if TYPE_CHECKING:
        node: Node | _Leaf | None
        _grad: AnyValue
        hooks: LeafHooks | None

    @property
    def requires_grad(self) -> bool:
        """Whether operators record when applied to this value; settable on leaves."""
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self.requires_grad_(flag)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether this leaf requires gradients, and return the value itself."""
        try:
            if checked_bool("requires_grad_", requires_grad) and self.node is not None:
                return self
            if type(self.node) is Node:
                raise GradientError(
                    "requires_grad_: expected a leaf; this value was computed by "
                    f"{self.node.name()} at {self.node.where}. Use detach() for a value without a gradient"
                )
            if requires_grad:
                adapter = adapter_of(self)
                if not adapter.differentiable(self):
                    raise GradientError(
                        f"requires_grad_: expected a floating-point or complex value; got {adapter.describe(self)}"
                    )
                self._grad = getattr(self, "_grad", None)
                self.hooks = getattr(self, "hooks", None)
            self.node = LEAF if requires_grad else None
            return self
        except FaculaError as error:
            trim_traceback(error)
            raise

    @property
    def is_leaf(self) -> bool:
        """Whether the value was not computed by a recorded operator."""
        return type(self.node) is not Node

    @property
    def grad_fn(self) -> Node | None:
        """The node that computed this value; None for leaves."""
        node = self.node
        return node if type(node) is Node else None

    @property
    def grad(self) -> AnyValue:
        """The gradient accumulated by backward passes, or None; can be set and deleted."""
        grad = getattr(self, "_grad", None)
        if active_modes:
            note_grad_read(self)
        if grad is None and type(self.node) is Node and not self.retains_grad:
            from warnings import warn

            warn("grad: the .grad of a value that is not a leaf is not filled by backward(); call retain_grad() on it "
                 "before, or look at a leaf", UserWarning, stacklevel=2)  # fmt: skip
        return grad

    @grad.setter
    def grad(self, grad: AnyValue) -> None:
        try:
            if grad is not None:
                adapter = adapter_of(self)
                if grad is self:
                    raise GradientError("grad: expected a gradient; got the value itself")
                if adapter_of(grad) is not adapter:
                    raise InvalidTypeError(
                        f"grad: expected None or a gradient like {adapter.describe(self)}; got {grad!r}"
                    )
                if adapter.metadata(grad) != adapter.metadata(self):
                    raise GradientError(
                        f"grad: expected a gradient like {adapter.describe(self)}; got "
                        f"{adapter_of(grad).describe(grad)}"
                    )
            if active_modes:
                note_grad(self)
            self._grad = grad
        except FaculaError as error:
            trim_traceback(error)
            raise

    @grad.deleter
    def grad(self) -> None:
        if active_modes:
            note_grad(self)
        self._grad = None

    def backward(
        self,
        gradient: AnyValue = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: AnyValue = None,
    ) -> None:
        """Add the gradients of this value to the `.grad` of the leaves that it was computed from.

        Raises the errors of `facula_autograd.backward`.

        Arguments:
            gradient: the gradient of this value, with its shape; None means 1, only for a single real number.
            retain_graph: keep the saved values for another pass; `create_graph` by default.
            create_graph: record the gradients, so that they can be differentiated.
            inputs: accumulate `.grad` only of these values, one, a sequence or a dict of them; by default of all
                leaves.
        """
        try:
            if inputs is not None:
                inputs = resolve_edges(chosen_inputs(inputs))
            frame = _getframe(1)
            gradients = gradient if isinstance(gradient, (tuple, list)) else (gradient,)
            run_backward((self,), gradients, retain_graph, create_graph, inputs, (frame.f_code, frame.f_lasti))
        except FaculaError as error:
            trim_traceback(error)
            raise

    def register_hook(self, hook: Callable[[AnyValue], AnyValue]) -> Handle:
        """Call `hook(gradient)` when this value's gradient is complete. A result other than None replaces the gradient.

        Returns a handle whose `remove()` removes the hook.
        """
        return add_value_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[AnyValue], None]) -> Handle:
        """Call `hook(leaf)` in each backward pass, after this leaf's `.grad` has been updated."""
        return add_post_accumulate_hook(self, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf value in `.grad`. Has no effect on leaves."""
        node = self.node
        if node is None:
            raise GradientError("retain_grad: expected a value that requires grad; got one that does not")
        if type(node) is Node:
            retain_gradient(self, node)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on this non-leaf value."""
        node = self.node
        return type(node) is Node and retains_gradient(self, node)
