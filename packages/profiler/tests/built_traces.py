"""Builds traces from events in any order: sorts them, and finds parents, names, lanes and links."""

from collections import defaultdict

import numpy as np

from facula_profiler import EVENT, MEMORY, Frame, Kind, Lane, Signature, Trace

US = 1_000  # nanoseconds


class Builder:
    """Collects events; `trace()` returns them as a `Trace`. `add` returns a handle, for `link`."""

    def __init__(self):
        self.rows, self.names, self.lanes, self.stacks, self.signatures = [], {}, {}, {}, {}
        self.memory, self.categories = [], []

    def add(self, kind, start, end, name="x", lane=("python", "main"), link=None, seq=-1, value=0, stack=(),
            shapes=None, flops=0, nbytes=0):  # fmt: skip
        row = dict(kind=kind, start=start, end=end, seq=seq, value=value, name=self._number(self.names, name),
                   lane=self._number(self.lanes, Lane(*lane)), stack=-1, signature=-1, link=link)  # fmt: skip
        if stack:
            row["stack"] = self._number(self.stacks, tuple(Frame(*frame) for frame in stack))
        if shapes is not None or flops or nbytes:
            one = Signature(name, shapes, ("float32",) * len(shapes or [0]), (), flops, nbytes)
            row["signature"] = self._number(self.signatures, one)
        self.rows.append(row)
        return len(self.rows) - 1

    def allocate(self, time, address, nbytes, event=None, device=-1):
        self.memory.append((time, address, nbytes, device, -1, event))

    @staticmethod
    def _number(numbers, key):
        return numbers.setdefault(key, len(numbers))

    def trace(self, **others):
        order = sorted(
            range(len(self.rows)), key=lambda at: (self.rows[at]["lane"], self.rows[at]["start"], -self.rows[at]["end"])
        )
        places = {old: new for new, old in enumerate(order)}
        places[None] = -1
        events = np.zeros(len(order), EVENT)
        open_ = defaultdict(list)
        for new, old in enumerate(order):
            row = dict(self.rows[old])
            around = open_[row["lane"]]
            while around and events["end"][around[-1]] <= row["start"]:
                around.pop()
            events[new] = tuple(
                {**row, "parent": around[-1] if around else -1, "link": places[row["link"]]}[field]
                for field in EVENT.names
            )
            around.append(new)
        memory = np.array([(*row[:-1], places[row[-1]]) for row in sorted(self.memory, key=lambda row: row[0])], MEMORY)
        return Trace(events, memory, list(self.names), list(self.lanes), list(self.stacks), list(self.signatures),
                     self.categories, **others)  # fmt: skip


def many_events(count, seed=0):
    """Return a trace of many launches in modules, with links and a pool, without a loop."""
    rng = np.random.default_rng(seed)
    events = np.zeros(count, EVENT)
    for field in ("parent", "stack", "signature", "seq", "link"):
        events[field] = -1
    calls = np.arange(count) % 10 == 0  # each module call contains nine launches
    ends = np.cumsum(rng.integers(200, 4000, count))
    events["start"], events["end"] = ends - rng.integers(100, 200, count), ends
    events["kind"] = np.where(calls, Kind.MODULE, Kind.LAUNCH)
    first = np.flatnonzero(calls)
    last = np.append(first[1:], count) - 1
    events["end"][first] = ends[last] + 1
    events["parent"] = np.where(calls, -1, np.arange(count) // 10 * 10)
    events["name"] = np.where(calls, rng.integers(0, 50, count), rng.integers(50, 80, count))
    events["signature"] = np.where(calls, -1, rng.integers(0, 200, count))
    events["stack"] = np.where(calls, -1, rng.integers(0, 500, count))
    names = [f"Net.layer{place}" for place in range(50)] + [f"operator{place}" for place in range(30)]
    stacks = [
        (Frame("nn.py", 7, "forward", True), Frame("net.py", line, f"f{line % 40}"), Frame("run.py", 1, "main"))
        for line in range(500)
    ]
    signatures = [Signature("x", ((place, 8),), ("float32",), (), 8 * place, 64 * place) for place in range(200)]
    memory = np.zeros(count // 2, MEMORY)
    half = len(memory) // 2
    memory["time"] = np.sort(rng.integers(0, ends[-1], len(memory)))
    memory["address"] = np.repeat(np.arange(half + 1), 2)[: len(memory)] % 5000 * 4096
    memory["nbytes"] = np.where(np.arange(len(memory)) % 2, -4096, 4096)
    memory["device"], memory["stack"], memory["event"] = -1, -1, rng.integers(0, count, len(memory))
    return Trace(events, memory, names, [Lane("python", "main")], stacks, signatures)
