"""The pages that scripts write for the site are correct, and the check of the built site finds faults."""

import inspect
import json
import re
import sys
import zlib
from collections import Counter
from importlib import import_module

import pytest

pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)


@pytest.fixture(scope="module")
def site(root):
    """Return a function that imports a module of docs/_site."""
    sys.path.insert(0, str(root / "docs" / "_site"))
    yield import_module
    sys.path.remove(str(root / "docs" / "_site"))


@pytest.fixture(scope="module")
def names(site):
    return site("pytorch_names")


KNOWN = {
    "torch.relu": "present",
    "torch.nn.Linear": "present",
    "torch.Tensor.add_": "present",
    "torch.fft.rfft": "present",
    "torch.load": "different",
    "torch.utils.data.DataLoader": "different",
    "torch.nn.functional.gelu": "different",
    "torch.sparse_coo_tensor": "refused",
    "torch.optim.SparseAdam": "refused",
    "torch.nn.LinearCrossEntropyLoss": "absent",
    "torch.matrix_rank": "absent",
}


@pytest.mark.parametrize("whole", KNOWN)
def test_the_status_of_a_name_is_true(names, whole):
    place, _, name = whole.rpartition(".")
    assert names.status(place, name)[0] == KNOWN.get(whole)


def test_absent_names_are_errors_and_refused_names_raise(names):
    """Check every listed name with a plain attribute access and a call."""
    counts = Counter()
    for place in names.places():
        for name in names.names_of(place):
            kind, note = names.status(place, name)
            counts[kind] += 1
            owner = names.owner_of(place)
            if kind == "absent":
                assert owner is None or not hasattr(owner, name)
            elif kind == "refused":
                with pytest.raises(NotImplementedError):
                    getattr(owner, name)()
                assert note
            else:
                assert hasattr(owner, name)
    assert sum(counts.values()) > 3500 and counts["present"] > 2500 and min(counts.values()) > 40


def test_each_module_is_on_one_page(names):
    pages = [names.page_of(place) for place in names.places()]
    assert len(set(pages)) <= 15 and {"torch.nn.functional", "mathematics", "others"} <= set(pages)
    assert names.page_of("torch.nn.utils.rnn") == "torch.nn" and names.page_of("torch.hub") == "others"


def test_differences_name_what_pytorch_has(names):
    """Check that topics of the table of differences are found, and lead to names that exist."""
    text = names.TUTORIAL.read_text()
    assert [start for start in names.TOPICS if f"\n| {start}" not in text] == []
    for whole in names.differences():
        place, _, name = whole.rpartition(".")
        assert name in names.names_of(place), whole


def test_all_names_of_an_object_lead_to_its_description(site):
    aliases = site("reference").aliases()
    assert aliases["facula_nn.Linear"] == aliases["facula.nn.modules.linear.Linear"] == "facula.nn.Linear"
    assert aliases["facula_data.Dataset"] == "facula.utils.data.Dataset"
    assert len(aliases) > 2000 and not set(aliases) & set(aliases.values())


def test_docstrings_keep_their_characters(site):
    reference = site("reference")
    lines = [":param \\*args: a |b|, `c*d` or file:line", "", ">>> f(2)", "y = 2 * x", "", "3 * 4"]
    expected = [":param \\*args: a \\|b\\|, `c*d` or file\\:line", "", ">>> f(2)", "y = 2 * x", "", "3 \\* 4"]
    assert reference.docstring_as_rest(lines) == expected


def test_tables_of_names_keep_their_characters(names):
    assert names.as_cell("use `f(*args)` | `a_b`, or c*d_e") == "use `f(*args)` \\| `a_b`, or c\\*d\\_e"
    assert names.plain("torch.__config__") == "torch.\\_\\_config\\_\\_"


def test_each_public_name_has_a_text(site):
    """Check docstrings, and the comments at the assignments of constants."""
    reference, values, without = site("reference"), site("values"), []
    for module, whole, value, home in reference.entries():
        if whole == home:
            name = whole.removeprefix(f"{module.__name__}.")
            is_data = reference.is_data(value)
            if not (values.text_of(module.__name__, name, value) if is_data else (inspect.getdoc(value) or "").strip()):
                without.append(whole)
    assert not without


def test_texts_of_constants_are_those_at_their_assignments(site):
    text_of, facula = site("values").text_of, sys.modules["facula"]
    assert text_of("facula", "float16", facula.float16) == "Floating-point numbers, 2 bytes each."
    assert text_of("facula.hub", "HASH_REGEX", facula.hub.HASH_REGEX).startswith("Matches the first digits")
    assert text_of("facula.version", "hip", None) == "None: there is no backend for AMD devices."
    assert text_of("facula", "strided", facula.strided).startswith("An address for each element")


def test_each_example_has_a_page(root, site, tmp_path, monkeypatch):
    programs = site("programs")
    page_of = programs.page_of(root / "examples" / "gpt.py")
    assert page_of == root / "docs" / "examples" / "gpt.md" and not programs.page_of(root / "examples/serve/serve.c")
    monkeypatch.setattr(programs, "PLACE", tmp_path)
    programs.write()
    names = {path.stem for path in (root / "examples").glob("*.py")}
    assert {path.stem for path in tmp_path.iterdir()} == {*names, "README"}
    assert "# gpt.py: write nonsense verse" in (tmp_path / "gpt.md").read_text()


