"""Plans that lie: refused when they are loaded, or run without touching what is not theirs."""

import os

import numpy as np
import pytest
from forged import NAMES, forge, program, trial
from model_files import LIB

from facula_cpu import _portable
from facula_cpu.extend import ADDRESS, CELL, NUMBER

ROUNDS = int(os.environ.get("FACULA_FUZZ", "0")) // len(NAMES) or 8


@pytest.mark.parametrize("name", NAMES)
def test_forged_plans(name, tmp_path):
    """The program as it is runs; with other numbers in it, it is refused, or keeps to its arrays."""
    tables, arrays = program(name)
    rng = np.random.default_rng(sum(name.encode()))
    path = tmp_path / "forged.facula"
    assert trial(path, tables.bytes(0), arrays) == "ran"
    for _ in range(ROUNDS):
        data, in_place = forge(rng, tables)
        trial(path, data, arrays, rng, in_place)


UNUSED = {("recurrent gru", 8), ("recurrent gru", 10)}  # an LSTM's, and empty


@pytest.mark.parametrize("name", NAMES)
def test_every_address_is_checked(name, tmp_path):
    """One element further on, or a number in its place: the launch would reach beyond its memory."""
    tables, arrays = program(name)
    rows, itemsizes = tables.rows["arguments"], [one.itemsize for one in arrays if one is not None]
    for place, row in enumerate(list(rows)):
        if row[0] != ADDRESS or (name, row[2] // 2) in UNUSED:
            continue
        itemsize = itemsizes[row[2] // 2]
        for changed in ((ADDRESS, itemsize, row[2], 0), (NUMBER, 1 << 40, 0, 0), (CELL, 0, 0, 0)):
            rows[place] = changed
            tables.rows["generators"] = [(0, 0, 0, 0, 0, 0)]
            assert trial(tmp_path / "forged.facula", tables.bytes(0), arrays) == "refused", (place, changed)
        rows[place] = row


def test_every_kernel_is_checked_and_tried():
    """What a file can launch has a check of its plan, and is forged above."""
    kernels, place = set(), 0
    while entry := _portable.lib.facula_kernel_at(place):
        if entry.kind == 0:  # a whole kernel
            kernels.add(_portable.ffi.string(entry.name))
        place += 1
    assert {name for name in kernels if LIB.facula_is_checked(name)} == kernels
    tried = [program(name)[0] for name in NAMES]
    names = [tables.rows["kernels"][launch[0]][0] for tables in tried for launch in tables.rows["launches"]]
    assert {bytes(one.text[at:]).split(b"\0")[0] for one, at in zip(tried, names, strict=True)} == kernels
