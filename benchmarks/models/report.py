"""The report: figures of each column, as text and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from .columns import COLUMNS

REFERENCE = "torch"
STEPS = 20  # after which losses are compared
TOLERANCES = {"fast": 1e-3, "direct": 1e-4}  # of losses, relative, by the algorithm of convolutions
FAMILIES = (
    ("conv", "convolutions"), ("linear", "products"), ("matmul", "products"), ("recurrent", "recurrent layers"),
    ("attention", "attention"), ("batch_norm", "normalization"), ("layer_norm", "normalization"),
    ("max_pool", "pooling"), ("avg_pool", "pooling"), ("adaptive", "pooling"), ("cross_entropy", "loss"),
    ("sgd", "optimizer"), ("adam", "optimizer"), ("embedding", "embeddings"),
)  # fmt: skip
Result = dict[str, Any]


def family_of(operator: str) -> str:
    """Return the family of an operator.

    >>> family_of("conv2d_weight"), family_of("adam_step"), family_of("add")
    ('convolutions', 'optimizer', 'others')
    """
    return next((family for prefix, family in FAMILIES if operator.startswith(prefix)), "others")


def summarize(result: Result, machine: Mapping[str, float]) -> None:
    """Add the figures of the table to a result of `measure`.

    Each column gets `ms` (median), `ratio`, `ratio_least` and `ratio_most` (to PyTorch, of rounds), `loss` after STEPS
    steps, `difference` from PyTorch's loss, relative, `arithmetic` and `memory` (shares of the machine's bounds), and
    for facula `agrees`, if there is a loss of PyTorch. `families` divides the eager step of facula.
    """
    columns, parts = result["columns"], result["parts"]
    reference = columns.get(REFERENCE, {})
    flops = parts.get("flops")
    moved = sum(sums[3] for sums in parts.get("operators", {}).values())
    for key, column in columns.items():
        if "error" in column and COLUMNS[key].library == "facula":
            column["agrees"] = False
        if "peak" not in column:  # failed
            continue
        seconds = median(second for turn in column["rounds"] for second in turn)
        column["ms"] = seconds * 1e3
        column["loss"] = column["losses"][:STEPS][-1]
        if flops and machine:
            column["arithmetic"] = flops / seconds / machine["gflops"] / 1e9
            column["memory"] = moved / seconds / machine["gbytes"] / 1e9
        if "peak" in reference:
            ratios = [median(ours) / median(theirs) for ours, theirs in zip(column["rounds"], reference["rounds"])]
            column |= {"ratio": median(ratios), "ratio_least": min(ratios), "ratio_most": max(ratios)}
            expected = reference["losses"][:STEPS][-1]
            column["difference"] = abs(column["loss"] - expected) / abs(expected)
            if column["algorithm"] and "error" not in column:
                column["agrees"] = column["difference"] <= TOLERANCES[column["algorithm"]]
    families: dict[str, list[float]] = {}
    for operator, sums in parts.get("operators", {}).items():
        row = families.setdefault(family_of(operator), [0, 0.0, 0, 0])
        row[:] = [a + b for a, b in zip(row, sums)]
    result["families"] = dict(sorted(families.items(), key=lambda item: -item[1][1]))


def heading(machine: Mapping[str, float]) -> str:
    """Return the heading of the table."""
    bounds = "bounds of the machine not measured, because gcc is missing"
    if machine:
        bounds = f"bounds of the machine: {machine['gflops']:.0f} GFLOP/s, {machine['gbytes']:.1f} GB/s from memory"
    names = f"{'':24s} {'ms':>9s} {'ratio':>6s} {'spread':>11s} {'MiB':>7s} {'ratio':>6s}"
    return f"{bounds}\n{names} {'loss':>10s} {'differs':>8s} {'FLOP':>5s} {'bytes':>5s}"


def number(form: str, value: float | None) -> str:
    """Format a figure that may be missing."""
    return "-" if value is None else format(value, form)


def text_of(result: Result) -> str:
    """Return the rows of a model: its columns, and the families of operators of the eager step of facula."""
    columns = result["columns"]
    lines = [f"\n{result['title']}: {result['batch']}; target {result['target']:.2f}"]
    reference = columns.get(REFERENCE, {}).get("peak")
    for key, column in columns.items():
        title = f"  {COLUMNS[key].title:22s}"
        if "ms" not in column:
            lines.append(f"{title} {column.get('error', 'nothing measured')}")
            continue
        spread = f"{column['ratio_least']:.2f}-{column['ratio_most']:.2f}" if "ratio" in column else "-"
        memory = column["peak"] / reference if reference else None
        shares = "".join(f" {number('5.0%', column.get(share)):>5s}" for share in ("arithmetic", "memory"))
        verdict = "" if column.get("agrees", True) else f"  {column.get('error', 'LOSS DIFFERS')}"
        lines.append(
            f"{title} {column['ms']:9.1f} {number('.2f', column.get('ratio')):>6s} {spread:>11s} {column['peak']:7.0f} "
            f"{number('.2f', memory):>6s} {column['loss']:10.6f} {number('.1e', column.get('difference')):>8s}{shares}"
            f"{verdict}"
        )
    if (families := result["families"]) and "ms" in columns["facula"]:
        step = columns["facula"]["ms"] / 1e3
        lines.append("  a step of facula, each launch timed alone:")
        for family, (count, seconds, flops, moved) in families.items():
            rates = f"{flops / seconds / 1e9:6.0f} GFLOP/s {moved / seconds / 1e9:6.1f} GB/s"
            lines.append(
                f"    {family:20s} {count:5.0f} launches {seconds * 1e3:9.1f} ms {seconds / step:5.0%} {rates}"
            )
        between = step - sum(sums[1] for sums in families.values())
        lines.append(f"    {'between launches':20s} {'':14s} {between * 1e3:9.1f} ms {between / step:5.0%}")
    return "\n".join(lines)


def conclusion(results: Sequence[Result]) -> str:
    """Return for each model whether facula reaches its target, and leads in time and memory."""
    lines = ["\nfacula, the faster of eager and captured, against PyTorch"]
    lines.append(f"{'':26s} {'ratio':>6s} {'target':>6s} {'':4s} {'to its best':>11s} {'memory':>7s}")
    for result in results:
        columns = {key: column for key, column in result["columns"].items() if "ratio" in column}
        ours = [columns[key] for key in ("facula", "captured") if key in columns]
        theirs = [column["ratio"] for key, column in columns.items() if COLUMNS[key].library == "torch"]
        if not ours or not theirs:
            lines.append(f"{result['title']:26s} not compared")
            continue
        best = min(ours, key=lambda column: column["ratio"])
        memory = max(column["peak"] for column in ours) / columns[REFERENCE]["peak"]
        verdict = "hit" if best["ratio"] <= result["target"] else "MISS"
        lines.append(
            f"{result['title']:26s} {best['ratio']:6.2f} {result['target']:6.2f} {verdict:4s} "
            f"{best['ratio'] / min(theirs):11.2f} {memory:7.2f}"
        )
    return "\n".join(lines)


def draw(path: Path, results: Sequence[Result]) -> bool:
    """Draw the ratios of all columns to PyTorch as bars; return False if matplotlib is not installed."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        return False
    matplotlib.use("Agg")
    from matplotlib import pyplot

    keys = [key for key in COLUMNS if key != REFERENCE]
    colours = dict(zip(keys, ("#3a7d44", "#1f5130", "#93bf85", "#c0504d", "#7a8ca0", "#b9a44c")))
    shown = [result for result in results if any("ratio" in column for column in result["columns"].values())]
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 1.0 * len(shown)), layout="constrained")
    labelled, widest, place = set(), 1.6, 0.0
    ticks = []
    for result in reversed(shown):
        first = place
        present = [key for key in keys if "ratio" in result["columns"].get(key, {})]
        for key in reversed(present):
            ratio = result["columns"][key]["ratio"]
            label = None if key in labelled else COLUMNS[key].title
            labelled.add(key)
            axes.barh(place, min(ratio, widest), 0.85, color=colours[key], label=label)
            axes.text(min(ratio, widest) + 0.01, place, f"{ratio:.2f}", va="center", fontsize=7)
            place += 1
        axes.plot([result["target"]] * 2, [first - 0.5, place - 0.5], color="black", linewidth=1.4)
        ticks.append(((first + place - 1) / 2, result["title"]))
        place += 1
    axes.axvline(1, color="#888888", linewidth=1, linestyle="--")
    axes.set_yticks([at for at, _ in ticks], [title for _, title in ticks], fontsize=9)
    axes.set_xlim(0, widest + 0.1)
    axes.set_xlabel("step time / step time of PyTorch (less is better; black: target; dashed: PyTorch)")
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda at: [COLUMNS[key].title for key in keys].index(labels[at]))
    axes.legend([handles[at] for at in order], [labels[at] for at in order], fontsize=8, loc="lower right")
    figure.savefig(path, dpi=150)
    return True
