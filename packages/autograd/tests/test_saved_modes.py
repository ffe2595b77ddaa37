"""Modes for saved values: on another device, on disk, copied, refused."""

import errno
import gc
import os
import sys
import threading
import warnings

import numpy as np
import pytest
from autograd_helpers import Box, BoxAdapter, write_
from interrupts import Interrupter

from facula_autograd import MutationError, Variable, checkpoint, grad, saved_tensors_hooks
from facula_autograd._saved_values import disk as disk_module
from facula_autograd.extend import register_adapter
from facula_autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    report,
    save_on_cpu,
    save_on_disk,
)
from facula_errors.testing import raises

# ---- on the host


class Far(Box):
    """A box on another device, where its number is negated."""


class FarAdapter(BoxAdapter):
    moved: list[str] = []  # noqa: RUF012

    def to_host(self, v, pin_memory=False):
        self.moved.append(f"there{'(pinned)' * pin_memory}")
        return Box(-v.number)

    def from_host(self, v, metadata):
        self.moved.append("back")
        far = Far.__new__(Far)
        far.cell, far.node = Box(-v.number).cell, None
        return far

    def alias(self, v):
        far = Far.__new__(Far)
        far.cell, far.node = v.cell, None
        return far


register_adapter(Far, FarAdapter())


def test_save_on_cpu_moves_values_of_other_devices_except_leaves():
    x, far = Box(2.0, True), Far(3.0)
    FarAdapter.moved.clear()
    with save_on_cpu(pin_memory=True):
        y = x * far
        z = y * x
    assert FarAdapter.moved == ["there(pinned)"]
    z.backward()
    assert FarAdapter.moved == ["there(pinned)", "back"]
    assert x.grad.number == 12.0


@pytest.mark.parametrize("mode", [save_on_cpu, lambda: save_on_disk(min_bytes=1 << 20)])
def test_values_in_memory_must_not_be_changed(mode):
    x, k = Variable(2.0, True), Box(3.0)
    y = Box(2.0, True)
    BoxAdapter.nbytes = lambda self, v: 8
    with mode():
        z = y * k
    write_(k, 4.0)
    with raises(MutationError, "save_on_...", "expected the saved value (the box of 4.0)", "write_ at"):
        z.backward()
    with mode():
        z = x * x * x
    z.backward()
    assert x.grad.value == 12.0


@pytest.mark.parametrize(("call", "text"), [
    (lambda: save_on_cpu(1), "save_on_cpu: pin_memory: expected True or False"),
    (lambda: save_on_cpu(device_type=0), "save_on_cpu: expected device_type to be a string"),
    (lambda: save_on_disk(min_bytes=1.5), "save_on_disk: expected min_bytes to be an int; got 1.5"),
    (lambda: save_on_disk(min_bytes=1), "save_on_disk: expected min_bytes of at least 64; got 1"),
    (lambda: save_on_disk("/no/such/folder"), "save_on_disk: expected folder to be an existing directory"),
    (lambda: save_on_disk(3), "save_on_disk: expected folder to be a string, a path or None; got int"),
    (lambda: disable_saved_tensors_hooks(None), "disable_saved_tensors_hooks: expected a message; got None"),
])  # fmt: skip
def test_arguments(call, text):
    with raises((TypeError, ValueError, OSError), text):
        call()


# ---- on disk


def cube(x):
    return ((x * 2.0) * x * x).sum()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", ">f8"])
def test_values_on_disk_round_trip(dtype, tmp_path):
    array = np.arange(3000, dtype=float).reshape(50, 60).astype(dtype)
    want = Variable(array, True)
    (cube(want) if dtype != "c16" else (cube(want) * cube(want).conj()).real).backward()
    x = Variable(array.T, True)
    with save_on_disk(tmp_path, min_bytes=64) as disk:
        y = cube(x) if dtype != "c16" else (cube(x) * cube(x).conj()).real
    assert list(tmp_path.iterdir()) == [], "files have no names"
    assert disk.bytes_written == disk.bytes_on_disk >= 2 * array.nbytes and disk.bytes_read == 0
    (first,) = grad(y, x, retain_graph=True)
    y.backward()
    assert disk.bytes_read == 2 * disk.bytes_written and disk.bytes_on_disk == 0
    for g in (first, x.grad):
        np.testing.assert_array_equal(g.value, want.grad.value.T)


def test_files_are_deleted_with_the_graph(monkeypatch):
    monkeypatch.setattr(disk_module, "SEGMENT_BYTES", 20_000)
    x = Variable(np.full(1000, 0.5), True)
    left = []
    with save_on_disk(min_bytes=64) as disk:
        y = x
        for _ in range(10):
            y = y * 0.5
            y = y**2
            y.register_hook(lambda g: left.append(disk.bytes_on_disk))
        total = disk.bytes_on_disk
    gc.disable()
    try:
        y.sum().backward()
        assert left == sorted(left, reverse=True) and left[-1] < total / 4, "piece by piece"
        assert disk.bytes_on_disk == 0
        with disk:
            y = (x * 2.0) ** 2
        assert disk.bytes_on_disk
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            del y
        assert disk.bytes_on_disk == 0, "a graph that no pass runs over"
        assert seen == [], "that files go unclosed is as it should be"
    finally:
        gc.enable()


