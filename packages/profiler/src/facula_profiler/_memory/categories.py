"""Categories of blocks of memory.

# Note [Categories]
# ~~~~~~~~~~~~~~~~~
# Snapshots of a trace state which addresses contained parameters, gradients, optimizer state and inputs at some times.
# A block has the category of the first snapshot in its lifetime that contains its address; a block older than the trace
# whose address is in no such snapshot is unknown. Lifetimes determine the category of other blocks:
#
# * "activation": allocated outside of backward passes and optimizers; live when the next backward pass starts: the
#   pass may read it.
# * "temporary": allocated in a backward pass or an optimizer's step, or released before the next backward pass.
# * "unknown": live at the end of the trace without a backward pass after its allocation.
#
# Gradients of activations are temporary: only gradients of parameters are in snapshots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._trace.records import Kind
from .._trace.trace import Trace
from .lifetimes import BEFORE, FOREVER, Lifetimes

CATEGORIES = ("parameter", "optimizer state", "input", "temporary", "activation", "gradient", "unknown")
TEMPORARY, ACTIVATION, UNKNOWN = (CATEGORIES.index(name) for name in ("temporary", "activation", "unknown"))


def categories_of(trace: Trace, blocks: Lifetimes) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the index in `CATEGORIES` of each block; see Note [Categories]."""
    found = _from_lifetimes(trace, blocks)
    named = _from_snapshots(trace, blocks)
    return np.where(named >= 0, named, found)


def _from_lifetimes(trace: Trace, blocks: Lifetimes) -> np.ndarray[Any, np.dtype[np.int64]]:
    backward = np.sort(trace.events["start"][trace.of_kind(Kind.BACKWARD)])
    within = np.append(trace.enclosing(Kind.BACKWARD, Kind.OPTIMIZER) >= 0, False)[blocks.events]
    following = np.append(backward, FOREVER)[np.searchsorted(backward, blocks.starts, "right")]
    found = np.where(within | (blocks.ends < FOREVER), TEMPORARY, UNKNOWN)
    found[~within & (following < blocks.ends)] = ACTIVATION
    found[blocks.starts == BEFORE] = UNKNOWN
    return found


def _from_snapshots(trace: Trace, blocks: Lifetimes) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the category of the first snapshot in each block's lifetime that contains its address, or -1."""
    found = np.full(len(blocks.starts), -1)
    numbers = {name: place for place, name in enumerate(CATEGORIES)}
    rows = [
        (address, time, numbers.get(category, UNKNOWN))
        for time, snapshot in trace.categories
        for address, category in snapshot.items()
    ]
    if not rows:
        return found
    address, time, category = np.array(rows, np.int64).T
    addresses, of_row = np.unique(address, return_inverse=True)
    times, moment = np.unique(time, return_inverse=True)
    key = of_row * len(times) + moment  # sorts by address, then by time
    order = np.argsort(key, kind="stable")
    key, category = key[order], category[order]
    place = np.minimum(np.searchsorted(addresses, blocks.addresses), len(addresses) - 1)
    at = np.searchsorted(key, place * len(times) + np.searchsorted(times, blocks.starts))
    at = np.minimum(at, len(key) - 1)
    matches = (addresses[place] == blocks.addresses) & (key[at] // len(times) == place)
    matches &= (times[key[at] % len(times)] >= blocks.starts) & (times[key[at] % len(times)] <= blocks.ends)
    found[matches] = category[at[matches]]
    return found
