"""The command line, as a user calls it."""

import json
import os
import pickle
import subprocess
import sys

import pytest
from snapshot_samples import MIB, frame, segment, snapshot
from test_pages import Page, text
from test_traces import HEADER, random_trace, write

from facula_allocator import replay, smallest_capacity, will_it_fit
from facula_allocator._command import main
from facula_allocator._replay.replay_command import STANDARD
from facula_allocator.snapshots import render_html, write_snapshot
from facula_allocator.traces import read_trace, summarize


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    oom = {"action": "oom", "size": 9 * MIB, "device_free": 5}
    one = segment(("used", 3 * MIB, [frame("é.py", 7, "f")], 3 * MIB - 5), ("free", MIB))
    state = snapshot(one, traces=[[oom]])
    write_snapshot(state, "s.json")
    write_snapshot(state, "s.pickle")
    write("run.trace", random_trace(0)._replace(options={"lend": True, "limit": None}))
    (tmp_path / "cut.trace").write_text(HEADER + '["a",0,77,0,null]\n["f"')
    return state


@pytest.mark.parametrize("name", ["s.json", "s.pickle"])
def test_summary_of_a_snapshot(files, capsys, name):
    assert main(["summary", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "snapshot of device 0",
        "  reserved           4 MiB  in 1 segment",
        "  in use             3 MiB  in 1 block; 3 MiB asked for",
        "  waiting              0 B",
        "  free               1 MiB  in 1 block; 0% outside the largest",
        "  largest block      1 MiB",
        "  peak               3 MiB  over the events that were kept",
        "live bytes by allocating line",
        "      3 MiB  é.py:7 f  (1)",
        "out of memory at event 0: 9 MiB requested",
    ]


def test_summary_of_a_trace(files, capsys):
    assert main(["summary", "run.trace"]) == 0
    assert capsys.readouterr().out == f"{summarize(read_trace('run.trace'))}\n"


def test_render(files, capsys):
    assert main(["render", "s.pickle", "-o", "a.html"]) == 0
    page = open("a.html", encoding="utf-8").read()
    assert page == render_html(files, "s.pickle")
    assert capsys.readouterr().out == f"wrote a.html ({os.path.getsize('a.html')} bytes)\n"
    assert main(["render", "run.trace", "--output", "b.html", "--title", "My <run>"]) == 0
    assert text(next(Page(open("b.html", encoding="utf-8").read()).find("h1"))) == "My <run>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["summary", "none"],
            "facula_allocator summary: cannot read the file: No such file or directory; check the path: none",
        ),
        (["summary", "."], "summary: expected a file; got a folder"),
        (
            ["summary", "cut.trace"],
            "summary: expected the end of the line; the file ends within it; at line 3 of cut",
        ),
        (["summary", "empty"], "summary: expected a snapshot (JSON or pickle, PyTorch's too) or a trace; got an empty"),
        (["summary", "text"], "summary: expected complete JSON; got something else"),
        (["summary", "evil"], "\\x1b[2J"),
        (["render", "s.json", "-o", "s.json"], "render: expected a page other than FILE itself; got 's.json'"),
        (["replay", "s.json"], "replay: expected a trace; this is a snapshot; at byte 0 of s.json; record one with"),
        (["fit", "s.pickle"], "fit: expected a trace; this is a snapshot"),
        (["fit", "text"], "fit: expected the end of the line"),
        (["replay", "none"], "replay: cannot read the file"),
        (["replay", "run.trace", "--capacity", "0"], "--capacity: expected more than 0 bytes; got '0'"),
        (["replay", "run.trace", "--limit", "x"], "--limit: expected bytes, or a number with KiB"),
        (["replay", "run.trace", "--option", "max_split=1"], "--option: expected NAME=VALUE with a name among"),
        (["replay", "run.trace", "--compare", "lend=1"], "--compare: expected lend=yes or lend=no; got 'lend=1'"),
        (["replay", "run.trace", "-o", "run.trace"], "replay: expected a page other than FILE itself"),
        (["fit", "cut.trace"], "fit: expected the end of the line"),
        (["render", "s.json", "-o", "no/a.html"], "render: cannot write the file: No such file or directory"),
    ],
)
def test_errors_are_one_line_with_status_1(files, capsys, arguments, message):
    open("empty", "w").close()
    with open("text", "w") as file:
        file.write("hello\x1b[2J")
    with open("evil", "w") as file:
        file.write('{"segments": [], "device_traces": [], "\\u001b[2J": {"a": NaN}, "\\u001b[2J": {"a": 1e999}}')
    with open("evil", "wb") as file:
        file.write(pickle.dumps({"segments": [], "device_traces": [], "\x1b[2J": float("inf")}))
    assert main(arguments) == 1
    said = capsys.readouterr()
    assert said.out == "" and message in said.err and said.err.count("\n") == 1 and "\x1b" not in said.err


