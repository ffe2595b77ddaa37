"""Conditions and loops in exported files: onnxruntime takes the same branches and iterations as the function."""

import pytest
from flow_programs import FUNCTIONS as CAPTURED
from flow_programs import ORDER, signed
from hypothesis import given, settings
from hypothesis import strategies as st
from jit_onnx import check
from script_programs import EVERYTHING
from test_random_scripts import programs, same_results, shown

import facula_tensor as ft
from facula_errors.testing import raises
from facula_jit import cond, map, script, while_loop
from facula_jit.onnx import OnnxExporterError, export

pytest.importorskip("onnx", reason="the onnx package is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def changes_an_argument(x, y):
    cond(x.sum() > 0, lambda: x.mul_(2), lambda: x.add_(y))
    return x * 1


def changes_memory(x, y):
    """Two views change a part of existing memory."""
    both = ft.stack([x, y])
    column, row = both[:, 1], both[0]

    def scaled():
        column.mul_(2)
        return both.sum()

    def moved():
        both.mT.add_(1)
        return row.sum()

    return cond(y.sum() > 0, scaled, moved), column, row, both.mT


def fills_memory(x, y):
    """A loop or one branch fills uninitialized memory."""
    filled, other = ft.empty(4), ft.empty(4)
    (n,) = while_loop(lambda n: n < 4, lambda n: (filled.index_fill_(0, n, n.float()), n + 1)[1:], (ft.tensor(0),))
    cond(x.sum() > 0, lambda: other.copy_(x), lambda: other.fill_(1.0))
    return filled, other, n


def carries_nothing(x, y):
    total = ft.zeros(1)
    while_loop(lambda: total.sum() < x.sum(), lambda: (total.add_(1), ())[1], ())
    return total


def many_dtypes(x, y):
    def step(n, mask, half):
        return n + 1, (half > 0.5) | mask.flip(0), half * half

    return while_loop(lambda n, mask, half: (n < 3) & mask.any(), step, (ft.tensor(0), x > 0, (x * y).half()))


def shares_what_decides(x, y):
    """The body reads a value that its condition computed."""
    kept = []

    def goes_on(n):
        kept[:] = [n * 2.0]
        return n < x.abs().sum() * 3

    return while_loop(goes_on, lambda n: (n + kept[0] + 1,), (ft.tensor(0.0),))


CONSTANT = ft.linspace(-1, 1, 60 * 40).reshape(60, 40)
OWN = {
    "changes an argument": changes_an_argument, "changes memory": changes_memory, "fills memory": fills_memory,
    "carries nothing": carries_nothing, "many dtypes": many_dtypes, "shares what decides": shares_what_decides,
    "one value twice": lambda x, y: cond(x.sum() > 0, lambda: (lambda z: (z, z))(x + 1), lambda: (x, x)),
    "slices": lambda x, y: map(lambda a, b: cond(a > 0, lambda: a + b, lambda: a * b), x, y),
    "constants": lambda x, y: (cond(x.sum() > 0, lambda: x @ CONSTANT[:4], lambda: CONSTANT[5]), y @ CONSTANT[:4]),
    "a constant decides": lambda x, y: cond(ft.tensor(False), lambda: x, lambda: y.exp()),
    "one of one element": lambda x, y: cond(x[:1] > 0, lambda: x, lambda: y),
}  # fmt: skip
PROGRAMS = {name: program for name, program in CAPTURED.items() if "draws" not in name}
PROGRAMS |= {name: script(program) for name, program in EVERYTHING.items() if name != "returns_in_all"} | OWN


@pytest.mark.parametrize("name", PROGRAMS)
def test_files_choose_as_the_function_does(name):
    """Independent of the branch that the exported call takes; all opsets have the same nodes."""
    function = PROGRAMS[name]
    for first, opset in ((0, 18), (1, 23)):
        program = export(function, signed(first), opset_version=opset)
        for number in range(len(ORDER)):
            check(function, *signed(number), program=program)


def smoothed(x):
    """A loop with a condition in its body; all sizes are dynamic."""

    def step(n, h):
        n = n + 1
        return n, cond(h.sum() > 0.1, lambda: h.softmax(0) + ft.arange(h.shape[0])[:, None] / 9, lambda: h - h.mean(0))

    return while_loop(lambda n, h: n < x.shape[0], step, (ft.tensor(0), x))


def over_time(x):
    h = x[0]
    for step in range((x[:, 0] > 0).sum()):
        h = (h + x[step]).tanh()
    return h


@pytest.mark.parametrize("function", [smoothed, script(over_time)], ids=["smoothed", "over time"])
def test_sizes_that_vary_inside(function):
    program = export(function, ft.randn(3, 4), dynamic_axes={"x": {0: "n", 1: "m"}})
    for number, shape in enumerate([(1, 4), (3, 1), (3, 4), (6, 5), (2, 9)]):
        ft.manual_seed(number)
        for sign in (-1.0, 0.2, 1.0):
            check(function, ft.rand(*shape) + sign, program=program)
    (graph,) = [
        attribute for node in program.model_proto.graph.node for attribute in node.attribute if attribute.HasField("g")
    ]
    shown = [[dim.dim_param for dim in output.type.tensor_type.shape.dim] for output in graph.g.output]
    assert ["n", "m"] in shown or ["m"] in shown


@settings(max_examples=20)
@given(programs, st.integers(0, 99))
def test_random_programs(parts, seed):
    scripted = script(same_results(parts))
    given = []
    for number in range(5):
        ft.manual_seed(seed + number)
        given.append([ft.randn(3) for _ in range(3)])
    program = export(scripted, tuple(given[0]))
    for inputs in given:
        try:
            check(scripted, *inputs, program=program)
        except BaseException as error:
            error.add_note(shown(parts))
            raise


def keeps(x):
    kept = []
    y = cond(x.sum() > 0, lambda: kept.append(x * 2) or x, lambda: kept.append(x * 3) or -x)
    return y + kept[0]


def keeps_from_steps(x):
    kept = []
    while_loop(lambda n: n < 3, lambda n: (n + 1, kept.append(n * x))[:1], (ft.tensor(0),))
    return kept[0] * 2


REFUSED = {
    "kept from one side": (keeps, "add: computed in one of two functions ... return it from both (at ... py"),
    "kept from a step": (keeps_from_steps, "mul: computed in a loop ... carry it"),
    "no node": (lambda x: cond(x.sum() > 0, lambda: x, lambda: x.lgamma()), "lgamma: is a special function ... that"),
    "a tensor of the program's": (
        lambda x: cond(x.sum() > 0, lambda: CONSTANT.add_(1).sum(), lambda: x.sum()),
        "add: changes a tensor of the program's, which a file cannot",
    ),
    "the other side raises": (lambda x: cond(x.sum() > 0, lambda: x, lambda: x @ x.new_ones(9)), "false_fn ... raises"),
    "work that depends on a size": (
        lambda x: cond(x.sum() > 0, lambda: sum(x.unbind(0)), lambda: x.sum()),
        "for other sizes of dynamic_axes; leave the axis out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    function, message = REFUSED[name]
    with raises(OnnxExporterError, "onnx.export", message):
        export(function, ft.ones(3), dynamic_axes={"x": [0]})
