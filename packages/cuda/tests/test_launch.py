"""Launches that queue: parameter blocks, grids, choices of kernels, errors, and the pace."""

import ctypes
import subprocess
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recording_driver import RecordingDriver

from facula_cuda._driver import ffi, lib

DENSE, NESTED, RECORD = 11, 22, 0x4440


@pytest.fixture
def driver():
    made = RecordingDriver()
    yield made
    made.close()


def elementwise(itemsizes=(4, 4, 4), outputs=1, scalars=0, vector=4, record=0, device=0):
    """Return a plan of arrays with elements of these sizes, inputs first."""
    plan = ffi.new("struct facula_cuda_elementwise *")
    plan.dense, plan.nested, plan.record, plan.device = DENSE, NESTED, record, device
    plan.arrays, plan.outputs, plan.words = len(itemsizes), outputs, 1 + len(itemsizes) + scalars
    plan.vector, plan.max_blocks = vector, 1000
    plan.itemsize[0 : len(itemsizes)] = itemsizes
    return plan


def call(function, plan, *arguments):
    """Return the status and the arguments, where details of errors are."""
    words = ffi.new("int64_t[]", [*arguments, 0, 0, 0, 0])
    return function(plan, words), list(words)


# Elementwise kernels


def test_the_arguments_of_a_dense_launch_are_the_parameter_block(driver):
    plan = elementwise(scalars=2)
    lib.facula_cuda_set_stream_of(0, 77)
    assert call(lib.facula_cuda_dense, plan, 1025, 0x100, 0x200, 0x300, 5, -6)[0] == 0
    (one,) = driver.launched
    assert (one.function, one.blocks, one.threads, one.shared, one.stream) == (DENSE, 2, 256, 0, 77)
    assert one.block.tolist() == [1025, 0x100, 0x200, 0x300, 5, -6]


@pytest.mark.parametrize("function", ["facula_cuda_dense", "facula_cuda_nested"])
def test_no_elements_are_no_launch(driver, function):
    assert call(getattr(lib, function), elementwise(), 0, 16, 16, 16)[0] == 0
    assert not driver.launched


@pytest.mark.parametrize(("n", "blocks"), [(1, 1), (1024, 1), (1025, 2), (2**40, 2**30)])
def test_the_grid_of_a_dense_launch(driver, n, blocks):
    call(lib.facula_cuda_dense, elementwise(), n, 16, 16, 16)
    assert driver.launched[0].blocks == blocks


def test_grids_beyond_the_limit_use_the_kernel_that_loops(driver):
    n = 2**31 * 1024
    call(lib.facula_cuda_dense, elementwise(), n, 16, 16, 16)
    (one,) = driver.launched
    assert (one.function, one.blocks) == (NESTED, 1000)
    assert one.block[4:6].tolist() == [1, n]


@pytest.mark.parametrize("record", [0, RECORD])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_addresses_that_are_no_multiples_of_a_pack_use_the_strided_kernel(driver, place, record):
    addresses = [0x100, 0x200, 0x300]
    addresses[place] += 4
    call(lib.facula_cuda_dense, elementwise(record=record), 1000, *addresses)
    (one,) = driver.launched
    assert one.function == NESTED
    nest = [1, 1000, *[0] * 5, 4, 4, 4, *[0] * 15]
    assert one.block.tolist() == [1000, *addresses, *nest, *([record] if record else [])]


def test_each_array_needs_the_alignment_of_its_own_pack(driver):
    plan = elementwise(itemsizes=(4, 1), vector=4)
    call(lib.facula_cuda_dense, plan, 8, 0x100, 0x204)  # packs of 16 and of 4 bytes
    call(lib.facula_cuda_dense, plan, 8, 0x104, 0x200)
    call(lib.facula_cuda_dense, plan, 8, 0x100, 0x202)
    assert [one.function for one in driver.launched] == [DENSE, NESTED, NESTED]


def test_the_record_of_errors_comes_last(driver):
    call(lib.facula_cuda_dense, elementwise(record=RECORD, scalars=1), 8, 16, 32, 48, 9)
    assert driver.launched[0].block.tolist() == [8, 16, 32, 48, 9, RECORD]


def test_launches_run_on_the_device_and_the_stream_of_their_plan(driver):
    lib.facula_cuda_set_stream_of(1, 55)
    call(lib.facula_cuda_dense, elementwise(device=1), 8, 16, 32, 48)
    call(lib.facula_cuda_dense, elementwise(device=1), 8, 16, 32, 48)
    call(lib.facula_cuda_dense, elementwise(device=0), 8, 16, 32, 48)
    assert [one.stream for one in driver.launched] == [55, 55, 0]
    assert driver.calls.count("cuCtxSetCurrent") == 2


