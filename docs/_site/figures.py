"""Writes measured times into tables of Markdown pages, from results.json: `python docs/_site/figures.py`.

All pages show the same figures that way. `charts.py` runs this after it has written results.json, and a test fails if a
page differs. benchmarks/README.md has the commands that measure the rows.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("results.json")
README, HONESTY = "README.md", "docs/explanation/honesty.md"
BEGIN, END = "<!-- slower rows -->\n", "<!-- end -->\n"

SGD, COMPILED = "MLP 64-64-64-10, batch 32, SGD", "MLP 64 wide, SGD, captured, other: torch.compile"
DIGITS, GPT = "digits network, batch 64, AdamW", "GPT of 2 layers, 64 wide, length 64, batch 16, AdamW"
# Rows of tables: the first cell, and the measured row. The start page shows facula's time first.
START = {
    "`a + b` of two 4×4 matrices": ("a + b",),
    "one training step of an MLP, 64 wide, batch 32, SGD": (SGD,),
    "the same step [captured](docs/packages/jit.md), under `torch.compile`, and under `jax.jit`": (
        COMPILED,
        "MLP 64 wide, SGD, captured, other: jax.jit",
    ),
}
MICROSECONDS = {
    "`a + b`, 4×4": "a + b",
    "`a[1:3, ::2]`": "a[1:3, ::2]",
    "chain of 100 products, forward and backward, an operator": "chain of 100 products, forward + backward, an op",
    "chain of sums, whose gradients arrive expanded, an operator": (
        "a chain of 1,000 sums whose gradients arrive expanded, an op"
    ),
    "`module(x)` around an empty `forward`": "module(x), forward returns x",
    "step of an MLP, 64-64-64-10, batch 32, SGD": SGD,
    "the same with Adam": "MLP 64-64-64-10, batch 32, Adam",
    "the step with SGD, captured": "MLP 64 wide, SGD, captured",
    "the step with Adam, captured": "MLP 64 wide, Adam, captured",
    "the step with SGD, captured, and under `torch.compile`": COMPILED,
    "step of an MLP, 16 wide, SGD, captured": "MLP 16 wide, SGD, captured",
    "step of the digits network, batch 64, AdamW": DIGITS,
    "step of a GPT, 2 layers, 64 wide, length 64, batch 16": GPT,
    "LSTM, 64 steps, batch 32, 128 wide, forward and backward": "LSTM forward and backward, (64, 32, 128)",
    "attention, 8 heads of 64, length 1,024, forward and backward": "attention, 1×8×1024×64, and backward",
    "a pass over 1,797 digits, shuffled, batches of 32": "DataLoader over 1797 digits, batch 32, shuffled",
    "`a + b`, 16 million elements": "a + b, 16M elements",
    "`import`": "import facula",
}
MILLISECONDS = {
    "MLP, 64 wide, batch 32, SGD, [captured](../packages/jit.md)": "MLP 64 wide, SGD, captured",
    "MLP, 64 wide, batch 32, SGD": SGD,
    "digits, a small convolutional network, batch 64": DIGITS,
    "GPT, 2 layers, 64 wide, batch 16": GPT,
}
# Rows that repeat some of the README's table of nine models: the first cells of both.
MODELS = {
    "LSTM language model, 400 wide, batch 20": "LSTM language model, 400 wide",
    "GPT, 6 layers, 384 wide, batch 4": "GPT, 6 layers, 384 wide",
    "ResNet-50, batch 8": "ResNet-50",
    "ViT-small, batch 8": "ViT-small",
}


class Row(NamedTuple):
    """The times of a measured row, as they are printed: in microseconds and milliseconds."""

    ours: str
    theirs: str
    ratio: str
    ours_ms: str
    theirs_ms: str


def rounded(value: float) -> str:
    """Return a number with three digits, and commas between thousands."""
    short = float(f"{value:.3g}")
    return f"{int(short):,}" if short >= 100 else f"{short:g}"


def ratio_of(value: float) -> str:
    """Return a ratio with two digits."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def measured() -> dict[str, Row]:
    """Return the rows of results.json by name."""
    found = {}
    for _, _, name, _, ours, theirs, ratio in json.loads(FILE.read_text())["rows"]:
        times = rounded(ours), rounded(theirs), ratio_of(ratio), rounded(ours / 1000), rounded(theirs / 1000)
        found[name] = Row(*times)
    return found


def with_row(text: str, label: str, cells: str) -> str:
    """Return a page with other cells in the row that begins with a label. KeyError unless there is one such row."""
    new, count = re.subn(rf"^\| {re.escape(label)} \|.*$", lambda _: f"| {label} | {cells}", text, flags=re.MULTILINE)
    if count != 1:
        raise KeyError(f"expected one row {label!r}; got {count}")
    return new


def slower() -> str:
    """Return the list of measured rows in which facula takes longer than PyTorch, the largest ratio first."""
    results = json.loads(FILE.read_text())
    rows = [row for row in results["rows"] if row[-1] > 1 and row[3].startswith(("PyTorch", "facula"))]
    rows.sort(key=lambda row: -row[-1])
    processors = [run["processor"] for run in results["runs"]]
    return "".join(f"* {name}: {ratio_of(ratio)} ({processors[run]})\n" for run, _, name, _, _, _, ratio in rows)


def renewed() -> dict[str, str]:
    """Return the texts of the pages, with the figures of results.json."""
    pages = {name: (ROOT / name).read_text() for name in (README, HONESTY)}
    rows = measured()
    for label, names in START.items():
        times = [rows[names[0]].ours, *(rows[name].theirs for name in names)]
        cells = "".join(f"{time} µs | " for time in times) + "| " * (3 - len(times))
        pages[README] = with_row(pages[README], label, cells.rstrip())
    for label, name in MICROSECONDS.items():
        cells = f"{rows[name].theirs} | {rows[name].ours} | {rows[name].ratio} |"
        pages[README] = with_row(pages[README], label, cells)
    for label, name in MILLISECONDS.items():
        cells = f"{rows[name].theirs_ms} | {rows[name].ours_ms} | {rows[name].ratio} |"
        pages[HONESTY] = with_row(pages[HONESTY], label, cells)
    for label, source in MODELS.items():
        cells = re.search(rf"^\| {re.escape(source)} \|(.*)$", pages[README], re.MULTILINE)[1].split(" | ")[1:4]
        pages[HONESTY] = with_row(pages[HONESTY], label, " | ".join(cells) + " |")
    before, rest = pages[HONESTY].split(BEGIN)
    pages[HONESTY] = before + BEGIN + slower() + END + rest.partition(END)[2]
    where = json.loads(FILE.read_text())["runs"][0]
    line = (
        f"Measured on {where['date']}, one thread of {where['processor']}, PyTorch {where['torch'].partition('+')[0]}."
    )
    pages[README] = re.sub(r"^Measured on .*$", line, pages[README], flags=re.MULTILINE)
    return pages


def main() -> None:
    """Write the pages."""
    for name, text in renewed().items():
        (ROOT / name).write_text(text)


if __name__ == "__main__":
    main()
