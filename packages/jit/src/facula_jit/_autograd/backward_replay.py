"""Backward passes of replays: captured launches, or an eager call of the function if they do not apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd import MutationError
from facula_autograd.extend.nodes import describe_call_site
from facula_errors import OperationError
from facula_storage import LaunchError, Storage
from facula_storage.extend.memory import allocate
from facula_storage.extend.recording import current_recorder
from facula_tensor import zeros
from facula_tensor.extend.declaring import no_record_ops
from facula_tensor.extend.tensors import snapshot

from .._recording.graph_breaks import CHANGED, RECORDED, WRAPPED
from .._recording.records import made_tensor
from .._recording.tensor_guards import first_failing
from .outer_backward import is_recorded_pass, record_launches

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from .._recording.recording import Recording
    from .._recording.tensor_guards import Check
    from .recorded_backward import FrameLease


class BackwardReplay:
    """The part of a replay for backward passes.

    `eager_backward` runs the call of such a pass eagerly.
    """

    eager_backward: Any = None
    name: str
    recording: Recording
    generators: list[Any]
    actions: list[Any]
    outer_backwards: list[Any]
    backward_ends: set[int]
    read_by_call: list[Check]
    read_backwards: list[Check]  # compared before the captured backward runs

    @property
    def leaves_more(self) -> bool:
        """True if a call has effects other than its results and random draws."""
        recording, recorder = self.recording, self.recording.recorder
        others = recording.puts or self.actions or recorder.optimizers or self.outer_backwards
        return recording.versions.any_changes or recorder.has_calls or bool(others)

    def _saved_storages(self, lease: FrameLease) -> list[Storage]:
        """Return the storages that the backward pass reads, without temporaries."""
        return [
            value if kind == "fixed" else lease.outputs[value] if kind == "output" else lease.inputs[value]._storage
            for kind, value in lease.frame.lowered.read_back
        ]

    def check_versions(self, lease: FrameLease) -> None:
        """Raise MutationError if a value that the backward pass reads has changed."""
        for storage, version in zip(self._saved_storages(lease), lease.versions, strict=True):
            if storage.version != version:
                by = (
                    ""
                    if storage.mutator is None
                    else f" by {storage.mutator[0]} at {describe_call_site(*storage.mutator[1:])}"
                )
                raise MutationError(
                    f"backward: a tensor that {self.name} needs for its gradient was changed in place after the call"
                    f"{by}; change a .clone() of it"
                )

    def run_backward(self, lease: FrameLease, gradients: list[Tensor | None], recorded: bool) -> list[Tensor | None]:
        """Return the gradients of the targets: by the captured backward pass, or by an eager one if this pass is
        `recorded`.
        """
        if recorded:
            return self._eager_gradients(lease, gradients, recorded, RECORDED)
        if self.read_backwards and first_failing(self.read_backwards) is not None:
            return self._eager_gradients(lease, gradients, recorded, CHANGED)
        self.check_versions(lease)
        given = []
        for gradient, like in zip(gradients, self.recording.gradients, strict=True):
            if gradient is None:
                gradient = zeros(like.layout.shape, dtype=like.layout.dtype, device=like.layout.device)
            if gradient._layout is not like.layout:  # with other strides, possibly only for dimensions of size 1
                if type(gradient._storage) is not Storage:
                    return self._eager_gradients(lease, gradients, recorded, WRAPPED)
                gradient = snapshot(no_record_ops.contiguous(gradient))
                gradient = made_tensor(like.layout, gradient._storage, gradient._offset, None)
            given.append(gradient)
        if None not in gradients:
            return self._pass(0, lease, given)
        results: list[Tensor | None] = [None] * len(lease.edges)
        for root, gradient in enumerate(gradients):  # a result without a gradient must not contribute zeros
            if gradient is not None:
                for place, returned in enumerate(self._pass(1 + root, lease, given)):
                    before = results[place]
                    results[place] = (
                        returned
                        if before is None
                        else before
                        if returned is None
                        else no_record_ops.add(before, returned)
                    )
        return results

    def _eager_gradients(
        self, lease: FrameLease, gradients: list[Tensor | None], recorded: bool, problem: str
    ) -> list[Tensor | None]:
        if self.eager_backward is None:
            raise OperationError(
                f"backward: {problem}: that of {self.name}, whose graph consists only of launches; "
                "differentiate the original function"
            )
        found: list[Tensor | None] = self.eager_backward.gradients(self, lease, gradients, recorded, problem)
        return found

    def _pass(self, number: int, lease: FrameLease, given: list[Tensor]) -> list[Tensor | None]:
        """Return the gradients of one backward pass."""
        backward = lease.frame.lowered.backwards[number]
        storages = [allocate(layout) for layout in backward.layouts]
        values = [tensor.ptr for tensor in (*lease.outputs, *storages)]
        recorder: Any = current_recorder()
        missed = None
        try:
            if recorder is not None and is_recorded_pass(recorder, lease):
                record_launches(recorder, lease, number, given, storages)
            else:
                missed = lease.frame.backwards[number].run((*lease.inputs, *given), (*values, *lease.rng_values))
        except LaunchError as error:
            raise backward.part.refused(error, self.name) from None
        if missed is not None:
            raise OperationError(
                "backward: memory that a captured function needs for its gradient was replaced after the call; call "
                "backward() before tensors are resized or moved"
            )
        made = iter(storages)
        return [
            None if grad is None else made_tensor(grad.layout, next(made), grad.offset, None) for grad in backward.grads
        ]
