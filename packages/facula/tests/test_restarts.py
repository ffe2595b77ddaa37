"""A training program for PyTorch under the launcher: killed ranks resume with the next sample, and the same results."""

import re

from rank_models import run_program

PROGRAM = """
import hashlib, os, signal, sys
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

dist.init_process_group()
rank, attempt = dist.get_rank(), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
data = TensorDataset(torch.randn(40, 6), torch.randn(40, 1))
loader = DataLoader(data, batch_size=4, shuffle=True, generator=torch.Generator().manual_seed(3), shard=(rank, 2))
torch.manual_seed(rank)
kills = eval(sys.argv[1])
state = dist.resumable(model=model, optimizer=optimizer, scheduler=scheduler, loader=loader, every=1)
step = state.step
while step < 14:
    for x, y in loader:
        if attempt < len(kills) and kills[attempt] == (step, rank):
            os.kill(os.getpid(), signal.SIGKILL)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad, dist.ReduceOp.AVG)
        optimizer.step()
        scheduler.step()
        state.save(step)
        step += 1
        if step == 14:
            break
values = [one.tolist() for one in model.state_dict().values()]
print("result", hashlib.sha256(repr(values).encode()).hexdigest(), flush=True)
"""


def results(tmp_path, kills):
    """Return what each rank prints."""
    output, errors = run_program(tmp_path, PROGRAM, ["--nproc", "2", "--max-restarts", "3"], repr(kills))
    assert len(re.findall(r"facula run\] rank \d was ended", errors)) == len(kills), errors
    found = dict(re.findall(r"\[rank (\d)\] result (\w+)", output))
    assert len(found) == 2
    return found


def test_training_resumes_at_the_sample(tmp_path):
    """Check kills within an epoch, at its first batch, and after its last one."""
    assert results(tmp_path, [(2, 1), (5, 0), (9, 1)]) == results(tmp_path, [])
