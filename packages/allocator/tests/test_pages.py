"""Pages show the figures of the snapshot or trace, load no resources, and contain no markup from files."""

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from snapshot_samples import MIB, frame, random_snapshot, segment, snapshot
from test_traces import named, random_trace

from facula_allocator import snapshots, traces
from facula_allocator._reports import timeline
from facula_allocator._reports.timeline import Change, timeline_of
from facula_allocator.traces import Allocate, CallSite, Free, Trace
from facula_errors.testing import raises

NODE = shutil.which("node")
VOID = {"meta", "br", "link", "img", "input"}
EVIL = "</script><script>alert(1)</script><!--facula:data--><img src=x onerror=alert(2)>&amp;"


class Page(HTMLParser):
    """A page as a tree: each element is [tag, attributes, children]."""

    def __init__(self, text):
        super().__init__()
        self.root = ["root", {}, []]
        self.open = [self.root]
        self.feed(text)
        assert self.open == [self.root], "elements that are not closed"

    def handle_starttag(self, tag, attributes):
        one = [tag, dict(attributes), []]
        self.open[-1][2].append(one)
        if tag not in VOID:
            self.open.append(one)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.open[-1][2].append(data)

    def find(self, tag, under=None, **attributes):
        for one in (under or self.root)[2]:
            if isinstance(one, list):
                if one[0] == tag and attributes.items() <= one[1].items():
                    yield one
                yield from self.find(tag, one, **attributes)

    @property
    def data(self):
        (script,) = self.find("script", type="application/json")
        return json.loads(text(script))

    def totals(self, number=0):
        (section,) = self.find("section", id=f"view{number}")
        return {text(next(self.find("dt", one))): text(next(self.find("dd", one))) for one in self.find("div", section)
                if any(self.find("dt", one))}  # fmt: skip

    def tables(self):
        for table in self.find("table"):
            rows = [row for row in self.find("tr", table) if "data-site" in row[1]]
            yield [[cell[1].get("data-value", text(cell)) for cell in self.find("td", row)] for row in rows]


def text(element):
    return "".join(one if isinstance(one, str) else text(one) for one in element[2])


