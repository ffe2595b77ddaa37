"""One module's rows, in a separate process: `python -m benchmarks.group MODULE`; a line of JSON for each result."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback

from .measure import CLOCKS, compare


def main() -> None:
    """Measure, and print each result as soon as it is available. A failing row reports its error; others continue."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.group")
    parser.add_argument("module")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for row in importlib.import_module(f"benchmarks.{options.module}").rows:
        if options.only and not any(text.lower() in row.name.lower() for text in options.only):
            continue
        if options.list:
            line = {"name": row.name, "target": row.target}
        else:
            try:
                result = compare(row, options.effort, options.clock)
                line = result._asdict() | {"hit": result.hit}
            except Exception as error:  # missing names are reported, and miss the target
                traceback.print_exc()
                cause = f"{type(error).__name__}: {error}"
                line = {"name": row.name, "target": row.target, "hit": False, "error": cause}
        print(json.dumps(line))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