def test_release_notes_have_changelogs_and_news(root, site):
    text = site("releases").page()
    for folder in (root / "packages").iterdir():
        news = [path.read_text().splitlines()[0] for path in folder.glob("changes/*.md")]
        assert f"\n## {folder.name}\n" in text and all(f"* {line}" in text for line in news)


def test_charts_show_each_figure(site):
    charts = site("charts")
    row = {"group": "G", "name": "a < b", "reference": "PyTorch", "ours": 1500.0, "theirs": 3000.0, "ratio": 0.5}
    chart = charts.chart([list(row.values())])
    assert "a &lt; b: facula 1.5 ms, PyTorch 3 ms" in chart and 'width="165"' in chart and 'class="fast"' in chart
    assert "<polygon" not in chart
    cut = charts.chart([["G", "a", "PyTorch", 9.0, 3.0, 3.0]])
    assert 'width="355"' in cut and '<polygon class="slow" points="685,' in cut and ">3.00</text>" in cut
    long = charts.chart([["G", "a, " * 30 + "end", "PyTorch", 1.0, 1.0, 1.0]])
    assert long.count("a,") == 60 and long.count("<text") == 4 and "…" not in long
    saved = json.loads(charts.FILE.read_text())
    assert all(run.keys() >= set(charts.KEPT) for run in saved["runs"]) and len(saved["rows"]) > 40


def test_new_figures_replace_old_ones_and_others_stay(site, tmp_path, monkeypatch):
    charts = site("charts")
    monkeypatch.setattr(charts, "FILE", tmp_path / "results.json")
    where = dict.fromkeys(charts.KEPT, "x") | {"packages": {"torch": "2"}}

    def measured(date, **times):
        rows = [dict(group="G", name=name, reference="PyTorch", ours=time, theirs=2.0, ratio=time / 2)
                for name, time in times.items()]  # fmt: skip
        (tmp_path / "bench.json").write_text(json.dumps({"circumstances": {**where, "date": date}, "rows": rows}))
        return [tmp_path / "bench.json"]

    charts.FILE.write_text(json.dumps(charts.condense(measured("old", a=1.0, b=1.0, autocast=1.0))))
    found = charts.condense(measured("new", a=3.0, autocast=3.0), without="autocast")
    assert [run["date"] for run in found["runs"]] == ["new", "old"]
    assert [(run, name, ours) for run, _, name, _, ours, *_ in found["rows"]] == [
        (0, "a", 3.0), (1, "b", 1.0), (1, "autocast", 1.0)
    ]  # fmt: skip


def test_pages_show_the_figures_of_the_results(root, site):
    """Check that the README and the page about limits agree with the page of benchmarks."""
    figures = site("figures")
    for name, text in figures.renewed().items():
        assert (root / name).read_text() == text, f"{name}: run `python docs/_site/figures.py`"
    slow = [
        row[2]
        for row in json.loads(figures.FILE.read_text())["rows"]
        if row[-1] > 1 and row[3].startswith(("PyTorch", "facula"))
    ]
    listed = re.findall(r"^\* (.*): [\d.]+ \(", figures.slower(), re.MULTILINE)
    assert sorted(listed) == sorted(slow) and sum("autocast" in name for name in listed) > 1


def test_the_page_about_limits_counts_pytorchs_names(root, names):
    total = sum((names.section(place)[1] for place in names.places()), Counter())
    assert names.summary(total) in (root / "docs/explanation/honesty.md").read_text()


def test_diagrams_put_packages_below_those_that_import_them(site):
    labels, edges = site("diagrams").parse("graph TD\n a[A: first] --> b\n a --> c\n b[B] --> c\n c -. x .-> b\n")
    assert labels == {"a": "A: first", "b": "B", "c": "c"} and edges[-1] == ("c", "b", True)
    assert site("diagrams").rows_of(labels, edges)[0] == [["a"], ["b"], ["c"]]


def test_the_check_finds_faults(site, tmp_path):
    check = site("check")
    (tmp_path / "reference").mkdir()
    (tmp_path / "s.css").write_text("a { background: url('big.png') }")
    (tmp_path / "big.png").write_bytes(b"0" * 500_000)
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="s.css"><script src="https://cdn.example/x.js"></script><p id="here">'
        '<a href="#here">fine</a><a href="#gone">no</a><a href="none.html">no</a><a href="https://facula.dev">out</a>'
        '<a href="https://github.com/facula/facula/blob/main/README.md#the-packages">fine, but not here</a>'
        '<a href="https://github.com/facula/facula/blob/main/README.md#none">no</a>'
    )
    lines = b"facula.relu py:function 1 r.html#$ -\n"
    (tmp_path / "objects.inv").write_bytes(b"#1\n#2\n#3\n#4\n" + zlib.compress(lines))
    found = check.problems(tmp_path, {"facula.relu", "facula.nn.Linear"})
    kinds = ["no anchor for #gone", "no file for none.html", "loads https://cdn", "with its files", "lacks facula.nn"]
    kinds += ["repository: https://github.com/facula/facula/blob/main/README.md#none", "leads to https://github"]
    assert all(any(kind in line for line in found) for kind in kinds)
    assert not any("#here" in line or "facula.dev" in line or "lacks facula.relu" in line for line in found)


def test_the_gallery_has_a_small_picture_of_each_example(root):
    page = (root / "docs" / "gallery.md").read_text()
    for program in (root / "examples").glob("*.py"):
        assert f"](../examples/{program.name})" in page
    pictures = list((root / "docs" / "pictures").iterdir())
    assert all(path.stat().st_size <= 40_000 and f"pictures/{path.name}" in page for path in pictures)
