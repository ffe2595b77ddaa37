"""Profiles of training programs with all packages: which events there are, how they nest, and what links them."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import facula
from facula import distributed, nn
from facula.utils.data import DataLoader
from facula_allocator import HostAllocator
from facula_cpu import get_num_threads, set_num_threads
from facula_profiler import Kind, ProfilerAction, profile


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, width))
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        return self.head(self.body(x))


class Samples:
    """A dataset of random points."""

    def __len__(self):
        return 12

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        return rng.random(4, "f4"), int(rng.integers(3))


class Training:
    """A model with the usual step of training."""

    def __init__(self, width=8):
        facula.manual_seed(0)
        self.model = Net(width)
        self.optimizer = facula.optim.Adam(self.model.parameters(), lr=0.01)

    def loss(self, x, y):
        return nn.functional.cross_entropy(self.model(x), y)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.loss(x, y)
        loss.backward()
        self.optimizer.step()
        return loss


def batch(size=6):
    return facula.rand(size, 4), facula.randint(3, (size,))


class Found:
    """The events of a trace, by name."""

    def __init__(self, trace):
        self.trace, self.events = trace, trace.events

    def name(self, event):
        return self.trace.names[self.events["name"][event]]

    def named(self, kind, name=None):
        """Return the events of a kind, and of a name."""
        return [event for event in self.trace.of_kind(kind) if name is None or self.name(event) == name]

    def around(self, event):
        """Return the kinds and names of the events around an event, the innermost first."""
        found = []
        while (event := self.events["parent"][event]) >= 0:
            found.append((Kind(self.events["kind"][event]), self.name(event)))
        return found

    def lanes(self, kind):
        return [lane for lane in self.trace.lanes if lane.kind == kind]


def profiled(function, calls=1, **options):
    options.setdefault("schedule", lambda step: ProfilerAction.RECORD)
    with profile(**options) as made:
        for _ in range(calls):
            function()
            made.step()
    return Found(made.trace)


def test_launches_are_nested_in_modules_and_steps():
    training, data = Training(), batch()
    training.step(*data)
    found = profiled(lambda: training.step(*data), 2, with_modules=True)
    launches = [event for event in found.named(Kind.LAUNCH, "aten::linear")]
    assert len(launches) == 6
    modules = [("Net.body.0", "Net.body", "Net"), ("Net.body.2", "Net.body", "Net"), ("Net.head", "Net")]
    for number, launch in enumerate(launches):
        step = [(Kind.STEP, f"ProfilerStep#{number // 3}")]
        assert found.around(launch) == [(Kind.MODULE, path) for path in modules[number % 3]] + step
    (update,) = {found.name(event) for event in found.named(Kind.LAUNCH) if "adam" in found.name(event)}
    for launch in found.named(Kind.LAUNCH, update):
        assert found.around(launch)[0] == (Kind.OPTIMIZER, "Optimizer.step#Adam.step")
    assert len(found.named(Kind.OPTIMIZER, "Optimizer.zero_grad#Adam.zero_grad")) == 2


def test_arrows_from_backward_to_forward_equal_the_graph():
    training, data = Training(), batch()
    nodes = []

    def step():
        loss = training.loss(*data)
        stack = [loss.grad_fn]
        while stack:
            node = stack.pop()
            if hasattr(node, "seq") and node.seq not in [other.seq for other in nodes]:
                nodes.append(node)
                stack += [edge for edge, _ in node.next_functions if edge is not None]
        loss.backward()

    training.step(*data)
    found = profiled(step)
    rules = {int(found.events["seq"][event]): event for event in found.named(Kind.BACKWARD)}
    assert sorted(rules) == sorted(node.seq for node in nodes)
    forward = {}
    for number, event in rules.items():
        launch = found.events["link"][event]
        assert found.events["kind"][launch] == Kind.LAUNCH
        assert found.events["end"][launch] <= found.events["start"][event]
        assert found.around(event)[0][1] == "autograd::backward"
        forward[number] = found.name(launch)
    names = {"cross_entropy": "aten::cross_entropy_loss", "relu": "aten::relu", "linear": "aten::linear"}
    assert forward == {node.seq: names[node.name()] for node in nodes}


class lower(facula.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


VIEWS = (
    lambda w: w.view(2, 8), lambda w: w.t(), lambda w: w.expand(3, 4, 4), lambda w: w[1:], lambda w: w[0, 1:],
    lambda w: w.split(2)[1], lambda w: w.unsqueeze(0), lambda w: w.diagonal(), lambda w: w.select(0, 1),
)  # fmt: skip
OPERATORS = (
    lambda w: w.clone(), lambda w: w.to(facula.float64), lambda w: w.clamp(min=0), lambda w: w.clamp(max=0),
    lambda w: w.mean(), lambda w: w.logsumexp(0).exp(), lambda w: w.median(), lambda w: facula.stack([w, w]),
    lambda w: facula.cat([w, w]), lambda w: w.softmax(0), lambda w: w @ w, lambda w: w + w, lambda w: 1 - w,
    lambda w: w.scatter(0, facula.tensor([[0]]), w), lambda w: facula.where(w > 0, w, 0), lambda w: w.var(),
    lambda w: nn.functional.layer_norm(w, (4,)), lambda w: w.contiguous().mul(2), lambda w: w.t().reshape(16),
    lambda w: w.clone().mul_(w), lambda w: nn.functional.gelu(w), lambda w: w[[0, 1]], lambda w: w.norm(),
)  # fmt: skip


@pytest.mark.parametrize("function", [*VIEWS, *OPERATORS, lower.apply])
def test_arrows_do_not_lead_to_other_operators(function):
    """An operator's node has an arrow to its launch; a view's has none, although launches without nodes precede it."""
    w = facula.rand(4, 4, requires_grad=True)
    before = facula.ones(2)

    def step():
        before + 1
        made = function(w)
        launches.append(made.grad_fn.seq)
        made.backward(facula.ones_like(made))

    launches = []
    found = profiled(step)
    (rule,) = [event for event in found.named(Kind.BACKWARD) if found.events["seq"][event] == launches[0]]
    link = found.events["link"][rule]
    if function in OPERATORS and found.name(rule) != "ViewBackward0":
        first = next(event for event in found.named(Kind.LAUNCH) if found.name(event) == "aten::add")
        assert link > first and found.events["kind"][link] == Kind.LAUNCH
        assert found.events["seq"][link] == found.events["seq"][rule]
    else:
        assert link == -1 and found.name(rule) != "LowerBackwardBackward0"
        assert (found.events["seq"][found.named(Kind.LAUNCH)] != found.events["seq"][rule]).all()


def test_threads_of_the_pool_have_lanes():
    a = facula.rand(400, 400)
    before = get_num_threads()
    set_num_threads(3)
    try:
        a @ a
        found = profiled(lambda: a @ a, 20)
    finally:
        set_num_threads(before)
    labels = {lane.label for lane in found.lanes("pool")}
    assert "worker 0" in labels
    assert labels <= {"worker 0", "worker 1", "worker 2"}
    products = found.named(Kind.LAUNCH, "aten::matmul")
    for task in found.named(Kind.TASK):
        launch = found.events["link"][task]
        assert launch in products
        assert found.name(task) == "aten::matmul"
        assert found.events["start"][launch] <= found.events["start"][task]


@pytest.mark.parametrize("method", ["thread", "process"])
def test_workers_of_loaders_have_lanes(method):
    training = Training()

    def epoch():
        for x, y in DataLoader(Samples(), batch_size=4, num_workers=2, worker_method=method):
            training.step(x, y)

    found = profiled(epoch)
    assert len(found.named(Kind.WAIT)) == 3
    assert len(found.named(Kind.FETCH)) == 3
    lanes = found.lanes("loader")
    assert len(lanes) == 2
    assert all(("process" in lane.label) == (method == "process") for lane in lanes)
    for wait in found.named(Kind.WAIT):
        assert found.trace.lanes[found.events["lane"][wait]].thread == threading.get_native_id()


def test_replays_contain_their_launches():
    training, data = Training(), batch()
    step = facula.capture(training.step)
    for _ in range(4):
        step(*data)
    found = profiled(lambda: step(*data), 4, with_stack=True)
    replays = found.named(Kind.REPLAY)
    assert 3 <= len(replays) <= 4, "one call may be checked"
    for replay in replays:
        inside = [event for event in found.named(Kind.KERNEL) if found.events["parent"][event] == replay]
        assert found.name(replay).endswith("step")
        assert len(inside) == found.events["value"][replay] == len(step.graph().calls)
        assert [found.name(event) for event in inside][:2] == ["aten::linear", "aten::relu"]
        signature = found.trace.signatures[found.events["signature"][inside[0]]]
        assert (signature.operator, signature.shapes) == ("linear", ((6, 4), (8, 4), (8,)))
        for event, call in zip(inside, step.graph().calls, strict=True):
            (frame,) = found.trace.stacks[found.events["stack"][event]]
            assert f"{frame.file}:{frame.line} " in call.line


def test_replays_contain_modules():
    training, data = Training(), batch()
    step = facula.capture(training.step)
    with profile(with_modules=True) as made:  # module calls are replaced, so the function is captured once more
        for _ in range(6):
            step(*data)
    found = Found(made.trace)
    replay = found.named(Kind.REPLAY)[-1]
    inside = [event for event in found.named(Kind.MODULE) if found.events["parent"][event] == replay]
    assert [found.name(event) for event in inside][:4] == ["Net.body.0", "Net.body.1", "Net.body.2", "Net.head"]
    kernels = [event for event in found.named(Kind.KERNEL, "aten::linear") if found.events["parent"][event] in inside]
    assert [found.around(event)[0][1] for event in kernels] == ["Net.body.0", "Net.body.2", "Net.head"]
    for _ in range(10):  # the captures with and without a profile are both kept
        step(*data)
        later = profiled(lambda: step(*data), with_modules=True)
        assert len(later.named(Kind.REPLAY)) == 1


def test_results_do_not_change():
    plain, observed = Training(), Training()
    data = [batch() for _ in range(4)]
    for x, y in data:
        plain.step(x, y)
    remaining = iter(data)
    profiled(lambda: observed.step(*next(remaining)), 4, with_modules=True, with_stack=True, record_shapes=True)
    for one, other in zip(plain.model.parameters(), observed.model.parameters(), strict=True):
        assert one.tolist() == other.tolist()


def test_categories_of_memory():
    training, data = Training(), batch()
    training.step(*data)
    found = profiled(lambda: training.step(*data), profile_memory=True)
    known = {}
    for _, contents in found.trace.categories:
        known.update(contents)
    model, state = training.model, training.optimizer.state
    weight = model.head.weight
    assert known[weight.data_ptr()] == "parameter"
    assert known[weight.grad.data_ptr()] == "gradient"
    assert known[state[weight]["exp_avg"].data_ptr()] == "optimizer state"
    assert known[data[0].data_ptr()] == "input"


def test_nothing_is_observed_after_a_profile():
    from facula_autograd.extend import observe_backward, observe_scopes
    from facula_cpu.extend import observe_jobs
    from facula_data.extend import observe_loaders
    from facula_storage.extend import observe_replays

    plain = nn.Module.__call__
    training, data = Training(), batch()
    profiled(lambda: training.step(*data), with_modules=True)
    assert nn.Module.__call__ is plain
    assert [observe(None) for observe in (observe_backward, observe_scopes, observe_loaders)] == [None] * 3
    assert observe_jobs(0) == observe_replays(0) == 0


DEVICE = """
import facula
from facula_profiler import Kind, profile

