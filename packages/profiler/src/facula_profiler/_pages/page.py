"""`export_html`: a trace as one HTML file, and the page of `export_memory_timeline`."""

from __future__ import annotations

import json
import os
import re
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._files import checked_path, write_file
from .._memory.lifetimes import devices_of
from .._memory.timeline import POINTS, Curve, by_category
from .._memory.timeline import by_module as memory_by_module
from .._summary.columns import Columns
from .._summary.summary import Summary
from .._summary.tables import describe
from .._summary.units import amount, seconds
from .._trace.records import Kind
from .._trace.trace import check_trace
from . import flames, markup
from .timeline import Bars, bars_of

if TYPE_CHECKING:
    from .._summary.peaks import Peaks
    from .._trace.records import Frame
    from .._trace.trace import Trace

SLOT = re.compile(r"/\*facula:(\w+)\*/|<!--facula:(\w+)-->")
SCRIPTS = ("common.js", "timeline.js", "flames.js", "memory.js", "tables.js")
MAX_FRAMES = 12  # of a stack in the details of a bar


@boundary
def export_html(
    trace: Trace,
    path: str | os.PathLike[str],
    title: str | None = None,
    peaks: Peaks | tuple[float, float] | None = None,
) -> None:
    """Write a trace as one HTML file that opens in any browser, offline.

    The page contains the bottleneck with its evidence, a timeline, flame graphs by module and line, tables of
    operators, modules and lines, and memory by category and module. The timeline has at most 50,000 bars. If there are
    more events, short ones are merged, and the page says so.

    Arguments:
        trace: the trace.
        path: the file to write.
        title: the title of the page; None: the name of the file.
        peaks: as for `Summary`.

    Raises:
        OSError: the file cannot be written.

    >>> import numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "page.html")
    >>> export_html(Trace(np.zeros(0, EVENT), np.zeros(0, MEMORY), [], []), path, peaks=(1e11, 1e10))
    >>> open(path).read().startswith("<!DOCTYPE html>")
    True
    """
    check_trace("export_html", trace)
    text = checked_path("export_html", path)
    if title is not None and not isinstance(title, str):
        raise InvalidTypeError(f"export_html: expected a title that is text; got {title!r:.60}")
    write_file("export_html", path, page(trace, title or os.path.basename(text), peaks).encode("utf-8", "replace"))


def page(trace: Trace, title: str, peaks: Peaks | tuple[float, float] | None = None) -> str:
    """Return the page of a trace."""
    summary = Summary(trace, peaks)
    columns = summary.columns
    bars = bars_of(columns)
    devices = devices_of(trace)
    shares = summary.shares
    launches = int(columns.of(Kind.LAUNCH).sum())
    curves = [(_device_name(one), by_category(trace, one, POINTS), memory_by_module(trace, one, POINTS))
              for one in devices]  # fmt: skip
    tiles = [("time", seconds(shares.examined))]
    if shares.steps:
        tiles += [("steps", f"{shares.steps:,}"), ("per step", seconds(shares.examined / shares.steps))]
    tiles += [("events", f"{len(trace):,}"), ("launches", f"{launches:,}"), ("lanes", f"{len(trace.lanes):,}")]
    tiles += [(f"peak memory, {name}", amount(curve.peak, "B")) for name, curve, _ in curves]
    tiles += [("arithmetic peak", amount(summary.peaks.flops, "FLOP/s")),
              ("bandwidth peak", amount(summary.peaks.bandwidth, "B/s"))]  # fmt: skip
    by_module, by_line = flames.by_module(columns), flames.by_line(columns)
    body = [f"<h1>{escape(title)}</h1>", *_notes(trace, bars, summary), markup.verdict(summary), markup.totals(tiles)]
    body.append(_card("Timeline", TIMELINE))
    flame_panes = [("by module", '<div class="flame" data-flame="module"></div>')]
    flame_panes += [("by line", '<div class="flame" data-flame="line"></div>')] * (len(by_line.names) > 1)
    body.append(_card("Flame graph", markup.tabs("flame", flame_panes)))
    operators = summary.operators()
    kinds = {row.detail for row in operators}
    tables = [
        ("by operator", markup.table(operators, "operator", "kind" if kinds != {"launch"} else "")),
        ("by input shapes", markup.table(summary.operators(shapes=True), "operator", "inputs")),
        ("by module", markup.table(summary.modules(), "module")),
    ]
    lines = summary.lines()
    tables += [("by line", markup.table(lines, "line"))] * bool(lines)
    body.append(_card("Operators", markup.tabs("tables", tables)))
    if curves:
        body.append(_card("Memory", _memory_markup(curves)))
    data = {
        "timeline": _timeline_data(columns, bars),
        "flames": {"module": by_module._asdict(), "line": by_line._asdict()},
        "memory": [_curve_data(curve) for _, *both in curves for curve in both],
    }
    return _assembled(title, body, data)


def memory_page(trace: Trace, device: int) -> str:
    """Return the page of `export_memory_timeline` for a device."""
    curve = by_category(trace, device, POINTS)
    name = _device_name(device)
    title = f"Memory timeline of {name}"
    body = [f"<h1>{title}</h1>", markup.totals([("peak", amount(curve.peak, "B"))])]
    body.append(_card("Memory", '<div class="memory" data-curve="0"></div>'))
    return _assembled(title, body, {"memory": [_curve_data(curve)]})


