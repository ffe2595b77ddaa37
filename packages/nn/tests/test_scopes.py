"""Module paths of operator calls, in `detect_anomaly` and in reports, and observed module calls."""

import subprocess
import sys
from threading import Thread

import pytest
from nn_toys import Net

import facula_nn as nn
import facula_tensor as ft
from facula_autograd.extend import observe_scopes
from facula_tensor import Function


class Bad(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * float("nan")


class Layer(nn.Module):
    def forward(self, x):
        return Bad.apply(x)


class Model(nn.Module):
    """Layers in a list, one of them called through a function outside the tree."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Sequential(Layer())])
        self.outside = [nn.Sequential(Layer())]  # called, but not registered

    def forward(self, x, inside=True):
        return self.layers[1](self.layers[0](x)) if inside else self.outside[0](x)


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (lambda model, x: model(x), "Model.layers.1.0"),
        (lambda model, x: Model()(x), "Model.layers.1.0"),  # the model is already freed
        (lambda model, x: Model()(x, inside=False), "Model"),  # and so is the unregistered layer
        (lambda model, x: model.layers[1](x), "Sequential.0"),
        (lambda model, x: model(x, inside=False), "Sequential.0"),
        (lambda model, x: Bad.apply(model.layers[0](x)), None),
        (lambda model, x: (model.layers[0].register_forward_hook(lambda *a: None), model(x))[1], "Model.layers.1.0"),
    ],
)
def test_anomaly_errors_name_the_module(call, path):
    from facula_autograd import AnomalyError, detect_anomaly

    model, x = Model(), ft.ones(1, 2, requires_grad=True)
    with detect_anomaly(), pytest.raises(AnomalyError) as caught:
        call(model, x).sum().backward()
    assert caught.value.module == path
    assert "test_scopes.py" in caught.value.forward, "the program's line, not the library's"
    assert str(caught.value).endswith(f", in {path}" if path else ")")


def test_reports_sum_by_module():
    from facula_autograd.graph import report, track_modules

    net, x = Net(), ft.ones(5, 4)
    with track_modules():
        y = net(x)
    sums = report(y).by_module()
    assert set(sums) == {"Net.body.0", "Net.body.1", "Net.scale"}
    assert sums["Net.body.0"] == 5 * 4 * 4, "its input"
    sums = report(net(x), dict(net.named_parameters())).by_module()
    assert "body.0" in sums and "Net.body.0" not in sums


PROGRAM = """
import facula_nn as nn, facula_tensor as ft
from facula_autograd import detect_anomaly
plain = nn.Module.__call__
layer = nn.Linear(2, 2)
layer(ft.ones(1, 2))
assert nn.Module.__call__ is plain
with detect_anomaly():
    assert nn.Module.__call__ is not plain
    try:
        layer(ft.ones(1, 3))
    except RuntimeError as error:
        import traceback
        assert [frame.name for frame in traceback.extract_tb(error.__traceback__)] == ["<module>"], "trimmed"
        assert error.__notes__ == ["in Linear(in_features=2, out_features=2, bias=True)"]
    else:
        raise SystemExit("no error")
layer(ft.ones(1, 2))
assert nn.Module.__call__.__doc__ == plain.__doc__
"""


def test_scopes_are_installed_on_first_use():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
    late = PROGRAM.replace("import facula_nn as nn, facula_tensor as ft\n", "", 1).replace(
        "from facula_autograd import detect_anomaly\nplain",
        "from facula_autograd import detect_anomaly\ndetect_anomaly()\nimport facula_nn as nn\nplain",
    )
    check = late.partition("layer =")[0] + "assert plain.__module__ == 'facula_nn._modules.scopes'"
    subprocess.run([sys.executable, "-c", check], check=True)


class Observer:
    def __init__(self):
        self.events = []

    def begin(self, owner, path, inputs):
        assert all(isinstance(value, ft.Tensor) for value in inputs)
        assert path.endswith(type(owner).__name__) or "." in path
        self.events.append(path)

    def end(self):
        self.events.append("end")


@pytest.fixture
def observer():
    new = Observer()
    former = observe_scopes(new)
    yield new
    observe_scopes(former)


def test_observed_calls_are_nested_and_have_paths(observer):
    Net()(ft.ones(5, 4))
    body = "Net.body Net.body.0 end Net.body.1 end Net.body.2 end end"
    assert " ".join(observer.events) == f"Net {body} Net.scale end end"


def test_paths_follow_changes_of_the_model(observer):
    model = Model()
    x = ft.ones(1, 2)
    model(x)
    model.layers[0] = nn.Sequential(nn.ReLU())
    del observer.events[:]
    model(x)
    assert [event for event in observer.events if event != "end"] == [
        "Model", "Model.layers.0", "Model.layers.0.0", "Model.layers.1", "Model.layers.1.0"
    ]  # fmt: skip
    del observer.events[:]
    model(x, inside=False)
    assert [event for event in observer.events if event != "end"] == ["Model", "Sequential", "Sequential.0"]


def test_an_error_ends_its_calls(observer):
    with pytest.raises(RuntimeError):
        Net()(ft.ones(5, 3))
    assert observer.events == ["Net", "Net.body", "Net.body.0", "end", "end", "end"]


def test_calls_of_other_threads_are_observed(observer):
    thread = Thread(target=nn.ReLU(), args=(ft.ones(2),))
    thread.start()
    thread.join()
    assert observer.events == ["ReLU", "end"]


def test_scopes_and_observers_are_independent(observer):
    from facula_autograd.graph import report, track_modules

    net, x = Net(), ft.ones(5, 4)
    with track_modules():
        y = net(x)
    assert "Net.body.0" in report(y).by_module()
    assert observer.events[:3] == ["Net", "Net.body", "Net.body.0"]
    del observer.events[:]
    observe_scopes(None)
    with track_modules():
        y = net(x)
    observe_scopes(observer)
    assert "Net.body.0" in report(y).by_module()
    assert not observer.events


OBSERVED = """
import facula_nn as nn, facula_tensor as ft
from facula_autograd.extend import observe_scopes, want_scopes
plain = nn.Module.__call__

class Observer:
    def begin(self, owner, path, inputs):
        pass

    def end(self):
        pass

for _ in range(2):
    observe_scopes(Observer())
    assert nn.Module.__call__ is not plain
    nn.ReLU()(ft.ones(1))
    observe_scopes(None)
    assert nn.Module.__call__ is plain
want_scopes()
observe_scopes(Observer())
observe_scopes(None)
assert nn.Module.__call__ is not plain
"""


def test_module_calls_are_plain_again_without_an_observer():
    subprocess.run([sys.executable, "-c", OBSERVED], check=True)
