"""Steps on errors that end the use of a device: each runs in the process of its own step."""

from __future__ import annotations

import os

import numpy as np

from facula_errors import FaculaError

from .._errors import CudaError
from .._port.devices import synchronize
from ._report import Report, step
from ._tensors import facula
from ._work import Array, Kernel


@step(30, "facula")
def wrong_index(report: Report) -> None:
    """An index out of range is reported by the next wait, with the line of the call; the device goes on."""
    library = facula()
    x = library.arange(5.0, device="cuda")
    found = x[library.tensor([7], device="cuda")]
    try:
        found.tolist()
        report.check("the wait raises IndexError", False, "it returned")
    except IndexError as error:
        report.check("the error names the index", "index 7" in str(error), error)
        report.check("the error names the line of the call", "called at" in str(error), error)
    report.check("the device goes on", (x + 1).sum().item() == 15)


@step(60)
def illegal_address(report: Report) -> None:
    """A kernel that writes to no memory is reported by the next wait, and by every call after it."""
    array = Array(256).fill(np.zeros(256))
    Kernel("stray").queue(array.ptr, array.ptr, 1 << 40, blocks=1)
    for when in ("the next wait", "a later wait"):
        try:
            synchronize()
            report.check(f"{when} raises CudaError", False, "it returned")
        except CudaError as error:
            report.check(f"{when} raises CudaError", error.code == 700, error)
            report.check(f"{when} names the remedy", "start the program again" in str(error), error)
    try:
        Array(64 << 20)
        report.check("memory is refused afterwards", False, "it was allocated")
    except (FaculaError, MemoryError) as error:
        report.figure("allocation_afterwards", str(error)[:500])


@step(60)
def fork(report: Report) -> None:
    """A forked child is refused by name, and its end does not disturb the parent."""
    array = Array(256).fill(np.ones(256))
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            array.read()
            said = "it read device memory"
        except FaculaError as error:
            said = str(error)
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    report.check("the child names the start method", '"spawn"' in said, said)
    report.check("the child ends normally", status == 0, status)
    report.check("the parent goes on", bool((array.read() == 1).all()))
