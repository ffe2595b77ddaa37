"""Contents of memory: parameters, gradients, states of optimizers, inputs of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._recording.sources import Recorder

    Found = dict[int, tuple[str, int, int]]  # by address: category, bytes, device (-1: the CPU)

PARAMETER, GRADIENT, STATE, INPUT = "parameter", "gradient", "optimizer state", "input"


def categorize_module(recorder: Recorder, module: Any, inputs: Iterable[object]) -> None:
    """Record where the inputs, the parameters and the buffers of a module are.

    Arguments:
        recorder: the recorder.
        module: a module that the program called.
        inputs: the arguments of the call.
    """
    found: Found = {}
    for value in inputs:
        _add(found, value, INPUT)
    for parameter in module.parameters():
        _add(found, parameter, PARAMETER)
        _add(found, parameter.grad, GRADIENT)
    for buffer in module.buffers():
        _add(found, buffer, PARAMETER)
    recorder.categorize(found)


def categorize_optimizer(recorder: Recorder, optimizer: Any) -> None:
    """Record where the parameters of an optimizer, their gradients and its state are."""
    found: Found = {}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            _add(found, optimizer.state.get(parameter), STATE)
            _add(found, parameter, PARAMETER)
            _add(found, parameter.grad, GRADIENT)
    recorder.categorize(found)


def _add(found: Found, value: Any, category: str) -> None:
    """Add the memory of a tensor, or of those in a list, tuple or dict."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            _add(found, part, category)
        return
    storage = getattr(value, "untyped_storage", None)
    if storage is not None:
        try:
            memory = storage()
            device = -1 if value.device.type == "cpu" else value.device.index or 0
            found[memory.data_ptr()] = category, memory.nbytes(), device
        except Exception:  # tensors without memory, such as those of parameters not initialized yet
            pass
