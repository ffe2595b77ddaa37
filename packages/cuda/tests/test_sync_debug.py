"""The synchronization debug mode."""

import warnings

import pytest

from facula_cuda import Event, Stream, get_sync_debug_mode, set_sync_debug_mode, synchronize, waits
from facula_errors.testing import raises
from facula_storage import Device


@pytest.fixture
def mode(simulated):
    simulated()
    yield set_sync_debug_mode
    set_sync_debug_mode("default")


def test_waits_for_a_stream_warn_or_raise(mode):
    stream, count = Stream(), waits()
    stream.synchronize()
    mode("warn")
    with pytest.warns(UserWarning, match="the host waits for a stream of cuda:0") as caught:
        stream.synchronize()
    assert caught[0].filename == __file__ and get_sync_debug_mode() == 1
    mode(2)
    with raises(RuntimeError, "cuda", "the host waits for a stream", "set_sync_debug_mode('error') forbids that"):
        stream.synchronize()
    with raises(RuntimeError, "cuda", "the host waits for a stream"):
        Device("cuda:0").backend.copy_out(Device("cuda:0").backend.allocator.refill(4)[0], bytearray(4))
    mode(0)
    stream.synchronize()
    assert waits() == count + 5, "refused waits are counted, too"


def test_intended_waits_are_not_reported(mode):
    mode("error")
    event = Event()
    event.record()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        event.synchronize()
        synchronize()


@pytest.mark.parametrize("wrong", ["on", 3, True, None])
def test_other_modes_are_refused(wrong):
    with raises(ValueError, "set_sync_debug_mode", "one of 'default', 'warn', 'error', 0, 1, 2", value=repr(wrong)):
        set_sync_debug_mode(wrong)
