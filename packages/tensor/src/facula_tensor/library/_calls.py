"""A call of an operator on whole tensors: its flattened arguments and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes, current_mode
from facula_autograd.extend.transforms import LEAF_SHAPE, Shape, put_together, take_apart
from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_storage import meta

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.slow_path.launching import mutated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from facula_storage import Layout

    from ._arguments import Args, Arguments, Named

    class Definition(Protocol):
        """The interface of `CustomOpDef` for modules that it imports."""

        name: str
        arguments: Arguments
        results: Shape
        backward: Callable[..., Any] | None
        setup_context: Callable[..., Any] | None
        batch_rule: Callable[..., Any] | None

        def kernel_for(self, tensors: Sequence[Tensor], named: Named) -> Callable[..., Any]: ...

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


NO_TENSORS = (type(None), bool, int, float, complex)  # types that a function may return besides tensors


class MutatedArgument:
    """A placeholder in the results for an argument that the function modified and returned."""

    __slots__ = ("place",)

    def __init__(self, place: int):
        self.place = place  # index into the leaves


class Call:
    """A call of an operator; the first argument of the operator's Function, followed by all argument leaves.

    `shape` is the tree structure of (positional arguments, keyword-only arguments); `results` is that of the function's
    return value. Until the function has run, `results` describes the previous call, because a checkpoint may have saved
    those outputs and then does not call the function again.
    """

    __slots__ = ("op", "results", "shape")

    def __init__(self, op: Definition, shape: Shape):
        self.op, self.shape, self.results = op, shape, op.results

    def arguments(self, leaves: Sequence[Any]) -> tuple[Args, Named]:
        """Return the positional and keyword-only arguments that have these leaves."""
        found: tuple[Args, Named] = put_together(self.shape, list(leaves))
        return found

    def result(self, outputs: Sequence[Any], leaves: Sequence[Any]) -> Any:
        """Return the value that the caller receives for these outputs."""
        return put_together(
            self.results, [leaves[output.place] if type(output) is MutatedArgument else output for output in outputs]
        )

    # ------------------------------------------------------------------------------------------------- computing
    def compute(self, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the outputs for plain leaves, or those that a checkpoint policy saved."""
        mode = current_mode() if active_modes else None
        if mode is None or mode.compute is None or self.op.arguments.changed:
            return self._run(leaves)
        return tuple(mode.compute(self.op.name, lambda: self._run(leaves), leaves, ()))

    def _run(self, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
        op = self.op
        plain = [leaf.detach() if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        args, named = self.arguments(plain)
        tensors = [value for value in plain if isinstance(value, Tensor)]
        changed = op.arguments.tensors_changed(op.name, args, named)
        written = {id(tensor._storage) for tensor in changed}
        before = [(tensor, tensor._storage.version) for tensor in tensors if id(tensor._storage) not in written]
        result = op.kernel_for(tensors, named)(*args, **named)
        for tensor in changed:
            mutated(tensor, op.name)
        for tensor, version in before:
            if tensor._storage.version != version:
                raise ArgumentError(
                    f"{op.name}: its function changed the argument {show(layout_of_tensor(tensor))}, which "
                    "mutates_args does not name; name it there, or change a clone()"
                )
        outputs, self.results = take_apart(result)
        op.results = self.results
        places = {id(leaf): place for place, leaf in enumerate(plain)}
        memory = {id(tensor._storage) for tensor in tensors}
        return tuple([self._checked(output, places, written, memory) for output in outputs])

    def _checked(self, output: Any, places: dict[int, int], written: set[int], memory: set[int]) -> Any:
        """Check that an output is new or a modified argument, and return it. `memory` identifies storages in use."""
        name = self.op.name
        if not isinstance(output, Tensor):
            if isinstance(output, NO_TENSORS):
                return output
            raise InvalidTypeError(
                f"{name}: expected its function to give tensors, numbers or None, or tuples and lists of such; got "
                f"{type(output).__name__}"
            )
        storage = id(output._storage)
        if storage in written and id(output) in places:
            return MutatedArgument(places[id(output)])
        if storage in memory and output.device is not meta:
            raise ArgumentError(
                f"{name}: its function returned an argument, a view of one, or two results that share memory; "
                "return a clone()"
            )
        memory.add(storage)
        return output.detach()

    # ------------------------------------------------------------------------------------------------- gradients
    def by_argument(self, values: Sequence[Any], empty: Any) -> tuple[Any, ...]:
        """Regroup values of leaves by positional argument: a list for a list of tensors.

        Arguments:
            values: one value for each leaf.
            empty: the value for arguments without tensors.
        """
        at, found = 0, []
        for part in self.shape.parts[0].parts:
            end = at + leaf_count(part)
            some = list(values[at:end])
            at = end
            found.append(some[0] if part is LEAF_SHAPE else empty if all([part_ is empty for part_ in some]) else
                         put_together(part, some))  # fmt: skip
        return tuple(found)

    def gradients(self, found: Any, like: Sequence[Layout | None]) -> list[Tensor | None]:
        """Return the gradient of each leaf from the return value of `backward`; `like` has the layouts of tensors."""
        name, parts = self.op.name, self.shape.parts[0].parts
        listed = isinstance(found, list) and not (len(parts) == 1 and parts[0].kind is not None)
        given = tuple(found) if isinstance(found, tuple) or listed else (found,)
        if len(given) != len(parts):
            raise ArgumentError(
                f"{name}: expected backward to return {len(parts)} gradients, one an argument; got {len(given)}"
            )
        flat: list[Any] = []
        for argument, part, value in zip(self.op.arguments.positional, parts, given, strict=True):
            if value is None:
                flat += [None] * leaf_count(part)
                continue
            some, shape = take_apart(value)
            if shape != part and (part.kind is None or len(some) != leaf_count(part)):
                raise ArgumentError(
                    f"{name}: expected backward to return the gradient of '{argument}' built like it, {part}; got "
                    f"{shape}"
                )
            flat += some
        flat += [None] * (len(like) - len(flat))
        return [
            None if gradient is None else self._fitting(gradient, wanted)
            for gradient, wanted in zip(flat, like, strict=True)
        ]

    def _fitting(self, gradient: Any, like: Layout | None) -> Tensor:
        """Cast a gradient to the dtype of its argument; raise unless shape and device match."""
        name = self.op.name
        if not isinstance(gradient, Tensor):
            raise InvalidTypeError(
                f"{name}: expected backward to return tensors and None; got {type(gradient).__name__}"
            )
        found = layout_of_tensor(gradient)
        if like is None:
            raise ArgumentError(
                f"{name}: expected backward to return None for an argument that is no tensor; got {show(found)}"
            )
        if found.shape != like.shape or found.device is not like.device:
            raise ArgumentError(
                f"{name}: expected backward to return a gradient like its argument {show(like)}; got {show(found)}"
            )
        return gradient if found.dtype is like.dtype else recorded_ops.to(gradient, (like.dtype,))


def leaf_count(shape: Shape) -> int:
    """Return the number of leaves of a tree with this structure."""
    return 1 if shape.kind is None else sum([leaf_count(part) for part in shape.parts])


def on_meta(leaf: Any) -> Any:
    """Return a tensor's counterpart on the meta device, without elements; return other values unchanged."""
    return no_record_ops.to_device(leaf, (meta, False)) if isinstance(leaf, Tensor) else leaf


def no_gradient(name: str) -> UnsupportedError:
    """Return the error for a gradient request to an operator without a registered gradient."""
    return UnsupportedError(
        f"{name}: '{name}' has no gradient; give it one by register_autograd, or detach its arguments"
    )
