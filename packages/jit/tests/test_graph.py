"""Graphs of captures: printed, drawn, and counted."""

from xml.etree import ElementTree

import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_jit import capture, cond, while_loop
from facula_tensor import Parameter, no_grad, ones, randn, zeros
from facula_tensor.functional import conv2d, linear

XML = "http://www.w3.org/2000/svg"


@pytest.fixture
def captured():
    weight, bias = Parameter(randn(4, 3)), zeros(4)

    @capture(passes=())
    def step(x):
        weight.grad = None
        loss = (linear(x, weight, bias).relu()[:, 1:] * 2.0).sum()
        loss.backward()
        with no_grad():
            weight.sub_(weight.grad)
        return loss.detach()

    step(randn(5, 3))
    return step


def test_graphs_print_as_python(captured):
    lines = str(captured.graph()).splitlines()
    assert lines[0] == "def step(x0: float32[5, 3]):" and lines[-1] == "    return y0"
    assert "    t0 = linear(x0, c0, c1)" in lines and "    t1 = relu(t0)" in lines
    assert any("t1.as_strided((5, 3), (4, 1), 1)" in line for line in lines)
    assert any(line.startswith("    leaf.grad = linear_weight_grad(") for line in lines)


def test_conditions_and_loops_print_as_python():
    weight = Parameter(ones(4))

    @capture
    def function(x):
        x = cond(x.sum() > 0, lambda: x * weight, lambda: x.exp())
        return while_loop(lambda x: x.norm() > 1, lambda x: (x / 2,), (x.detach(),))[0], x

    for _ in range(3):
        function(ones(4))
    assert str(function.graph()).partition("    # outside of modules\n")[2] == TEXT


TEXT = """\
    t0 = sum(x0, (0,), False)
    t2 = fused(copy(t0 > 0))
    if t2:
        y1 = fused(copy(x0 * c0))
    else:
        y1 = fused(copy(exp(x0)))
    y0 = copy(y1)
    while True:
        t5 = norm2(y0, (0,), False)
        t7 = fused(copy(t5 > 1))
        if not t7:
            break
        y0 = fused(copy(y0 / 2))
    if t2:
        grad0 = fused(copy(g1 * x0))
    else:
        grad0 = copy(c1)
    return y0, y1, grad0"""


def test_properties_of_calls(captured):
    graph = captured.graph()
    first = graph.calls[0]
    assert first.operator == "linear" and [operand.value.kind for operand in first.inputs] == ["argument", "own", "own"]
    assert first.outputs[0].layout.shape == (5, 4) and "test_graph.py" in first.line
    assert first.flops == 2 * 5 * 4 * 3 and first.bytes_moved == 4 * (15 + 12 + 4 + 20)
    assert len(graph.calls) == len(graph.memory()) == len(graph.times())
    assert 0 < max(graph.memory()) <= captured._entries.popitem()[1].replays[0].pool_bytes


def test_convolutions_count_their_weights():
    shapes = (2, 3, 8, 8), (5, 3, 3, 3)
    convolved = capture(lambda x, w: conv2d(x, w))
    convolved(*[randn(*shape) for shape in shapes])
    graph = convolved.graph()
    assert graph.calls[0].flops == 2 * (2 * 5 * 6 * 6) * 27
    assert sum(graph.times()) > 0  # microseconds: other load of the machine adds much less to the empty call


def test_pictures(captured, tmp_path):
    graph = captured.graph()
    dot = graph.to_dot()
    assert dot.startswith("digraph {") and dot.count("[label=") >= len(graph.calls) and "linear" in dot
    graph.to_svg(tmp_path / "graph.svg")
    picture = ElementTree.parse(tmp_path / "graph.svg").getroot()
    assert "linear" in [text.text for text in picture.iter(f"{{{XML}}}text")]
    with raises(OSError, "to_svg"):
        graph.to_svg(tmp_path / "nowhere" / "graph.svg")


def test_tables_add_up_and_change_nothing(captured):
    graph, x = captured.graph(), randn(5, 3)
    for by in ("operator", "module", "line"):
        total = graph.table(by=by).splitlines()[-1].split()
        assert total[0] == "total" and int(total[1]) == len(graph.calls)
    assert len(graph.table(timed=False).splitlines()[0].split()) == 5
    with raises(ValueError, "table", "expected by to be"):
        graph.table(by="colour")
    weight = captured.function.__closure__[1].cell_contents
    before = weight.detach().clone()
    graph.table()
    assert weight.tolist() == before.tolist() and captured(x).shape == ()


def test_invalid_graph_numbers():
    with raises(TypeError, "graph", "expected an integer, the index of one of captures", value="str 'a'"):
        capture(lambda x: x).graph("a")
    with raises(IndexError, "graph", "expected a number below 0"):
        capture(lambda x: x).graph()


def test_a_fused_program_prints_as_valid_python():
    """Values are named at their first use in Python's order, so that the printed code can run."""

    def function(x, y):
        a = x.exp() - y
        return a.sin() * a, a, (a * 2 + a.cos()) / (a - 3)

    captured, given = capture(function), (ft.ones(3), ft.ones(3) * 2)
    for _ in range(3):
        results = captured(*given)
    text = str(captured.graph())
    names, _, program = next(line.strip() for line in text.splitlines() if "fused(" in line).partition(" = ")
    functions = {name: getattr(ft, name) for name in ("exp", "sin", "cos")}
    found = eval(program, {"fused": lambda *values: values, "x0": given[0], "x1": given[1], **functions})
    by_name = dict(zip(names.split(", "), found, strict=True))
    assert all(ft.allclose(by_name[f"y{at}"], result) for at, result in enumerate(results))


def test_the_error_of_a_pass_says_which_it_was():
    captured = capture(lambda x: x.exp(), passes=(lambda graph: graph.calls[7],))
    captured(ft.ones(2)), captured(ft.ones(2))
    with pytest.raises(IndexError) as caught:
        captured(ft.ones(2))
    assert "in the pass test_the_error_of_a_pass_says_which_it_was.<locals>.<lambda> over" in caught.value.__notes__[0]