def run(page, tmp_path):
    """Return the data drawn by the page's script."""
    (tmp_path / "tree.json").write_text(json.dumps(page.root))
    command = [NODE, str(Path(__file__).with_name("page_dom.js")), str(tmp_path / "tree.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def live(timeline):
    return [sum(column) for column in zip(*(one["bytes"] for one in timeline["series"]))]


@pytest.mark.parametrize("seed", range(4))
def test_the_figures_equal_the_snapshots(seed):
    wanted, history = random_snapshot(seed)
    page = Page(snapshots.render_html(wanted))
    (view,) = page.data["views"]
    requested = sum(one["requested_size"] for one in wanted["segments"])
    totals = page.totals()
    assert totals["segments"] == str(len(wanted["segments"]))
    assert totals["asked for"].endswith("MiB") and float(totals["asked for"][:-4]) == pytest.approx(
        requested / MIB, 1e-3
    )
    # The curve equals a recount of the run after each event, although the events begin in its middle.
    timeline = view["timeline"]
    assert timeline["x"] == list(range(len(history)))
    assert live(timeline) == [requested for requested, _ in history]
    assert timeline["reserved"] == [reserved for _, reserved in history]
    assert live(timeline)[-1] == requested
    assert timeline["times"][0] == 0 and timeline["times"] == sorted(timeline["times"])
    # Segments and blocks, largest first.
    assert sum(one["size"] for one in view["segments"]) == sum(one["total_size"] for one in wanted["segments"])
    by_address = {one["address"]: one for one in wanted["segments"]}
    sites = page.data["sites"]
    for drawn in view["segments"]:
        one = by_address[int(drawn["address"], 16)]
        assert [block[0] for block in drawn["blocks"]] == [block["size"] for block in one["blocks"]]
        for (_, asked, state, site), block in zip(drawn["blocks"], one["blocks"], strict=True):
            assert asked == block["requested_size"] and (state == 2) == (block["state"] == "inactive")
            assert state == 2 or sites[site].endswith(block["frames"][0]["name"])
    # The table covers the blocks in use.
    (rows,) = page.tables()
    used = [block for one in wanted["segments"] for block in one["blocks"] if block["state"] == "active_allocated"]
    by_name = {}
    for block in used:
        by_name.setdefault(f"shop/{block['frames'][0]['name']}.py", []).append(block["size"])
    assert {row[0].partition(":")[0]: (int(row[1]), int(row[3]), int(row[4])) for row in rows} == {
        name: (sum(sizes), len(sizes), max(sizes)) for name, sizes in by_name.items()
    }
    assert sum(float(row[2]) for row in rows) == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_the_figures_equal_the_traces(seed):
    trace = random_trace(seed)
    page = Page(traces.render_html(trace, "A run"))
    found = traces.summarize(trace)
    timeline = page.data["views"][0]["timeline"]
    assert max(live(timeline)) == found.peak_bytes and live(timeline)[-1] == found.end_bytes
    assert timeline["x"][live(timeline).index(found.peak_bytes)] == found.peak_event
    assert [name for _, name in timeline["marks"]] == [f"step {i}" for i in range(6)]
    assert timeline["capacity"] == 1 << 30 and timeline["reserved"] is None
    peak, end = page.tables()
    assert sum(int(row[1]) for row in peak) == found.peak_bytes
    assert sum(int(row[1]) for row in end) == found.end_bytes
    assert named(trace) and "events, sizes rounded up to 512 bytes" in text(next(page.find("p")))
    assert text(next(page.find("h1"))) == "A run"


def test_waiting_blocks_freed_addresses_and_more_devices():
    at = 1 << 30
    events = [
        {"action": "oom", "size": 9 * MIB, "device_free": 5},
        {"action": "free_completed", "addr": 5, "size": 7},  # requested before the events begin: no longer live
        {"action": "free_requested", "addr": 1 << 20, "size": 100},  # allocated before the events begin
        {"action": "free_completed", "addr": 1 << 20, "size": 100},
        {"action": "alloc", "addr": at, "size": 10, "frames": [frame()]},
        {"action": "free_requested", "addr": at, "size": 10},
        {"action": "alloc", "addr": at, "size": 30, "frames": [frame(line=2)]},
        {"action": "free_completed", "addr": at + 512, "size": 10},
        {"action": "segment_free", "addr": 1 << 20, "size": 4096},
        {"action": "snapshot"},
    ]
    one = segment(("used", 512, [frame(line=2)], 30), ("used", 512, [frame(line=3)], 400), ("wait", 512, [frame()]))
    other = segment(("free", 64), device=2)
    page = Page(snapshots.render_html(snapshot(one, other, traces=[events, [], []])))
    first, second = page.data["views"]
    assert live(first["timeline"]) == [500, 500, 400, 400, 410, 400, 430, 430, 430, 430]
    assert first["timeline"]["reserved"] == [5632] * 8 + [1536] * 2
    assert first["timeline"]["ooms"] == [[0, 9 * MIB]]
    assert [block[2] for block in first["segments"][0]["blocks"]] == [0, 0, 1]
    assert second["timeline"] is None and [text(one) for one in page.find("h2")] == ["Device 0", "Device 2"]


def test_pages_load_nothing_and_escape_markup(tmp_path):
    wanted = snapshot(segment(("used", 64, [frame(EVIL, 1, EVIL)])), name=EVIL)
    wanted["device_traces"][0] = [{"action": "alloc", "addr": 1 << 30, "size": 64, "frames": [frame(EVIL, 1, EVIL)]}]
    trace = Trace(64, None, {"a": EVIL}, [CallSite(EVIL, 1, EVIL)], [traces.Mark(EVIL), Allocate(0, 5, 0, 0)])
    for html in (snapshots.render_html(wanted, EVIL), traces.render_html(trace, EVIL)):
        page = Page(html)
        assert len(list(page.find("script"))) == 2 and not list(page.find("img"))
        assert EVIL in text(next(page.find("title"))) and EVIL in text(next(page.find("h1")))
        assert any(EVIL in name or "alert(1)" in name for name in page.data["sites"])
        assert not [one for tag in ("link", "iframe", "img") for one in page.find(tag)]
        (policy,) = page.find("meta", **{"http-equiv": "Content-Security-Policy"})
        assert policy[1]["content"].startswith("default-src 'none'")
        assert html.count("http") == html.count("http-equiv") + html.count("http://www.w3.org/2000/svg")
        assert "innerHTML" not in html and "facula:" not in html.replace(EVIL, "").replace("!--facula:data", "")
        if NODE:
            run(page, tmp_path)


@pytest.mark.skipif(NODE is None, reason="no node.js")
@pytest.mark.parametrize("seed", range(2))
def test_the_script_draws_the_data(tmp_path, seed):
    wanted, _ = random_snapshot(seed)
    page = Page(snapshots.render_html(wanted))
    found = run(page, tmp_path)
    (view,) = page.data["views"]
    assert found["paths"] == len(view["timeline"]["series"]) + 1
    drawn = [[block for block in one["blocks"] if block[2] != 2] for one in view["segments"]]
    assert [[site for _, site in one] for one in found["bars"]] == [[block[3] for block in one] for one in drawn]
    assert all(x == 0 for one in found["bars"] for x, _ in one)  # each segment begins with its block
    assert found["tips"][0].startswith("event 0, 0.000000 s\n") and "live, " in found["tips"][0]
    assert found["tips"][-1].startswith(f"event {view['timeline']['x'][-1]}, ")
    assert found["whole"] == ["event 0", f"event {view['timeline']['x'][-1]}"] and found["zoomed"] != found["whole"]
    assert found["lit"] > 1 and ("asked for" in found["block"] or "free" in found["block"])
    assert sorted(found["order"][0]) == sorted(row[0] for row in next(page.tables()))
    assert found["order"][1] == sorted(found["order"][1], key=int, reverse=True)


@pytest.mark.skipif(NODE is None, reason="no node.js")
def test_the_script_draws_traces_and_little(tmp_path):
    found = run(Page(traces.render_html(random_trace(0))), tmp_path)
    assert "step 3" in found["chartText"] and found["bars"] == []
    short = Trace(64, 100, {}, [], [Allocate(0, 90, 0, None)])
    assert run(Page(traces.render_html(short)), tmp_path)["chartText"][4] == "100 B"
    for nothing in (snapshot(), snapshot(segment(("used", 64)))):
        assert run(Page(snapshots.render_html(nothing)), tmp_path)["paths"] == 0


def test_a_long_curve_is_thinned_and_its_peaks_stay(monkeypatch):
    monkeypatch.setattr(timeline, "MAX_POINTS", 20)
    trace = random_trace(3, 4000)
    changes, live, total, totals = [], {}, 0, []
    for number, event in enumerate(trace.events):
        if isinstance(event, Allocate):
            live[event.id] = event
            changes.append(Change(number, f"holder {event.id % 40}", event.nbytes))
        elif isinstance(event, Free):
            gone = live.pop(event.id)
            changes.append(Change(number, f"holder {gone.id % 40}", -gone.nbytes))
        else:
            continue
        total += changes[-1].live
        totals.append(total)
    found = timeline_of(changes, {})
    sums = [sum(column) for column in zip(*(column for _, column in found.series))]
    assert len(found.x) <= 82 and found.x == sorted(found.x) and len(found.series) == 10
    assert found.series[-1][0] == "others" and found.peak == max(totals) == max(sums)
    where = {change.event: total for change, total in zip(changes, totals)}
    assert sums == [where[event] for event in found.x]
    assert found.x[0] == changes[0].event and found.x[-1] == changes[-1].event


def test_invalid_arguments():
    for render, good in ((snapshots.render_html, snapshot()), (traces.render_html, Trace(64, None, {}, [], []))):
        with raises(TypeError, "render_html", "expected a title that is text", value=1):
            render(good, 1)
        with raises(TypeError, "render_html", "expected a"):
            render([])
    with raises(ValueError, "render_html", "expected the key 'segments'"):
        snapshots.render_html({})
