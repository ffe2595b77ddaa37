"""Traces: round trips, errors for bad lines, and sums that equal a plain recount."""

import json
import random
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_allocator.snapshots import CorruptFileError
from facula_allocator.traces import (
    Allocate,
    CallSite,
    Capture,
    ClosePool,
    Complete,
    EmptyCache,
    Free,
    Limit,
    Mark,
    Refuse,
    Synchronize,
    Trace,
    TraceWriter,
    Use,
    read_trace,
    summarize,
)
from facula_errors.testing import raises

OTHERS = [Refuse(9, -1, 1), Refuse(9, 2, None, 4), EmptyCache(), Limit(None, 0.5), Capture(True), ClosePool(4)]
SITES = [CallSite("/srv/app/train.py", 40, "step"), CallSite("/srv/<i>/é.py", 3, "f"), CallSite("a.py", 1, "g")]
REQUESTS = (Allocate, Refuse, Free)
HEADER = '{"facula_trace": 1, "granularity": 64}\n'


def random_trace(seed, count=300):
    draw = random.Random(seed)
    events, live, ids = [], [], iter(range(count))
    for number in range(count):
        if number % 50 == 7:
            events.append(Mark(f"step {number // 50}"))
        roll = draw.random()
        if roll < 0.5 or not live:
            live.append(next(ids))
            site = draw.choice([0, 1, 2, None])
            pool = draw.choice([0, 0, 4])
            events.append(Allocate(live[-1], draw.randrange(1 << 20), draw.randrange(-1, 3), site, pool))
        elif roll < 0.85:
            events.append(Free(live.pop(draw.randrange(len(live)))))
        elif roll < 0.9:
            events.append(Use(draw.choice(live), draw.randrange(3)))
        else:
            before = draw.randint(0, sum(isinstance(event, REQUESTS) for event in events))
            events.append(draw.choice([Synchronize(before), Complete(draw.randrange(3), before), *OTHERS]))
    return Trace(512, 1 << 30, {"max_split_size": 1 << 20, "é": [1, None]}, SITES, events)


def write(path, trace):
    with TraceWriter(path, granularity=trace.granularity, capacity=trace.capacity, options=trace.options) as writer:
        for event in trace.events:
            match event:
                case Allocate(id, nbytes, stream, site, pool):
                    writer.allocate(id, nbytes, stream, None if site is None else tuple(trace.sites[site]), pool)
                case Refuse(nbytes, stream, site, pool):
                    writer.refuse(nbytes, stream, None if site is None else tuple(trace.sites[site]), pool)
                case EmptyCache():
                    writer.empty_cache()
                case Limit(nbytes, fraction):
                    writer.limit(nbytes, fraction)
                case Capture(on):
                    writer.capture(on)
                case ClosePool(pool):
                    writer.close_pool(pool)
                case Free(id):
                    writer.free(id)
                case Use(id, stream):
                    writer.use(id, stream)
                case Complete(stream, number):
                    writer.complete(stream, number)
                case Synchronize(before):
                    writer.synchronize(before)
                case Mark(name):
                    writer.mark(name)


def named(trace):
    """Return the events, with each line in place of its number."""
    return [
        event._replace(site=None if event.site is None else trace.sites[event.site])
        if isinstance(event, Allocate | Refuse)
        else event
        for event in trace.events
    ]


@pytest.mark.parametrize("seed", range(3))
def test_files_round_trip(tmp_path, seed):
    trace = random_trace(seed)
    write(tmp_path / "run.trace", trace)
    found = read_trace(tmp_path / "run.trace")
    assert named(found) == named(trace) and sorted(found.sites) == sorted(SITES)
    assert found[:3] == trace[:3]
    assert all(json.loads(line) for line in (tmp_path / "run.trace").read_text().splitlines())


@pytest.mark.parametrize("seed", range(5))
def test_sums_equal_a_recount(seed):
    trace = random_trace(seed)
    found = summarize(trace)
    live, states = {}, []
    for event in trace.events:
        if isinstance(event, Allocate):
            live[event.id] = event
        elif isinstance(event, Free):
            del live[event.id]
        states.append(dict(live))
    totals = [sum(one.nbytes for one in state.values()) for state in states]
    peak = max(totals)
    assert found.peak_bytes == peak and found.peak_event == totals.index(peak)
    assert found.end_bytes == totals[-1] and found.end_blocks == len(live)
    for holders, state in ((found.at_peak, states[found.peak_event]), (found.at_end, live)):
        by_line = {}
        for one in state.values():
            name = "(no line recorded)" if one.site is None else str(SITES[one.site])
            by_line.setdefault(name, []).append(one.nbytes)
        wanted = {name: (sum(sizes), len(sizes), max(sizes)) for name, sizes in by_line.items()}
        assert {one.name: tuple(one[1:]) for one in holders} == wanted
        assert [one.nbytes for one in holders] == sorted((one.nbytes for one in holders), reverse=True)
    allocations = [event for event in trace.events if isinstance(event, Allocate)]
    assert (found.events, found.allocations, found.total_bytes) == (
        len(trace.events), len(allocations), sum(one.nbytes for one in allocations))  # fmt: skip
    assert found.streams == len({one.stream for one in allocations})
    bounds = [0] + [i for i, event in enumerate(trace.events) if isinstance(event, Mark)] + [len(trace.events)]
    assert [one.name for one in found.steps] == ["(before the first mark)", *[f"step {i}" for i in range(6)]]
    for step, (first, end) in zip(found.steps, pairwise(bounds), strict=True):
        assert step.events == end - first and step.end_bytes == totals[end - 1]
        assert step.peak_bytes == max(totals[first:end])
    assert sum(step.allocations for step in found.steps) == found.allocations
    assert found.peak_step == next(s.name for s, end in zip(found.steps, bounds[1:]) if found.peak_event < end)


