"""Lifetimes: allocations paired with their releases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._trace.records import SIZES
from .._trace.trace import Trace

Array = np.ndarray[Any, Any]
BEFORE = -1  # the start of blocks that are older than the trace
FOREVER = np.iinfo(np.int64).max  # the end of blocks that were not released


class Lifetimes(NamedTuple):
    """Blocks of memory on one device, in order of their starts; each field is an array.

    Arguments:
        starts: nanoseconds, or `BEFORE`.
        ends: nanoseconds, or `FOREVER`.
        addresses: addresses.
        nbytes: bytes.
        events: the innermost event around each allocation, or -1.
        stacks: the stacks of the allocations, or -1.
    """

    starts: Array
    ends: Array
    addresses: Array
    nbytes: Array
    events: Array
    stacks: Array


def devices_of(trace: Trace) -> list[int]:
    """Return the devices with memory records, the host (-1) first."""
    return np.unique(trace.memory["device"]).tolist()  # type: ignore[no-any-return]


def lifetimes_of(trace: Trace, device: int) -> Lifetimes:
    """Return the blocks on a device.

    A release without an allocation belongs to a block that is older than the trace, and so does a known content without
    records. An allocation at the address of a live block ends that block: its release was not recorded.
    """
    records = trace.memory[trace.memory["device"] == device]
    records = records[np.argsort(records["address"], kind="stable")]  # by address, then by time
    count = len(records)
    allocates = records["nbytes"] >= 0
    follows = np.zeros(count, bool)  # the next record has the same address
    follows[:-1] = records["address"][1:] == records["address"][:-1]
    after = np.full(count, FOREVER, np.int64)
    after[:-1][follows[:-1]] = records["time"][1:][follows[:-1]]
    preceded = np.zeros(count, bool)  # the record before is the allocation of the same block
    preceded[1:] = follows[:-1] & allocates[:-1]
    older = ~allocates & ~preceded
    chosen = allocates | older
    blocks = Lifetimes(
        np.where(older, BEFORE, records["time"])[chosen],
        np.where(older, records["time"], after)[chosen],
        records["address"][chosen],
        np.abs(records["nbytes"])[chosen],
        np.where(older, -1, records["event"])[chosen],
        np.where(older, -1, records["stack"])[chosen],
    )
    blocks = Lifetimes(*map(np.concatenate, zip(_throughout(trace, device, records["address"]), blocks)))
    order = np.argsort(blocks.starts, kind="stable")
    return Lifetimes(*[column[order] for column in blocks])


def _throughout(trace: Trace, device: int, recorded: Array) -> Lifetimes:
    """Return the blocks without records: parameters and other known contents that were live all the time.

    `trace.metadata[SIZES]` maps the addresses of known contents to pairs (bytes, device).
    """
    sizes = trace.metadata.get(SIZES)
    rows = [
        (int(address), row[0])
        for address, row in (sizes.items() if isinstance(sizes, dict) else ())
        if str(address).isdecimal() and isinstance(row, list | tuple) and len(row) == 2 and row[1] == device
        if int(address) < FOREVER and isinstance(row[0], int) and 0 <= row[0] < FOREVER
    ]
    found = np.array(rows, np.int64).reshape(-1, 2)
    found = found[~np.isin(found[:, 0], recorded)]
    none = np.full(len(found), -1, np.int64)
    return Lifetimes(np.full(len(found), BEFORE), np.full(len(found), FOREVER), found[:, 0], found[:, 1], none, none)
