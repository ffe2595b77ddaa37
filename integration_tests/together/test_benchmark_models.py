"""The nine models of the benchmarks at tiny sizes: they train, captured steps equal eager ones, the runner works."""

import json
import math
import sys
from pathlib import Path

import pytest

import facula

sys.path.append(str(Path(__file__).resolve().parents[2]))

from benchmarks.models import report, run
from benchmarks.models.catalog import MODELS
from benchmarks.models.training import load_weights, save_weights, step_of

STEPS = 8


def losses_of(name, wrap=lambda step: step):
    facula.manual_seed(0)
    training = MODELS[name].build(facula, **MODELS[name].small)
    step = wrap(step_of(facula, training))
    return [step(*training.batch).item() for _ in range(STEPS)]


@pytest.mark.parametrize("name", MODELS)
def test_a_model_trains_and_a_captured_step_equals_an_eager_one(name):
    found = losses_of(name)
    assert all(map(math.isfinite, found)) and found[-1] < found[0]
    captured = []
    assert losses_of(name, lambda step: captured.append(facula.capture(step, on_break="error")) or captured[0]) == found
    assert "1 signature" in captured[0].report() and "replayed" in captured[0].report()


def test_weights_are_exchanged_through_a_file(tmp_path):
    build, small = MODELS["gpt"].build, MODELS["gpt"].small
    first, second = (build(facula, **small).model for _ in range(2))
    save_weights(first, str(tmp_path / "weights.npz"))
    load_weights(facula, second, str(tmp_path / "weights.npz"))
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert one.equal(other)


def test_the_runner_compares_columns_and_writes_its_results(tmp_path, monkeypatch, capsys):
    arguments = ["--only", "NCF", "--columns", "facula,captured", "--rounds", "1", "--threads", "1", "--small"]
    monkeypatch.setattr(sys, "argv", ["models", *arguments, "--out", str(tmp_path)])
    monkeypatch.setattr(run, "bounds", lambda threads: {"gflops": 100.0, "gbytes": 10.0})
    assert run.main() == 0
    (result,) = json.loads((tmp_path / "models.json").read_text())["rows"]
    ours, captured = (result["columns"][key] for key in ("facula", "captured"))
    assert ours["losses"] == captured["losses"] and len(ours["losses"]) == report.STEPS > run.WARM_UP
    assert ours["peak"] > ours["imported"] > 0
    assert result["parts"]["flops"] > 0 and "optimizer" in result["families"]
    assert (tmp_path / "models.txt").read_text().splitlines() == capsys.readouterr().out.splitlines()[:-1]


def test_a_column_that_fails_is_reported_with_its_reason(monkeypatch):
    monkeypatch.setattr(run, "WARM_UP", 0.5)
    result = run.measure("ncf", ["captured"], rounds=1, threads=1, small=True)
    assert result["columns"]["captured"]["error"].startswith("ValueError: invalid literal")


def test_wrong_arguments_are_refused_before_anything_is_measured(monkeypatch, capsys):
    for arguments, message in (
        (["--columns", "tensorflow"], "unknown column tensorflow"),
        (["--only", "bert"], "no model"),
        (["--rounds", "0"], "argument --rounds: expected a number of at least 1; got '0'"),
        (["--threads", "x"], "argument --threads: expected a number of at least 1; got 'x'"),
    ):
        monkeypatch.setattr(sys, "argv", ["models", *arguments])
        with pytest.raises(SystemExit):
            run.main()
        assert message in capsys.readouterr().err
