"""The face gives out its siblings' objects, the very same ones."""

import importlib

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