def test_a_refused_launch_is_a_status_with_the_drivers_code(driver):
    driver.codes = [700]
    status, details = call(lib.facula_cuda_dense, elementwise(device=1), 8, 16, 32, 48)
    assert (status, details[:4]) == (lib.STATUS_DEVICE, [700, 1, 0, 0])
    assert call(lib.facula_cuda_dense, elementwise(), 8, 16, 32, 48)[0] == 0


def test_a_device_without_context_is_refused(driver):
    lib.facula_cuda_set_context(0, 0)
    for function in (lib.facula_cuda_dense, lib.facula_cuda_nested):
        status, details = call(function, elementwise(), 8, 16, 32, 48)
        assert (status, details[0]) == (lib.STATUS_DEVICE, lib.DRIVER_NOT_INITIALIZED)
    assert not driver.launched


# Nests


def shaped(shape, strides, itemsizes, outputs=1):
    """Return the nest of a plan for these lengths and strides: lengths, and steps of each dimension."""
    form, into = elementwise(itemsizes, outputs), ffi.new("struct facula_cuda_elementwise *")
    ndim = len(shape)
    flat = [step for one in strides for step in one]
    assert lib.facula_cuda_nest(ffi.NULL, form, ndim, shape, flat) == ffi.sizeof("struct facula_cuda_elementwise")
    if lib.facula_cuda_nest(into, form, ndim, shape, flat) < 0:
        return None
    arrays, dims = len(itemsizes), into.nest[0]
    steps = [list(into.nest[7 + d * arrays : 7 + (d + 1) * arrays]) for d in range(dims)]
    return list(into.nest[1 : 1 + dims]), steps


def offsets(lengths, steps, arrays):
    """Return the bytes at which a kernel finds element i of each array, for all i."""
    count = int(np.prod(lengths, dtype=np.int64))
    rest, found = np.arange(count), np.zeros((count, arrays), np.int64)
    for length, step in zip(lengths, steps):
        found += rest[:, None] % length * np.array(step)
        rest = rest // length
    return found


@st.composite
def layouts(draw):
    """Draw a shape and the strides of two inputs and an output: the output's dimensions permuted, inputs broadcast."""
    shape = draw(st.lists(st.integers(1, 4), min_size=0, max_size=5))
    order = draw(st.permutations(range(len(shape))))
    strides = []
    for _ in range(3):
        step, one = 1, [0] * len(shape)
        for d in order if draw(st.booleans()) else range(len(shape))[::-1]:
            one[d] = step
            step *= shape[d] * draw(st.sampled_from([1, 1, 2]))
        strides.append(one)
    for one in strides[:2]:
        for d in range(len(shape)):
            if draw(st.booleans()):
                one[d] = 0
            elif draw(st.booleans()):
                one[d] = -one[d]
    return shape, strides


@given(layouts())
def test_a_nest_visits_the_elements_of_the_strides(case):
    shape, strides = case
    lengths, steps = shaped(shape, strides, (4, 2, 8))
    indices = np.indices(shape).reshape(len(shape), int(np.prod(shape, dtype=np.int64)))
    wanted = np.stack([size * (np.array(one, np.int64) @ indices) for one, size in zip(strides, (4, 2, 8))], 1)
    found = offsets(lengths, steps, 3)
    assert sorted(map(tuple, found)) == sorted(map(tuple, wanted))
    assert (np.diff(found[:, 2]) > 0).all()  # neighbouring threads write neighbouring elements


def test_dimensions_that_are_one_are_merged():
    assert shaped([2, 3, 4], [[12, 4, 1]] * 2, (4, 4)) == ([24], [[4, 4]])
    assert shaped([2, 3, 4], [[0, 0, 1], [12, 4, 1]], (4, 4)) == ([4, 6], [[4, 4], [0, 16]])
    assert shaped([1, 1], [[1, 1], [1, 1]], (4, 4)) == ([], [])


def test_the_outputs_share_their_strides():
    assert shaped([2, 3], [[0, 1], [1, 2]], (8, 4, 2), outputs=2) == ([2, 3], [[0, 4, 2], [8, 8, 4]])


def test_more_dimensions_than_the_parameters_hold_have_no_plan():
    strides = [[2 * 3**d for d in range(7)][::-1]] * 2
    assert shaped([2] * 7, strides, (4, 4)) is None
    assert shaped([2] * 6, [one[1:] for one in strides], (4, 4)) is not None


