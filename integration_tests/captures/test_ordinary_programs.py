"""Ordinary programs without changing state are captured completely and equal their eager twins in every mode."""

import warnings
from pathlib import Path

import pytest
from scenarios import PRELUDE
from twins import loaded, result_of

import facula

TEXTS = [path.read_text() for path in sorted((Path(__file__).parent / "ordinary").glob("*.txt"))]
PROGRAMS = dict(part.split("\n", 1) for text in TEXTS for part in f"\n{text}".split("\n=== ")[1:])
OPTIONS = {"whole": {}, "split": {"on_break": "split"}, "checked": {"check": 2}}
CALLS = 6


def run(source, path, wrap):
    """Return the results of a program's calls, and its function."""
    facula.manual_seed(0)
    function, found = wrap(loaded(f"{PRELUDE}\n{source}", path).f), []
    for number in range(CALLS):
        facula.manual_seed(number)
        found.append(result_of(lambda: function(facula.tensor([1.0, 2.0, 3.0]))))
    return found, function


@pytest.mark.parametrize("name", PROGRAMS)
def test_ordinary_programs_are_captured(name, tmp_path):
    wanted, _ = run(PROGRAMS[name], tmp_path / "ordinary_eager.py", lambda function: function)
    assert not any(str(one).startswith("raised") for one in wanted), wanted
    for mode, options in OPTIONS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = tmp_path / f"ordinary_{mode}.py"
            found, function = run(PROGRAMS[name], path, lambda one, options=options: facula.capture(one, **options))
        report = function.report()
        assert found == wanted, (mode, report)
        assert "replayed" in report and "eagerly" not in report and "runs split" not in report, report
