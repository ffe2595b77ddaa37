"""Every public library function that returns plain values or nothing is in a table: compared, constant, or a break."""

import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import pytest

import facula
import facula_cuda
from facula_errors.testing import raises
from facula_jit._guards import library_functions as library

PLAIN = re.compile(
    r"^(None|Iterator\[None\]|bool|int|float|str|"
    r"(dict|list|set|tuple)\[(?!.*(Tensor|Parameter|Any|Process|Subset|Dim|_)).*)( \| None)?$"
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
    """Return public functions by name whose annotation says that they return plain values or nothing."""
    found = {}
    for module in modules():
        for name in getattr(module, "__all__", list(vars(module))):  # without those that it only imports
            one = getattr(module, name)
            own = getattr(one, "__module__", None) or ""
            if name.startswith("_") or isinstance(one, (type, ModuleType)) or not callable(one) or "facula" not in own:
                continue
            try:
                returned = inspect.signature(one).return_annotation
            except (TypeError, ValueError):
                continue
            if PLAIN.match(getattr(returned, "__name__", None) or str(returned)):
                found[f"{module.__name__}.{name}"] = {name, f"{module.__name__.rpartition('.')[2]}.{name}"}
    return found


def test_every_function_of_plain_values_is_in_a_table():
    tables = library.COMPARED | library.CONSTANT | library.BREAKS | library.COMPARED_WITH.keys()
    found = functions()
    assert len(found) > 100
    assert [name for name, names in found.items() if tables.isdisjoint(names)] == []


def test_the_tables_do_not_overlap():
    tables = [library.COMPARED, library.CONSTANT, library.BREAKS, frozenset(library.COMPARED_WITH)]
    assert sum(map(len, tables)) == len(frozenset().union(*tables))


def function_of(read):
    """Return a function whose result is its argument times the value that a program text reads."""
    space = {"facula": facula}
    exec(f"def f(x):\n    return x * ({read})", space)
    return space["f"]


# Answers of two devices. They belong to the library, so that captures do not observe how they are found.
TWO_DEVICES = """
current = [0]
is_available = lambda: True
current_device = lambda: current[0]
get_device_name = lambda device=None: ("first", "fourth")[current[0] if device is None else device]
get_device_capability = lambda device=None: ((7, 5), (8, 0))[current[0] if device is None else device]
set_device = lambda device: current.__setitem__(0, device)
"""


@pytest.fixture
def two_devices(monkeypatch):
    """Let `facula.cuda` show two devices, whether or not there are any; return a function that selects one."""
    answers = {"__name__": "facula_cuda"}
    exec(TWO_DEVICES, answers)
    for name in answers.keys() & vars(facula_cuda).keys() - {"__name__", "__builtins__"}:
        monkeypatch.setattr(facula_cuda, name, answers[name])
    return answers["set_device"]


OF_THE_CURRENT_DEVICE = [
    "facula.cuda.current_device()", "facula.accelerator.current_device_index()",
    "facula.accelerator.current_device_idx()", "len(facula.cuda.get_device_name())",
    "facula.cuda.get_device_capability()[0]", "facula.cuda.is_tf32_supported()",
    "facula.cuda.is_bf16_supported(including_emulation=False)", "getattr(facula.cuda, 'current_' + 'device')()",
]  # fmt: skip


@pytest.mark.parametrize("read", OF_THE_CURRENT_DEVICE)
def test_a_replay_notices_that_another_device_is_current(read, two_devices):
    function = function_of(read)
    captured = facula.capture(function, on_break="error", check=0)
    seen = set()
    for index in (0, 0, 0, 1, 1, 1, 0, 0, 1):
        two_devices(index)
        found, wanted = captured(facula.ones(2)), function(facula.ones(2))
        assert found.tolist() == wanted.tolist()
        seen.add(found[0].item())
    assert len(seen) == 2 and "replayed" in captured.report()


def test_a_replay_notices_another_synchronization_mode(two_devices):
    captured = facula.capture(function_of("facula.cuda.get_sync_debug_mode()"), on_break="error", check=0)
    try:
        for mode in (0, 0, 1, 1, 2, 0):
            facula.cuda.set_sync_debug_mode(mode)
            assert captured(facula.ones(2)).tolist() == [mode] * 2
    finally:
        facula.cuda.set_sync_debug_mode(0)


@pytest.mark.parametrize("read", ["facula.cuda.is_bf16_supported()", "getattr(facula.cuda, 'is_' + 'available')()"])
def test_without_a_device_the_error_of_a_setting_is_compared(read, monkeypatch):
    monkeypatch.setattr(facula_cuda, "is_available", lambda: False)
    function = function_of(f"3 + {read}")
    captured = facula.capture(function, on_break="error", check=0)
    assert [captured(facula.ones(1)).item() for _ in range(4)] == [3] * 4
    assert "replayed" in captured.report()


COUNTS = [
    "facula.cpu.memory_allocated()", "len(facula.cuda.memory_stats())", "facula.accelerator.memory_allocated()",
    "facula.cuda.nvtx.range_push('a')", "facula.cuda.nvtx.range_pop()", "facula.cuda.nvtx.mark('a') or 1",
    "facula.cuda.set_stream(None) or 1", "facula.cuda.empty_cache() or 1", "facula.cuda.nvtx.range('a') and 1",
]  # fmt: skip


@pytest.mark.parametrize("read", [*COUNTS, "facula.cuda.set_device(0) or 1"])
def test_what_the_library_counts_and_what_selects_a_device_breaks(read, two_devices):
    with raises(facula.jit.CaptureError, "capture", re.search(r"\w+\(", read.removeprefix("len("))[0]):
        facula.capture(function_of(read), on_break="error")(facula.ones(2))
