"""The table of names: each row has its declared kind, and each working name has a use here."""

import importlib.util
import inspect
import pickle
import subprocess
import sys
import typing
from importlib import import_module

import pytest
from place_uses import USES, X

import facula
from facula._lookup import places as _places
from facula._lookup.refusals import Refused
from facula_errors.testing import raises

ROWS = [row for place in _places.sections() for row in _places.rows_of(place).values()]
PLAIN = [row for row in ROWS if "*" not in row.name]


def ident(row):
    return f"{row.place}.{row.name}"


def rows(kind):
    return pytest.mark.parametrize("row", [row for row in PLAIN if row.kind == kind], ids=ident)


def is_public_elsewhere(row):
    """Return whether a row is an alias of an object that its home lists as public, and tests."""
    return row.path in getattr(import_module(row.rest), "__all__", ())


def test_every_working_name_has_a_use():
    works = [row for row in PLAIN if row.kind == "works"]
    used = {ident(row).removeprefix("facula.") for row in works if not is_public_elsewhere(row)}
    assert used <= USES.keys() <= {ident(row).removeprefix("facula.") for row in works}


@rows("works")
def test_each_working_name_does_its_job(row):
    module = import_module(row.place)
    value = getattr(module, row.name)
    assert value is row.value() and vars(module)[row.name] is value
    refused = isinstance(value, Refused) or " is not implemented: " in (getattr(value, "__doc__", "") or "")
    assert not refused or is_public_elsewhere(row)
    use = USES.get(ident(row).removeprefix("facula."))
    assert use(value) if use else is_public_elsewhere(row)


@rows("type")
def test_types_serve_annotations_and_isinstance(row):
    kind = getattr(import_module(row.place), row.name)
    assert isinstance(kind, type) and not isinstance(X, kind) and not isinstance(kind, Refused)
    assert typing.get_args(kind | None) == (kind, type(None)) and typing.get_args(kind[int]) == (int,)
    for made in (kind, type("Own", (kind,), {"__init__": lambda self, width: None})):
        with raises(NotImplementedError, f"...{row.name}", "PyTorch has it, facula not yet;") as caught:
            made(3)
        assert len(inspect.getinnerframes(caught.value.__traceback__)) == 1
    assert (kind.__module__, kind.__name__) == (row.place, row.name) and pickle.loads(pickle.dumps(kind)) is kind


@rows("refused")
def test_refused_names_raise_when_used(row):
    one = getattr(import_module(row.place), row.name)
    whole = f"{row.place}.{row.name}".removeprefix("facula.")
    with raises(NotImplementedError, whole, "PyTorch has it, facula not yet;") as caught:
        one(1, of="anything")
    assert len(inspect.getinnerframes(caught.value.__traceback__)) == 1
    with raises(AttributeError, whole, "PyTorch has it"):
        one.something
    with raises(NotImplementedError, whole, "PyTorch has it"):
        one.something = 1
    assert callable(one) and pickle.loads(pickle.dumps(one)) is one and row.name in repr(one)


def test_rows_are_well_formed():
    text = open(_places.FILE, encoding="utf-8").read()
    titles = [line.partition("]")[0] for line in text.splitlines() if line.startswith("[")]
    assert titles == sorted(set(titles), key=lambda one: one.split("."))
    for row in ROWS:
        assert row.kind in _places.KINDS and bool(row.rest) == (row.kind != "parts") and not row.rest.endswith("."), row
        assert row.kind == "works" or row.path == row.name, row


@pytest.mark.parametrize("name", ["_foreach_add", "_foreach_zero_"])
def test_names_from_wildcard_rows(name):
    assert getattr(facula, name) is vars(facula)[name] and not hasattr(facula, "_foreach_nothing")


def test_modules_made_of_rows():
    import facula.utils.data._utils.collate as collate
    from facula.jit.annotations import List
    from facula.utils.data import _utils

    assert List is typing.List and _utils.collate is collate and collate.__all__ == sorted(collate.__all__)  # noqa: UP006
    assert "default_convert" in dir(collate) and "stft" in dir(facula) and "SymInt" not in dir(facula)
    assert importlib.util.find_spec("facula.jit.annotations") is not None
    code = "import facula; assert facula.jit.annotations.List and not hasattr(facula, 'annotations')"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "PyTorch's torch.jit.annotations" in import_module("facula.jit.annotations").__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        collate.nothing
    with pytest.raises(ModuleNotFoundError):
        import_module("facula.jit.annotations.nothing")
    facula._inductor.config.coordinate_descent_tuning = True
    facula._inductor.config.triton.unique_kernel_names = True


def test_rows_do_not_repeat_names_of_a_file():
    """Check that the table omits names that a module defines: `jit.ScriptModule` is in jit.py."""
    for row in PLAIN:
        path = getattr(import_module(row.place), "__file__", None)
        if path and path.endswith(".py") and "make_of_rows(" not in open(path).read():
            if row.place == "facula" and row.name in facula._LAZILY[""].split():  # rows that it lists
                continue
            assert row.name not in getattr(import_module(row.place), "__all__", ()), row


def test_programs_without_table_names_do_not_read_the_table():
    code = """
import sys, facula
facula.nn.Linear(2, 2)(facula.ones(2)).sum().backward()
late = {"facula._lookup.places", "facula._functions.rare", "facula._functions.checks", "facula_tensor.foreach",
        "facula_tensor.windowed"}
assert not late & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_futures_have_parameters():
    assert typing.get_args(facula.futures.Future[int]) == (int,)


@pytest.mark.parametrize("name", ["FSDPModule", "MixedPrecisionPolicy", "fully_shard"])
def test_fully_shard_has_both_places(name):
    import facula.distributed._composable.fsdp as former
    import facula.distributed.fsdp as now

    assert getattr(former, name) is getattr(now, name)
