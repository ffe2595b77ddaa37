"""The public face of the package: names, examples, summaries, and the protocol of its callers."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import facula_allocator
from facula_allocator import (
    CachingAllocator,
    HostAllocator,
    StorageAllocator,
    default_host_allocator,
    drivers,
    extend,
    policies,
    snapshots,
    traces,
)
from facula_allocator.drivers import HostDriver

MODULES = [
    module.name.removeprefix("facula_allocator.")
    for module in pkgutil.walk_packages(facula_allocator.__path__, prefix="facula_allocator.")
    if module.name != "facula_allocator._host_memory"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(f"facula_allocator.{name}")
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_the_readme_runs():
    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        test = doctest.DocTestParser().get_doctest(example, {}, "README.md", "README.md", 0)
        assert test.examples and doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("module", [facula_allocator, drivers, extend, policies, snapshots, traces])
def test_public_names_exist_and_are_documented(module):
    for name in module.__all__:
        assert getattr(module, name).__doc__, name


def test_the_protocol_of_the_callers():
    """The protocol of facula_storage, which this package does not import."""
    front = StorageAllocator(CachingAllocator(HostDriver()))
    for allocator in (default_host_allocator(), HostAllocator(), HostAllocator(pools=False), front):
        address, release = allocator.refill(10)
        assert type(address) is int and release() is None
        held = []
        with pytest.raises(IndexError):
            while True:
                held.append(allocator.take_for(10)())
        assert {"allocated_bytes", "allocated_blocks", "reserved_bytes"} <= allocator.statistics().keys()
        assert all(type(value) is int for value in allocator.statistics().values())
        assert type(allocator.trim()) is type(allocator.tidy()) is int


def test_the_peak_follows_reserved_memory(allocator, no_collection):
    release = allocator.refill(3 << 20)[1]
    allocator.refill(2 << 20)[1]()
    release()
    allocator.trim()
    assert allocator.memory_stats()["reserved_bytes.all.peak"] == 5 << 20
    allocator.reset_peak_memory_stats()
    assert allocator.memory_stats()["reserved_bytes.all.peak"] == 0


def test_the_report_shows_every_class():
    allocator = HostAllocator(limit=1 << 30)
    held = [allocator.refill(n) for n in (100, 1000, 1000, 3 << 20)]
    held[1][1]()
    lines = allocator.memory_summary().splitlines()
    assert "3 blocks" in lines[1] and "limit 1 GiB" in lines[3]
    table = {line.split("iB")[0].split(" B")[0].strip(): line.split()[-2:] for line in lines[7:]}
    rows = allocator.size_classes()
    assert len(table) == len(rows) == 3
    assert list(table.values()) == [[str(row.allocated_blocks), str(row.cached_blocks)] for row in rows]
    assert "in use" in default_host_allocator().memory_summary() and "HostAllocator, 3 blocks" in repr(allocator)
    assert "no limit" in HostAllocator(pools=False).memory_summary()
