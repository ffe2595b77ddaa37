"""`python -m benchmarks.shared_profile`: profile the same program with both libraries, and compare what is counted.

For operators with the same name in both profiles, it compares the number of calls, the ranges around each call, FLOP,
and arrows from forward to backward. It prints the rows, and exits with 1 if one differs.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

STEPS = 3
INTERNAL = {"aten::copy_", "aten::sum"}  # which operators and rules call where the libraries compute differently
# operators whose FLOP PyTorch counts for the operator that they call, and rules with other names in PyTorch
FLOPS_OF = {"aten::conv2d": "aten::conv2d", "aten::linear": "aten::addmm"}
RULES_OF = {
    "Conv2dBackward0": "ConvolutionBackward0",
    "LinearBackward0": "AddmmBackward0",
    "MaxPool2dBackward0": "MaxPool2DWithIndicesBackward0",
    "ReluBackward0": "ReluBackward0",
    "TanhBackward0": "TanhBackward0",
}


def profiled(F: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Return the profile of some training steps, and the events of its trace."""
    nn, profiler = F.nn, F.profiler
    layers = [nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(512, 32), nn.Tanh()]
    model = nn.Sequential(*layers, nn.Linear(32, 10))
    optimizer = F.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = F.randn(4, 3, 16, 16), F.tensor([1, 2, 3, 4])

    def step() -> None:
        with profiler.record_function("forward"):
            loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        with profiler.record_function("backward"):
            loss.backward()
        optimizer.step()

    step()
    with profiler.profile(activities=[profiler.ProfilerActivity.CPU], with_flops=True) as found:
        for _ in range(STEPS):
            step()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        found.export_chrome_trace(str(path))
        return found, json.loads(path.read_text())["traceEvents"]


def ranges_of(profile: Any) -> Counter[tuple[str, ...]]:
    """Return how often each operator was called in which ranges of the program: (operator, inner range, ...)."""
    calls: Counter[tuple[str, ...]] = Counter()
    for event in profile.events():
        path, parent = [event.name], event.cpu_parent
        while parent is not None:
            if parent.name in ("forward", "backward") or parent.name.startswith("Optimizer."):
                path.append(parent.name)
            parent = parent.cpu_parent
        calls[tuple(path)] += 1
    return calls


def arrows_of(trace: list[dict[str, Any]]) -> Counter[str]:
    """Return the number of arrows that end in each backward rule."""
    ends = [event for event in trace if event.get("cat") == "fwdbwd" and event["ph"] == "f"]
    rules = [event for event in trace if event.get("ph") == "X" and event["name"].endswith("Backward0")]
    named = [event for event in rules if not event["name"].startswith("autograd::")]
    found: Counter[str] = Counter()
    for end in ends:
        around = [rule for rule in named if rule["tid"] == end["tid"] and _is_in(end["ts"], rule)]
        found.update(rule["name"] for rule in around[:1])
    return found


def _is_in(time: float, event: dict[str, Any]) -> bool:
    return -5.0 <= time - event["ts"] <= event["dur"]  # the arrow may end in the engine's event around the rule


def share_of_ranges(profile: Any) -> float:
    """Return the sum of self times, as a share of the time that the outermost events take."""
    events = list(profile.events())
    outermost = sum(event.cpu_time_total for event in events if event.cpu_parent is None)
    return sum(event.self_cpu_time_total for event in events) / outermost


def main() -> int:
    """Compare both profiles; return 1 if they differ."""
    import torch

    import facula

    (ours, our_trace), (theirs, their_trace) = profiled(facula), profiled(torch)
    rows = []
    our_calls, their_calls = ranges_of(ours), ranges_of(theirs)
    names = {path[0] for path in our_calls} & {path[0] for path in their_calls} - INTERNAL
    for path in sorted(path for path in our_calls.keys() | their_calls.keys() if path[0] in names):
        rows.append((f"calls of {' in '.join(path)}", our_calls[path], their_calls[path]))
    our_flops, their_flops = ({event.key: event.flops for event in one.key_averages()} for one in (ours, theirs))
    for name, other in FLOPS_OF.items():
        rows.append((f"FLOP of {name}", our_flops[name], their_flops[other]))
    our_arrows, their_arrows = arrows_of(our_trace), arrows_of(their_trace)
    for name, other in RULES_OF.items():
        rows.append((f"arrows to {name}", our_arrows[name], their_arrows[other]))
    shares = [round(share_of_ranges(one), 3) for one in (ours, theirs)]
    rows.append(("self times to time of outermost events", *shares))
    for words, own, other in rows:
        print(f"{words:60} {own!s:>10} {other!s:>10}  {'' if own == other else 'DIFFERS'}".rstrip())
    return int(any(own != other for _, own, other in rows))


if __name__ == "__main__":
    sys.exit(main())
