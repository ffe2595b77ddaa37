"""Draws the page of benchmarks from results.json: a chart for each group, with a bar for each row.

`python docs/_site/charts.py BENCH.json ...` writes results.json from files of `python -m benchmarks --out FOLDER`.
"""

import json
import sys
from html import escape
from pathlib import Path

FILE = Path(__file__).with_name("results.json")
KEPT = ("date", "commit", "processor", "cores", "python", "clock")
HEIGHT, NAMES, WIDTH, BARS = 18, 330, 760, 330  # pixels: a row; the names; a chart; bars as long as the other library's
CLOCKS = {"wall": "elapsed time", "cpu": "time for which the thread had the processor, as other programs were running"}
LONGEST = 1.1  # ratio of the longest bar


def condense(paths: list[Path]) -> dict:
    """Return the figures of the files that the page shows, in microseconds."""
    read = [json.loads(path.read_text()) for path in paths]
    where = {key: read[0]["circumstances"][key] for key in KEPT}
    where["torch"] = read[0]["circumstances"]["packages"].get("torch", "")
    rows = [row for file in read for row in file["rows"] if "error" not in row and row["theirs"]]
    figures = [
        [
            row["group"],
            row["name"],
            row["reference"],
            *(float(f"{row[key]:.3g}") for key in ("ours", "theirs", "ratio")),
        ]
        for row in rows
    ]
    return {"circumstances": where, "rows": figures}


def time_of(microseconds: float) -> str:
    """Return a time with its unit: `1.2 ms`."""
    for unit, factor in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= factor:
            return f"{microseconds / factor:.3g} {unit}"
    return f"{microseconds:.3g} µs"


def chart(rows: list[list]) -> str:
    """Return an SVG image in the colors of the page: bars of facula's times, as parts of the other library's."""
    height = HEIGHT * (len(rows) + 1)
    lines = []
    for index, (_, name, other, ours, theirs, ratio) in enumerate(rows):
        middle, length = HEIGHT * index + HEIGHT // 2, BARS * min(ratio, LONGEST)
        whole = escape(f"{name}: facula {time_of(ours)}, {other} {time_of(theirs)}")
        text = escape(name if len(name) <= 48 else f"{name[:47]}…")
        lines.append(
            f'<g><title>{whole}</title><text x="{NAMES - 8}" y="{middle + 4}" text-anchor="end">{text}</text>'
            f'<rect class="{"fast" if ratio <= 1 else "slow"}" x="{NAMES}" y="{middle - 6}" width="{length:.0f}"'
            f' height="12"/><text x="{NAMES + length + 6:.0f}" y="{middle + 4}">{ratio:.2f}</text></g>'
        )
    end = NAMES + BARS
    lines.append(
        f'<path d="M{end} 0V{height - HEIGHT}"/><text x="{end}" y="{height - 4}" text-anchor="middle">1</text>'
    )
    return f'<div class="wide"><svg class="bars" viewBox="0 0 {WIDTH} {height}" role="img">{"".join(lines)}</svg></div>'


def page() -> str:
    """Return the Markdown of the page, after its introduction."""
    results = json.loads(FILE.read_text())
    where, groups = results["circumstances"], {}
    for row in results["rows"]:
        groups.setdefault(row[0], []).append(row)
    text = (
        f"\n{where['date']}, commit {where['commit']}, one thread of {where['cores']} cores of {where['processor']}, "
        f"Python {where['python']}, PyTorch {where['torch']}; {CLOCKS[where['clock']]}.\n"
    )
    for group, rows in groups.items():
        shorter = sum(ratio <= 1 for *_, ratio in rows)
        text += f"\n## {group}\n\nfacula takes less time in {shorter} of {len(rows)} rows.\n\n"
        text += f"```{{raw}} html\n{chart(rows)}\n```\n"
    return text


if __name__ == "__main__":
    written = condense([Path(path) for path in sys.argv[1:]])
    where, *lines = (json.dumps(part, ensure_ascii=False) for part in (written["circumstances"], *written["rows"]))
    FILE.write_text(f'{{"circumstances": {where},\n"rows": [\n' + ",\n".join(lines) + "\n]}\n")
