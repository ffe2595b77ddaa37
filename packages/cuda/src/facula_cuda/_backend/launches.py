"""The last launches of a device, and the error of a device that is lost.

After some failures of kernels, such as an illegal address, the driver refuses every call of the process. The next call
that notices it, mostly a wait, is not the one that failed. Its error therefore names the last kernels, and the last
operators that ran on the CPU with the lines that called them.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from typing import TYPE_CHECKING

from facula_errors.extend import in_library

from .._compile.modules import kernel_name
from .._driver import lib
from .._errors import CudaError
from .._port.driver import STICKY, check

if TYPE_CHECKING:
    from types import CodeType

MAX_LAUNCHES = 16
MAX_SHOWN = 5
BLOCKING = ("FACULA_CUDA_BLOCKING", "CUDA_LAUNCH_BLOCKING")


def is_blocking() -> bool:
    """Return whether each launch waits for its kernel, so that an error is raised by the call that caused it."""
    return any([os.environ.get(name, "0") not in ("", "0") for name in BLOCKING])


class Launches:
    """The last launches of one device, and its fatal error.

    Arguments:
        index: the number of the device.
    """

    def __init__(self, index: int):
        self.index = index
        self.last: deque[tuple[str, CodeType, int]] = deque(maxlen=MAX_LAUNCHES)
        self.lost: CudaError | None = None

    def note(self, operator: str) -> None:
        """Record a launch, with the line of the program that called the library."""
        frame = sys._getframe(1)
        while in_library(frame) and frame.f_back is not None:
            frame = frame.f_back
        self.last.append((operator, frame.f_code, frame.f_lasti))

    def check(self, operation: str, code: int) -> None:
        """Raise CudaError unless a call of the driver succeeded, and for every call of a lost device."""
        if self.lost is not None:
            raise CudaError(str(self.lost), self.lost.code)
        code = code or lib.facula_cuda_lost(self.index)
        if not code:
            return
        try:
            check(operation, code)
        except CudaError as error:
            if code not in STICKY and not lib.facula_cuda_lost(self.index):
                raise
            text = f"{error}. Device 'cuda:{self.index}' is lost. {self.describe()}"
        lib.facula_cuda_lose(self.index, code)  # for launches from C
        self.lost = CudaError(text, code)
        raise CudaError(text, code)

    def describe(self) -> str:
        """Return sentences that name the last kernels, and the last operators that Python launched."""
        operators = [f"{operator} ({_line(code, lasti)})" for operator, code, lasti in list(self.last)[::-1]]
        kernels = [kernel_name(function) for age in range(MAX_SHOWN) if (function := lib.facula_cuda_recent(age))]
        text = ""
        if operators:
            text += (
                f"The last operators that waited or ran on the CPU, newest first: {', '.join(operators[:MAX_SHOWN])}. "
            )
        text += f"The last kernels, newest first: {', '.join(kernels) or 'none'}"
        return text if is_blocking() else f"{text}. Set {BLOCKING[0]}=1 to wait after each launch"


def _line(code: CodeType, lasti: int) -> str:
    """Return "file:line" of an instruction."""
    found = code.co_firstlineno
    for start, end, line in code.co_lines():
        if start <= lasti < end and line is not None:
            found = line
            break
    return f"{code.co_filename}:{found}"
