"""Error messages with details: the cause, the place, and the remedy."""

from __future__ import annotations

import re
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_autograd.extend.nodes import describe_call_site
from facula_errors import (
    DivisionError,
    FaculaError,
    InvalidIndexError,
    NoMemoryError,
    NumberOverflowError,
    OperationError,
)
from facula_errors.extend import in_library, trim_traceback
from facula_storage import LaunchError, Layout, Storage, cpu, int64
from facula_storage.extend.plans import (
    STATUS_DIVISOR,
    STATUS_INDEX,
    STATUS_MEMORY,
    STATUS_POSITION,
    STATUS_RANGE,
    STATUS_REQUIRED,
    STATUS_TARGET,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeVar

    E = TypeVar("E", bound=Exception)

# Note [Whose name an error bears]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# An error names the function that the user called: `max` is made of `amax`, `ones` of `empty` and `fill`, and
# their errors should say max and ones. Names are not passed down for that. The few places that all failing
# calls pass through (`slow_call`, the slow branch of views, `empty`, ...) have a `try`, which is free unless it
# catches an error. There, `relabel` finds the outermost public function of the library on the stack. Only then
# does it trim the traceback, by which it recognises errors of user code: Note [Trimming] in facula_errors. The
# functions that check one argument for all operators (`check_dim`, `as_tensor`, `sizes`, ...) raise `named(error)`.

#: Classes whose methods are public names; Tensor adds itself.
NAMING: list[type] = []

#: Public modules whose names of functions appear in errors, wherever these are declared.
PUBLIC: list[Mapping[str, Any]] = []

_LABEL = re.compile(
    r"[\w.]+: |[&|^~]: |\w+\.__init__\(\) (?=missing|takes|got )"
)  # the last: Python names a base class


def mutation(storage: Storage) -> str | None:
    """ "operator at file:line (function)" of the last in-place change, or None if nothing is known."""
    mutator = getattr(storage, "mutator", None)
    if mutator is None:
        return None
    name, code, lasti = mutator
    return f"{name} at {describe_call_site(code, lasti)}"


class UnmetRequirementError(OperationError):
    """An element violates a program's requirement; the caller has the words to describe it."""


def launch_error(operator: str, error: LaunchError, operands: Sequence[Any] = ()) -> Exception:
    """Return the exception for a kernel's status.

    Arguments:
        operator: its name.
        error: the launcher's, with the status and its details.
        operands: the tensors, or their layouts, for shapes.
    """
    status, first, second, third, fourth = error.args
    if operator.startswith("own::"):  # a user-defined function with its own status numbers
        return OperationError(f"{operator.removeprefix('own::')}: its function returned {status}; expected 0")
    if status == STATUS_TARGET:
        name = _element("target", second, next(a.shape for a in operands if a is not None and a.dtype is int64))
        special = "blank" if operator.startswith("ctc") else "ignore_index"
        return InvalidIndexError(
            f"{operator.removesuffix('_grad')}: {name} = {first} is out of range for {third} classes "
            f"({f'0 to {third - 1}' if third else 'there is none'}; {special} is {fourth})"
        )
    if status == STATUS_INDEX:
        return InvalidIndexError(
            f"{operator}: index {first} at position {second} is out of range for a dimension of size {third}; "
            f"expected {-third} to {third - 1}"
        )
    if status == STATUS_POSITION:
        shapes = [a.shape for a in operands if a is not None and a.dtype is int64]
        shape = shapes[0 if operator in ("scatter", "put") else -1]
        name = _element("index", second, shape)
        return InvalidIndexError(
            f"{operator}: {name} = {first} is out of range for a dimension of size {third}; "
            + (f"expected 0 to {third - 1}" if third else "it is empty")
        )
    if status == STATUS_DIVISOR:
        return DivisionError(
            f"{operator}: integers cannot be divided by zero, which is in 'other'; replace the zeros, or convert "
            "with .float()"
        )
    if status == STATUS_RANGE:
        return NumberOverflowError(f"{operator}: {first} is out of range; use values that the dtype can represent")
    if status == STATUS_REQUIRED:
        return UnmetRequirementError(f"{operator}: an element is outside the operation's domain; check the operands")
    if status == STATUS_MEMORY:
        return NoMemoryError(f"{operator}: no memory for {first} bytes of scratch space; keep fewer tensors alive")
    device = next((a.device for a in operands if a is not None), cpu)
    message = None if device is cpu else getattr(device.backend, "status_message", None)
    if message is not None:
        return OperationError(f"{operator}: {message(status, first, second, third, fourth)}")
    details = f"status {status}: {first}, {second}, {third}"
    return OperationError(f"{operator}: the kernel rejected its arguments; got {details}")


def _element(name: str, position: int, shape: Sequence[int]) -> str:
    """Format an element of a tensor of this shape by its position in row-major order: ``index[0, 3]``."""
    place: list[int] = []
    for size in reversed(shape):
        position, at = divmod(position, size)
        place.insert(0, at)
    return f"{name}{place}" if place else name


def show(layout: Layout) -> str:
    """Format a layout for messages: ``float32 (2, 3)``."""
    return f"{layout.dtype.name} {layout.shape}"


def shown(value: Any) -> str:
    """Format an argument for messages: dtype and shape of a tensor."""
    if any(isinstance(value, kind) for kind in NAMING):
        return f"a Tensor {value.dtype.name} {tuple(value.shape)}"
    return f"{value!r:.200}"


def relabel(error: Exception, name: str, depth: int = 1) -> None:
    """Begin the message of `error` with the name of the public function that the user called, or with `name` if
    unknown.

    Errors raised by user code (for example in a hook) are not renamed. Afterwards, remove the library's frames
    from the traceback if it is an error class of the library. See Note [Whose name an error bears].

    Arguments:
        error: the error, which is changed.
        name: the name to use if the stack has no public function.
        depth: the number of frames to skip: 1 begins with the caller of the caller.
    """
    if _raised_by_library(error) and not hasattr(error, "called_at"):  # that of a report names an earlier call
        renamed(error, public_name(library_calls(sys._getframe(depth + 1))[0]) or name)
    if isinstance(error, FaculaError):
        trim_traceback(error)


def renamed(error: Exception, name: str) -> None:
    """Begin the message of `error` with this name in place of another."""
    if isinstance(error, MemoryError):
        error.operation = name  # type: ignore[attr-defined]
    if error.args and type(error.args[0]) is str:
        text = error.args[0]
        label = _LABEL.match(text)
        error.args = (f"{name}: {text[label.end() :] if label else text}", *error.args[1:])


def named(error: E) -> E:
    """Return `error` with the name of the function that the user called in place of the internal one."""
    relabel(error, label_of(error) or "facula")
    return error


def label_of(error: Exception) -> str:
    """Return the name with which the message of an error begins, or an empty string."""
    label = _LABEL.match(error.args[0]) if error.args and type(error.args[0]) is str else None
    return label[0][:-2] if label else ""


def _raised_by_library(error: Exception) -> bool:
    trace = error.__traceback__
    while trace is not None and in_library(trace.tb_frame):
        trace = trace.tb_next
    return trace is None


class LibraryCall(NamedTuple):
    """A running call of the library: what its public name is found by, without its frame.

    `closed` are the ids of its free variables, which distinguish functions that share their code; `cls` is the name of
    the class that a `__new__` makes.
    """

    code: CodeType
    module: dict[str, Any]
    closed: list[int]
    cls: str


def library_calls(frame: FrameType | None) -> tuple[list[LibraryCall], FrameType | None]:
    """Return the calls of the library from `frame` outward up to the user's code, and the user's frame."""
    calls = []
    while frame is not None and in_library(frame):
        code = frame.f_code
        cls = getattr(frame.f_locals.get("cls"), "__name__", "") if code.co_name == "__new__" else ""
        calls.append(LibraryCall(code, frame.f_globals, _closed_over(frame), cls))
        frame = frame.f_back
    return calls, frame


def public_name(calls: Iterable[LibraryCall]) -> str | None:
    """Return the name of the outermost public function among calls: in a public module, or as a method."""
    found = None
    for call in calls:
        found = _public_name(call) or found
    return found


def _public_name(call: LibraryCall) -> str | None:
    module = call.module
    methods = [pair for cls in NAMING for pair in vars(cls).items()]
    functions = [(name, value) for name, value in module.items() if not name.startswith("_")]
    for place, (name, value) in enumerate([*functions, *methods]):
        function = _without_overrides(value, call.code)
        if getattr(function, "__code__", None) is call.code and _closed_over(function) == call.closed:
            if place < len(functions) and not any(_lists(home, name, value) for home in (module, *PUBLIC)):
                continue
            if not name.startswith("__"):
                return name
            if name == "__new__":
                return call.cls
            return function.operator.name if hasattr(function, "operator") else name.strip("_")
    return None


def _lists(module: Mapping[str, Any], name: str, value: object) -> bool:
    return name in module.get("__all__", ()) and module[name] is value


def _without_overrides(function: object, code: CodeType) -> object:
    """Return the inner function of one that dispatches to overriding classes (`overridable`)."""
    function = function.fget if isinstance(function, property) else function
    within = function
    while within is not None:
        if getattr(within, "__code__", None) is code:
            return within
        within = getattr(within, "__wrapped__", None)
    return function


def _closed_over(running: Any) -> list[int]:
    """Return the ids of the free variables of a function or a frame, to distinguish functions that share their
    code."""
    if isinstance(running, FrameType):
        names = running.f_code.co_freevars
        return [id(running.f_locals.get(name)) for name in names] if names else []
    return [id(cell.cell_contents) for cell in running.__closure__ or ()]
