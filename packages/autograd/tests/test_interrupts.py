"""A Ctrl-C at any place where the interpreter checks for signals leaves modes as they were before the block.

A tracer simulates the signal. It raises where the interpreter would run a signal handler: at the start of a function,
after a call, and at a backward jump. The start of `__exit__` is such a place (Note [Ctrl-C in a mode] in
`_modes/mode_state.py`). The error is kept alive until the modes have been checked, as an interactive interpreter does.
"""

import pytest
from autograd_helpers import Box
from interrupts import Interrupter

from facula_autograd import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    saved_tensors_hooks,
    set_detect_anomaly,
    set_grad_enabled,
)
from facula_autograd._modes.mode_state import passive_modes
from facula_autograd.extend import DEFAULT, active_modes, current_mode
from facula_autograd.graph import disable_saved_tensors_hooks, register_multi_grad_hook
from facula_errors.extend import guarded


def plain():
    with no_grad():
        pass


def one_object_inside_itself():
    mode = no_grad()
    with mode, mode:
        assert not is_grad_enabled()


def several():
    with inference_mode(), enable_grad(), detect_anomaly():
        with saved_tensors_hooks(id, id):
            pass


def passive():
    with detect_anomaly(), no_grad(), disable_saved_tensors_hooks("no"):
        set_detect_anomaly(False)


def lasting_inside():
    with enable_grad():
        set_grad_enabled(False)
        set_grad_enabled(True)
        set_detect_anomaly(True)


def switch_off():
    return set_grad_enabled(False)


def lasting_as_blocks():
    """No mode takes effect before its block: an interrupt between the call and the block would leave it on."""
    with set_grad_enabled(False) as mode, set_detect_anomaly(True):
        assert not is_grad_enabled()
    with switch_off(), mode:
        assert not is_grad_enabled()


def decorated():
    no_grad(lambda: set_grad_enabled(True))()


def a_generator():
    @no_grad()
    def steps():
        yield 1
        yield 2

    list(steps())


@inference_mode(False)
def a_pass():
    x = Box(2.0, True)
    y = x * x
    y.register_hook(lambda g: None)
    x.register_hook(lambda g: None)
    with register_multi_grad_hook([x, y], lambda gs: None):
        y.backward()


@guarded
def a_block(open_ones):
    open_ones.append(None)
    try:
        with no_grad():
            yield
    finally:
        open_ones.pop()


def blocks_of_generators():
    open_ones = []
    with a_block(open_ones):
        assert len(open_ones) == 1
        with pytest.raises(KeyError), a_block(open_ones):
            raise KeyError
    assert not open_ones


PROGRAMS = [
    blocks_of_generators,
    plain,
    one_object_inside_itself,
    several,
    passive,
    lasting_inside,
    lasting_as_blocks,
    decorated,
    a_generator,
    a_pass,
]


@pytest.mark.parametrize("around", [DEFAULT, no_grad, inference_mode], ids=["nothing", "no_grad", "inference"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_with_blocks(program, around):
    program()
    tried = 0
    while True:
        interrupter = Interrupter(tried)
        if around is DEFAULT:
            error = interrupter.run(program)
            assert current_mode() is DEFAULT, tried
            assert not active_modes and not passive_modes, tried
        else:
            with around():
                before = current_mode()
                error = interrupter.run(program)
                assert current_mode() is before, tried
                assert len(active_modes) == 1 and not passive_modes, tried
        assert interrupter.raised or error is None
        if not interrupter.raised:
            break
        tried += 1
    assert tried >= 8


@pytest.mark.parametrize("start", [True, False])
def test_switching_is_atomic(start):
    tried, seen = 0, set()
    while True:
        with enable_grad():
            set_grad_enabled(start)
            interrupter = Interrupter(tried)
            interrupter.run(lambda: set_grad_enabled(not start))
            assert interrupter.raised or is_grad_enabled() is not start
            assert len(active_modes) == 2 - is_grad_enabled(), "as it was before or as it should be, nothing between"
            seen.add(is_grad_enabled())
        assert not active_modes
        if not interrupter.raised:
            break
        tried += 1
    assert tried >= 8
    assert seen == {True, False}
