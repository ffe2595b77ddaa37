"""Memory held by a graph and by others, pictures of the graph, and modules identified by their calls."""

import re
import threading
import xml.etree.ElementTree as ET
from weakref import ref

import numpy as np
import pytest
from autograd_helpers import Box, add_all, many

from facula_autograd import AnomalyError, Function, Variable, checkpoint, detect_anomaly, saved_tensors_hooks
from facula_autograd._graph import scopes as scopes_module
from facula_autograd.extend import active_modes, enter_scope, leave_scope
from facula_autograd.graph import report, save_on_cpu, save_on_disk, to_dot, to_svg, track_modules
from facula_errors import FaculaError
from facula_errors.testing import raises


class Net:
    """A module whose calls are scopes."""

    def __init__(self, forward):
        self.forward = forward

    def __call__(self, x):
        entered = enter_scope(self)
        try:
            return self.forward(x)
        finally:
            if entered is not None:
                leave_scope(entered)


class Layer(Net):
    pass


class Plus(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        ctx.kept = x
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g, g


def array():
    return Variable(np.ones((10, 10)), True)


def rows(found):
    return {row.operators: (row.nbytes, row.kept_by) for row in found.rows if row.nbytes >= 100}


def test_each_piece_of_memory_is_one_row():
    x = array()
    square = (x * 2.0) ** 2
    y = (square * square).sum()
    found = report(y)
    assert rows(found) == {
        ("mul",): (800, "a leaf"),
        ("pow",): (800, "the graph"),
        ("mul", "mul"): (800, "the program too"),
        ("sum",): (800, "the graph"),
    }
    del square
    found = report([y])
    assert rows(found)["mul", "mul"] == (800, "the graph")
    assert found.nbytes - 24 == 2400 == sum(found.by_operator().values()) - 24
    assert [row.operators for row in found.duplicates] == [("mul", "mul")]
    assert found.rows[0].where.startswith(__file__)
    text = repr(found)
    assert "saved several times, and counted once: 1 (800 B more)" in text and "mul ×2" in text
    assert re.search(r"^800 B +a float64 array of shape \(10, 10\) +pow .*the graph$", text, re.M)
    assert found._repr_html_().count("<tr>") == len(found.rows) + 1


def test_views_count_as_their_memory():
    x = array()
    y = x * 2.0
    part = np.exp(y[0]) * np.exp(y.reshape(100)).sum()
    assert sorted(row.nbytes for row in report(part.sum()).rows if row.nbytes > 80)[-2:] == [800, 800]


@pytest.mark.parametrize(("mode", "kept_by"), [
    (lambda: save_on_disk(min_bytes=64), {"on disk": 1600, "a leaf": 800}),
    (save_on_cpu, {"the graph": 1600, "a leaf": 800}),
    (lambda: saved_tensors_hooks(lambda v: str(v), lambda b: None), {"packed as str": 0}),
    (lambda: saved_tensors_hooks(lambda v: Variable(v.value), id), {"the graph": 1600, "the program too": 800}),
])  # fmt: skip
def test_packed_values(mode, kept_by):
    x = array()
    with mode():
        y = ((x * 2.0) ** 2).sum()
    found, sums = report(y), {}
    for row in found.rows:
        if row.nbytes != 24:  # the size of a number
            sums[row.kept_by] = sums.get(row.kept_by, 0) + row.nbytes
    assert sums == kept_by


def test_checkpoints_and_functions():
    x = array()
    y = checkpoint(lambda x: ((x * 2.0) ** 2).sum(), x)
    assert {row.kept_by for row in report(y).rows} == {"computed again"}
    y = Plus.apply(x * 1.0, x * 2.0).sum()
    found = report(y)
    assert sum(row.operators == ("PlusBackward",) for row in found.rows) == 2, "what ctx has as an attribute, too"
    y.backward()
    assert [row for row in report(y).rows if row.nbytes > 100] == []


def test_modules_are_known_by_their_calls():
    inner = Layer(lambda x: x**2)
    net = Net(lambda x: inner(x * 2.0) * 3.0)
    x = array()
    assert set(report(net(x).sum()).by_module()) == {""}
    with track_modules():
        y = net(x).sum()
    sums = report(y).by_module()
    assert set(sums) == {"Net", "Layer", ""}
    assert sums["Layer"] == 800
    named = report(net(x).sum(), params={"body.0.weight": x})
    assert "body.0" in {row.module for row in named.rows}
    assert any(row.value.startswith("body.0.weight: ") for row in named.rows)


def test_calls_of_other_threads_and_interrupted_calls():
    with track_modules():
        outer, done, go = [], threading.Event(), threading.Event()

        def work():
            with track_modules():
                Layer(lambda x: [done.set(), go.wait(600)])(None)

        thread = threading.Thread(target=work)
        thread.start()
        assert done.wait(30)
        net = Net(lambda x: (x * 2.0) ** 2)
        y = net(array())
        go.set()
        thread.join()

        def fails(x):
            outer.append(x * 2.0)
            raise KeyError

        with pytest.raises(KeyError):
            Net(fails)(array())
        after = array() * 2.0
    assert set(report(y).by_module()) == {"Net"}
    assert report(after.sum()).rows[0].module == ""


def test_modules_of_several_packages(monkeypatch):
    """The function that lists the modules inside another one is that of its class."""
    own, net = [("Body.inner", object())], Net(None)
    monkeypatch.setattr(scopes_module, "_parts", [(Layer, lambda owner: own), *scopes_module._parts])
    assert scopes_module._parts_of(Layer(None)) is own
    assert [path for path, _ in scopes_module._parts_of(net)] == ["Net"]


def test_the_number_of_kept_calls_is_bounded():
    assert scopes_module._events.maxlen == 2 * scopes_module.MAX_SCOPES
    before = len(scopes_module._events)
    Net(lambda x: x)(1)
    assert len(scopes_module._events) == before, "outside of the mode nothing is noted"
    net = Net(lambda x: x * 2.0)
    with track_modules():
        y = net(array())
    gone = ref(net)
    del net
    assert gone() is None, "modules are held weakly"
    assert set(report(y.sum()).by_module()) == {"Net", ""}, "and their names stay"


# ---- detect_anomaly


def test_anomalies_name_the_module():
    class Bad(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    net = Net(Layer(lambda x: Bad.apply(x)))
    x = Variable(2.0, True)
    with detect_anomaly():
        assert not active_modes, "operators stay on their fast path"
        with raises(AnomalyError, "detect_anomaly", "backward of BadBackward", "test_report.py", "in Layer") as caught:
            net(x).backward()
    assert caught.value.module == "Layer"
    y = net(x)
    with detect_anomaly(), pytest.raises(AnomalyError) as caught:
        y.backward()
    assert caught.value.module is None


# ---- pictures


def network():
    x, w = Box(2.0, True), Box(3.0, True)
    y = x * w
    a, b = many(y, 2)
    return x, w, add_all(a * x, b, x)


def test_dot():
    x, _, out = network()
    text = to_dot(out, {'the "x"': x})
    boxes = re.findall(r'^  (\w+) \[label="(.*?)", fillcolor="(#\w+)"\];$', text, re.M)
    labels = [label for _, label, _ in boxes]
    assert sorted(labels) == sorted(
        ['the \\"x\\"\\nthe box of 2.0', "the box of 3.0", "mul", "many", "output", "output", "mul", "add_all"]
    )
    assert len({name for name, _, _ in boxes}) == len(boxes) and len({colour for _, _, colour in boxes}) == 2
    edges = re.findall(r"^  (\w+) -> (\w+);$", text, re.M)
    names = {name for name, _, _ in boxes}
    assert len(edges) == 2 + 1 + 2 + 2 + 3 and all(a in names and b in names for a, b in edges)
    assert to_dot(out) == to_dot(out)
    assert "box of 2.0" in to_dot(x), "a leaf alone"


def test_svg(tmp_path):
    _, w, out = network()
    layer = Layer(lambda v: v * w)
    with track_modules():
        y = layer(out)
    text = to_svg([y, w], tmp_path / "graph.svg", {"<w>": w})
    assert (tmp_path / "graph.svg").read_text() == text
    root = ET.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    boxes = [r for r in root.iter(f"{space}rect") if r.get("rx")]
    texts = [t.text for t in root.iter(f"{space}text")]
    assert len(boxes) == 9 and "<w>" in texts and "Layer" in texts
    assert len(list(root.iter(f"{space}path"))) == 12
    across, down = float(root.get("width")), float(root.get("height"))
    places = [(float(b.get("x")), float(b.get("y")), float(b.get("width"))) for b in boxes]
    assert all(0 <= left and left + width <= across and top + 34 <= down for left, top, width in places)
    for i, (left, top, width) in enumerate(places):
        for other in places[i + 1 :]:
            assert top != other[1] or left + width < other[0] or other[0] + other[2] < left, "boxes do not overlap"


@pytest.mark.parametrize("function", [report, to_dot, to_svg])
def test_values_without_a_graph_are_refused(function):
    for wrong in (Box(1.0), 3, [Variable(1.0)]):
        with raises(TypeError, function.__name__, "expected values that require grad"):
            function(wrong)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: to_dot(x, 3), TypeError, "to_dot: expected params to be a dict of leaves ... got int"),
        (lambda x: to_dot(x, [x]), TypeError, "to_dot: expected params to be a dict of leaves ... got list"),
        (lambda x: to_svg(x, params=3), TypeError, "to_svg: expected params to be a dict"),
        (lambda x: to_svg(x, 3), TypeError, "to_svg: expected path to be a string, a path or None; got int"),
        (lambda x: to_svg(x, "/no/such/x.svg"), FileNotFoundError, "to_svg: cannot write the picture ... No such ..."),
    ],
)
def test_arguments_of_pictures(call, error, text):
    with raises(error, text) as caught:
        call(Box(1.0, True))
    assert isinstance(caught.value, FaculaError)