def test_second_derivatives_and_checkpoints_from_disk():
    x = Variable(np.linspace(1, 2, 100), True)
    with save_on_disk(min_bytes=64):
        (first,) = grad(((x * x) ** 2).sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    np.testing.assert_allclose(second.value, 12 * x.value**2)
    with save_on_disk(min_bytes=64) as disk:
        y = checkpoint(lambda x: (x * x) ** 2, x * 1.0).sum()
    y.backward()
    np.testing.assert_allclose(x.grad.value, 4 * x.value**3)
    assert disk.bytes_written


def test_errors_of_a_full_disk_name_the_folder(monkeypatch, tmp_path):
    def pwrite(number, data, offset):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    x = Variable(np.ones(100), True)
    with save_on_disk(tmp_path, min_bytes=64) as disk:
        y = (x * 2.0) ** 2
        written = disk.bytes_written
        monkeypatch.setattr(os, "pwrite", pwrite)
        with raises(OSError, "save_on_disk", "cannot write 800 bytes", "No space left", "Free some") as caught:
            y * y
        monkeypatch.undo()
        assert caught.value.errno == errno.ENOSPC and caught.value.filename == str(tmp_path)
        y = (y * y).sum()
    assert disk.bytes_written > written
    y.backward()
    assert x.grad.value[0] == 64.0


def test_partial_writes_and_reads_continue(monkeypatch):
    pwrite, preadv = os.pwrite, os.preadv
    monkeypatch.setattr(os, "pwrite", lambda number, data, offset: pwrite(number, data[:99], offset))
    monkeypatch.setattr(os, "preadv", lambda number, views, offset: preadv(number, [views[0][:77]], offset))
    x = Variable(np.arange(100.0), True)
    with save_on_disk(min_bytes=64):
        y = ((x * 2.0) ** 2).sum()
    y.backward()
    np.testing.assert_array_equal(x.grad.value, 8 * x.value)
    with save_on_disk(min_bytes=64):
        y = ((x * 2.0) ** 2).sum()
    monkeypatch.setattr(os, "preadv", lambda number, views, offset: 0)
    with raises(OSError, "save_on_disk", "another process has truncated it"):
        y.backward()


def test_ctrl_c_while_values_are_saved_and_read(monkeypatch):
    # pytest's hook keeps frames of closing generators alive.
    monkeypatch.setattr(sys, "unraisablehook", lambda what: None)
    x = Variable(np.ones(100), True)
    disk = save_on_disk(min_bytes=64)

    def program():
        with disk:
            y = (x * 2.0) ** 2
        y.sum().backward()

    program()
    tried = 0
    while True:
        interrupter = Interrupter(tried)
        interrupter.run(program)
        assert disk.bytes_on_disk == 0, tried
        if not interrupter.raised:
            break
        tried += 7
    x.grad = None
    program()
    assert tried > 50 and x.grad.value[0] == 8.0


def test_threads_share_one_mode():
    disk, wrong = save_on_disk(min_bytes=64), []

    def work(k):
        for n in range(20):
            x = Variable(np.full(100 + n, float(k)), True)
            with disk:
                y = ((x * 2.0) ** 2).sum()
            y.backward()
            if not (x.grad.value == 8.0 * k).all():
                wrong.append((k, n))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and disk.bytes_on_disk == 0


# ---- copied, refused


def test_saved_values_may_be_changed():
    x, factor = Box(2.0, True), Box(3.0)
    with allow_mutation_on_saved_tensors():
        y = x * factor
        write_(factor, 100.0)
        write_(x, 50.0)
        y.backward()
    assert x.grad.number == 3.0
    with allow_mutation_on_saved_tensors() as copies:
        y, z = x * factor, x * x
        assert set(report(y).by_operator()) == {"mul"}
    del z
    copies.clear()
    with raises(RuntimeError, "allow_mutation_on_saved_tensors", "clear", "has dropped them"):
        y.backward()


def test_hooks_are_refused():
    x = Variable(2.0, True)
    with disable_saved_tensors_hooks("first"), disable_saved_tensors_hooks("in here"):
        hooks = save_on_cpu()
        with pytest.raises(RuntimeError, match=r"^in here$"), hooks:
            pass
        with pytest.raises(RuntimeError, match=r"^in here$"):
            saved_tensors_hooks(id, id)(lambda: None)()
        (x * x).backward()
    with hooks, pytest.raises(RuntimeError, match=r"^not now$"), disable_saved_tensors_hooks("not now"):
        pass
    with hooks:
        (x * x).backward()
    assert x.grad.value == 8.0