def test_the_table(tmp_path):
    text = str(summarize(random_trace(1)))
    assert text.startswith("trace of ") and "of 1 GiB, in " in text
    assert "MiB  /srv/<i>/é.py:3 f" in text
    assert len(re.findall(r"^  step \d ", text, re.MULTILINE)) == 6
    many = Trace(64, None, {}, [], [Mark(f"s{i}") for i in range(40)])
    assert "… 30 more" in str(summarize(many)) and str(summarize(many)).count("\n") == 17
    assert "trace of 0 events" in str(summarize(Trace(64, None, {}, [], [])))
    assert "a\\x1b[0m" in str(summarize(Trace(64, None, {}, [], [Mark("a\x1b[0m")])))


@pytest.mark.parametrize(
    ("text", "number", "message"),
    [
        ("", 1, "expected a trace; got an empty file"),
        ("\n", 1, "expected one line of JSON; got ''"),
        ("[]\n", 1, "the line {.facula_trace.: 1, …} that begins a trace; got "),
        ('{"facula_trace": 2}\n', 1, "expected version 1 of the format; got 2"),
        ('{"facula_trace": 1}\n', 1, '"granularity" from 1; got None'),
        ('{"facula_trace": 1, "granularity": 64, "capacity": "1"}\n', 1, '"capacity" from 1, or null'),
        ('{"facula_trace": 1, "granularity": 64, "options": []}\n', 1, 'a dict of "options"'),
        (HEADER + '["a",0,1,0,null]\n["f"', 3, "the file ends within it.*partial=True"),
        (HEADER + '["a",0,1,0,null\n', 2, "expected one line of JSON; got .*delimiter"),
        (HEADER + "\n", 2, "one line of JSON"),
        (HEADER + "\xff\n", 2, "one line of JSON"),
        (HEADER + "[" * 100000 + "\n", 2, "one line of JSON; got .*RecursionError"),
        (HEADER + "9" * 9999 + "\n", 2, "one line of JSON"),
        (HEADER + "[" * 960 + "]" * 960 + "\n", 2, "one of a, x|one line of JSON"),
        (HEADER + "3\n", 2, "expected an event or .*; got 3"),
        (HEADER + "[]\n", 2, "expected an event, one of a, x, f, u, e, s, c, l, k, d, m; got "),
        (HEADER + '["y"]\n', 2, "an event, one of"),
        (HEADER + "[[1]]\n", 2, "an event, one of"),
        (HEADER + '["a",0,1,0]\n', 2, r'expected \["a", id, nbytes, stream, site\], integers from 0; got'),
        (HEADER + '["a",0,-1,0,null]\n', 2, "integers from 0"),
        (HEADER + '["a",0,1.5,0,null]\n', 2, "integers from 0"),
        (HEADER + '["a",0,true,0,null]\n', 2, "integers from 0"),
        (HEADER + '["a",0,1,0,0]\n', 2, "the number of a site above; got 0 of 0"),
        (HEADER + '["a",0,1,0,null]\n["a",0,1,0,null]\n', 3, "no live block; 0 was allocated before"),
        (HEADER + '["f",7]\n', 2, "the id of a live block; 7 was not allocated"),
        (HEADER + '["a",0,1,0,null]\n["f",0]\n["f",0]\n', 4, "or is freed"),
        (HEADER + '["u",7,0]\n', 2, "the id of a live block"),
        (HEADER + '["u",7]\n', 2, r'\["u", id, stream\]'),
        (HEADER + '["f"]\n', 2, r'\["f", id\]'),
        (HEADER + '["e",1]\n', 2, r'\["e", stream, n\]'),
        (HEADER + '["e",1,1]\n', 2, r"the number of a request above or of the next; got 1 of 0"),
        (HEADER + '["s"]\n', 2, r'\["s", n\]'),
        (HEADER + '["a",0,1,0,null]\n["s",2]\n', 3, "the number of a request above or of the next; got 2 of 1"),
        (HEADER + '["x",1,0]\n', 2, r'\["x", nbytes, stream, site\]'),
        (HEADER + '["x",1,0,0]\n', 2, "the number of a site above; got 0 of 0"),
        (HEADER + '["a",0,1,9223372036854775808,null]\n', 2, r'\["a", id'),
        (HEADER + '["a",0,1,0,null,-1]\n', 2, r'\["a", id'),
        (HEADER + '["c",1]\n', 2, r'\["c"\]'),
        (HEADER + '["l",1]\n', 2, r'\["l", limit, fraction\]'),
        (HEADER + '["l",null,1.5]\n', 2, r'\["l", limit, fraction\]'),
        (HEADER + '["k",2]\n', 2, r'\["k", 0 or 1\]'),
        (HEADER + '["d"]\n', 2, r'\["d", pool\]'),
        ('{"facula_trace": 1, "granularity": 64, "page_size": -1}\n', 1, 'a "page_size" from 0; got -1'),
        (HEADER + '["m",1]\n', 2, r'\["m", name\]'),
        (HEADER + '{"site": ["a.py", "1", "f"]}\n', 2, r"\[file, line, function\]"),
        (HEADER + '{"site": ["a.py", true, "f"]}\n', 2, r"\[file, line, function\]"),
        (HEADER + '{"other": 1}\n', 2, "expected an event or"),
    ],
    ids=range(47),
)
def test_each_bad_line_is_named(tmp_path, text, number, message):
    (tmp_path / "bad.trace").write_text(text, encoding="latin-1")
    with raises(CorruptFileError, "read_trace") as caught:
        read_trace(tmp_path / "bad.trace")
    assert re.search(message, str(caught.value)) and f"at line {number} of " in str(caught.value)
    assert caught.value.place == f"line {number}"


