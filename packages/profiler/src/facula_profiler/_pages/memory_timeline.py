"""`export_memory_timeline`: files in the formats of `torch.profiler`."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .._files import checked_path, write_file
from .._memory.categories import categories_of
from .._memory.lifetimes import BEFORE, FOREVER, devices_of, lifetimes_of
from .._memory.timeline import by_category
from .._trace.trace import Trace, check_trace
from .page import memory_page

if TYPE_CHECKING:
    import os

PREEXISTING, CREATE, DESTROY = 0, 1, 3  # PyTorch's numbers of actions; 2, a new version of a tensor, does not occur
CPU = -1
COLUMNS = (0, 1, 2, 3, 4, 5, 7)  # the number in PyTorch's files of each category; 6, details of autograd, is not used
TORCH_COLUMNS = 8


@boundary
def export_memory_timeline(trace: Trace, path: str | os.PathLike[str], device: str | None = None) -> None:
    """Write the live bytes of a trace over time, by category, under the semantics of `torch.profiler`.

    The suffix of the path selects the format:

    * `.html`: a page with the curves, which opens in any browser.
    * `.raw.json.gz`: a list of `(time, action, bytes, category)`. Times are in nanoseconds from the beginning of the
      trace; -1 for blocks that are older. Actions are 0 (older than the trace), 1 (created) and 3 (destroyed).
    * `.json.gz`, and any other suffix: `[times, sizes]`, compressed or not. Times are in microseconds. A row of sizes
      contains 0 and the bytes of each category.

    Categories are numbered as in PyTorch: 0 parameters, 1 optimizer state, 2 inputs, 3 temporaries, 4 activations,
    5 gradients, 7 unknown. PyTorch also has 6, details of autograd.

    Arguments:
        trace: a trace with memory records.
        path: the file to write.
        device: "cpu", or "cuda:0" for the device of that index; None selects the first device other than the CPU that
            has records, or else the CPU.

    Raises:
        ValueError: the trace has no memory records, or the device is unknown.
        OSError: the file cannot be written.

    >>> import numpy as np, os, tempfile
    >>> memory = np.zeros(1, MEMORY)
    >>> memory["time"], memory["nbytes"], memory["device"] = 5000, 64, -1
    >>> memory["event"] = memory["stack"] = -1
    >>> path = os.path.join(tempfile.mkdtemp(), "memory.json")
    >>> export_memory_timeline(Trace(np.zeros(0, EVENT), memory, [], []), path)
    >>> open(path).read()
    '[[5], [[0, 0, 0, 0, 0, 0, 0, 0, 64]]]'
    """
    check_trace("export_memory_timeline", trace)
    text = checked_path("export_memory_timeline", path)
    index = device_index(trace, device)
    if text.endswith(".html"):
        write_file("export_memory_timeline", path, memory_page(trace, index).encode())
        return
    contents = _raw(trace, index) if text.endswith("raw.json.gz") else _coalesced(trace, index)
    data = json.dumps(contents).encode()
    write_file("export_memory_timeline", path, gzip.compress(data) if text.endswith(".gz") else data)


def device_index(trace: Trace, device: str | None) -> int:
    """Return the number of a device in memory records."""
    devices = devices_of(trace)
    if not devices:
        raise InvalidValueError(
            "export_memory_timeline: expected a trace with memory records; got one without; profile with "
            "profile_memory=True"
        )
    if device is None:
        return next((one for one in devices if one != CPU), CPU)
    match = re.fullmatch(r"(cpu)|cuda(?::(\d{1,4}))?", device) if isinstance(device, str) else None
    if match is None:
        raise InvalidValueError(
            f"export_memory_timeline: expected a device such as 'cpu' or 'cuda:0'; got {device!r:.60}"
        )
    return CPU if match[1] else int(match[2] or 0)


def _coalesced(trace: Trace, device: int) -> list[Any]:
    """Return times in microseconds and the bytes of each category, with one row for each microsecond."""
    curve = by_category(trace, device)
    times = curve.times // 1000
    last = np.flatnonzero(np.append(times[1:] != times[:-1], True)) if len(times) else times
    sizes = np.zeros((len(last), TORCH_COLUMNS + 1), np.int64)
    sizes[:, np.array(COLUMNS) + 1] = curve.nbytes[last]
    return [times[last].tolist(), sizes.tolist()]


def _raw(trace: Trace, device: int) -> list[tuple[int, int, int, int]]:
    blocks = lifetimes_of(trace, device)
    category = np.array(COLUMNS)[categories_of(trace, blocks)]
    ending = blocks.ends < FOREVER
    created = np.where(blocks.starts == BEFORE, PREEXISTING, CREATE)
    columns = (
        np.concatenate([blocks.starts, blocks.ends[ending]]),
        np.concatenate([created, np.full(int(ending.sum()), DESTROY)]),
        np.concatenate([blocks.nbytes, -blocks.nbytes[ending]]),
        np.concatenate([category, category[ending]]),
    )
    order = np.argsort(columns[0], kind="stable")
    return list(zip(*[column[order].tolist() for column in columns]))
