"""The defects that `nox -s planted` plants: each row still matches a place, and changed files are restored."""

import re
from collections import Counter

import pytest

COUNT = 115
COMPILED = {".c", ".h", ".inc"}
DECLARATIONS = "src/facula_tensor/(_dispatch|_forms/_dispatch|ops)/"  # depends on how operators are declared


@pytest.fixture(scope="module")
def plant(root, load_script):
    return load_script(root / "integration_tests" / "planted" / "plant.py")


def test_no_row_is_lost(plant, packages):
    rows = plant.load()
    assert len(rows) == COUNT
    assert {row.package for row in rows} == {package.name for package in packages} | {plant.TREE}
    in_c = Counter(row.package for row in rows if row.source.suffix in COMPILED)
    assert in_c["storage"] + in_c["cpu"] >= 6 and in_c["storage"] and in_c["cpu"]
    assert sum(bool(re.match(DECLARATIONS, row.file)) for row in rows) >= 23
    assert len({(row.package, row.file, row.old, row.new) for row in rows}) == COUNT


def test_each_row_has_its_place(plant):
    """After a move: give the row the new file and text. Replace a row whose code was removed by another defect."""
    wrong = []
    for row in plant.load():
        found = row.source.read_text().count(row.old) if row.source.is_file() else 0
        if found != 1 or row.old == row.new:
            wrong.append(f"{row.package}/{row.file}: the old text is there {found} times: {row.old!r:.100}")
        path, name = re.fullmatch(r"([^:]+)::(\w+)(?:\[.*\])?", row.test).groups()
        path = row.test_folder / path
        if not path.is_file() or not re.search(rf"^def {name}\(", path.read_text(), re.MULTILINE):
            wrong.append(f"{row.package}/{row.test}: there is no such test")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, SystemExit])
def test_a_file_is_restored(plant, tmp_path, error):
    file = tmp_path / "facula_errors" / "some.py"
    file.parent.mkdir()
    file.write_text("one = 1\n")
    before = file.stat().st_mtime_ns
    row = plant.Defect("errors", "src/facula_errors/some.py", "= 1", "= 2", "tests/test_some.py::test_it", "a number")
    try:
        with plant.in_file(row, tmp_path):
            assert file.read_text() == "one = 2\n"
            if error:
                raise error
    except (KeyboardInterrupt, SystemExit):
        pass
    assert (file.read_text(), file.stat().st_mtime_ns) == ("one = 1\n", before)


@pytest.mark.parametrize("text", ["one = 2\n", "one = 1\ntwo = 1\n"])
def test_an_old_text_that_is_not_there_once_is_refused(plant, tmp_path, text):
    file = tmp_path / "some.py"
    file.write_text(text)
    row = plant.Defect("errors", "src/some.py", "= 1", "= 3", "tests/test_some.py::test_it", "a number")
    with pytest.raises(SystemExit, match="expected the old text once"), plant.in_file(row, tmp_path):
        pass
    assert file.read_text() == text


def test_the_installed_packages_are_tested(plant, tmp_path, monkeypatch):
    """Check that packages on PYTHONPATH are not tested instead."""
    (tmp_path / "test_it.py").write_text("import os\n\n\ndef test_it():\n    assert 'PYTHONPATH' not in os.environ\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    code, output = plant.run_tests(tmp_path, ["test_it.py::test_it"])
    assert code == plant.PASSED, output


def test_development_installs_are_not_changed(plant):
    with pytest.raises(SystemExit, match=r"expected facula-missing from a wheel in dist/; got .*; run nox -s planted"):
        plant.check_environment(["missing"])
    with pytest.raises(SystemExit, match="expected facula-tensor from a wheel in dist/"):
        plant.check_environment(["tensor"])
