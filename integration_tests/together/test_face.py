"""The face gives out its siblings' objects, the very same ones."""

import importlib
import pkgutil
from typing import get_type_hints

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)


def test_a_public_name_is_one_object():
    """A name that several packages give out, the face among them, is one object, not two that look alike.

    But for the ways between libraries, where storage's take and give storages, and tensor's, made with them, tensors;
    and for `cpu`, storage's device, which is a module of the face, as of PyTorch.
    """
    homes = dict.fromkeys(("from_numpy", "from_dlpack", "to_dlpack", "cpu"), facula)
    skipped = {("storage", name) for name in homes}
    different = []
    for package in ("errors", "storage", "allocator", "autograd", "cpu", "data", "tensor", ""):
        module = importlib.import_module(f"facula_{package}" if package else "facula")
        for name in module.__all__:
            if (package, name) in skipped:
                continue
            first = homes.setdefault(name, module)
            if getattr(first, name) is not getattr(module, name):
                different.append(f"{first.__name__}.{name} is not {module.__name__}.{name}")
    assert not different, different


def public_classes():
    """Each public class of the face and of its modules, once, by its name there."""
    found = {}
    names = [part.name for part in pkgutil.walk_packages(facula.__path__, "facula.")]
    for place in [*names, *importlib.import_module("facula._lookup.places").sections()]:
        if any(word in place for word in ("__main__", "_stand_in", "as_torch", "examples")):
            continue
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name, None)
            if isinstance(value, type) and value.__module__.startswith("facula"):
                found.setdefault(value, f"{place}.{name}")
    return found


def test_annotations_of_public_classes_are_there_at_run_time():
    """`typing.get_type_hints` resolves the names in them, as libraries ask of modules that they are given."""
    unresolved, classes = {}, public_classes()
    assert len(classes) > 500
    for value, name in classes.items():
        try:
            get_type_hints(value)
        except NameError as error:
            unresolved[name] = str(error)
    assert not unresolved
    assert {"training", "_hooks"} <= get_type_hints(facula.nn.Module).keys()
