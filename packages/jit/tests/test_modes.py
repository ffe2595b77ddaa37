"""Functions that change the mode of the program: the mode afterwards equals that of eager code."""

import warnings

import pytest

from facula_autograd import is_grad_enabled, no_grad, set_grad_enabled
from facula_errors.testing import raises
from facula_jit import CaptureError, capture
from facula_tensor import ones

WEIGHT = ones(3, requires_grad=True)


def _off_and_on(x):
    set_grad_enabled(False)
    y = x * WEIGHT
    set_grad_enabled(True)
    return y * WEIGHT


def _off_and_on_around_a_line(x):
    set_grad_enabled(False)
    y = x * WEIGHT
    print(end="")
    set_grad_enabled(True)
    return y * WEIGHT


def _leaves_it_off(x):
    y = x * WEIGHT
    set_grad_enabled(False)
    return y * WEIGHT


def _leaves_it_off_after_a_line(x):
    y = x * WEIGHT
    print(end="")
    set_grad_enabled(False)
    return y * WEIGHT


def _leaves_it_off_in_an_error(x):
    set_grad_enabled(False)
    raise ValueError("not on")


def _leaves_it_off_in_a_block(x):
    with no_grad():
        set_grad_enabled(True)
        y = x * WEIGHT
    return y, x * WEIGHT


PROGRAMS = [
    _off_and_on, _off_and_on_around_a_line, _leaves_it_off, _leaves_it_off_after_a_line, _leaves_it_off_in_an_error,
    _leaves_it_off_in_a_block,
]  # fmt: skip


def _calls(function):
    """Return the results of calls, and the modes after each of them."""
    for number in range(8):
        set_grad_enabled(number != 5)
        try:
            found = function(ones(3) * number)
            parts = found if isinstance(found, tuple) else (found,)
            yield [(part.tolist(), part.requires_grad) for part in parts], is_grad_enabled()
        except ValueError as error:
            yield str(error), is_grad_enabled()
        finally:
            set_grad_enabled(True)


@pytest.mark.parametrize("options", [{}, {"check": 0}, {"on_break": "split"}, {"on_break": "split", "check": 0}])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_mode_is_left_as_in_eager_code(program, options):
    with warnings.catch_warnings(action="ignore"):
        assert list(_calls(capture(program, **options))) == list(_calls(program))


def test_a_function_that_leaves_a_mode_changed_breaks():
    try:
        with raises(CaptureError, "capture", "returns in another mode (grad) (at", "test_modes", "use a with"):
            capture(_leaves_it_off, on_break="error")(ones(3))
        assert not is_grad_enabled()
    finally:
        set_grad_enabled(True)
