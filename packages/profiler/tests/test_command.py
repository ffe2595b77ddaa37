"""The command line: `show`, `render` and `compare`; files that are not traces are refused by name."""

import pickle
import subprocess
import sys

import pytest
from test_pages import program

from facula_profiler import profile, record_function
from facula_profiler._command import main

ROOFLINE = ["--gflops", "100", "--gbytes", "10"]


@pytest.fixture
def trace(tmp_path):
    program().save(tmp_path / "run.trace")
    return str(tmp_path / "run.trace")


def test_show(trace, capsys):
    assert main(["show", trace, *ROOFLINE]) == 0
    output = capsys.readouterr().out
    assert output.startswith("Bottleneck: ") and "linear" in output and "Evidence" in output


def test_records_of_a_profile_that_has_not_ended(tmp_path, capsys):
    path = str(tmp_path / "records.bin")
    running = profile(path=path)
    running.start()
    with record_function("preparation"):
        pass
    assert main(["show", path, *ROOFLINE]) == 0
    running.stop()
    assert capsys.readouterr().out.startswith("Bottleneck: interpreter")


def test_outputs_of_a_profile(tmp_path):
    with profile() as recorded, record_function("preparation"):
        pass
    recorded.export_html(tmp_path / "page.html", "run 8")
    assert "<title>run 8</title>" in (tmp_path / "page.html").read_text()
    assert recorded.summary((1e11, 1e10)).bottleneck == "interpreter"


def test_render(trace, tmp_path, capsys):
    page = str(tmp_path / "page.html")
    assert main(["render", trace, "-o", page, "--title", "run 7", *ROOFLINE]) == 0
    assert capsys.readouterr().out.startswith(f"wrote {page}")
    assert "<title>run 7</title>" in (tmp_path / "page.html").read_text()
    assert main(["render", trace, "-o", trace, *ROOFLINE]) == 1
    assert "other than TRACE itself" in capsys.readouterr().err


def test_compare(trace, capsys):
    assert main(["compare", trace, trace, "--sort", "calls", *ROOFLINE]) == 0
    output = capsys.readouterr().out
    assert output.startswith("time        ") and "operator" in output


class Harmful:
    def __reduce__(self):
        return exec, ("raise SystemExit('the file was unpickled')",)


@pytest.mark.parametrize("contents", [b"", b"not a trace", pickle.dumps(Harmful()), b"PK\x03\x04" + bytes(60)])
def test_other_files_are_refused_by_name(contents, tmp_path, capsys):
    path = tmp_path / "other.bin"
    path.write_bytes(contents)
    for arguments in (["show", str(path)], ["compare", str(path), str(path)], ["render", str(path), "-o", "page.html"]):
        assert main([*arguments, *ROOFLINE]) == 1
        error = capsys.readouterr().err
        assert error.startswith("python -m facula_profiler ") and "other.bin" in error


def test_missing_files_and_half_a_roofline(trace, tmp_path, capsys):
    assert main(["show", str(tmp_path / "none\x1b[31m")]) == 1
    error = capsys.readouterr().err
    assert "cannot read the file" in error and "\x1b" not in error
    assert main(["show", trace, "--gflops", "3"]) == 1
    assert "both --gflops and --gbytes" in capsys.readouterr().err


def test_help_and_the_module():
    done = subprocess.run([sys.executable, "-m", "facula_profiler", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and all(name in done.stdout for name in ("show", "render", "compare"))
    done = subprocess.run([sys.executable, "-m", "facula_profiler", "render", "x"], capture_output=True, text=True)
    assert done.returncode == 2 and "--output" in done.stderr
