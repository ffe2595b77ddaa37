"""Run the table and print failures by kinds of state; write the table's deviations.

    python integration_tests/captures/summary.py [--only WORDS] [--sources] [--write-deviations]

`deviations.json` names the scenarios whose behaviour differs from that of their kind. Write it again after an
intended change of a kind, and read the difference: each entry from "recaptures" to "breaks" is a program that became
slower.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from scenarios import Scenario, table
from twins import OPTIONS, behaviour_of, captured, differences, eager


def main(arguments: list[str]) -> int:
    """Run the table and return the number of scenarios that differ from their eager twin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="scenarios whose name contains these words")
    parser.add_argument("--sources", action="store_true", help="print the programs that differ")
    parser.add_argument("--write-deviations", action="store_true")
    given = parser.parse_args(arguments)
    chosen = [one for one in table() if given.only in one.name]
    wrong: dict[str, list[str]] = defaultdict(list)
    others: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for scenario in chosen:
            for mode in OPTIONS:
                problem, behaviour = tried(scenario, mode, Path(folder))
                if problem:
                    wrong[scenario.kind.name].append(f"{mode}: {scenario.name}: {problem}")
                    if given.sources:
                        print(f"# {scenario.name}\n{scenario.source}\n# change: {scenario.kind.change}\n")
                if mode == "capture" and behaviour != scenario.kind.behaviour:
                    others[scenario.name] = behaviour
    for kind, lines in wrong.items():
        print(f"{kind}: {len(lines)} differ", *lines, sep="\n    ")
    differing = {line.split(": ", 1)[1] for lines in wrong.values() for line in lines}
    print(f"{len(chosen)} scenarios, {len(differing)} of {len(wrong)} kinds differ from the eager twin")
    print(f"{len(others)} behave in another way than their kind:")
    print(*(f"    {name}: {behaviour}" for name, behaviour in others.items()), sep="\n")
    if given.write_deviations:
        path = Path(__file__).parent / "deviations.json"
        kept = {
            name: one for name, one in json.loads(path.read_text()).items() if given.only and given.only not in name
        }
        path.write_text(json.dumps(dict(sorted({**kept, **others}.items())), indent=1, ensure_ascii=False) + "\n")
    return len(differing)


def tried(scenario: Scenario, mode: str, folder: Path) -> tuple[str, str]:
    """Return the first difference, or an empty value, and the capture's behaviour."""
    try:
        found, reports = captured(scenario, folder, mode)
    except Exception as error:
        return f"{type(error).__name__}: {error}", "raised"
    wrong = differences(scenario, eager(scenario, folder), found)
    return (wrong[0] if wrong else ""), behaviour_of(reports)


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
