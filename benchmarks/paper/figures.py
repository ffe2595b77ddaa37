"""Drawings of traces, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from facula_profiler import Kind, Trace

if TYPE_CHECKING:
    from .runs import Iteration

WIDTH, LEFT, ROW, GAP = 1100, 130, 26, 16
LAUNCHES = 14  # operators in figure 1
PALETTE = (
    "#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#eeca3b", "#9d755d", "#ff9da6", "#79706e",
)  # fmt: skip
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1d2530}.small{font-size:10px}.quiet{fill:#5d687a}"
    ".python{fill:#d9dde3}.arrow{stroke:#5d687a;stroke-width:.8;fill:none;opacity:.7}.call{stroke:#c0272d;stroke-width:1}"
)


def drawing(height: float, title: str, body: Sequence[str]) -> str:
    """Return an SVG file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img"'
        f' aria-label="{escape(title)}"><style>{STYLE}</style>'
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#fff"/>'
    )
    return "\n".join([head, text(8, 18, title), *body, "</svg>"]) + "\n"


def text(x: float, y: float, content: str, style: str = "") -> str:
    """Return a label."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{style}{chr(34)}" if style else ""}>{escape(content)}</text>'
    )


def bar(x: float, y: float, width: float, fill: str, title: str) -> str:
    """Return a box of a row; its name appears on it if there is room, and as a tooltip."""
    box = (
        f'<rect x="{x:.2f}" y="{y:.1f}" width="{max(width, 0.4):.2f}" height="{ROW - 2}" fill="{fill}">'
        f"<title>{escape(title)}</title></rect>"
    )
    name = title.partition(",")[0].rpartition("::")[2]
    return box + (text(x + 3, y + 16, name, "small") if width > 5.5 * len(name) + 6 else "")


def duration(nanoseconds: float) -> str:
    """Return a time with its unit."""
    return f"{nanoseconds / 1e3:.0f} µs" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.3g} ms"


def colours(names: Sequence[str]) -> dict[str, str]:
    """Return a colour for each name."""
    return {name: PALETTE[place % len(PALETTE)] for place, name in enumerate(dict.fromkeys(names))}


def legend(y: float, colour: dict[str, str], note: str) -> list[str]:
    """Return a line that explains the colours."""
    parts, x = [], LEFT
    for name, fill in [("Python", "#d9dde3"), *colour.items()][: len(PALETTE) + 1]:
        shown = name.rpartition("::")[2]
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{fill}"/>')
        parts.append(text(x + 14, y, shown, "small"))
        x += 26 + 6 * len(shown)
    return [*parts, text(LEFT, y + 18, note, "quiet")]


def operators(trace: Trace, title: str, in_order: bool = False) -> str:
    """Draw the first operators of a step: Python and launches on the host, and the work that they start elsewhere.

    Arguments:
        trace: the trace.
        title: what it is a trace of.
        in_order: draw the work of devices in its order, without its times.
    """
    events = trace.events
    launches = trace.of_kind(Kind.LAUNCH)[:LAUNCHES]
    if not len(launches):
        return drawing(60, title, [text(8, 40, "no operators were recorded")])
    started = np.isin(events["link"], launches) & np.isin(events["kind"], (Kind.TASK, Kind.KERNEL, Kind.COPY))
    caused = np.flatnonzero(started)
    shown = launches if in_order else np.concatenate([launches, caused])
    begin, end = int(events["start"][shown].min()), int(events["end"][shown].max())
    begin -= (end - begin) // 50
    colour = colours([trace.names[name] for name in events["name"][launches]])
    host = int(events["lane"][launches[0]])
    lanes = [host, *np.unique(events["lane"][caused]).tolist()]
    tops = {lane: 34 + place * (ROW + GAP) for place, lane in enumerate(lanes)}
    width = WIDTH - LEFT - 10

    def x(time: int) -> float:
        return LEFT + (time - begin) / (end - begin) * width

    labels = {host: "host", **{lane: trace.lanes[lane].label for lane in lanes if trace.lanes[lane].kind == "pool"}}
    body = [text(8, top + 16, labels.get(lane, "device")) for lane, top in tops.items()]
    python = x(int(events["end"][launches[-1]])) - LEFT
    body.append(f'<rect class="python" x="{LEFT}" y="{tops[host]}" width="{python:.1f}" height="{ROW - 2}"/>')
    for place in launches.tolist():
        name, start, stop = trace.names[events["name"][place]], int(events["start"][place]), int(events["end"][place])
        body.append(
            bar(x(start), tops[host], x(stop) - x(start), colour[name], f"{name}, {(stop - start) / 1000:.1f} µs")
        )
    for number, place in enumerate(caused.tolist()):
        cause, start, stop = int(events["link"][place]), int(events["start"][place]), int(events["end"][place])
        name, top = trace.names[events["name"][cause]], tops[int(events["lane"][place])]
        left, right = x(start), x(stop)
        if in_order:
            left, right = LEFT + number / len(caused) * width, LEFT + (number + 0.9) / len(caused) * width
        body.append(bar(left, top, right - left, colour[name], f"{name}, {(stop - start) / 1000:.1f} µs"))
        source = x(min(max(start, int(events["start"][cause])), int(events["end"][cause])))
        body.append(f'<path class="arrow" d="M{source:.1f} {tops[host] + ROW - 2} L{left:.1f} {top}"/>')
    height = 34 + len(lanes) * (ROW + GAP) + 36
    note = f"host: {duration(end - begin)}; lines lead from operators to the work that they started"
    if in_order:
        note += "; simulated device: kernels in their order, without times"
    body += legend(height - 28, colour, note)
    return drawing(height, f"First operators of {title}", body)


def driver_calls(iterations: Sequence[Iteration], title: str, counted: bool = False) -> str:
    """Draw the launches of each training step, and the driver calls of the allocator as red lines.

    Arguments:
        iterations: the steps.
        title: what they train.
        counted: whether a simulated device counted the kernels without running them.
    """
    longest = max(one.seconds for one in iterations)
    spent: dict[str, float] = {}
    for one in iterations:
        for start, end, name in one.launches:
            spent[name] = spent.get(name, 0.0) + end - start
    colour = colours(sorted(spent, key=lambda name: -spent[name]))
    body = []
    for place, one in enumerate(iterations):
        top = 36 + place * (ROW + GAP + 14)

        def x(seconds: float) -> float:
            return LEFT + seconds / longest * (WIDTH - LEFT - 64)

        calls = f"{one.driver_calls} driver call{'s' * (one.driver_calls != 1)}"
        body += [text(8, top + 12, f"iteration {place + 1}"), text(8, top + 26, calls, "small quiet")]
        body.append(
            f'<rect class="python" x="{LEFT}" y="{top}" width="{x(one.seconds) - LEFT:.1f}" height="{ROW - 2}"/>'
        )
        body += [bar(x(start), top, x(end) - x(start), colour[name], name) for start, end, name in one.launches]
        ticks = "".join(f"M{x(time):.1f} {top + ROW - 2}v12" for time in one.calls)
        body.append(f'<path class="call" d="{ticks}"/>' if ticks else "")
        body.append(text(x(one.seconds) + 5, top + 16, f"{one.seconds * 1000:.0f} ms", "small quiet"))
    height = 36 + len(iterations) * (ROW + GAP + 14) + 30
    note = "red: the allocator calls its driver"
    body += legend(height - 26, colour, note + ("; simulated device: kernels are counted, not run" if counted else ""))
    return drawing(height, f"Training steps of {title}", body)
