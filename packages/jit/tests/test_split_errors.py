"""Split functions with pieces that raise errors, leave loops, or depend on effects of other calls."""

from sys import _getframe
from types import SimpleNamespace

import pytest
from jit_toys import same

from facula_jit import capture
from facula_tensor import full, no_grad, ones, tensor, zeros

STATE = SimpleNamespace(kept=zeros(3), runs=0)
WEIGHT = ones(3).requires_grad_()


def catches(x):
    total = x.sum().item()
    y = late = x
    try:
        y = x * 2
        if total > 2:
            raise ValueError
        late = y.sin() * total
        y = y + 1
    except ValueError:
        y = y * 3 + late
    return y * total


def leaves_the_outer_loop(x):
    found = []
    for number in range(4):
        for _ in range(2):
            x = x * 1.5 + 1
        else:
            if number % 2:
                continue
        found.append(x.sum().item())
        x = x.sin()
    return x, found


def scaled(x, scale):
    return x * scale + 1


def reads_what_it_keeps(x):
    y = scaled(x, STATE.kept)
    total = y.sum().item()
    STATE.kept = STATE.kept * 0.5 + x
    return y * total


def counts_runs(x):
    y = x * 2
    STATE.runs += 1
    return y + 1


def asks_for_a_gradient(x):
    total = x.sum().item()
    if total > 3:
        (WEIGHT * x).sum().backward()
    y = x * 2
    if WEIGHT.grad is not None:
        with no_grad():
            WEIGHT.sub_(WEIGHT.grad * 0.1)
    WEIGHT.grad = None
    return y * WEIGHT.detach()


@pytest.mark.filterwarnings("ignore:capture")
@pytest.mark.parametrize(
    "program", [catches, leaves_the_outer_loop, reads_what_it_keeps, counts_runs, asks_for_a_gradient]
)
def test_split_programs_equal_the_original(program):
    found = []
    for function in (program, capture(program, on_break="split")):
        STATE.kept, STATE.runs, WEIGHT.grad = zeros(3), 0, None
        with no_grad():
            WEIGHT.copy_(tensor([0.5, -1.0, 2.0]))
        results = [function(full((3,), (number * 2 % 5) / 2)) for number in range(25)]
        found.append((results, STATE.kept, STATE.runs, WEIGHT.detach().clone()))
    assert same(found[0][:2], found[1][:2]) and found[0][2] == found[1][2] and same(found[0][3], found[1][3])


@pytest.mark.filterwarnings("ignore:capture")
@pytest.mark.parametrize("mode", ["eager", "split"])
def test_the_gradient_of_an_argument_is_its_own(mode):
    captured = capture(lambda x: (x * 2).sum().backward(), on_break=mode)
    for _ in range(4):
        x = ones(3).requires_grad_()
        x.grad = ones(3)
        captured(x)
        assert x.grad.tolist() == [3.0] * 3


def calls_over_several_lines(x):
    y = scaled(
        x.sin(),
        x.sum().item(),
    )
    if y.sum() > 0:
        y = scaled(
            y,
            scale=y.sum().item(),
        )
    return scaled(
        y,
        2,
    )


def test_a_split_call_may_end_left_of_its_start():
    function = capture(calls_over_several_lines, on_break="split")
    for number in range(5):
        x = full((3,), number / 2)
        assert same(function(x), calls_over_several_lines(x))
    assert "runs split" in function.report()


def asks_its_caller():
    return _getframe(1).f_locals["factor"]


def is_asked(x):
    factor, y = 2.0, x * 2  # noqa: F841  # asked for by its name
    return y * asks_its_caller() + x


def is_asked_after_a_line(x):
    factor, y = 2.0, x * 2  # noqa: F841  # asked for by its name
    print(end="")
    return y * asks_its_caller() + x


@pytest.mark.parametrize("program", [is_asked, is_asked_after_a_line])
def test_a_function_with_variables_read_by_a_callee_is_not_split(program):
    captured = capture(program, on_break="split")
    with pytest.warns(UserWarning, match="runs eagerly"):
        assert same([captured(ones(2)) for _ in range(4)], [full((2,), 5.0)] * 4)


@pytest.mark.filterwarnings("ignore:capture")
def test_missing_source_is_reported():
    captured = capture(eval("lambda x: x.sum().item() + x * 2"), on_break="split")
    with pytest.warns(UserWarning, match="cannot be split there: <lambda>: its source"):
        captured(ones(2))
    assert same([captured(ones(2)) for _ in range(3)], [full((2,), 4.0)] * 3)
