"""Captures of functions whose tensors are on another device than the CPU."""

import warnings

import pytest
from jit_device import current, twin

import facula_tensor as ft
from facula_errors.testing import raises
from facula_jit import CaptureError, SaveError, capture, cond, load, save
from facula_tensor.functional import dropout, gelu


@pytest.fixture(autouse=True)
def device():
    return twin()


def replays(captured):
    return sum(replay.count for replay in captured._replays())


def test_replays_stay_on_the_device(device):
    weight = ft.randn(4, 4, device="twin")

    def function(x):
        y = (x @ weight).relu() * 2 + x.sum()
        return (y.exp() * y).t().contiguous().mean(1), y[:, 1:]

    captured = capture(function, check=0)
    inputs = [ft.randn(3, 4, device="twin") for _ in range(30)]
    copied = device.copied
    results = [captured(x) for x in inputs]
    assert device.copied == copied and replays(captured) > 20
    for x, found in zip(inputs, results, strict=True):
        assert {str(result.device) for result in found} == {"twin"}
        assert [result.tolist() for result in found] == [result.tolist() for result in function(x)]


def train(place, captured, steps=16):
    ft.manual_seed(0)
    weights = [ft.randn(5, 8).to(place).requires_grad_(), ft.randn(8, 3).to(place).requires_grad_()]
    momenta = [ft.zeros_like(weight, requires_grad=False) for weight in weights]

    def step(x, y):
        loss = ((dropout(gelu(x @ weights[0]) @ weights[1], 0.25) - y) ** 2).mean()
        loss.backward()
        with ft.no_grad():
            for weight, momentum in zip(weights, momenta, strict=True):
                momentum.mul_(0.9).add_(weight.grad)
                weight.sub_(momentum * 0.01)
                weight.grad = None
        return loss

    run = capture(step, check=4) if captured else step
    data = [(ft.randn(7, 5).to(place), ft.randn(7, 3).to(place)) for _ in range(steps)]
    ft.manual_seed(1)
    losses = [run(*batch) for batch in data]
    if captured:
        assert replays(run) > steps // 2
    return [loss.item() for loss in losses], [weight.tolist() for weight in weights]


def test_a_training_step_equals_the_eager_one_of_the_cpu():
    assert train("twin", True) == train("cpu", False)


def test_gradients_across_the_boundary():
    weight = ft.randn(4, 4, device="twin", requires_grad=True)
    captured = capture(lambda x: (x @ weight).tanh())
    for _ in range(6):
        x = ft.randn(2, 4, device="twin")
        weight.grad = None
        captured(x).sum().backward()
        found, weight.grad = weight.grad.tolist(), None
        (x @ weight).tanh().sum().backward()
        assert weight.grad.tolist() == found
    assert replays(captured)


@pytest.mark.filterwarnings("ignore:capture:UserWarning")
@pytest.mark.parametrize("place", [0, 1])
def test_a_replay_notices_another_current_device(place, monkeypatch):
    twin("several")
    x = ft.ones(3, device=f"several:{place}")
    functions = {
        "created": lambda: ft.ones(3, device="several") * 2,
        "moved": lambda: x.to("several") * 2,
        "generator": lambda: ft.rand(3, device="several", generator=ft.Generator("several").manual_seed(0)),
    }
    for name, function in functions.items():
        captured = capture(function, check=0)
        for index in (0, 0, 0, 1, 1, 0, 1, 1):
            monkeypatch.setitem(current, "index", index)
            found = captured()
            assert (found.device.index, found.tolist()) == (index, function().tolist()), name
        assert name != "created" or replays(captured) > 3


def test_one_function_on_two_devices():
    captured = capture(lambda x: (x * 2 + x.mean()).softmax(0), check=0)
    for size in (9, 9, 9, 9, 20, 9, 20, 20):
        for place in ("cpu", "twin"):
            x = ft.randn(size, device=place)
            found = captured(x)
            assert found.tolist() == (x * 2 + x.mean()).softmax(0).tolist() and found.device is x.device
    assert replays(captured) > 4


