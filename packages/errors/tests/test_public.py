"""Names that a module imports on their first use."""

import sys
from types import ModuleType

import pytest

from facula_errors.extend import imported_later, publish


@pytest.fixture
def library(monkeypatch):
    """Two modules: `facula_later` imports a class and a function of `facula_later._home` on first use."""
    module, home = ModuleType("facula_later"), ModuleType("facula_later._home")
    module.__package__ = "facula_later"
    exec("class Point: pass\ndef norm(): pass", vars(home))
    for one in (module, home):
        monkeypatch.setitem(sys.modules, one.__name__, one)
    module.__all__ = ["Point", "norm"]
    module.__getattr__ = imported_later("facula_later", {"._home": ("Point", "norm")})
    return module, home


def test_a_name_is_imported_once(library):
    module, home = library
    assert "Point" not in vars(module)
    assert module.Point is home.Point
    assert vars(module)["Point"] is home.Point
    with pytest.raises(AttributeError, match="module 'facula_later' has no attribute 'points'"):
        _ = module.points


def test_names_of_a_published_module_are_published_with_it(library):
    module, _ = library
    assert module.norm.__module__ == "facula_later._home", "the module is not published"
    del module.norm
    publish("facula_later")
    assert module.norm.__module__ == "facula_later"
    assert module.Point.__module__ == "facula_later._home", "classes keep theirs"


def test_names_of_subjects_are_found_in_their_lists(library, monkeypatch):
    module, home = library
    monkeypatch.setitem(sys.modules, "facula_later._broken", None)  # importing it raises an error
    home.__all__ = ["norm"]
    module.__getattr__ = imported_later("facula_later", {"._home": None})
    assert module.norm is home.norm
    assert not hasattr(module, "Point"), "its subject does not list it"
    module.__getattr__ = imported_later("facula_later", {"._broken": None, "._home": None})
    assert module._home is home, "the subject itself is imported alone"
    assert not hasattr(module, "__wrapped__")
    with pytest.raises(ImportError):
        _ = module.Point
