"""Random programs of streams and events: simulated devices run them in orders that a model of CUDA's rules allows."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulated_calls import StreamLog, call, code_of, event, get, stream, use_device

from facula_cuda._driver import ffi
from facula_cuda.testing import simulate
from facula_cuda.testing._simulation import end_simulation

STREAMS = ("default", "blocking", "blocking", "free", "free")
EVENTS = 3
ops = st.one_of(
    st.tuples(st.just("launch"), st.integers(0, 4)),
    st.tuples(st.just("record"), st.integers(0, 4), st.integers(0, EVENTS - 1)),
    st.tuples(st.just("wait"), st.integers(0, 4), st.integers(0, EVENTS - 1)),
)


@dataclass
class Model:
    """For each launch, the launches that CUDA runs before it."""

    before: list = field(default_factory=list)
    streams: list = field(default_factory=lambda: [frozenset()] * len(STREAMS))
    events: dict = field(default_factory=dict)

    def start(self, on):
        """Apply the rule of the default stream: it waits for all blocking streams, and they wait for it."""
        others = [i for i, kind in enumerate(STREAMS) if kind == "blocking"] if on == 0 else [0]
        if STREAMS[on] != "free":
            self.streams[on] = self.streams[on].union(*(self.streams[other] for other in others))

    def launch(self, on):
        self.start(on)
        self.before.append(self.streams[on])
        self.streams[on] |= {len(self.before) - 1}

    def record(self, on, which):
        self.start(on)
        self.events[which] = self.streams[on]

    def wait(self, on, which):
        if which in self.events:
            self.start(on)
            self.streams[on] |= self.events[which]

    def check(self, order):
        assert sorted(order) == list(range(len(self.before)))
        for place, launch in enumerate(order):
            assert self.before[launch] <= set(order[:place]), (launch, order)


class Device:
    """The same operations on the simulated device."""

    def __init__(self, log):
        self.log, self.launches = log, 0
        self.streams = [0 if kind == "default" else stream(int(kind == "free")) for kind in STREAMS]
        self.events = [event() for _ in range(EVENTS)]

    def launch(self, on):
        self.log(self.launches, self.streams[on])
        self.launches += 1

    def record(self, on, which):
        call("cuEventRecord", self.events[which], self.streams[on])

    def wait(self, on, which):
        call("cuStreamWaitEvent", self.streams[on], self.events[which], 0)

    def close(self):
        for one in self.streams[1:]:
            call("cuStreamDestroy_v2", one)
        for one in self.events:
            call("cuEventDestroy_v2", one)


def run(program, *places):
    for name, *arguments in program:
        for place in places:
            getattr(place, name)(*arguments)


@pytest.fixture(scope="module")
def log(library):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        simulate()
        use_device()
        yield StreamLog(library)
        end_simulation()


@given(st.lists(ops, max_size=30), st.integers(0, 1 << 64), st.sampled_from(["shuffled", "in_order"]))
def test_the_order_of_streams(log, program, seed, order):
    simulate(seed=seed, order=order)
    log.clear()
    model, device = Model(), Device(log)
    run(program, model, device)
    entries = log.entries()
    model.check(entries)
    assert order == "shuffled" or entries == sorted(entries)
    device.close()


@given(st.lists(ops, max_size=30), st.integers(0, 1 << 64), st.integers(0, EVENTS - 1))
def test_an_event_is_reached_after_what_precedes_it(log, program, seed, which):
    simulate(seed=seed)
    log.clear()
    model, device = Model(), Device(log)
    run(program, model, device)
    call("cuEventSynchronize", device.events[which])
    assert model.events.get(which, frozenset()) <= set(log.so_far())
    model.check(log.entries())
    device.close()


@given(st.lists(ops, max_size=30), st.integers(0, 1 << 64))
def test_the_order_of_graphs(log, program, seed):
    """Capture a program that forks from one stream and joins it, and launch its graph."""
    simulate(seed=seed)
    log.clear()
    fork, join = 0, 1
    inner = [(name, on % 2 + 3, *which) for name, on, *which in program]
    recorded = {fork}
    captured = [("record", 3, fork), ("wait", 4, fork)]
    for name, on, *which in inner:
        if name == "wait" and which[0] not in recorded:
            continue  # an event of before the capture, which would be an error
        recorded.update(which if name == "record" else ())
        captured.append((name, on, *which))
    captured += [("record", 4, join), ("wait", 3, join)]
    model, device = Model(), Device(log)
    call("cuStreamBeginCapture_v2", device.streams[3], 0)
    run(captured, model, device)
    graph = ffi.new("int64_t *")
    assert code_of("cuStreamEndCapture", device.streams[3], graph) == 0
    executable = get("int64_t", "cuGraphInstantiateWithFlags", graph[0], 0)
    for _ in range(2):
        log.clear()
        call("cuGraphLaunch", executable, device.streams[1])
        model.check(log.entries())
    call("cuGraphExecDestroy", executable)
    call("cuGraphDestroy", graph[0])
    device.close()
