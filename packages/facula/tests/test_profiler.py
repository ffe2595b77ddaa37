"""Profiles of programs: the operators, shapes and costs that PyTorch's profiler reports; captures; threads."""

import json
import threading
from collections import Counter

import pytest

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula.profiler import Kind, ProfilerActivity, profile, record_function, schedule

# Outermost operators of `forward` below, as PyTorch 2.13 reports them, without views (detach, flatten, t).
FORWARD = {
    "aten::add": 2, "aten::batch_norm": 1, "aten::cat": 1, "aten::conv2d": 1, "aten::cross_entropy_loss": 1,
    "aten::dropout": 1, "aten::exp": 1, "aten::gelu": 1, "aten::layer_norm": 1, "aten::linear": 2, "aten::matmul": 1,
    "aten::max_pool2d": 1, "aten::mul": 1, "aten::mul_": 1, "aten::add_": 2, "aten::relu": 1, "aten::softmax": 1,
    "aten::sum": 1, "aten::mean": 1,
}  # fmt: skip
FLOPS = {"aten::conv2d": 110592, "aten::linear": 35328, "aten::matmul": 320}  # of PyTorch's conv2d, addmm, mm
FLOPS |= {"aten::cross_entropy_loss": 4 * 10, "aten::sum": 4 * 4 + 4 * 10}  # elements of the operands


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(8 * 16, 32), nn.GELU(), nn.LayerNorm(32), nn.Dropout(0.1), nn.Linear(32, 10),
        )  # fmt: skip

    def forward(self, x):
        return self.body(x)


@pytest.fixture
def program():
    facula.manual_seed(0)
    net, x, y = Net(), facula.randn(4, 3, 8, 8), facula.randint(0, 10, (4,))

    def forward():
        out = net(x)
        other = facula.softmax(out * 2 + 1, -1).mean()
        (out.detach() @ out.detach().t()).exp().sum()
        twice = facula.cat([out, out], 1)
        twice.add_(1)
        twice.mul_(2)
        return F.cross_entropy(out, y) + other

    forward().backward()
    return forward


def launches(prof):
    return Counter(event.name for event in prof.events() if event.kind is Kind.LAUNCH)


def test_operators_are_those_of_pytorch(program):
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as prof:
        program()
    found = launches(prof)
    expected = Counter(FORWARD)
    expected.update(["aten::sum", "aten::div"])  # the launches of a mean
    del expected["aten::mean"]
    assert found == expected
    flops = {one.key: one.flops for one in prof.key_averages()}
    assert {name: flops[name] for name in FLOPS} == FLOPS
    shapes = {
        str(one.input_shapes) for one in prof.key_averages(group_by_input_shape=True) if one.key == "aten::linear"
    }
    assert shapes == {"[[4, 128], [32, 128], [32]]", "[[4, 32], [10, 32], [10]]"}


@pytest.mark.parametrize("options", [{}, {"record_shapes": True}, {"profile_memory": True}])
def test_every_launch_is_recorded_once(program, options):
    """Compare with the listener of launches, for two training steps: the second one takes the fast paths."""
    from facula_storage import listen

    def steps():
        program().backward()
        program().backward()

    steps()
    heard = []
    with listen(lambda plan, arguments: heard.append(plan.operator)):
        steps()
    with profile(**options) as prof:
        steps()
    trace = prof.trace
    signatures = trace.events["signature"][trace.of_kind(Kind.LAUNCH)]
    assert [trace.signatures[place].operator for place in signatures] == heard


@pytest.mark.parametrize("join", [facula.cat, facula.stack])
@pytest.mark.parametrize("count", [2, 3])
def test_memory_of_joined_tensors_is_recorded_once(join, count):
    x = facula.ones(3, 5)
    join([x] * count, 1)
    with profile(record_shapes=True, profile_memory=True) as prof:
        kept = [join([x] * count, 1) for _ in range(2)]
    assert prof.trace.memory["nbytes"].tolist() == [count * 60] * len(kept)


def test_steps_of_optimizers_count_each_tensor():
    parameters = [facula.ones(3, 4, requires_grad=True), facula.ones(5, requires_grad=True)]
    for one in parameters:
        one.grad = facula.ones(*one.shape)
    for optimizer, tensors, name in (
        (facula.optim.SGD(parameters, lr=0.1, momentum=0.9), 3, "aten::_fused_sgd_"),
        (facula.optim.Adam(parameters), 4, "aten::_fused_adam_"),  # parameter, gradient, and two of the state
    ):
        with profile(record_shapes=True, with_flops=True) as prof:
            optimizer.step()
            optimizer.step()
        found = {one.key: (one.count, one.flops) for one in prof.key_averages()}
        assert found[name] == (2, 2 * tensors * 17)
        launch = prof.trace.events[prof.trace.of_kind(Kind.LAUNCH)[-1]]
        steps = 2 * (tensors == 4)  # Adam counts its steps in a number for each parameter
        assert prof.trace.signatures[launch["signature"]].nbytes == 4 * (tensors * 17 + steps)