a = facula.ones(1000, device="cuda")
(a + a).sum().item()  # compiles the kernels
with profile() as made:
    b = a + a
    c = b + a
    facula.cuda.synchronize()
    c.cpu()
trace = made.trace
events, lanes = trace.events, trace.lanes
(lane,) = [number for number, lane in enumerate(lanes) if lane.kind == "device"]
assert "cuda:0" in lanes[lane].label and "simulated" in lanes[lane].label
launches = [event for event in trace.of_kind(Kind.LAUNCH) if trace.names[events["name"][event]] == "aten::add"]
kernels = trace.of_kind(Kind.KERNEL)
assert events["link"][kernels].tolist() == launches, "each kernel is linked to its launch"
assert (events["lane"][kernels] == lane).all() and (events["seq"][kernels] == -1).all()
assert (events["start"][kernels] >= events["end"][launches]).all()
copies = trace.of_kind(Kind.COPY)
assert 4000 in events["value"][copies]
waits = trace.of_kind(Kind.SYNCHRONIZE)
assert len(waits) >= 1 and lanes[events["lane"][waits[0]]].label == "MainThread"
assert events["start"][waits[0]] < events["end"][kernels[-1]]
"""


def test_devices_have_lanes():
    pytest.importorskip("facula_cuda")
    environment = {**os.environ, "FACULA_CUDA_DRIVER": "simulated"}
    done = subprocess.run([sys.executable, "-c", DEVICE], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr


def test_segments_of_the_allocator():
    allocator = HostAllocator()
    with profile(profile_memory=True) as prof:
        _, release = allocator.refill(3 << 20)
        release()
        allocator.trim()
    allocator.refill(5 << 20)  # after the profile
    trace = prof.trace
    rows = trace.events[trace.of_kind(Kind.SEGMENT)]
    assert [trace.names[name] for name in rows["name"]] == ["segment_alloc", "segment_free"]
    assert rows["value"].tolist() == [3 << 20, -(3 << 20)] and (rows["end"] > rows["start"]).all()
    assert {trace.lanes[lane][:2] for lane in rows["lane"]} == {("allocator", "cpu")}
    assert trace.metadata["facula.reserved"][-1] > 0


def test_collectives(tmp_path):
    """Check the events of a group of one; the package's own tests check several ranks."""
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    value = facula.ones(2, 3)
    try:
        with profile(record_shapes=True, with_stack=True) as prof:
            distributed.all_reduce(value)
            work = distributed.all_reduce(value, async_op=True)
            work.wait()
            distributed.barrier()
    finally:
        distributed.destroy_process_group()
    trace = prof.trace
    events = trace.events[trace.of_kind(Kind.COLLECTIVE)]
    lanes = np.array([lane.kind for lane in trace.lanes], object)[events["lane"]]
    named = [trace.names[name] for name in events["name"]]
    assert [name for name, kind in zip(named, lanes, strict=True) if kind == "collective"] == ["gloo:all_reduce"]
    assert {"gloo:all_reduce", "gloo:barrier"} <= {n for n, kind in zip(named, lanes, strict=True) if kind == "python"}
    averages = {one.key: one for one in prof.key_averages(group_by_input_shape=True)}
    assert averages["gloo:all_reduce"].input_shapes == [[2, 3]] and averages["gloo:all_reduce"].count == 2
    for stack in events["stack"][lanes == "collective"]:
        assert trace.stacks[stack][0].function == "test_collectives"
