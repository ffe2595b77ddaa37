"""Recording of a model operator by operator, with operands in their positions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import facula_tensor
from facula_autograd import no_grad
from facula_storage.extend.recording import Place, current_recorder
from facula_tensor import Tensor, functional
from facula_tensor.extend.recording import user_frame

from .._recording.graph_breaks import CaptureError
from .._recording.recorder import Recorder, recording
from .._recording.records import CHANGED, Address
from ._nodes import OnnxExporterError
from ._regions import Step, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Plan

    from .._recording.records import Block
    from ._regions import Part


class Tracer(Recorder):
    """A recorder that stores operators as a whole, in addition to launches."""

    takes_devices = False

    def __init__(self, inputs: Sequence[Tensor]):
        super().__init__(inputs, stops=True)
        self.steps: list[Step] = []

    def entered(self, module: Any) -> None:
        """Record the start of a module's call, since its tensors' names are those of the file."""
        super().entered(module)
        self.modules.setdefault(id(module), (module, dict(vars(module))))

    def launched(self, plan: Plan, n: int, arguments: Sequence[Any], arrays: int) -> None:
        """Record a launch."""
        first = len(self.launches)
        super().launched(plan, n, arguments, arrays)
        addresses: list[Any] = [
            Address(self.number_of(argument.storage), argument.offset, argument.layout, argument.written)
            if type(argument) is Place
            else argument
            for argument in arguments
        ]
        plan, numbers = plan.inner or plan, addresses[arrays:]
        changed = CHANGED.get(plan.operator, ())
        results = tuple(
            [
                address
                for k, address in enumerate(addresses)
                if type(address) is Address and address.written and k not in changed
            ]
        )
        given = [address for address in addresses[:arrays] if address not in results]
        kinds = () if plan.request is None else plan.request[1]
        operator = plan.operator if plan.request is None else plan.request[0]
        if len([kind for kind in kinds if not isinstance(kind, type)]) == len(given):
            given, numbers = _in_order(kinds, given, numbers)
        site, module = self.launches[-1].site, self.launches[-1].module
        self.steps.append(
            Step(plan.operator, operator, plan.parameters, tuple(given), results, tuple(numbers), site, module, first)
        )

    def calls(self, operation: str) -> None:
        """Report a graph break: a call has effects besides its results."""
        self.broken(f"{operation} communicates with other processes, which a file cannot", "leave the line out")

    def renumber(self, first: int, moved: Callable[[int], int]) -> None:
        """Update the operators after launches from `first` on were renumbered."""
        super().renumber(first, moved)
        for place, step in enumerate(self.steps):
            if step.first >= first:
                self.steps[place] = step._replace(first=moved(step.first))

    def read(self, operation: str) -> None:
        """Report a graph break: elements are about to be read in Python."""
        frame, called, program = sys._getframe(1), operation, user_frame(1)
        while frame is not program:  # the outermost public function is the one that the program's line calls
            name = frame.f_code.co_name
            if name[0] != "_" and (
                hasattr(Tensor, name) or name in facula_tensor.__all__ or name in functional.__all__
            ):
                called = name
            frame = frame.f_back  # type: ignore[assignment]
        by = "" if called == operation else f", by {operation}"
        self.broken(
            f"{called} reads elements in Python{by}, which a file cannot",
            "compute with tensors (where, clamp, masks, cond), or outside of the exported model",
        )


def _in_order(kinds: Sequence[object], arrays: Sequence[Any], numbers: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the operands in the operator's order, and the remaining numbers."""
    places, left, operands = iter(arrays), list(numbers), []
    for kind in kinds:
        if isinstance(kind, type):
            operands.append(left.pop(0))
            if kind is complex:
                left.pop(0)
        else:
            address = next(places)
            operands.append(None if kind is None else address)
    return operands, left


class Trace(NamedTuple):
    """A recorded function: its operators, the memory that they use, its arguments and its result."""

    parts: list[Part]
    blocks: list[Block]
    inputs: list[Address]
    result: Any
    recorder: Tracer

    def address_of(self, tensor: Tensor) -> Address:
        """Return the address of a tensor."""
        return Address(self.recorder.number_of(tensor._storage), tensor._offset, tensor._layout, False)


def trace(function: Callable[..., Any], inputs: Sequence[Tensor], args: Any, kwargs: Any) -> Trace:
    """Run a function once and record its operators; raise OnnxExporterError at a line that reads elements in Python.

    Arguments:
        function: the function, which runs without recording gradients.
        inputs: the tensors among its arguments.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """
    if current_recorder() is not None:
        raise OnnxExporterError("onnx.export: called inside a captured function; call it outside")
    tracer = Tracer(inputs)
    buffers = [
        (tensor, tensor._storage.version, tensor.detach().clone()) for tensor in getattr(function, "buffers", tuple)()
    ]
    try:
        with no_grad(), recording(tracer):
            result = function(*args, **kwargs)
    except CaptureError as error:
        _, _, why = str(error).partition(": ")
        raise OnnxExporterError(f"onnx.export: {why}") from None
    finally:
        for tensor, version, before in buffers:
            if tensor._storage.version != version:  # only in training mode, which is refused
                tensor.detach().copy_(before)
    given = [Address(tracer.number_of(tensor._storage), tensor._offset, tensor._layout, False) for tensor in inputs]
    parts = parts_of(tracer.steps, tracer.skips, tracer.loops)
    return Trace(parts, tracer.blocks, given, result, tracer)
