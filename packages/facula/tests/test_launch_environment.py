"""Ranks from a launcher's environment, and the backends of this installation."""

import importlib.util
import os
import subprocess
import sys
import warnings

import pytest

import facula.distributed as dist
from facula_errors.testing import raises


def test_a_launchers_environment_initializes_the_group():
    code = """
import os
import facula.distributed as dist
dist.init_process_group()
rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
dist.barrier()
print(rank, local, dist.get_world_size(), dist.get_node_local_rank(), dist.is_torchelastic_launched())
"""
    address = {"MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}
    ranks = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "TORCHELASTIC_RUN_ID": "none"}
    environment = {**os.environ, **address, **ranks}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "0 0 1 0 True\n", done.stderr


def test_available_backends():
    assert dist.is_available() and dist.is_gloo_available() and dist.is_backend_available("GLOO")
    assert not dist.is_backend_available("nccl") and not dist.is_nccl_available()
    assert dist.Backend.default_device_backend_map["cpu"] == "gloo"
    assert (
        dist.is_backend_available("mpi") is dist.is_mpi_available() is (importlib.util.find_spec("mpi4py") is not None)
    )
    assert dist.Backend("GLOO") == dist.Backend.GLOO == dist.get_default_backend_for_device("cpu") == "gloo"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dist.get_node_local_rank(3) == 3
    with raises(RuntimeError, "get_node_local_rank", "LOCAL_RANK"):
        dist.get_node_local_rank()
    with pytest.raises(ValueError):
        dist.get_default_backend_for_device("cuda:0")
