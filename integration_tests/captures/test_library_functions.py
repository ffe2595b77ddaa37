"""Every public library function that returns plain values is in a table: compared, constant, or a break."""

import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import pytest

import facula
from facula_errors.testing import raises
from facula_jit._guards import library_functions as library

PLAIN = re.compile(
    r"^(bool|int|float|str|(dict|list|set|tuple)\[(?!.*(Tensor|Parameter|Any|Process|Subset|Dim|_)).*)( \| None)?$"
)
LEFT_OUT = ("facula.__main__", "facula.run", "facula.examples")


def modules():
    """Return the library's public modules."""
    found = [facula]
    for one in pkgutil.walk_packages(facula.__path__, "facula."):
        if not any(part.startswith("_") for part in one.name.split(".")) and not one.name.startswith(LEFT_OUT):
            try:
                found.append(importlib.import_module(one.name))
            except ImportError:  # belongs to a package that is not installed
                continue
    return found


def functions():
    """Return public functions by name whose annotation says that they return plain values."""
    found = {}
    for module in modules():
        for name, one in vars(module).items():
            own = getattr(one, "__module__", None) or ""
            if name.startswith("_") or isinstance(one, (type, ModuleType)) or not callable(one) or "facula" not in own:
                continue
            try:
                returned = inspect.signature(one).return_annotation
            except (TypeError, ValueError):
                continue
            if PLAIN.match(getattr(returned, "__name__", None) or str(returned)):
                found[name] = f"{module.__name__}.{name}"
    return found


def test_every_function_of_plain_values_is_in_a_table():
    tables = library.COMPARED | library.CONSTANT | library.BREAKS | library.COMPARED_WITH.keys()
    found = functions()
    assert len(found) > 100
    missing = {name: where for name, where in found.items() if name not in tables}
    assert not missing


def test_the_tables_do_not_overlap():
    tables = [library.COMPARED, library.CONSTANT, library.BREAKS, frozenset(library.COMPARED_WITH)]
    assert sum(map(len, tables)) == len(frozenset().union(*tables))


@pytest.mark.parametrize("read", ["facula.cpu.memory_allocated()", "facula.cuda.memory_stats()"])
def test_what_the_library_counts_breaks(read):
    space = {"facula": facula}
    exec(f"def f(x):\n    {read}\n    return x * 2", space)
    with raises(facula.jit.CaptureError, "capture", "memory_ ... ()"):
        facula.capture(space["f"], on_break="error")(facula.ones(2))
