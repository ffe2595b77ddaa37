"""A loader where facula-multiprocessing is not installed."""

import sys

import pytest

from facula_data import DataLoader
from facula_errors.testing import raises


@pytest.mark.parametrize("arguments", [{"num_workers": 2}, {"num_workers": 1, "multiprocessing_context": "spawn"}])
def test_worker_processes_name_the_package_to_install(monkeypatch, arguments):
    prefixes = ("facula_multiprocessing", "facula_data._workers.process")
    for name in [name for name in sys.modules if name.startswith(prefixes)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("facula_data._workers.processes", raising=False)
    monkeypatch.setitem(sys.modules, "facula_multiprocessing", None)
    with raises(ImportError, "DataLoader", "install facula-data[workers], or pass worker_method=") as caught:
        DataLoader(range(4), **arguments)
    assert "facula-multiprocessing" in str(caught.value) and caught.value.__cause__ is None
