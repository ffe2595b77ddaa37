"""The facula package re-exports its siblings' objects."""

import importlib
import pkgutil
from typing import get_type_hints

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)


def test_a_public_name_is_one_object():
    """Check that a name that several packages export, including facula, is one object.

    Exceptions are the functions that exchange data between libraries, which take and return storages in
    facula_storage and tensors in facula_tensor, and `cpu`, a device in facula_storage and a module in facula, as in
    PyTorch.
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
    """Return each public class of facula and its modules, once, by its name there."""
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
    """Check that `typing.get_type_hints` resolves names in them, since libraries call it on modules."""
    unresolved, classes = {}, public_classes()
    assert len(classes) > 500
    for value, name in classes.items():
        try:
            get_type_hints(value)
        except NameError as error:
            unresolved[name] = str(error)
    assert not unresolved
    assert {"training", "_hooks"} <= get_type_hints(facula.nn.Module).keys()
