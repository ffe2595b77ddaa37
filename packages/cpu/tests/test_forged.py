"""Corrupted plans are refused on loading, or run without accessing memory outside their arrays."""

import os

import numpy as np
import pytest
from forged import NAMES, forge, program, trial
from model_files import LIB, one_launch
from portable_cases import f4

from facula_cpu import _portable
from facula_cpu.extend import ADDRESS, CELL, NUMBER

ROUNDS = int(os.environ.get("FACULA_FUZZ", "0")) // len(NAMES) or 8


@pytest.mark.parametrize("name", NAMES)
def test_forged_plans_stay_within_their_memory(name, tmp_path):
    """Check that the valid program runs; with changed numbers it is refused or accesses only its arrays."""
    tables, arrays = program(name)
    rng = np.random.default_rng(sum(name.encode()))
    path = tmp_path / "forged.facula"
    assert trial(path, tables.bytes(0), arrays) == "ran"
    for _ in range(ROUNDS):
        data, in_place = forge(rng, tables)
        trial(path, data, arrays, rng, in_place)


# Of an LSTM, empty, and one whose last element is not read.
UNUSED = {("recurrent gru", 8), ("recurrent gru", 10), ("lines products back", 2)}


@pytest.mark.parametrize("name", NAMES)
def test_every_address_is_checked(name, tmp_path):
    """Shift each address by one element, or replace it by a number: the launch would leave its memory."""
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


@pytest.mark.parametrize(("segment", "segments"), [(2, 18), (1, 27)])
def test_folded_columns_of_softmax_are_one_segment(segment, segments, tmp_path):
    """Columns that share vectors with others cannot be divided."""
    tables, arrays = program("softmax columns")
    _, start, *_ = tables.rows["parts"][0]
    numbers = np.frombuffer(tables.data, "i8", 9, start)  # the kernel, n, fold, three steps, and segments
    assert numbers[2] > 1 and (numbers[6], numbers[7]) == (3, 9)
    numbers = [*numbers[:6].tolist(), segment, segments]
    tables.data[start : start + 64] = np.array(numbers).tobytes()
    assert trial(tmp_path / "forged.facula", tables.bytes(0), arrays) == "refused"


@pytest.mark.parametrize(
    ("operator", "bounds", "results", "parameters"),
    [
        ("eigh", (), (65, 64), (False,)),
        ("eigvalsh", (), (64,), (False,)),
        ("svd", (), (129, 64), (False,)),
        ("svdvals", (), (64,), ()),
        ("pinv", (abs(f4(2)), abs(f4(2))), (64, 64), (False,)),
        ("pinv", (abs(f4(2)), abs(f4(2))), (64, 64), (True,)),
    ],
)
def test_decompositions_fit_into_the_arrays_of_their_kernels(operator, bounds, results, parameters, tmp_path):
    """One matrix of 65 x 65 would fit into the memory of two of 64 x 64, but not on the stack of a kernel."""
    matrices = f4(2, 64, 64)
    inputs, outputs = (matrices + matrices.swapaxes(1, 2), *bounds), (f4(2, *results), np.zeros(2, "i4"))
    for rows, columns in (64, 64), (65, 65), (65, 64), (64, 65):
        _, tables = one_launch(operator, inputs, outputs, parameters)
        _, start, *_ = tables.rows["parts"][0]
        numbers = np.frombuffer(tables.data, "i8", 12, start).copy()  # as in elimination.cdef.h
        assert numbers[:3].tolist() == [2, 64, 64] and numbers[10:].tolist() == [1, 2]
        sides = min(rows, columns) if operator == "svd" else 0
        numbers[:4], numbers[11] = (1, rows, columns, sides), 1
        tables.data[start : start + 96] = numbers.tobytes()
        outcome = trial(tmp_path / "forged.facula", tables.bytes(0), (*inputs, *outputs))
        assert outcome == ("ran" if rows == columns == 64 else "refused"), (rows, columns)


def test_every_kernel_has_a_check_and_a_forged_plan():
    """Check that each kernel that a file can launch has a plan check, and a case in the test above."""
    kernels, place = set(), 0
    while entry := _portable.lib.facula_kernel_at(place):
        if entry.kind == 0:  # a complete kernel
            kernels.add(_portable.ffi.string(entry.name))
        place += 1
    assert {name for name in kernels if LIB.facula_is_checked(name)} == kernels
    tried = [program(name)[0] for name in NAMES]
    names = [tables.rows["kernels"][launch[0]][0] for tables in tried for launch in tables.rows["launches"]]
    assert {bytes(one.text[at:]).split(b"\0")[0] for one, at in zip(tried, names, strict=True)} == kernels
