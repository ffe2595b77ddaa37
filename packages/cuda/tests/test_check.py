"""The command that checks a machine: its steps on a simulated device, and what it does with steps that fail."""

import json
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pytest

from facula_cuda.check import _form_steps, _process, _runner, _sanitizer_steps, _summary
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
    steps, _, rest = done.stdout.partition("\nSummary: 2 steps in ")
    assert [line.partition(":")[0] for line in steps.splitlines()] == ["kernel", "costs"]
    assert "0 failed, 0 left out" in rest and "  launch_us: " in rest
    assert done.stdout.endswith((tmp_path / "summary.txt").read_text())
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert [result["step"] for result in summary] == ["kernel", "costs"]
    assert json.loads((tmp_path / "kernel.json").read_text()) == summary[0]
    assert summary[1]["figures"]["launch_us"] > 0


def test_the_help_lists_the_steps():
    done = subprocess.run([sys.executable, "-m", "facula_cuda.check", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--minutes MINUTES" in done.stdout and "--seconds" not in done.stdout
    assert all(f"  {name} " in done.stdout and step.summary in done.stdout for name, step in STEPS.items())


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
    line = _summary.line_of(found)
    assert line.startswith("other: FAILED\n  not true: one is two; they differ\n") and "lost" in line


def test_a_step_without_its_package_or_time_is_left_out(other_step):
    other_step(None, "no_such_package")
    assert _runner._in_process("other", True, 600)["left_out"] == "no_such_package is not installed"
    other_step(None)
    assert _runner._in_process("other", True, 0)["left_out"] == "no time is left"
    assert (
        _summary.line_of({"step": "other", "left_out": "no time is left"}) == "other: left out, since no time is left"
    )


@pytest.mark.parametrize(
    ("script", "seconds", "check", "detail"),
    [
        ("echo half; echo why >&2; exit 3", 60, "the step's process ends normally", "exit status 3: why\nhalf\n"),
        ("kill -KILL $$", 60, "the step's process ends normally", "exit status -9: "),
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


def test_results_before_the_limit_are_kept():
    line = json.dumps({"check": "it began", "holds": True, "detail": ""})
    figure = json.dumps({"figure": "size", "value": 3})
    script = f"echo '{line}'; echo '{figure}'; echo '{{\"check\": '; sleep 60 & wait"
    found = _process.run_command(["sh", "-c", script], "other", 0.5)
    assert [one["check"] for one in found["checks"]] == ["it began", "the step ends within 0 s"]
    assert found["figures"] == {"size": 3} and found["seconds"] < 30


def test_the_summary_begins_with_misses():
    results = [
        {"step": "good", "seconds": 1.0, "checks": [], "figures": {"fallbacks": ["pool"], "long": "x" * 999}},
        {"step": "absent", "left_out": "no time is left"},
        {"step": "bad", "seconds": 2.0, "checks": [{"check": "a is b", "holds": False, "detail": "a"}], "figures": {}},
    ]
    lines = _summary.summary_of(results, 3.2).splitlines()
    assert lines[1:5] == [
        "Summary: 3 steps in 3 s, 1 failed, 1 left out",
        "bad: FAILED",
        "  not true: a is b; a",
        "absent: left out, since no time is left",
    ]
    assert "Operators that ran on the CPU: pool" in lines and max(map(len, lines)) < 180


def test_figures_are_rounded_and_late_work_is_left_out(simulated):
    report = Report(True, seconds=0)
    report.figure("one_us", 1.23456789)
    report.figure("name", "x")
    assert report.as_dict() == {"checks": [], "figures": {"one_us": 1.2346, "name": "x"}}
    simulated()
    _form_steps.forms(report)
    assert report.figures["compared"] == 0 < report.figures["forms"]


def test_a_form_with_other_bits_is_found(simulated, monkeypatch):
    simulated()
    comparison, form = _form_steps.Comparison(), ("add", (9, 9), (9,))
    assert comparison.difference(form, 1) == comparison.difference(form, 2) == ""
    assert comparison.difference(("pow", (9, float), (9,)), 2) == ""
    plan = comparison.plan
    monkeypatch.setattr(comparison, "plan", lambda form, step: plan(("sub", *form[1:]), step))
    assert "of 1009: " in comparison.difference(form, 1)


def test_bits_of_a_dtype_are_compared():
    one = np.array([1, np.nan, 3], "f4")
    other = np.array([1, -np.nan, 3], "f4")
    assert _form_steps._compared(9, one.view("u1"), other.view("u1")) == ""
    other[2] = np.nextafter(other[2], 4)
    assert _form_steps._compared(9, one.view("u1"), other.view("u1")).startswith("1 of 3: ")
    one, other = np.array([1, 1j, np.inf], "c8"), np.array([1 + 4e-7j, 1j, np.inf], "c8")
    assert _form_steps._compared(11, one.view("u1"), other.view("u1")) == ""
    other[1] += 1e-6
    assert _form_steps._compared(11, one.view("u1"), other.view("u1")).startswith("1 of 3: ")


@pytest.mark.parametrize(("status", "holds"), [(0, True), (86, False)])
def test_the_sanitizer_runs_small_steps(tmp_path, monkeypatch, status, holds):
    """Run a script in place of compute-sanitizer, which starts nothing."""
    tool = tmp_path / _sanitizer_steps.NAME
    tool.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\necho "= ERROR SUMMARY"\nexit {status}\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(_sanitizer_steps, "STEPS", ("forms",))
    report = Report(True)
    _sanitizer_steps.sanitizer(report)
    assert [one["holds"] for one in report.checks] == [holds, holds]
    assert holds or "exit status 86: = ERROR SUMMARY" in report.checks[0]["detail"]
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call.split()[1] for call in calls] == ["memcheck", "racecheck"]
    assert all("--step forms" in call and "--small" in call for call in calls)


WITHOUT = """
import sys
sys.modules.update(dict.fromkeys({names!r}))
from facula_cuda.check.__main__ import main
sys.exit(main(["--step", "kernel", "--simulate"]))
"""


def test_only_the_runtime_of_cffi_is_needed():
    """Run a step where cffi is not installed, and where its runtime is missing, too."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(names=["cffi", "pycparser"])], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.count('"holds": true') == 4, done.stderr
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(names=["_cffi_backend"])], capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stdout == ""
    assert "MissingPackageError: facula_cuda: expected its module in C and cffi's runtime" in done.stderr
    assert "Install cffi by pip, from a wheel" in done.stderr


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
    assert not _summary.holds(_runner.run_step(name, True)), place
