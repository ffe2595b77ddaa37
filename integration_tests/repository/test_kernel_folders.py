"""The folders of the kernels' C sources, and the folders that each may include."""

import re

import pytest
from conftest import ROOT

CSRC = ROOT / "packages/cpu/csrc"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
PUBLIC = "facula_run.h"  # in the package's include folder


def included():
    """Return the folders of csrc, each with the folders that its files include."""
    found = {}
    for path in CSRC.rglob("*.*"):
        names = [name for name in INCLUDE.findall(path.read_text()) if name != PUBLIC]
        here = path.relative_to(CSRC).parts[0]
        found.setdefault(here, set()).update(name.partition("/")[0] for name in names if (CSRC / name).exists())
        missing = [name for name in names if not (CSRC / name).exists() and not (path.parent / name).exists()]
        assert not missing, f"{path}: includes {missing}, which are not there"
    return found


def in_order(graph):
    """Sort folders after those that they include; a cycle raises ValueError, which names the remaining folders."""
    done, left = [], {one: others - {one} for one, others in graph.items()}
    while left:
        ready = sorted(one for one, others in left.items() if others <= set(done))
        if not ready:
            raise ValueError(f"folders include one another: {sorted(left)}")
        done += ready
        left = {one: others for one, others in left.items() if one not in ready}
    return done


def test_folders_include_one_another_in_one_direction():
    order = in_order(included())
    assert order[0] == "elements"


def test_a_circle_is_found():
    with pytest.raises(ValueError, match=r"\['a', 'b'\]"):
        in_order({"a": {"b"}, "b": {"a"}, "c": set()})


def test_elements_stand_alone():
    """Check that other compilers can include them: no loops, no vectors, no threads."""
    assert included()["elements"] == {"elements"}