def test_nests_are_appended_to_the_arguments(driver):
    form, plan = elementwise((4, 4), record=RECORD), ffi.new("struct facula_cuda_elementwise *")
    assert lib.facula_cuda_nest(plan, form, 2, [3, 5], [1, 3, 5, 1]) == 2**62
    call(lib.facula_cuda_nested, plan, 15, 0x100, 0x200)
    (one,) = driver.launched
    assert (one.function, one.blocks, one.threads) == (NESTED, 1, 256)
    assert one.block.tolist() == [15, 0x100, 0x200, 2, 5, 3, 0, 0, 0, 0, 12, 4, 4, 20, *[0] * 8, RECORD]


# Fixed grids


def fixed(*steps, words=3, constants=(), scratch=0, record=0):
    """Return a plan of (function, blocks, per_block, max_blocks, threads, shared bytes)."""
    plan = ffi.new("struct facula_cuda_fixed *", {"constant": list(constants)})
    plan.words, plan.scratch, plan.constants, plan.steps = words, scratch, len(constants), len(steps)
    plan.record = record
    for place, step in enumerate(steps):
        one = plan.step[place]
        one.function, one.blocks, one.per_block, one.max_blocks, one.threads, one.shared_bytes = step
    return plan


def test_the_steps_of_a_launch_get_one_parameter_block(driver):
    plan = fixed((1, 7, 0, 0, 128, 64), (2, 0, 100, 5, 256, 0), constants=(-1, -2), scratch=1, record=RECORD)
    assert call(lib.facula_cuda_fixed, plan, 250, 0x10, 0x20)[0] == 0
    first, second = driver.launched
    assert (first.function, first.blocks, first.threads, first.shared) == (1, 7, 128, 64)
    assert (second.function, second.blocks, second.threads, second.shared) == (2, 3, 256, 0)
    assert first.block.tolist() == second.block.tolist() == [250, 0x10, 0x20, 0x7000, -1, -2, RECORD]


def test_a_step_that_repeats_gets_the_number_of_its_turn(driver):
    plan = fixed((1, 7, 0, 0, 128, 0), (2, 3, 0, 0, 32, 0), constants=(9, -2))
    plan.step[1].repeats = 2
    call(lib.facula_cuda_fixed, plan, 250, 0x10, 0x20)
    assert [one.function for one in driver.launched] == [1, 2, 2, 2]
    assert [one.block.tolist()[3:] for one in driver.launched] == [[9, -2], [0, -2], [1, -2], [2, -2]]


@pytest.mark.parametrize(("n", "blocks"), [(0, 1), (1, 1), (100, 1), (101, 2), (10**6, 5)])
def test_grids_by_the_number_of_elements(driver, n, blocks):
    call(lib.facula_cuda_fixed, fixed((1, 0, 100, 5, 256, 0)), n, 16, 16)
    assert driver.launched[0].blocks == blocks


def test_scratch_memory_is_taken_once_a_stream_and_cleared(driver):
    plan = fixed((1, 1, 0, 0, 32, 0), scratch=1)
    for stream in (0, 0, 8, 0, 8):
        lib.facula_cuda_set_stream_of(0, stream)
        call(lib.facula_cuda_fixed, plan, 1, 16, 16)
    assert driver.calls.count("cuMemAlloc_v2") == driver.calls.count("cuMemsetD8Async") == 2


def test_grids_that_no_device_has_are_refused(driver):
    plan = fixed((1, 1, 0, 0, 32, 0), (1, 2**31, 0, 0, 32, 0))
    assert call(lib.facula_cuda_fixed, plan, 1, 16, 16)[0] == lib.STATUS_UNSUPPORTED
    assert not driver.launched


def test_a_device_on_which_half_of_a_launch_was_queued_is_lost(driver):
    driver.codes = [0, 701]
    plan = fixed((1, 1, 0, 0, 32, 0), (2, 1, 0, 0, 32, 0))
    for function, arguments in [(lib.facula_cuda_fixed, plan), (lib.facula_cuda_dense, elementwise())]:
        status, details = call(function, arguments, 8, 16, 32, 48)
        assert (status, details[0]) == (lib.STATUS_DEVICE, 701)
    assert len(driver.launched) == 1
    assert lib.facula_cuda_lost(0) == 701 and lib.facula_cuda_lost(1) == 0


# Tables


def table(lengths, columns=2, words=2, per_block=1000, function=5):
    """Return a plan and what it must outlive."""
    plan, kept = ffi.new("struct facula_cuda_table *"), ffi.new("int64_t[]", lengths)
    plan.function, plan.per_block, plan.columns, plan.words, plan.threads = function, per_block, columns, words, 256
    plan.rows, plan.lengths = len(lengths), kept
    return plan, kept


def rows_of(one, words=2, columns=2):
    """Return the rows in a parameter block."""
    count = int(one.block[words])
    return one.block[words + 1 :][: count * (columns + 2)].reshape(count, columns + 2).tolist()