def test_partial(files, capsys):
    assert main(["summary", "--partial", "cut.trace"]) == 0
    assert "peak              77 B" in capsys.readouterr().out


def test_replay(files, capsys):
    trace = read_trace("run.trace")
    settings = ["--capacity", "64MiB", "--limit", "48MiB", "--option", "max_split_size=32MiB,lend=no"]
    found = replay(trace, capacity=64 * MIB, limit=48 * MIB, max_split_size=32 * MIB, lend=False)
    assert main(["replay", "run.trace", *settings]) == 3 and found.shortfall
    assert capsys.readouterr().out == f"{found}\n"
    assert main(["replay", "run.trace", *settings, "--json"]) == 3
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.as_dict()))
    assert main(["replay", "run.trace", "--limit", "none", "-o", "a.html"]) == 0
    page = Page(open("a.html", encoding="utf-8").read())
    assert (
        text(next(page.find("h1"))) == "Replay of run.trace"
        and max(page.data["views"][0]["timeline"]["reserved"]) == 68 * MIB
    )


def test_compare(files, capsys):
    assert main(["replay", "run.trace", "--compare", "large_segment=10MiB", "--compare", "--option", "lend=no"]) == 0
    head, given, one, *others = capsys.readouterr().out.splitlines()
    assert head.split() == ["settings", "reserved", "allocated", "unused", "segments", "retries"]
    for line, options in ((given, {}), (one, {"large_segment": 10 * MIB})):
        found = replay("run.trace", lend=False, **options)
        assert f"{found.stats['num_device_alloc']:>10}" in line and f"{found.fragmentation:.1%}" in line
    assert given.startswith("(as given)  ") and one.startswith("large_segment=10MiB  ")
    assert [line.split()[0] for line in others] == [line for line in STANDARD if line != "large_segment=10MiB"]
    assert main(["replay", "run.trace", "--capacity", "1MiB", "--compare", "lend=no"]) == 0
    assert "  out of memory at event " in capsys.readouterr().out


def test_fit(files, capsys):
    for capacity, status in (("1GiB", 0), ("64MiB", 3)):
        assert main(["fit", "run.trace", "--capacity", capacity, "--option", "large_segment=10MiB"]) == status
        found = will_it_fit("run.trace", 1 << 30 if status == 0 else 64 * MIB, large_segment=10 * MIB)
        assert capsys.readouterr().out == f"{found}\n"
    assert main(["fit", "run.trace"]) == 0
    assert capsys.readouterr().out == f"{smallest_capacity('run.trace')}\n"


@pytest.mark.parametrize("arguments", [[], ["summary"], ["render", "s.json"], ["sum", "s.json"], ["summary", "a", "b"]])
def test_usage_errors_exit_with_status_2(files, capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2 and capsys.readouterr().err.startswith("usage: python -m facula_allocator")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["summary", "-h"], ["render", "-h"], ["replay", "-h"], ["fit", "-h"]]
)
def test_help(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    said = capsys.readouterr().out
    assert caught.value.code == 0 and "FILE" in said


def test_as_a_program(files):
    def run(*arguments, **more):
        command = [sys.executable, "-m", "facula_allocator", *arguments]
        return subprocess.run(command, capture_output=True, check=False, **more)

    done = run("summary", "s.json", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and rb"\xe9.py:7 f" in done.stdout and done.stderr == b""
    assert run("summary", "none").returncode == 1
    command = f"{sys.executable} -m facula_allocator summary run.trace | true"
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert done.returncode == 0 and done.stderr == b""
    assert run("render", "s.json", "-o", "/dev/stdout").stdout.startswith(b"<!DOCTYPE html>")
