"""DistributedDataParallel with virtual ranks: the same bits on each number of processes."""

import re

import pytest
from rank_models import run_program

import facula
from facula import distributed as dist
from facula import nn
from facula.nn.parallel import DistributedDataParallel
from facula_errors.testing import raises

PROGRAM = """
import hashlib
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
model = nn.parallel.DistributedDataParallel(model, virtual_ranks=4)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
inputs, targets = torch.randn(8, 16, 6), torch.randint(3, (8, 16))
own = slice(rank * 16 // size, (rank + 1) * 16 // size)
for step in range(8):
    optimizer.zero_grad()
    for x, y in model.micro_batches(inputs[step, own], targets[step, own]):
        nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
values = [one.tolist() for one in model.module.state_dict().values()]
print("result", hashlib.sha256(repr(values).encode()).hexdigest(), flush=True)
"""


def test_results_do_not_depend_on_the_number_of_processes(tmp_path):
    found = set()
    for size in ("1", "2", "4"):
        found.update(re.findall(r"result (\w+)", run_program(tmp_path, PROGRAM, ["--nproc", size])[0]))
    assert len(found) == 1


@pytest.fixture
def group():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_calls_that_would_not_average_are_refused(group):
    model = DistributedDataParallel(nn.Linear(2, 1), virtual_ranks=2)
    with raises(RuntimeError, "DistributedDataParallel", "expected a call in a loop over micro_batches"):
        model(facula.ones(2, 2))
    with facula.no_grad():
        assert model(facula.ones(2, 2)).shape == (2, 1)
    with raises(RuntimeError, "register_comm_hook", "without virtual_ranks"):
        model.register_comm_hook(None, print)
    with raises(RuntimeError, "micro_batches", "got a model without it"):
        DistributedDataParallel(nn.Linear(2, 1)).micro_batches(facula.ones(2, 2))
    with raises(ValueError, "virtual_ranks", "expected a power of two"):
        DistributedDataParallel(nn.Linear(2, 1), virtual_ranks=3)