def test_a_table_has_addresses_lengths_and_first_blocks(driver):
    plan, _kept = table([10, 0, 2500, 1000])
    addresses = [1, 2, 3, 4, 5, 6, 7, 8]
    assert call(lib.facula_cuda_table, plan, 4, -9, *addresses)[0] == 0
    (one,) = driver.launched
    assert (one.function, one.blocks, one.threads, len(one.block)) == (5, 5, 256, 500)
    assert one.block[:3].tolist() == [4, -9, 3]
    assert rows_of(one) == [[1, 2, 10, 0], [5, 6, 2500, 1], [7, 8, 1000, 4]]


def test_rows_that_do_not_fit_go_to_further_launches(driver):
    lengths = [10 + row for row in range(300)]
    plan, _kept = table(lengths)
    addresses = list(range(600))
    assert call(lib.facula_cuda_table, plan, 300, 7, *addresses)[0] == 0
    assert [one.blocks for one in driver.launched] == [124, 124, 52]
    found = [row for one in driver.launched for row in rows_of(one)]
    assert [row[:3] for row in found] == [[2 * r, 2 * r + 1, 10 + r] for r in range(300)]
    assert [row[3] for row in found] == [*range(124), *range(124), *range(52)]


def test_nothing_of_a_table_is_queued_twice(driver):
    plan, _kept = table([10] * 200)
    driver.codes = [0, 701]
    for _ in range(2):  # a caller's second try
        status, details = call(lib.facula_cuda_table, plan, 200, 7, *range(400))
        assert (status, details[0]) == (lib.STATUS_DEVICE, 701)
    assert len(driver.launched) == 1


def test_empty_tables_queue_nothing(driver):
    plan, _kept = table([0, 0])
    assert call(lib.facula_cuda_table, plan, 2, 7, 1, 2, 3, 4)[0] == 0
    assert not driver.launched


# Pace


def queue_many(count, plan):
    words = ffi.new("int64_t[]", [8, 16, 32, 48])
    for _ in range(count):
        assert lib.facula_cuda_dense(plan, words) == 0


def test_every_256th_launch_of_a_stream_records_an_event(driver):
    plan = elementwise()
    queue_many(255, plan)
    lib.facula_cuda_set_stream_of(0, 9)
    queue_many(255, plan)
    assert "cuEventRecord" not in driver.calls
    queue_many(1, plan)
    assert driver.calls.count("cuEventRecord") == 1
    queue_many(4 * 256, plan)
    assert driver.calls.count("cuEventRecord") == 5
    assert driver.calls.count("cuEventCreate") == 4  # events are used again


WAITS = """
#include <time.h>
volatile int waiting, over;
int wait_for_event(long event)
{
    struct timespec moment = {0, 1000000};
    waiting = 1;
    for (int i = 0; i < 5000 && !over; i++)
        nanosleep(&moment, 0);
    return !over;
}
"""


def test_a_full_queue_is_waited_for_without_the_gil(driver, tmp_path):
    (tmp_path / "waits.c").write_text(WAITS)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "waits.so", tmp_path / "waits.c"], check=True)
    waits = ctypes.CDLL(str(tmp_path / "waits.so"))
    waiting, over = (ctypes.c_int.in_dll(waits, name) for name in ("waiting", "over"))
    address = ctypes.cast(waits.wait_for_event, ctypes.c_void_p).value
    lib.driver.cuEventSynchronize = ffi.cast("int (*)(int64_t)", address)

    def bystander():
        while not waiting.value:
            time.sleep(0.001)
        over.value = 1

    thread = threading.Thread(target=bystander)
    thread.start()
    driver.pending = True
    before = lib.facula_cuda_pace_waits()
    words = ffi.new("int64_t[]", [8, 16, 32, 48])
    queue = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(  # a call with the GIL
        int(ffi.cast("intptr_t", ffi.addressof(lib, "facula_cuda_dense")))
    )
    plan = elementwise()
    pointers = [int(ffi.cast("intptr_t", one)) for one in (plan, words)]
    for _ in range(3 * 256):
        assert queue(*pointers) == 0
    assert lib.facula_cuda_pace_waits() == before
    for _ in range(256):
        assert queue(*pointers) == 0
    assert waiting.value == over.value == 1  # the other thread ran meanwhile
    assert lib.facula_cuda_pace_waits() == before + 1
    thread.join()


def test_captured_streams_have_no_pace(driver):
    driver.capturing = 1
    queue_many(2000, elementwise())
    assert "cuEventRecord" not in driver.calls and "cuEventCreate" not in driver.calls
