"""A sample of the tests for each change; the sessions `captures` and `thorough` run all of them."""

from pathlib import Path
from zlib import crc32

import pytest

SHARE = 10  # one of this many tests is in the sample


@pytest.hookimpl(tryfirst=True)  # before pytest selects tests by their marks
def pytest_collection_modifyitems(items):
    """Leave the other tests to thorough sessions. The choice depends on their names alone."""
    for item in items:
        if item.path.parent == Path(__file__).parent and crc32(f"{item.path.name} {item.name}".encode()) % SHARE:
            item.add_marker(pytest.mark.thorough)
