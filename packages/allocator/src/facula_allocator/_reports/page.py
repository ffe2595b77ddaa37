"""HTML pages about memory: self-contained files that open in any browser, offline.

This module generates the markup of figures and tables. `page.html` contains the style, and a script that draws the
data embedded as JSON. Text from files is escaped in both.
"""

from __future__ import annotations

import json
import re
from html import escape
from importlib import resources
from typing import NamedTuple

from .._errors import format_bytes
from .timeline import OTHERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .call_sites import Holder
    from .timeline import Timeline

SLOT = re.compile(r"<!--facula:(title|body|data)-->")
IN_USE, AWAITED, FREE = 0, 1, 2


class Bar(NamedTuple):
    """A segment to draw: `blocks` are (bytes, requested bytes, state, holder)."""

    address: int
    size: int
    stream: int
    kind: str
    pool: str
    blocks: list[tuple[int, int, int, str]]


class Table(NamedTuple):
    """A table of holders; `whole` is the total of bytes held."""

    title: str
    holders: Sequence[Holder]
    whole: int


class View(NamedTuple):
    """One part of a page: a device or a trace."""

    name: str
    totals: Sequence[tuple[str, str]]
    timeline: Timeline | None
    bars: Sequence[Bar]
    tables: Sequence[Table]


def page(title: str, note: str, views: Sequence[View]) -> str:
    """Return the page as HTML."""
    sites: dict[str, int] = {}
    drawn = [_drawn(view, sites) for view in views]
    body = [f"<h1>{escape(title)}</h1>", f'<p class="note">{escape(note)}</p>']
    body += [_section(number, view, sites) for number, view in enumerate(views)]
    data = json.dumps({"sites": list(sites), "views": drawn}, separators=(",", ":"))
    # Within a script element only "<" could end it or begin a comment; in JSON it occurs only inside strings.
    parts = {"title": escape(title), "body": "\n".join(body), "data": data.replace("<", "\\u003c")}
    template = resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return SLOT.sub(lambda slot: parts[slot[1]], template)


def _number(sites: dict[str, int], name: str) -> int:
    """Return the number of a holder, which selects its colour. Holders drawn as one group have none."""
    return -1 if name == OTHERS else sites.setdefault(name, len(sites))


def _drawn(view: View, sites: dict[str, int]) -> dict[str, object]:
    """Return the data for the script. Holders are numbered here, those of the tables first."""
    for table in view.tables:
        for holder in table.holders:
            _number(sites, holder.name)
    line = view.timeline
    return {
        "timeline": line
        and {
            "x": line.x,
            "series": [{"site": _number(sites, name), "bytes": column} for name, column in line.series],
            "reserved": line.reserved,
            "times": line.times,
            "marks": line.marks,
            "ooms": line.ooms,
            "capacity": line.capacity,
        },
        "segments": [
            {
                "address": f"{bar.address:#x}",
                "size": bar.size,
                "stream": bar.stream,
                "kind": bar.kind,
                "pool": bar.pool,
                "blocks": [
                    (size, requested, state, -1 if state == FREE else _number(sites, name))
                    for size, requested, state, name in bar.blocks
                ],
            }
            for bar in view.bars
        ],
    }


def _section(number: int, view: View, sites: dict[str, int]) -> str:
    lines = [f'<section id="view{number}">', f"<h2>{escape(view.name)}</h2>", '<dl class="totals">']
    lines += [f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>" for label, value in view.totals]
    lines.append("</dl>")
    if view.timeline is not None:
        legend = "Drag to look closer, double click for all of it."
        if view.timeline.reserved is not None:
            legend += " Dashed: reserved."
        lines.append('<div class="card"><h3>Live bytes over events</h3><div class="timeline"></div>')
        lines.append(f'<p class="legend">{legend}</p></div>')
    for table in view.tables:
        lines += _table(table, sites)
    if view.bars:
        lines.append('<div class="card"><h3>Segments</h3><div class="segments"></div>')
        lines.append('<p class="legend">Gaps are free; gray is freed, but awaited by another stream.</p></div>')
    lines.append("</section>")
    return "\n".join(lines)


def _table(table: Table, sites: dict[str, int]) -> list[str]:
    lines = [f'<div class="card"><h3>{escape(table.title)}</h3><div class="scroll"><table>']
    lines.append('<thead><tr><th class="line">line</th><th aria-sort="descending">bytes</th><th>share</th>')
    lines.append("<th>blocks</th><th>largest</th></tr></thead><tbody>")
    for holder in table.holders:
        share = 100 * holder.nbytes / table.whole if table.whole else 0.0
        lines.append(
            f'<tr data-site="{sites[holder.name]}">'
            f'<td class="line"><span class="swatch"></span>{escape(holder.name)}</td>'
            f'<td data-value="{holder.nbytes}">{format_bytes(holder.nbytes)}</td>'
            f'<td data-value="{share:.4f}">{share:.1f}%</td>'
            f'<td>{holder.blocks}</td><td data-value="{holder.largest}">{format_bytes(holder.largest)}</td></tr>'
        )
    return [*lines, "</tbody></table></div></div>"]
