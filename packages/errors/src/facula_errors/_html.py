"""HTML reprs for notebooks, which all packages share: lines, a table, and a folded listing. No scripts, no styles."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CELL = "padding:1px 6px;text-align:right;font-family:monospace;white-space:pre"


def html_of(
    lines: Iterable[str] = (), titles: Sequence[str] = (), rows: Iterable[Sequence[str]] = (), listing: str = ""
) -> str:
    """Return a repr for notebooks. All arguments are plain text.

    Arguments:
        lines: the lines above the table.
        titles: the titles of its columns.
        rows: its rows, each with a text for every column.
        listing: a folded text below it, whose first line is always shown.

    >>> html_of(["a < b"], rows=[["1"]]).count("<td")
    1
    """
    from html import escape  # imported here because most programs do not need it

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join([f'<{tag} style="{CELL}">{escape(cell)}</{tag}>' for cell in cells]) + "</tr>"

    text = escape("\n".join(lines))
    parts = [f'<pre style="margin:0">{text}</pre>'] if text else []
    body = "".join([row(cells, "td") for cells in rows])
    if body or titles:
        head = f"<thead>{row(titles, 'th')}</thead>" if titles else ""
        parts.append(f"<table>{head}<tbody>{body}</tbody></table>")
    if listing:
        first, _, _ = listing.partition("\n")
        parts.append(f"<details><summary><code>{escape(first)}</code></summary><pre>{escape(listing)}</pre></details>")
    return f"<div>{''.join(parts)}</div>"


def format_bytes(count: int) -> str:
    """Format a number of bytes for people.

    >>> format_bytes(12), format_bytes(12_600)
    ('12 B', '12.6 kB')
    """
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