REFUSED = {
    "two devices": ("twin", lambda x: (x * 2).sum().item() + ft.ones(3).exp().sum(), "reads elements"),
    "two devices, unread": ("twin", lambda x: (x * 2, ft.ones(3).exp()), "and earlier operators on 'twin'"),
    "a read": ("twin", lambda x: x * x.sum().item(), "reads elements"),
    "a copy": ("twin", lambda x: x.cpu() * 2, "a copy to another device reads elements"),
    "data": ("twin", lambda x: x + ft.tensor([1.0, 2.0, 3.0], device="twin"), "a copy to another device"),
    "a branch": ("twin", lambda x: cond(x.sum() > 0, lambda: x * 2, lambda: x * 3), "cond: its tensors are on 'twin'"),
    "no kernel in C": ("slow", lambda x: x.exp(), "exp: it has no kernel on 'slow'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_captured_breaks_the_capture(name):
    place, function, words = REFUSED[name]
    x = ft.ones(3, device=place)
    with pytest.raises(CaptureError) as caught:
        capture(function, on_break="error")(x)
    assert words in str(caught.value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eager = capture(function)
        for _ in range(3):
            made, wanted = eager(x), function(x)
            pairs = zip(made, wanted, strict=True) if isinstance(made, tuple) else [(made, wanted)]
            assert all(left.tolist() == right.tolist() for left, right in pairs)


def test_branches_of_the_cpu_do_not_change_tensors_of_devices():
    state = ft.zeros(2, device="twin")

    def function(x):
        return cond(x.sum() > 0, lambda: state.add_(1) * 1, lambda: state * 1)

    with pytest.raises(CaptureError) as caught:
        capture(function, on_break="error")(ft.ones(2))
    assert "'twin'" in str(caught.value)


def test_a_device_without_order_runs_eagerly(device, monkeypatch):
    monkeypatch.setattr(type(device), "in_order", False)
    captured = capture(lambda x: x * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [captured(ft.ones(2, device="twin")).tolist() for _ in range(4)] == [[3, 3]] * 4
    assert not captured._replays()


@pytest.mark.parametrize("source", ["cpu", "twin"])
@pytest.mark.parametrize("target", ["cpu", "twin"])
def test_graphs_of_files_run_on_another_device(source, target, tmp_path):
    weight = ft.Parameter(ft.randn(4, 4, device=source))

    def function(x):
        moved = ft.cat([x.roll(1, 0), x.flip(1)[:, :1]], 1)
        return dropout(x @ weight, 0.5).sum() + moved.exp().mean(), moved

    captured = capture(function)
    x = ft.randn(3, 4)
    for _ in range(4):
        captured(x.to(source))
    save(captured, tmp_path / "x.facula")
    loaded = load(tmp_path / "x.facula", map_location=target)
    loaded.save(tmp_path / "again.facula")
    for graph, place in ((loaded, target), (load(tmp_path / "again.facula"), target)):
        ft.manual_seed(1)
        expected, shape = captured(x.to(source))
        ft.manual_seed(1)
        found, same_shape = graph(x.to(place))
        assert str(found.device) == place and same_shape.tolist() == shape.tolist()
        assert found.item() == expected.item()
        found.backward()
        assert [str(parameter.grad.device) for parameter in graph.parameters()] == [place]
        with raises(RuntimeError, graph._name, "a loaded graph runs on tensors of"):
            graph(x.to("cpu" if place == "twin" else "twin"))


def test_programs_and_times_are_of_the_cpu(tmp_path):
    captured = capture(lambda x: x.exp() * 2)
    for _ in range(3):
        captured(ft.ones(2, device="twin"))
    with raises(SaveError, "save", "on the CPU", value="'twin'"):
        save(captured, tmp_path / "x.facula", run=True)
    other = capture(lambda x: (x * 2, weight))
    weight = ft.ones(2)
    for _ in range(3):
        other(ft.ones(2, device="twin"))
    with raises(SaveError, "save", "is on 'cpu'", "run on 'twin'"):
        save(other, tmp_path / "x.facula")
    for _ in range(3):
        captured(ft.ones(2))
    with raises(SaveError, "save", "captures on one device", value="'twin'"):
        save(captured, tmp_path / "x.facula")
    with raises(RuntimeError, "times", "on the CPU", value="'twin'"):
        captured.graph(0).times()
