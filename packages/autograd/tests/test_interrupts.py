"""A Ctrl-C at any place where the interpreter looks for signals leaves modes as they were before the block.

A tracer stands in for the signal: it raises where the interpreter would run a signal handler, which is where
a function begins, after a call, and when a loop goes back.
"""

import dis
import sys

import pytest
from autograd_toys import Box

import facula_autograd
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
from facula_autograd.extend import DEFAULT, current_mode, special

PACKAGE = facula_autograd.__file__.rpartition("/")[0]
#: Nothing can be done there: see Note [Ctrl-C in a mode].
OUT_OF_REACH = facula_autograd.no_grad.__exit__.__code__


class Interrupter:
    """Raises KeyboardInterrupt at the place of that number, counted from 0, within this package."""

    def __init__(self, place):
        self.left, self.jumped, self.raised = place, None, False

    def profile(self, frame, event, arg):
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return
        if event == "return":
            # No place where a with statement enters; everywhere else a caller may look after the call.
            self.place(code.co_name != "__enter__")
        elif event in ("call", "c_return"):
            self.place(event == "c_return" or code is not OUT_OF_REACH)

    def trace(self, frame, event, arg):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            jumped, self.jumped = self.jumped, None
            self.place(jumped is frame)
            if dis.opname[frame.f_code.co_code[frame.f_lasti]] == "JUMP_BACKWARD":
                self.jumped = frame
        return self.trace

    def place(self, here):
        self.left -= here
        if here and self.left < 0 and not self.raised:
            self.raised = True
            raise KeyboardInterrupt

    def run(self, program):
        before = sys.gettrace(), sys.getprofile()
        sys.settrace(self.trace)
        sys.setprofile(self.profile)
        try:
            program()
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(before[1])
            sys.settrace(before[0])


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


def lasting_inside():
    with enable_grad():
        set_grad_enabled(False)
        set_grad_enabled(True)
        set_detect_anomaly(True)


def decorated():
    no_grad(lambda: set_grad_enabled(True))()


def a_generator():
    @no_grad()
    def steps():
        yield 1
        yield 2

    list(steps())


@enable_grad()
def a_pass():
    x = Box(2.0, True)
    y = x * x
    y.register_hook(lambda g: None)
    x.register_hook(lambda g: None)
    y.backward()


PROGRAMS = [plain, one_object_inside_itself, several, lasting_inside, decorated, a_generator, a_pass]


@pytest.mark.parametrize("around", [DEFAULT, no_grad, inference_mode], ids=["nothing", "no_grad", "inference"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_with_blocks(program, around):
    program()
    tried = 0
    while True:
        interrupter = Interrupter(tried)
        if around is DEFAULT:
            interrupter.run(program)
            assert current_mode() is DEFAULT, tried
            assert special == [], tried
        else:
            with around():
                before = current_mode()
                interrupter.run(program)
                assert current_mode() is before, tried
                assert len(special) == 1, tried
        if not interrupter.raised:
            break
        tried += 1
    assert tried >= 8


@pytest.mark.parametrize("start", [True, False])
def test_switching_is_whole_or_nothing(start):
    tried, seen = 0, set()
    while True:
        with enable_grad():
            set_grad_enabled(start)
            interrupter = Interrupter(tried)
            interrupter.run(lambda: set_grad_enabled(not start))
            assert interrupter.raised or is_grad_enabled() is not start
            assert len(special) == 2 - is_grad_enabled(), "as it was before or as it should be, nothing between"
            seen.add(is_grad_enabled())
        assert special == []
        if not interrupter.raised:
            break
        tried += 1
    assert tried >= 8
    assert seen == {True, False}
