"""Draws the page of benchmarks from results.json: a chart for each group, with a bar for each row.

`python docs/_site/charts.py BENCH.json ...` writes results.json from files of `python -m benchmarks --out FOLDER`, and
renews the figures of other pages (figures.py).
"""

import argparse
import json
import textwrap
from html import escape
from pathlib import Path

import figures

FILE = Path(__file__).with_name("results.json")
KEPT = ("date", "commit", "processor", "cores", "python", "clock")
HEIGHT, NAMES, WIDTH, BARS = 18, 330, 760, 330  # pixels: a row; the names; a chart; bars as long as the other library's
CLOCKS = {"wall": "elapsed time", "cpu": "time for which the thread had the processor, as other programs were running"}
LETTERS, LINE = 48, 12  # letters in a line of a name, and its pixels
LONGEST = 1.1  # ratio of the longest bar; longer ones end in an arrow
ARROW = 8  # its pixels


def condense(paths: list[Path], without: str = "") -> dict:
    """Return the saved figures with those of the files in their place, in microseconds, and the circumstances of each.

    Rows that the files lack, or whose names contain `without`, keep their figures.
    """
    saved = json.loads(FILE.read_text()) if FILE.exists() else {"runs": [], "rows": []}
    read = [json.loads(path.read_text()) for path in paths]
    where = {key: read[0]["circumstances"][key] for key in KEPT}
    where["processor"] = where["processor"].replace("(R)", "")
    where["torch"] = read[0]["circumstances"]["packages"].get("torch", "")
    runs = [where, *saved["runs"]]
    rows = {(group, name): [run + 1, group, name, *rest] for run, group, name, *rest in saved["rows"]}
    for row in (row for file in read for row in file["rows"] if "error" not in row and row["theirs"]):
        if not without or without not in row["name"]:
            figures = (float(f"{row[key]:.3g}") for key in ("ours", "theirs", "ratio"))
            rows[row["group"], row["name"]] = [0, row["group"], row["name"], row["reference"], *figures]
    used = sorted({run for run, *_ in rows.values()})
    found = [[used.index(run), *rest] for run, *rest in rows.values()]
    return {"runs": [runs[run] for run in used], "rows": found}


def time_of(microseconds: float) -> str:
    """Return a time with its unit: `1.2 ms`."""
    for unit, factor in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= factor:
            return f"{microseconds / factor:.3g} {unit}"
    return f"{microseconds:.3g} µs"


def chart(rows: list[list]) -> str:
    """Return an SVG image in the colors of the page: bars of facula's times, as parts of the other library's."""
    lines, top, end = [], 0, NAMES + BARS
    for _, name, other, ours, theirs, ratio in rows:
        label = textwrap.wrap(name, LETTERS)
        height = HEIGHT + LINE * (len(label) - 1)
        middle, length = top + height // 2, BARS * min(ratio, LONGEST)
        whole = escape(f"{name}: facula {time_of(ours)}, {other} {time_of(theirs)}")
        first = middle + 4 - LINE * (len(label) - 1) // 2
        texts = (
            f'<text x="{NAMES - 8}" y="{first + LINE * index}" text-anchor="end">{escape(line)}</text>'
            for index, line in enumerate(label)
        )
        color, arrow, tip = "fast" if ratio <= 1 else "slow", "", NAMES + length
        if ratio > LONGEST:
            length -= ARROW
            points = f"{tip - ARROW:.0f},{middle - 6} {tip:.0f},{middle} {tip - ARROW:.0f},{middle + 6}"
            arrow = f'<polygon class="{color}" points="{points}"/>'
        lines.append(
            f'<g><title>{whole}</title>{"".join(texts)}<rect class="{color}" x="{NAMES}"'
            f' y="{middle - 6}" width="{length:.0f}" height="12"/>{arrow}'
            f'<text x="{tip + 6:.0f}" y="{middle + 4}">{ratio:.2f}</text></g>'
        )
        top += height
    lines.append(f'<path d="M{end} 0V{top}"/><text x="{end}" y="{top + HEIGHT - 4}" text-anchor="middle">1</text>')
    box = f"0 0 {WIDTH} {top + HEIGHT}"
    return f'<div class="wide"><svg class="bars" viewBox="{box}" role="img">{"".join(lines)}</svg></div>'


def circumstances(where: dict) -> str:
    """Return a sentence about a run."""
    return (
        f"{where['date']}, commit {where['commit']}, one thread of {where['cores']} cores of {where['processor']}, "
        f"Python {where['python']}, PyTorch {where['torch']}; {CLOCKS[where['clock']]}.\n"
    )


def page() -> str:
    """Return the Markdown of the page, after its introduction."""
    results, groups = json.loads(FILE.read_text()), {}
    for run, *row in results["rows"]:
        groups.setdefault(row[0], {}).setdefault(run, []).append(row)
    text = "\n" + circumstances(results["runs"][0])
    for group, runs in groups.items():
        rows = [row for found in runs.values() for row in found]
        shorter = sum(ratio <= 1 for *_, ratio in rows)
        text += f"\n## {group}\n\nfacula takes less time in {shorter} of {len(rows)} rows.\n\n"
        for run, found in sorted(runs.items()):
            text += f"{circumstances(results['runs'][run])}\n" if run else ""
            text += f"```{{raw}} html\n{chart(found)}\n```\n\n"
    return text


def main() -> None:
    """Write results.json, and the figures of pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="BENCH.json")
    parser.add_argument("--without", default="", metavar="TEXT", help="rows whose names contain it keep their figures")
    options = parser.parse_args()
    written = condense(options.files, options.without)
    runs, rows = (",\n".join(json.dumps(line, ensure_ascii=False) for line in written[key]) for key in ("runs", "rows"))
    FILE.write_text(f'{{"runs": [\n{runs}\n],\n"rows": [\n{rows}\n]}}\n')
    figures.main()


if __name__ == "__main__":
    main()
