"""Functions that are called when a backward pass ends.

Note [Ends of passes]
Passes nest: a hook or a rule may run another one. A thread's outermost pass is found by its frame, only when a function
is registered. So passes pay for one test of a dict that is nearly always empty.
"""

from __future__ import annotations

from sys import _getframe

from facula_errors import OperationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

#: The functions to call, by the frame of the outermost pass.
endings: dict[FrameType, list[Callable[[BaseException | None], object]]] = {}
pass_code: list[CodeType] = []  # of `run_backward`


def after_backward(callback: Callable[[BaseException | None], object]) -> None:
    """Call `callback(error)` once, when the outermost backward pass of this thread ends. For hooks, within a pass.

    `error` is the exception that ended the pass, or None. An exception that the callback raises leaves `backward()`.

    >>> from facula_autograd import Variable
    >>> x = Variable(3.0, requires_grad=True)
    >>> handle = x.register_hook(lambda g: after_backward(lambda error: print("x.grad is", x.grad)))
    >>> (x * x).backward()
    x.grad is Variable(6.0)
    """
    frame: FrameType | None = _getframe(1)
    outermost = None
    while frame is not None:
        if frame.f_code in pass_code:
            outermost = frame
        frame = frame.f_back
    if outermost is None:
        raise OperationError("after_backward: expected a backward pass in this thread; call it in a hook")
    endings.setdefault(outermost, []).append(callback)


def end_backward(frame: FrameType, error: BaseException | None) -> None:
    """Call the functions of the pass with this frame, and those that they register."""
    while (callbacks := endings.pop(frame, None)) is not None:
        for callback in callbacks:
            callback(error)
