"""Fixtures for the tests of all folders."""

import importlib.util

import pytest


@pytest.fixture(scope="session")
def load_script():
    """Return a function that imports a program by its path, which no package contains."""

    def load(path):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
