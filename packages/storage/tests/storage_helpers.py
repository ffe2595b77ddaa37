"""Helpers of several test files: storages with known contents, recorded launches, threads that re-raise errors."""

from __future__ import annotations

import ctypes
import struct
import threading

import numpy as np
import pytest

from facula_storage import Layout, Storage, bind, contiguous, cpu, float32
from facula_storage.extend import HostMemory, Sequence, allocate, host_view, register_backend

NEVER = 2**62  # elements from which a launch releases the GIL


def counting(layout: Layout | None = None) -> tuple[Storage, Layout]:
    """A new storage that contains 0, 1, 2, … in the order of its contiguous layout."""
    layout = layout or contiguous((2, 3), float32)
    storage = allocate(layout)
    host_view(storage.ptr, layout)[...] = np.arange(layout.numel).reshape(layout.shape)
    return storage, layout


def require_own_backend() -> None:
    """Skip the test if another package, such as facula_cpu, has replaced the backend of the CPU in this process."""
    if type(cpu.backend) is not HostMemory:
        pytest.skip("requires the CPU backend of facula_storage; run these tests in a process of their own")


def live() -> tuple[int, int]:
    """Return bytes and blocks in use on the CPU."""
    require_own_backend()
    figures = cpu.backend.allocator.statistics()
    return figures["allocated_bytes"], figures["allocated_blocks"]


class Noting:
    """The kernel `note`: counts its launches and keeps the arguments of the last one."""

    def __init__(self, address_of, count, doubles=0, release_at=NEVER, told=0):
        self.plan = (ctypes.c_int64 * (2 + count))(0, count)
        self.launch = bind(address_of("note"), ctypes.addressof(self.plan), release_at, doubles, self.plan, told)

    @property
    def count(self):
        return self.plan[0]

    def argument(self, position, kind="q"):
        return struct.unpack(kind, struct.pack("q", self.plan[2 + position]))[0]


class Owner:
    """An object that supports weak references."""


class Running(threading.Thread):
    """A thread whose exception is raised again by `finish`."""

    def __init__(self, target, *args):
        super().__init__(daemon=True)
        self._work, self._args_of_work, self.error, self.result = target, args, None, None
        self.start()

    def run(self):
        try:
            self.result = self._work(*self._args_of_work)
        except BaseException as error:
            self.error = error

    def finish(self, timeout=600):
        self.join(timeout)
        assert not self.is_alive(), "the thread hangs"
        if self.error is not None:
            raise self.error
        return self.result


def new_device(name: str, backend) -> None:
    """Register `backend` for devices of type `name`."""
    register_backend(name, lambda index: backend)


class Holder:
    """A stand-in for a tensor in sequences: an object with slots."""

    __slots__ = ("__weakref__", "grad", "hooks", "layout", "node", "offset", "storage")


SLOTS = (
    *[vars(Holder)[name] for name in ("layout", "storage", "offset", "node", "hooks", "grad")],
    *[vars(Storage)[name] for name in ("ptr", "version", "mutator")],
    *[vars(Layout)[name] for name in ("shape", "strides", "dtype", "device")],
)
LAYOUT = contiguous((4,), float32)


def holder(values=None):
    """A holder with its own memory."""
    made = Holder()
    made.layout, made.storage, made.offset, made.node = LAYOUT, allocate(LAYOUT), 0, None
    if values is not None:
        view(made)[:] = values
    return made


def view(one):
    """Return the elements of a holder."""
    return np.ctypeslib.as_array((ctypes.c_float * 4).from_address(one.storage.ptr))


def sequence(launches, slots=SLOTS, **parts):
    """A sequence of these launches, with the other parts that are given."""
    names = ("inputs", "values", "patches", "checks", "changed", "puts", "spans")
    defaults = {name: 0 if name == "values" else [] for name in names}
    return Sequence(slots, launches, *{**defaults, **parts}.values())


def fits(made):
    """Return whether all checks of a sequence pass."""
    missed = made.run((), ())
    assert missed in (None, 0)
    return missed is None


def check(*one):
    """Return a sequence without launches whose only check is the given one."""
    return sequence([], checks=[one])


class Loud:
    """An object that fails if a check runs its code."""

    def __eq__(self, other):
        raise AssertionError("a check runs code of the program")

    __hash__ = object.__hash__
    __getattribute__ = __len__ = __iter__ = __bool__ = __eq__


class LoudInt(int):
    __eq__ = Loud.__eq__
    __hash__ = int.__hash__


class LoudDict(dict):
    __iter__ = __len__ = __getitem__ = __eq__ = keys = values = items = Loud.__eq__


class LoudList(list):
    __iter__ = __len__ = __getitem__ = __eq__ = Loud.__eq__


class LoudTuple(tuple):
    __slots__ = ()
    __iter__ = __len__ = __getitem__ = Loud.__eq__
