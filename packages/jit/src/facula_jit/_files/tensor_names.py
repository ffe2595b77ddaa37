"""Names of the program's tensors, by the variables, modules and optimizers through which a function accesses them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from facula_tensor import Parameter, Tensor

from .._source.closures import variables_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._recording.recorder import Recorder

MAX_ENTRIES = 64


class Named(NamedTuple):
    """A tensor of the program: its name, and whether it is a "parameter", "buffer", optimizer's "state" or "tensor"."""

    name: str
    tensor: Tensor
    kind: str


def named_tensors(function: Any, recorder: Recorder) -> list[Named]:
    """Return the tensors that a function can access by name, each with its first name."""
    found: dict[int, Named] = {}
    optimizers: list[tuple[str, Any]] = []
    for name, value in _variables(function, recorder):
        for tensor in _tensors(name, value):
            found.setdefault(id(tensor.tensor), tensor)
        own = getattr(value, "__dict__", None)
        if type(own) is dict and isinstance(own.get("param_groups"), list) and "state" in own:
            optimizers.append((name, value))
    for name, optimizer in optimizers:
        number = 0
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                called = found[id(parameter)].name if id(parameter) in found else f"{name}.{number}"
                found.setdefault(id(parameter), Named(called, parameter, "parameter"))
                number += 1
                for key, value in optimizer.state.get(parameter, {}).items():
                    if isinstance(value, Tensor):
                        found.setdefault(id(value), Named(f"{name}.state.{called}.{key}", value, "state"))
    return list(found.values())


def _variables(function: Any, recorder: Recorder) -> Iterator[tuple[str, Any]]:
    """Generate the function's object, its closure variables, and the global variables that it names."""
    if hasattr(type(function), "named_modules"):
        yield "", function
    elif hasattr(function, "__self__"):
        yield "self", function.__self__
    yield from variables_of(function).items()
    code = getattr(function, "__code__", None)
    if code is not None:
        for name in code.co_names:
            if name in function.__globals__:
                yield name, function.__globals__[name]
    yield from recorder.globals.items()


def _tensors(name: str, value: Any) -> Iterator[Named]:
    before = f"{name}." if name else ""
    if isinstance(value, Tensor):
        yield Named(name or "tensor", value, "parameter" if isinstance(value, Parameter) else "tensor")
    elif isinstance(value, type):
        return
    elif hasattr(type(value), "named_parameters") and hasattr(type(value), "named_buffers"):
        for path, parameter in value.named_parameters():
            yield Named(before + path, parameter, "parameter")
        for path, buffer in value.named_buffers():
            yield Named(before + path, buffer, "buffer")
        own = vars(value) if hasattr(value, "__dict__") else {}
        for path, tensor in own.items():
            if isinstance(tensor, Tensor):
                yield Named(before + path, tensor, "tensor")
    elif isinstance(value, (list, tuple, dict)) and len(value) <= MAX_ENTRIES:
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in entries:
            if isinstance(entry, Tensor) or hasattr(type(entry), "named_parameters"):
                yield from _tensors(f"{before}{key}", entry)
