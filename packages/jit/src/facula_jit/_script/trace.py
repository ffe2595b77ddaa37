"""`trace` and `freeze`: captures under the names that PyTorch programs use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_errors.extend import warn as say
from facula_tensor import Tensor, cat, get_rng_state, no_grad, set_rng_state
from facula_tensor.extend.recording import user_site

from .._capture.captured import Captured
from .._capture.decorator import capture
from .._capture.outcomes import MAX_ATTEMPTS
from .._files.loaded import Loaded
from .._files.saving import in_memory, save
from .._recording.graph_breaks import CaptureError
from .._recording.recorder import Recorder
from .._recording.signature import tensors_in
from ..passes import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .._files.archive import File

SIZES = 3  # the number of batch sizes that determine how a frozen graph depends on the size


class TracerWarning(Warning):
    """A warning of a trace: a Python decision that the traced graph does not repeat."""


class TracingRecorder(Recorder):
    """A recorder that permits reads of elements in Python with a warning: results derived from them are constant."""

    takes_devices = False
    said: Any = None  # the line of the last warning

    def read(self, operation: str) -> None:
        """Warn that elements are about to be read in Python."""
        site = user_site()
        if site == self.said:
            return
        self.said = site
        say(
            f"trace: {operation} reads elements in Python; the traced graph always repeats decisions based on these "
            "elements; compute with tensors (where, clamp, masks)",
            TracerWarning,
        )


class Traced(Captured[Any, Any]):
    """A traced function or module: a captured one that can be saved, and that Python decisions do not break."""

    recorder_kind = TracingRecorder
    example_inputs: tuple[Any, ...]

    @property
    def code(self) -> str:
        """The latest graph as Python code."""
        return str(self.graph())

    def save(
        self,
        path: File,
        *,
        batch: bool = False,
        run: bool = False,
        _extra_files: Mapping[str, bytes | str] | None = None,
    ) -> None:
        """Write it to a file, like `save`.

        Arguments:
            path: the path, or a binary file that is open for writing.
            batch: write one graph for all batch sizes.
            run: add programs that run without Python.
            _extra_files: additional bytes or texts by name.
        """
        save(self, path, batch=batch, run=run, _extra_files=_extra_files)


@boundary
def trace(
    func: Callable[..., Any],
    example_inputs: Any = None,
    optimize: None = None,
    check_trace: bool = True,
    check_inputs: Sequence[Any] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    *,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
) -> Traced:
    """Trace a function or module: record the graph of its operations for example inputs.

    This is `capture`, except that Python decisions based on elements are allowed with a warning, and are then constant.
    Calls with other shapes run the function again and are traced, too.

    Arguments:
        func: the function or module.
        example_inputs: its arguments: a tuple or list, or one tensor (or dict) as the only argument.
        optimize: None; not supported.
        check_trace: run both once more, and warn if the results differ.
        check_inputs: further arguments for this check, each like `example_inputs`.
        check_tolerance: the absolute and relative tolerance of the check.
        strict: ignored.
        example_kwarg_inputs: keyword arguments.

    Raises:
        CaptureError: an operation cannot be traced; the message names the line.

    >>> from facula_tensor import ones
    >>> double = trace(lambda x: x * 2, ones(2))
    >>> double(ones(2) * 3)
    tensor([6., 6.])
    >>> print(double.code)
    def lambda(x0: float32[2]):
        # outside of modules
        y0 = mul(x0, 2)
        return y0
    """
    if not callable(func):
        raise InvalidTypeError(f"trace: expected a function or a module; got {type(func).__name__}")
    traced = Traced(func, "error", DEFAULT)
    args, kwargs = _arguments(example_inputs), dict(example_kwarg_inputs or {})
    traced.example_inputs = args
    for _ in range(MAX_ATTEMPTS):
        traced(*args, **kwargs)
        if traced._latest_by_signature():
            break
    else:
        raise CaptureError(f"trace: no operation could be traced. {traced.report()}")
    if check_trace:
        for number, given in enumerate([args, *map(_arguments, check_inputs or ())]):
            _check(traced, given, kwargs if number == 0 else {}, check_tolerance)
    return traced


def _arguments(inputs: Any) -> tuple[Any, ...]:
    return () if inputs is None else tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)


def _check(traced: Traced, args: tuple[Any, ...], kwargs: dict[str, Any], tolerance: float) -> None:
    """Warn if the results of the graph differ from those of the function."""
    state = get_rng_state()
    wanted = tensors_in(traced.function(*args, **kwargs))
    set_rng_state(state)
    for place, (tensor, other) in enumerate(zip(tensors_in(traced(*args, **kwargs)), wanted, strict=False)):
        if tensor.shape != other.shape or not _is_close(tensor.detach(), other.detach(), tolerance):
            say(
                f"trace: result {place} of the traced function differs from the function's by more than {tolerance}: "
                "it draws different random numbers, or Python decisions differ between calls",
                TracerWarning,
            )


def _is_close(a: Tensor, b: Tensor, tolerance: float) -> bool:
    if not a.dtype.is_floating_point:
        return bool((a == b).all())
    near = (a - b).abs() <= b.abs() * tolerance + tolerance
    return bool((near | (a == b) | ((a != a) & (b != b))).all())


@boundary
def freeze(mod: Traced, preserved_attrs: Sequence[str] | None = None, optimize_numerics: bool = True) -> Loaded:
    """Convert a traced module to a graph for inference only: parameters become constants, and gradients are not
    recorded.

    If all sizes in the operators follow from the batch size, the first size of the first example input, the graph
    supports all batch sizes. Otherwise it supports the shapes of the examples.

    Arguments:
        mod: a traced module in evaluation mode.
        preserved_attrs: None; a graph has no attributes.
        optimize_numerics: ignored.

    Raises:
        RuntimeError: the module is in training mode.

    >>> from facula_tensor import ones
    >>> weight = ones(2, requires_grad=True)
    >>> frozen = freeze(trace(lambda x: x * weight, ones(3, 2)))
    >>> frozen(ones(5, 2)).shape, list(frozen.parameters())
    (facula.Size([5, 2]), [])
    """
    if not isinstance(mod, Traced):
        raise InvalidTypeError(
            f"freeze: expected a result of trace; got {type(mod).__name__}, which has no recorded sizes; freeze "
            "trace(it, example_inputs), also of a script, which keeps control flow that depends on tensors"
        )
    if getattr(mod.function, "training", False):
        raise OperationError("freeze: expected a module in evaluation mode; call its eval(), and trace it again")
    if preserved_attrs:
        raise OperationError("freeze: a graph has no attributes to preserve; leave preserved_attrs out")
    with no_grad():
        args = tuple([tensor.detach() if isinstance(tensor, Tensor) else tensor for tensor in mod.example_inputs])
        if _has_batch(args):
            try:
                return in_memory(_captured(mod, [_repeated(args, 1 + k) for k in range(SIZES)]), batch=True)
            except Exception:  # any type: the function may support only the shapes of the examples
                pass
        return in_memory(_captured(mod, [args]), batch=False)


def _captured(mod: Traced, calls: Sequence[tuple[Any, ...]]) -> Captured[Any, Any]:
    """Return the function captured in separate calls."""
    made = capture(mod.function, on_break="error")
    for number, args in enumerate(calls):
        for _ in range(MAX_ATTEMPTS):
            made(*args)
            if len(made._latest_by_signature()) > number:
                break
    return made


def _has_batch(args: tuple[Any, ...]) -> bool:
    """Return True if the first argument is a tensor with rows."""
    return bool(args) and isinstance(args[0], Tensor) and args[0].ndim > 0 and args[0].shape[0] > 0


def _repeated(args: tuple[Any, ...], times: int) -> tuple[Any, ...]:
    """Return arguments concatenated with themselves, if they have as many rows as the first one."""
    rows = args[0].shape[0]
    return tuple([
        cat([arg] * times) if isinstance(arg, Tensor) and arg.ndim and arg.shape[0] == rows else arg
        for arg in args
    ])  # fmt: skip
