"""Members with programs for `facula-run`: their names, and the names of their inputs."""

from __future__ import annotations

from inspect import CO_VARARGS
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._capture.captured import Captured
    from .._replay.replay import Replay

MODES = {None: "", True: ".train", False: ".eval"}  # read by csrc/model/choose.c


def training_of(replay: Replay) -> bool | None:
    """Return the training mode of the modules; None without modules, or with modules in both modes."""
    modules = replay.recording.recorder.modules.values()
    modes = {before["training"] for _, before in modules if "training" in before}
    return modes.pop() if len(modes) == 1 else None


def member_name(number: int, replay: Replay) -> str:
    """Return the name of the zip member for a program, which contains the mode of the modules."""
    return f"run/graph{number}{MODES[training_of(replay)]}.bin"


def captures_of_other_modes(captured: Captured[Any, Any]) -> list[tuple[Any, Replay]]:
    """Return, for signatures whose latest capture ran in training mode, the latest one in evaluation mode, and
    vice versa.
    """
    found = []
    for key, latest in captured._latest_by_signature():
        entry, mode = captured._entries[key], training_of(latest)
        others = [replay for replay in entry.replays if {training_of(replay), mode} == {True, False}]
        if others:
            other = max(others, key=attrgetter("used_at"))
            captured._improve(other, entry.words)
            found.append((key, other))
    return found


def input_names(captured: Captured[Any, Any], arguments: list[Any]) -> list[str]:
    """Return the names of a call's tensors: the argument, with index or key after a dot inside containers.

    Arguments:
        captured: the captured function.
        arguments: the call in the form of `signatures.as_data`.
    """
    parameters = list(_parameters(captured, len(arguments)))
    named = [(name or parameters[place], part) for place, (name, part) in enumerate(arguments)]
    found = [path for name, part in named for path in _paths(name, part)]
    return [text.replace("\0", "").encode(errors="replace").decode() for text in found]


def _parameters(captured: Captured[Any, Any], count: int) -> Iterator[str]:
    """Generate the names of the first positional parameters; x0, x1, ... for objects other than Python functions."""
    own = captured._own
    code = getattr(own, "__code__", None)
    bound = own is not captured.function
    names = code.co_varnames[bound : code.co_argcount] if code is not None else ()
    several = (
        code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code and code.co_flags & CO_VARARGS else "x"
    )
    for place in range(count):
        if place < len(names):
            yield names[place]
        else:
            yield f"{several}.{place - len(names)}" if code is not None else f"x{place}"


def _paths(name: str, part: Any) -> Iterator[str]:
    if "tensor" in part:
        yield name
    elif "value" not in part:
        ((kind, inner),) = part.items()
        entries = (
            [(key.get("value", [0, 0])[1], element) for key, element in inner] if kind == "dict" else enumerate(inner)
        )
        for key, element in entries:
            yield from _paths(f"{name}.{key}", element)
