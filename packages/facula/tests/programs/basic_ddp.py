"""A model in DistributedDataParallel, with a checkpoint that rank 0 writes. Written for PyTorch."""

import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.optim as optim
from torch.nn.parallel import DistributedDataParallel as DDP


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def demo_basic(rank, world_size):
    model = ToyModel()
    ddp_model = DDP(model, device_ids=None)
    loss_fn = nn.MSELoss()
    optimizer = optim.SGD(ddp_model.parameters(), lr=0.001)
    optimizer.zero_grad()
    outputs = ddp_model(torch.randn(20, 10))
    loss_fn(outputs, torch.randn(20, 5)).backward()
    optimizer.step()
    path = os.path.join(os.environ["FOLDER"], "model.checkpoint")
    if rank == 0:
        torch.save(ddp_model.state_dict(), path)
    dist.barrier()
    other = DDP(ToyModel())
    other.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    x = torch.ones(1, 10)
    same = torch.equal(other(x), ddp_model(x))
    print(f"rank {rank} of {world_size}: {same}, {dist.get_backend()}")


if __name__ == "__main__":
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    demo_basic(rank, dist.get_world_size())
    dist.destroy_process_group()