def test_results_do_not_change(program):
    def gradients(**options):
        facula.manual_seed(3)
        net, x = Net(), facula.randn(4, 3, 8, 8)
        with profile(**options):
            net(x).square().sum().backward()
        return [p.grad for p in net.parameters()]

    facula.manual_seed(3)
    net, x = Net(), facula.randn(4, 3, 8, 8)
    net(x).square().sum().backward()
    expected = [p.grad for p in net.parameters()]
    for options in ({}, {"record_shapes": True, "with_stack": True}, {"profile_memory": True}):
        assert all(facula.equal(a, b) for a, b in zip(gradients(**options), expected, strict=True))


@pytest.mark.parametrize("options", [{}, {"record_shapes": True, "profile_memory": True, "with_stack": True}], ids=str)
def test_captures_made_and_replayed_while_a_profile_runs(options):
    """A recorded sequence contains the launches themselves, so that it also runs without a profile."""
    layer, x = nn.Linear(4, 3), facula.randn(5, 4)

    def step(x):
        return layer(x).relu() + facula.rand(5, 3) * 0

    expected = layer(x).relu()
    during, before = facula.capture(step, check=0), facula.capture(step, check=0)
    for _ in range(5):
        before(x)
    with profile(**options):
        for _ in range(5):
            assert facula.equal(during(x), expected) and facula.equal(before(x), expected)
    with profile() as prof:
        assert facula.equal(during(x), expected) and facula.equal(before(x), expected)
    assert facula.equal(during(x), expected)
    if "profile_memory" not in options:  # which observes modules, so that their calls are captured again
        assert not launches(prof)["aten::linear"]  # both were replayed


def test_threads_and_modes():
    x = facula.ones(3)

    def work():
        with facula.no_grad(), record_function("work"):
            for _ in range(100):
                x + x

    with profile() as prof:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert launches(prof) == {"aten::add": 400}
    assert Counter(event.thread for event in prof.events()) == dict.fromkeys(range(4), 101)
    assert {event.cpu_parent.name for event in prof.events() if event.cpu_parent} == {"work"}


def test_shapes_that_never_repeat():
    with profile(record_shapes=True) as prof:
        for n in range(1, 40):
            facula.ones(n) + facula.ones(n)
    found = [event.input_shapes for event in prof.events() if event.name == "aten::add"]
    assert found == [[[n], [n]] for n in range(1, 40)]
    with profile() as prof:
        for n in range(1, 40):
            facula.ones(n) + facula.ones(n)
    assert launches(prof)["aten::add"] == 39


def test_pytorchs_recipe(tmp_path):
    """The recipe of PyTorch's documentation, with other names of files."""
    net, x = nn.Linear(8, 4), facula.randn(2, 8)
    shown = []

    def trace_handler(p):
        shown.append(p.key_averages().table(sort_by="self_cpu_time_total", row_limit=-1))
        p.export_chrome_trace(str(tmp_path / f"trace_{p.step_num}.json"))

    with profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
        on_trace_ready=trace_handler,
    ) as p:
        for _ in range(8):
            net(x).sum().backward()
            p.step()
    assert len(shown) == 1 and "aten::linear" in shown[0] and "ProfilerStep*" in shown[0]
    (file,) = tmp_path.iterdir()
    assert "aten::linear" in {event["name"] for event in json.loads(file.read_text())["traceEvents"]}


def test_the_older_profile(tmp_path):
    with facula.autograd.profiler.profile(record_shapes=True) as prof:
        assert facula.autograd._profiler_enabled()
        facula.ones(3).exp()
    assert not facula.autograd._profiler_enabled()
    assert "aten::exp" in prof.key_averages().table() and "aten::exp" in prof.table()
    assert [event.name for event in prof.function_events][-1] == "aten::exp"
    assert prof.total_average().count == 2 and prof.self_cpu_time_total > 0
    with facula.autograd.profiler.profile(enabled=False) as prof:
        facula.ones(3)
    with pytest.raises(RuntimeError, match="expected a trace"):
        prof.key_averages()


def test_operations_of_pooled_convolutions():
    """A captured convolution that also pools has the name and the operations of the convolution alone."""
    net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)).requires_grad_(False)
    x = facula.randn(4, 1, 14, 14)
    captured = facula.capture(net.forward, check=0)
    captured(x)
    found = []
    for run in (net, captured):
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as prof:
            run(x)
        found.append({one.key: one.flops for one in prof.key_averages() if one.key == "aten::conv2d"})
    assert "aten::relu" not in launches(prof)
    assert found == [{"aten::conv2d": 2 * 9 * 4 * 16 * 14 * 14}] * 2
