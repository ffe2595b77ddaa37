"""The results of all steps as text, misses first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

LONGEST = 160  # characters of a figure


def holds(result: dict[str, Any]) -> bool:
    """Return whether all checks of a step hold."""
    return all(one["holds"] for one in result.get("checks", []))


def _failed(result: dict[str, Any]) -> list[str]:
    return [f"{one['check']}; {one['detail']}" for one in result.get("checks", []) if not one["holds"]]


def line_of(result: dict[str, Any]) -> str:
    """Return the line of a step: what fails, or the number of its checks.

    >>> line_of({"step": "kernel", "left_out": "no time is left"})
    'kernel: left out, since no time is left'
    """
    if "left_out" in result:
        return f"{result['step']}: left out, since {result['left_out']}"
    if not holds(result):
        return f"{result['step']}: FAILED" + "".join(f"\n  not true: {text}" for text in _failed(result))
    return f"{result['step']}: {len(result['checks'])} checks hold, {result['seconds']} s"


def summary_of(results: Sequence[dict[str, Any]], seconds: float) -> str:
    """Return the text of the summary: checks that fail, steps that were left out, and figures."""
    missed = [result for result in results if not holds(result)]
    left_out = [result for result in results if "left_out" in result]
    counts = f"{len(missed)} failed, {len(left_out)} left out"
    lines = ["", f"Summary: {len(results)} steps in {seconds:.0f} s, {counts}"]
    lines += [line_of(result) for result in (*missed, *left_out)]
    fallbacks = sorted({name for result in results for name in result.get("figures", {}).get("fallbacks", ())})
    lines += ["", f"Operators that ran on the CPU: {', '.join(fallbacks) or 'none'}"]
    for result in results:
        if result.get("figures"):
            lines += ["", result["step"]]
            lines += [f"  {name}: {_shown(value)}" for name, value in result["figures"].items()]
    return "\n".join(lines) + "\n"


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
