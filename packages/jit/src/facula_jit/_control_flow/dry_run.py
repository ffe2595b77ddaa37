"""Branches of a capture: the recorder's events while one function of a condition or loop runs.

Note [Dry runs]
~~~~~~~~~~~~~~~
A condition is captured by running both of its functions, a loop by running its body at least once. A function that
would not have run in this call is run *dry*: its launches are recorded, on separate memory, and its effects are undone
afterwards. Outside memory is copied before it is written, and restored at the end; generators are restored, too. An
effect that cannot be undone (an optimizer's step) ends the dry run before it happens, and breaks the capture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import Node, next_seq
from facula_storage import Storage, contiguous, cpu, uint8
from facula_storage.extend.memory import allocate
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from facula_storage.extend.recording import Place

    from .._recording.recorder import Recorder


class DryRunAborted(BaseException):
    """An exception that ends a dry run, so that `except Exception` of a program does not stop it. `branch` is the
    branch of the dry run.
    """

    def __init__(self, branch: Branch):
        super().__init__()
        self.branch = branch


class Branch:
    """A context in which one function runs.

    `outside` contains the tensors with an outside history that it used, by the id of their node.

    Arguments:
        recorder: the recorder.
        what: the name of the branch in errors.
        is_dry: undo all effects afterwards.
    """

    def __init__(self, recorder: Recorder, what: str, is_dry: bool):
        self.recorder, self.what, self.is_dry = recorder, what, is_dry
        self.first_node = next_seq()
        self.outside: dict[int, Tensor] = {}
        self.draws: dict[int, int] = {}  # number of draws from each generator
        self._first_block = len(recorder.blocks)
        self._copies: dict[tuple[int, int, Any], tuple[Place, Storage, Any, Any]] = {}
        self._nodes: dict[int, tuple[Tensor, Any]] = {}
        self._grads: list[tuple[Any, Any]] = []
        self._offsets = {key: generator.generator._offset for key, generator in recorder.generators.items()}

    def __enter__(self) -> Self:
        self.recorder.branches.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        self.recorder.branches.remove(self)
        self._count_draws()
        if self.is_dry:
            self._restore()

    # ----------------------------------------------------------------------------------------------- notifications
    def sees(self, operands: Sequence[object]) -> None:
        """Record the operands that an operator is about to read."""
        for operand in operands:
            if not isinstance(operand, Tensor) or type(operand._storage) is not Storage:
                continue
            if self.is_dry and self._is_outside(operand._storage):
                self._nodes.setdefault(id(operand), (operand, operand.node))
            if type(operand.node) is Node and operand.node.seq < self.first_node:
                self.outside[id(operand.node)] = operand

    def writes(self, places: Sequence[Place]) -> None:
        """Save the memory that a launch is about to write."""
        for place in places:
            if not self.is_dry or not self._is_outside(place.storage):
                continue
            if place.layout is None:
                self.refuse("a change of unknown size")
            elif place.layout.extent:
                self._keep(place, place.layout.extent)

    def _is_outside(self, storage: Any) -> bool:
        """Return True if memory existed before the branch."""
        number = self.recorder.number_of(storage)
        return number < self._first_block or not self.recorder.blocks[number].is_new

    def grad_set(self, leaf: Any) -> None:
        """Record that `.grad` of a leaf is about to be set."""
        self._grads.append((leaf, leaf._grad))
        self.refuse("backward()", undone=True)

    def refuse(self, what: str, undone: bool = False) -> None:
        """Break the capture, because this operation is not allowed in a branch.

        Arguments:
            what: the operation that is about to run.
            undone: True if a dry run can undo it.
        """
        self.recorder.broken(
            f"{self.what} does {what}, which a replay would have to omit or repeat",
            "move it outside",
        )
        if self.is_dry and not undone:
            raise DryRunAborted(self)

    # ------------------------------------------------------------------------------------------------ restoration
    def _keep(self, place: Place, nbytes: int) -> None:
        """Copy the contents of a place, once."""
        if place.layout is not None and place.layout.device is not cpu:
            self.refuse(f"a change of a tensor on '{place.layout.device}'")
            return
        storage = place.storage
        key = id(storage), place.offset, place.layout
        if key not in self._copies:
            with self.recorder.unrecorded():
                kept = allocate(contiguous((nbytes,), uint8))
                _copy(nbytes, storage.ptr + place.offset, kept.ptr)
            self._copies[key] = place, kept, storage.version, getattr(storage, "mutator", None)

    def _restore(self) -> None:
        """Restore memory, nodes, `.grad` and generators."""
        with self.recorder.unrecorded():
            for place, kept, version, mutator in reversed(self._copies.values()):  # the oldest copies are restored last
                _copy(place.layout.extent, kept.ptr, place.storage.ptr + place.offset)  # type: ignore[union-attr]
                place.storage.version = version
                if mutator is not None:
                    place.storage.mutator = mutator
        for output, node in self._nodes.values():
            if output.node is not node:
                output.node = node
                self.refuse("an in-place change that gradients flow through", undone=True)
        for leaf, grad in reversed(self._grads):
            leaf._grad = grad
        for key, stream in self.recorder.generators.items():
            stream.generator._offset = self._offsets.get(key, stream.start)

    def _count_draws(self) -> None:
        for key, stream in self.recorder.generators.items():
            count = stream.generator._offset - self._offsets.get(key, stream.start)
            if count:
                self.draws[key] = count


def _copy(nbytes: int, source: int, target: int) -> None:
    layout = contiguous((nbytes,), uint8)
    layout.device.backend.plan("copy", (layout,), (layout,), ()).launch(nbytes, source, target)
