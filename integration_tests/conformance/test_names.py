"""The table of names contains only names that PyTorch has, in PyTorch's modules."""

import importlib
import warnings

import pytest

from facula._lookup import places as _places

torch = pytest.importorskip("torch")
ROWS = [row for place in _places.sections() for row in _places.rows_of(place).values() if "*" not in row.name]


def is_there(path):
    """Return whether PyTorch has a module or an attribute; C++ names depend on its build."""
    module, _, name = path.rpartition(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return hasattr(importlib.import_module(module), name)
        except ImportError:
            return False


# Modules that need another build of PyTorch, or a package that it does not install.
ELSEWHERE = {
    "torch._C._distributed_rpc._is_current_rpc_agent_set",
    "torch.onnx._internal.exporter.ONNXProgram",
    "torch.testing._internal.common_utils.TestCase",
    "torch.utils.tensorboard.summary.hparams",
}


def test_pytorch_has_the_names():
    paths = {f"torch{row.place.removeprefix('facula')}.{row.name}" for row in ROWS if row.place != "facula.errors"}
    assert len(paths) > 400 and {path for path in paths if not is_there(path)} <= ELSEWHERE
