"""Programs in the style of PyTorch's examples, unmodified, in processes that the launcher or they themselves start."""

from pathlib import Path

import pytest
from rank_models import run_program

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.parametrize(
    ("name", "options", "words", "lines"),
    [
        ("basic_ddp", ["--nproc", "2"], "True, gloo", 2),
        ("mnist_ddp", ["--nproc", "2"], "accuracy above 0.9: True", 2),
        ("fully_shard_gpt", ["--nproc", "2"], "learned True, resumed True", 2),
        ("spawn_tcp", [], "of 2: accurate True, equal True", 2),
    ],
)
def test_programs_run_unmodified(tmp_path, monkeypatch, name, options, words, lines):
    monkeypatch.setenv("FOLDER", str(tmp_path))
    output, _ = run_program(tmp_path, (PROGRAMS / f"{name}.py").read_text(), options)
    assert output.count(words) == lines, output
    if "parameters" in output:
        assert len({line.partition("parameters")[2] for line in output.splitlines()}) == 1


def test_all_programs_are_run():
    assert {path.stem for path in PROGRAMS.glob("*.py")} == {"basic_ddp", "fully_shard_gpt", "mnist_ddp", "spawn_tcp"}
