"""The parts of a page that work without a script: totals, the bottleneck, and tables."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .._summary.units import amount, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._summary.summary import Summary
    from .._summary.tables import Row

MAX_ROWS = 200
HEADS = ("calls", "self", "total", "device", "FLOP", "bytes", "FLOP/s", "B/s", "of roofline")


def totals(pairs: Iterable[tuple[str, str]]) -> str:
    """Return tiles of labels and values."""
    tiles = (f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>" for label, value in pairs)
    return f'<dl class="totals">{"".join(tiles)}</dl>'


def verdict(summary: Summary) -> str:
    """Return the card that names the bottleneck, with a bar of the parts, evidence and remedies."""
    shares = summary.shares
    present = [part for part, spent in shares.parts.items() if spent]
    bars = "".join(
        f'<span class="part-{part}" style="flex:{max(shares.share(part), 0.004):.4f}"'
        f' title="{part} {percent(shares.share(part))}"></span>'
        for part in present
    )
    legend = "".join(
        f'<li><span class="swatch part-{part}"></span>{part} <b>{percent(shares.share(part))}</b> '
        f"{seconds(shares.parts[part])}</li>"
        for part in present
    )
    lines = [
        f'<section class="card"><p class="verdict">Bottleneck: <b>{escape(summary.verdict)}</b></p>',
        f'<div class="shares" role="img" aria-label="Shares of the time">{bars}</div><ul class="key">{legend}</ul>',
    ]
    for title, sentences in (("Evidence", summary.evidence), ("What would help", summary.remedies)):
        if sentences:
            items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
            lines.append(f"<h3>{title}</h3><ul>{items}</ul>")
    return "\n".join([*lines, "</section>"])


def tabs(name: str, panes: Sequence[tuple[str, str]]) -> str:
    """Return buttons that select one of several panes. Without a script, all are visible."""
    buttons = "".join(
        f'<button type="button" role="tab" aria-selected="{str(not place).lower()}">{escape(label)}</button>'
        for place, (label, _) in enumerate(panes)
    )
    contents = "".join(f'<div role="tabpanel" aria-label="{escape(label)}">{content}</div>' for label, content in panes)
    return f'<div class="tabs" data-tabs="{escape(name)}"><div role="tablist">{buttons}</div>{contents}</div>'


def table(rows: Sequence[Row], what: str, detail: str = "") -> str:
    """Return a table of rows that the page's script can sort."""
    devices = any(row.device for row in rows)
    heads = [head for head in HEADS if devices or head != "device"]
    lines = ['<div class="scroll"><table>', f'<thead><tr><th class="name">{escape(what)}</th>']
    lines += [f'<th class="name">{escape(detail)}</th>'] if detail else []
    lines += [f"<th{' aria-sort=descending' if head == 'self' else ''}>{head}</th>" for head in heads]
    lines.append("</tr></thead><tbody>")
    for row in rows[:MAX_ROWS]:
        spent = max(row.busy, 1) / 1e9
        cells = {
            "calls": (row.calls, f"{row.calls:,}"),
            "self": (row.own, seconds(row.own)),
            "total": (row.total, seconds(row.total)),
            "device": (row.device, seconds(row.device)),
            "FLOP": (row.flops, amount(row.flops, "") if row.flops else "–"),
            "bytes": (row.nbytes, amount(row.nbytes, "B") if row.nbytes else "–"),
            "FLOP/s": (row.flops / spent, amount(row.flops / spent, "") if row.flops else "–"),
            "B/s": (row.nbytes / spent, amount(row.nbytes / spent, "") if row.nbytes else "–"),
            "of roofline": (row.efficiency, f"{percent(row.efficiency)} {row.bound}" if row.bound else "–"),
        }
        named = f'<td class="name">{escape(row.name)}</td>' + (
            f'<td class="name">{escape(row.detail)}</td>' * bool(detail)
        )
        figures = "".join(f'<td data-value="{cells[head][0]:.6g}">{cells[head][1]}</td>' for head in heads)
        lines.append(f"<tr>{named}{figures}</tr>")
    lines.append("</tbody></table></div>")
    if len(rows) > MAX_ROWS:
        rest = rows[MAX_ROWS:]
        lines.append(
            f'<p class="legend">{len(rest):,} more with {seconds(sum(row.own for row in rest))} are not shown.</p>'
        )
    return "\n".join(lines)
