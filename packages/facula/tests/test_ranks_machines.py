"""Training on two machines, of which launchers on one machine pretend to be."""

import os
import socket
import subprocess

import pytest

from facula_distributed.testing import Program

LIMIT = 120.0
PROGRAM = """
import hashlib
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group()
rank = dist.get_rank()
torch.manual_seed(1)
model = nn.Sequential(nn.Linear(40, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 10))
model = DistributedDataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(model))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
torch.manual_seed(100 + rank)
for step in range(5):
    x, y = torch.randn(8, 40), torch.randint(0, 10, (8,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
digest = hashlib.sha256()
for name, value in sorted(model.module.state_dict().items()):
    digest.update(value.numpy().tobytes())
print("digest", digest.hexdigest())
"""


def begin(folder, options):
    return Program(
        ["facula", "run", *options, "program.py"], cwd=folder, env={**os.environ, "FACULA_JOB_TOKEN": "x"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_ranks_of_two_machines_compute_the_bits_of_those_of_one(tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(PROGRAM)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        master = f"127.0.0.1:{found.getsockname()[1]}"
    options = ["--nproc", "2", "--nnodes", "2", "--master", master, "--node-rank"]
    runs = [begin(tmp_path, ["--nproc", "4"])] + [begin(tmp_path, [*options, node]) for node in ("0", "1")]
    lines = []
    try:
        for run in runs:
            output, errors = run.communicate(timeout=LIMIT)
            assert run.returncode == 0, errors
            lines += output.splitlines()
    finally:
        for run in runs:
            run.kill()  # its ranks end with it
    assert len(lines) == 8 and len({line.partition("digest")[2] for line in lines}) == 1
