"""Pages show the figures of the trace, load no resources, contain no markup from traces, and have a bounded size."""

import json
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from built_traces import US, Builder, many_events
from test_memory_timelines import training_step
from trace_testing import event_array

from facula_errors.testing import raises
from facula_profiler import MEMORY, Kind, Lane, Summary, Trace, export_html, export_memory_timeline
from facula_profiler._pages import flames
from facula_profiler._pages.timeline import bars_of
from facula_profiler._summary.columns import Columns

PEAKS = (100e9, 10e9)
VOID = {"meta", "input"}
EVIL = "</script><script>alert(1)</script><!--facula:data-->/*facula:script*/<img src=x onerror=alert(2)>\"'&amp;\ud800"


class Page(HTMLParser):
    """The elements of a page: `found` contains (tag, attributes, text)."""

    def __init__(self, text):
        super().__init__()
        self.text, self.open, self.found = text, [], []
        self.feed(text)
        assert not self.open, "elements that are not closed"

    def handle_starttag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])
        if tag not in VOID:
            self.open.append(self.found[-1])

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for one in self.open:
            one[2] += data

    def all(self, tag):
        return [(attributes, text) for name, attributes, text in self.found if name == tag]

    @property
    def data(self):
        return json.loads(next(text for attributes, text in self.all("script") if attributes.get("type")))


def page_of(trace, tmp_path, **options):
    export_html(trace, tmp_path / "page.html", peaks=PEAKS, **options)
    return Page((tmp_path / "page.html").read_text(encoding="utf-8"))


def program():
    """Return a trace with modules, a backward rule, stacks and a device."""
    built = training_step()
    stack = (("nn.py", 3, "forward", True), ("net.py", 8, "Net.forward"), ("run.py", 9, "<module>"))
    launch = built.add(Kind.LAUNCH, 30, 130, "linear", stack=stack, shapes=((8, 4), (2, 4)), flops=128, nbytes=96)
    built.rows[2]["link"] = launch  # the rule of the forward operator
    inner = built.add(Kind.LAUNCH, 420, 560, "matmul")
    built.add(Kind.KERNEL, 430, 590, "gemm", ("device", "stream 0"), link=inner)
    return built.trace()


def test_the_page_shows_the_figures_of_the_trace(tmp_path):
    trace = program()
    page = page_of(trace, tmp_path)
    lines = page.data["timeline"]
    events = trace.events[bars_of(Columns(trace)).events]
    assert lines["start"] == events["start"].tolist()
    assert lines["length"] == (events["end"] - events["start"]).tolist()
    assert [lines["names"][name] for name in lines["name"]] == [trace.names[name] for name in events["name"]]
    links = [(lines["names"][lines["name"][cause]], lines["names"][lines["name"][i]])
             for i, cause in enumerate(lines["link"]) if cause >= 0]  # fmt: skip
    assert sorted(links) == [("linear", "linear"), ("matmul", "gemm")]
    assert lines["lanes"] == [["python", "main"], ["device", "stream 0"]]
    assert lines["signatures"] == ["float32[8, 4] float32[2, 4]"]
    assert lines["stacks"] == [["net.py(8): Net.forward", "run.py(9): <module>"]]  # without the library's frame
    cells = [text for _, text in page.all("td")]
    assert "linear" in cells and "128" in [text.strip() for text in cells] and "Net.fc" in cells
    assert [text for _, text in page.all("h2")] == ["Timeline", "Flame graph", "Operators", "Memory"]
    assert any("Bottleneck: " in text for _, text in page.all("p"))
    heads = [text for _, text in page.all("th")]
    columns = heads.index("operator", 1)  # of the first table, whose longest operator is first
    assert [cells[place : place + 5] for place in (0, columns)] == [
        ["matmul", "1", "140 ns", "140 ns", "160 ns"], ["linear", "1", "100 ns", "100 ns", "0 ns"],
    ]  # fmt: skip
    curve = page.data["memory"][0]
    assert dict(zip(curve["names"], map(max, curve["bytes"]), strict=True)) == {
        "parameter": 512, "optimizer state": 256, "input": 8, "temporary": 128, "activation": 16, "gradient": 64,
        "unknown": 1024,
    }  # fmt: skip


def test_pages_load_no_resources_and_contain_no_markup_from_traces(tmp_path):
    built = Builder()
    stack = ((EVIL, 3, EVIL), ("run.py", 9, EVIL))
    built.add(Kind.MODULE, 0, 900 * US, EVIL + "module")
    built.add(Kind.LAUNCH, 10, 800 * US, EVIL, ("python", EVIL), stack=stack, shapes=((8,),), flops=10)
    built.allocate(5, 1, 8, 0)
    trace = built.trace(metadata={EVIL: EVIL})
    page = page_of(trace, tmp_path, title=EVIL)
    assert len(page.all("script")) == 2 and not page.all("img")
    for tag, attributes, _ in page.found:
        assert not {"src", "href", "onerror", "onclick"} & attributes.keys(), tag
    assert page.data["timeline"]["names"] == [EVIL + "module", EVIL]
    assert "://" not in page.text.replace("http://www.w3.org/2000/svg", "")
    export_memory_timeline(trace, tmp_path / "memory.html")
    assert len(Page((tmp_path / "memory.html").read_text()).all("script")) == 2