def test_an_incomplete_last_line_can_be_ignored(tmp_path):
    (tmp_path / "cut").write_text(HEADER + '["a",0,1,0,null]\n["f"')
    assert read_trace(tmp_path / "cut", partial=True).events == [Allocate(0, 1, 0, None)]
    (tmp_path / "cut").write_text(HEADER[:10])
    with raises(CorruptFileError, "read_trace", "empty"):
        read_trace(tmp_path / "cut", partial=True)


def test_an_id_may_be_reused(tmp_path):
    (tmp_path / "a").write_text(HEADER + '["a",0,1,0,null]\n["f",0]\n["a",0,2,0,null]\n')
    assert summarize(read_trace(tmp_path / "a")).end_bytes == 2


def test_the_writer_names_invalid_arguments(tmp_path):
    with raises(TypeError, "TraceWriter", "expected an integer granularity"):
        TraceWriter(tmp_path / "a", granularity=1.5)
    with raises(ValueError, "TraceWriter", "expected capacity from 1", value=0):
        TraceWriter(tmp_path / "a", capacity=0)
    with raises(TypeError, "TraceWriter", "expected options of text, numbers"):
        TraceWriter(tmp_path / "a", options={"a": object()})
    assert not (tmp_path / "a").exists()
    with raises(FileNotFoundError, "TraceWriter", "cannot write the file"):
        TraceWriter(tmp_path / "no" / "a")
    writer = TraceWriter(tmp_path / "a")
    with raises(TypeError, "TraceWriter", "expected integers", value=("x",)):
        writer.free("x")
    for site in (("a.py", 1), ("a.py", "x", "f"), (None, None, None)):
        with raises(TypeError, "TraceWriter", "expected a site (file, line, function)"):
            writer.allocate(1, 2, 0, site)
    with raises(TypeError, "mark", "expected text", value=1):
        writer.mark(1)
    writer.flush()
    assert read_trace(tmp_path / "a").events == []
    writer.close()
    writer.close()
    for call in (lambda: writer.free(1), writer.flush):
        with raises(RuntimeError, "TraceWriter", "is closed", "open another one"):
            call()
    with raises(TypeError, "summarize", "expected a Trace, as read_trace gives it", value="str"):
        summarize("a.trace")
    with raises(FileNotFoundError, "read_trace", "cannot read"):
        read_trace(tmp_path / "none")


def test_a_full_disk_raises_a_facula_error(tmp_path):
    writer = TraceWriter("/dev/full")
    with raises(OSError, "TraceWriter", "No space left on device", "check the folder") as caught:
        writer.flush()
    assert caught.value.filename == "/dev/full"


@given(data=st.data())
def test_damage_raises_no_other_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "damaged.trace"
    write(path, random_trace(2, 30))
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=4))
    path.write_bytes(whole)
    try:
        summarize(read_trace(path))
    except CorruptFileError as error:
        assert re.search(r"at line \d+ of .*damaged\.trace", str(error))
