"""The command that checks a machine: its steps on a simulated device, and what it does with steps that fail."""

import json
import subprocess
import sys
from contextlib import nullcontext

import pytest

from facula_cuda.check import _runner
from facula_cuda.check._report import STEPS, Report, Step

#: Those that do not need facula; the others are left out where it is not installed.
ALONE = [name for name, step in STEPS.items() if not step.needs]


@pytest.mark.parametrize("name", ALONE)
def test_a_step_holds_on_a_simulated_device(name):
    found = _runner._in_process(name, True, 600)
    assert found["step"] == name and (found["checks"] or found["figures"])
    assert all(one["holds"] for one in found["checks"]), found["checks"]


def test_the_command_writes_each_result(tmp_path):
    command = [sys.executable, "-m", "facula_cuda.check", "--simulate", "--out", str(tmp_path), "kernel", "costs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["kernel", "costs"]
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert [result["step"] for result in summary] == ["kernel", "costs"]
    assert json.loads((tmp_path / "kernel.json").read_text()) == summary[0]
    assert summary[1]["figures"]["launch_us"] > 0


def test_a_machine_without_a_driver(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FACULA_CUDA_DRIVER", str(tmp_path / "none"))
    assert not _runner.run_all(tmp_path, 5, False, ["driver"])
    assert "expected NVIDIA's driver" in capsys.readouterr().out


@pytest.fixture
def other_step(monkeypatch):
    """Return a function that makes another function the only step, "other"."""

    def add(function, *needs):
        monkeypatch.setattr(_runner, "STEPS", {"other": Step(function, 60, needs)})

    return add


def test_errors_and_failures_are_results(other_step):
    def fails(report):
        report.check("one is two", 1 == 2, "they differ")
        report.check("one is one", True, "not shown")
        raise KeyError("lost")

    other_step(fails)
    found = _runner.run_step("other", False)
    assert [one["holds"] for one in found["checks"]] == [False, True, False]
    assert found["checks"][1]["detail"] == "" and "KeyError" in found["checks"][2]["detail"]
    line = _runner._line(found)
    assert line.startswith("other: FAILED\n  not true: one is two; they differ\n") and "lost" in line


def test_a_step_without_its_package_or_time_is_left_out(other_step):
    other_step(None, "no_such_package")
    assert _runner._in_process("other", True, 600)["left_out"] == "no_such_package is not installed"
    other_step(None)
    assert _runner._in_process("other", True, 0)["left_out"] == "no time is left"
    assert _runner._line({"step": "other", "left_out": "no time is left"}) == "other: left out, since no time is left"


@pytest.mark.parametrize(
    ("script", "seconds", "check", "detail"),
    [
        ("echo half; echo why >&2; exit 3", 60, "the step's process ends normally", "exit status 3: why\n"),
        ("kill -SEGV $$", 60, "the step's process ends normally", "exit status -11: "),
        ("exec sleep 60", 0.2, "the step ends within 0 s", ""),
    ],
)
def test_a_process_that_dies_or_hangs_is_a_failure(other_step, monkeypatch, tmp_path, script, seconds, check, detail):
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))
    other_step(None)
    found = _runner._in_process("other", True, seconds)
    assert found["checks"] == [{"check": check, "holds": False, "detail": detail}]


def test_figures_are_rounded():
    report = Report(True)
    report.figure("one_us", 1.23456789)
    report.figure("name", "x")
    assert report.as_dict() == {"checks": [], "figures": {"one_us": 1.2346, "name": "x"}}


def nothing(*arguments, **options):
    pass


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("streams", "facula_cuda._port.events.Event.wait"),
        ("reuse", "facula_cuda.check._order_steps.record_use"),
        ("graphs", "facula_cuda.check._order_steps.Stream.wait_stream"),
        ("graphs", "facula_cuda._port.graphs.use_mem_pool"),
        ("copies", "facula_cuda.check._device_steps.between"),
    ],
)
def test_a_step_finds_what_it_is_for(simulated, monkeypatch, name, place):
    """Check that a step fails once a wait, a registered use, a private pool or a copy is missing."""
    simulated(devices=1, memory=_runner.SIMULATED_BYTES)
    monkeypatch.setattr(place, nullcontext if "pool" in place else nothing)
    assert not _runner._holds(_runner.run_step(name, True)), place