@pytest.mark.parametrize("steps", [False, True])
def test_bars_are_bounded_and_keep_long_events(steps):
    trace = many_events(60_000)
    if steps:  # the last 300 events form a separate step
        trace.events["kind"][-301], trace.events["end"][-301] = Kind.STEP, trace.events["end"][-1]
        trace.events["parent"][-301:] = -1
    columns = Columns(trace)
    bars = bars_of(columns, 2_000)
    assert 1_000 < len(bars.events) <= 2_000 and bars.counts.sum() == len(trace)
    assert bars.resolution and bars.merged == bars.counts[bars.counts > 1].sum()
    alone = set(bars.events[bars.counts == 1].tolist())
    assert set(np.flatnonzero(columns.lengths >= bars.resolution).tolist()) <= alone
    assert set(range(len(trace) - 250, len(trace))) <= alone  # the end has all of its bars
    key = list(zip(trace.events["lane"][bars.events].tolist(), bars.depths.tolist(), bars.starts.tolist(), strict=True))
    assert key == sorted(key)
    assert (bars.starts <= trace.events["start"][bars.events]).all() and (
        bars.ends >= trace.events["end"][bars.events]
    ).all()
    few = bars_of(Columns(many_events(100)))
    assert few.resolution == 0 and len(few.events) == 100


def test_pages_of_large_traces_are_bounded_and_say_so(tmp_path):
    page = page_of(many_events(200_000), tmp_path)
    assert len(page.data["timeline"]["start"]) <= 50_000 and len(page.text) < 8 << 20
    assert any("merged with their neighbours" in text for _, text in page.all("p"))


def test_flames():
    columns = Columns(program())
    by_module = flames.by_module(columns)
    paths = {}
    for node in range(len(by_module.names)):
        above = paths.get(by_module.parents[node], ())
        paths[node] = (*above, by_module.names[node])
    totals = {path: by_module.total[node] for node, path in paths.items()}
    assert totals[("all",)] == 480 == sum(by_module.own)  # the module, the rule, the optimizer
    assert totals[("all", "Net.fc", "linear (backward)", "matmul")] == 140
    assert totals[("all", "Net.fc", "linear")] == 100 and totals[("all", "Adam.step")] == 100
    by_line = flames.by_line(columns)
    assert by_line.names == ["all", "<module> run.py:9", "Net.forward net.py:8", "linear"]
    assert by_line.total == [100, 100, 100, 100] and by_line.own == [0, 0, 0, 100]


def test_flames_with_many_nodes_keep_the_largest():
    built = Builder()
    for place in range(4_000):
        built.add(Kind.LAUNCH, place * 10, place * 10 + 1 + place % 9, f"operator {place}")
    found = flames.by_module(Columns(built.trace()))
    assert len(found.names) == 3_000 and found.dropped == 1_001
    assert found.total[0] == sum(1 + place % 9 for place in range(4_000)) and min(found.total) > 2


def test_flames_of_circular_links_end():
    events = event_array((Kind.BACKWARD, 0, 9, {"link": 2}), (Kind.LAUNCH, 1, 8, {"parent": 0}),
                         (Kind.LAUNCH, 2, 4, {"parent": 1}))  # fmt: skip
    found = flames.by_module(Columns(Trace(events, np.zeros(0, MEMORY), ["x"], [Lane("python", "main")])))
    assert found.names == ["all"] and found.total == [9]


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_the_script_is_valid(tmp_path):
    page = page_of(program(), tmp_path)
    (tmp_path / "page.js").write_text(page.all("script")[1][1])
    done = subprocess.run(["node", "--check", tmp_path / "page.js"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_empty_traces_and_wrong_arguments(tmp_path):
    empty = Builder().trace()
    assert page_of(empty, tmp_path).data["timeline"]["start"] == []
    with raises(TypeError, "export_html", "a title", value="3"):
        export_html(empty, tmp_path / "page.html", title=3)
    for operation, arguments in ((Summary, [3]), (export_html, [3, "x"]), (export_memory_timeline, [3, "x"])):
        with raises(TypeError, operation.__name__, "expected trace to be a Trace", "a profile has one", value="3"):
            operation(*arguments)
    with raises(IsADirectoryError, "export_html"):
        export_html(empty, tmp_path, peaks=PEAKS)