TIMELINE = """<div class="tools"><button type="button" data-zoom="2" aria-label="zoom in">+</button>
<button type="button" data-zoom="0.5" aria-label="zoom out">−</button>
<button type="button" data-zoom="0">all</button>
<input type="search" placeholder="find a name" aria-label="find a name"></div>
<div class="lanes" tabindex="0"></div><pre class="details" hidden></pre>
<p class="legend">Drag to move; zoom with the buttons, two fingers, Ctrl and the wheel, or W and S. Select a bar to see
its details and what caused it.</p>"""


def _notes(trace: Trace, bars: Bars, summary: Summary) -> list[str]:
    notes = []
    if trace.dropped:
        notes.append(f"The buffer was full: the oldest {trace.dropped:,} events are missing.")
    if bars.resolution:
        notes.append(
            f"The timeline has {len(bars.events):,} bars for {len(trace):,} events: {bars.merged:,} events shorter "
            f"than {seconds(bars.resolution)} are merged with their neighbours, except at the end of the trace. The "
            "tables contain all events."
        )
    notes.append(f"Roofline: {summary.peaks.source}.")
    return [f'<p class="note">{escape(note)}</p>' for note in notes]


def _card(title: str, content: str) -> str:
    return f'<section class="card"><h2>{title}</h2>{content}</section>'


def _memory_markup(curves: list[tuple[str, Curve, Curve]]) -> str:
    panes = []
    for place, (name, *_) in enumerate(curves):
        suffix = f", {name}" if len(curves) > 1 else ""
        for offset, what in enumerate(("by category", "by module")):
            panes.append((what + suffix, f'<div class="memory" data-curve="{2 * place + offset}"></div>'))
    return markup.tabs("memory", panes)


def _device_name(device: int) -> str:
    return "cpu" if device < 0 else f"device {device}"


def _curve_data(curve: Curve) -> dict[str, Any]:
    shown = [place for place in range(len(curve.names)) if curve.nbytes[:, place].any()]
    return {
        "times": curve.times.tolist(),
        "names": [curve.names[place] for place in shown],
        "bytes": [curve.nbytes[:, place].tolist() for place in shown],
    }


def _timeline_data(columns: Columns, bars: Bars) -> dict[str, Any]:
    """Return the bars as columns, with only the names, signatures and stacks that they use."""
    trace, events = columns.trace, columns.events[bars.events]
    names: dict[int, int] = {}
    modules = columns.modules[bars.events]
    numbers = [names.setdefault(name, len(names)) for name in events["name"].tolist()]
    of_module = [-1 if name < 0 else names.setdefault(name, len(names)) for name in modules.tolist()]
    signatures: dict[int, int] = {-1: -1}
    stacks: dict[int, int] = {-1: -1}
    start = int(bars.starts.min(initial=0)) if len(bars.starts) else 0
    return {
        "lanes": [[lane.kind, lane.label] for lane in trace.lanes],
        "kinds": {int(kind): kind.name.lower() for kind in Kind},
        "names": [trace.names[name] for name in names],
        "lane": events["lane"].tolist(),
        "depth": bars.depths.tolist(),
        "start": (bars.starts - start).tolist(),
        "length": (bars.ends - bars.starts).tolist(),
        "name": numbers,
        "kind": events["kind"].tolist(),
        "module": of_module,
        "own": columns.self_times[bars.events].tolist(),
        "flops": columns.flops[bars.events].astype(int).tolist(),
        "bytes": columns.nbytes[bars.events].astype(int).tolist(),
        "count": bars.counts.tolist(),
        "link": bars.links.tolist(),
        "signature": [signatures.setdefault(one, len(signatures) - 1) for one in events["signature"].tolist()],
        "stack": [stacks.setdefault(one, len(stacks) - 1) for one in events["stack"].tolist()],
        "signatures": [describe(trace.signatures[one]) for one in list(signatures)[1:]],
        "stacks": [_frames(trace.stacks[one]) for one in list(stacks)[1:]],
    }


def _frames(stack: tuple[Frame, ...]) -> list[str]:
    """Return the program's innermost frames of a stack; the library's if there are no others."""
    frames = [frame for frame in stack if not frame.is_library] or stack
    return [str(frame) for frame in frames[:MAX_FRAMES]]


def _assembled(title: str, body: list[str], data: dict[str, Any]) -> str:
    """Return the page: the frame with style, scripts, body and data."""
    folder = resources.files(__package__)
    text = json.dumps(data, separators=(",", ":"))
    parts = {
        "title": escape(title),
        "body": "\n".join(body),
        # Within a script element only "<" could end it or begin a comment; in JSON it occurs only inside strings.
        "data": text.replace("<", "\\u003c"),
        "style": folder.joinpath("page.css").read_text(encoding="utf-8"),
        "script": "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS),
    }
    frame = folder.joinpath("page.html").read_text(encoding="utf-8")
    return SLOT.sub(lambda slot: parts[slot[1] or slot[2]], frame)
