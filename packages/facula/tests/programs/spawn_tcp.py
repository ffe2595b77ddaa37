"""Processes that the program starts itself, and that meet at an address. Written for PyTorch."""

import socket
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def free_port():
    with socket.socket() as sock:
        sock.bind(("localhost", 0))
        return sock.getsockname()[1]


def evaluate(model, inputs, targets):
    model.eval()
    with torch.no_grad():
        correct = (model(inputs).argmax(1) == targets).float().mean()
    dist.all_reduce(correct, op=dist.ReduceOp.SUM)
    return correct.item() / dist.get_world_size()


def main_worker(rank, world_size, port, epochs):
    dist.init_process_group("gloo", init_method=f"tcp://localhost:{port}", world_size=world_size, rank=rank)
    torch.manual_seed(0)
    inputs = torch.randn(256, 20)
    targets = (inputs[:, :10].sum(1) > inputs[:, 10:].sum(1)).long()
    inputs, targets = inputs[rank::world_size], targets[rank::world_size]

    model = nn.SyncBatchNorm.convert_sync_batchnorm(
        nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2))
    )
    model = DDP(model)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    for _ in range(epochs):
        model.train()
        for x, y in zip(inputs.split(32), targets.split(32)):
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
    accuracy = evaluate(model.module, inputs, targets)

    state = [None] * world_size
    dist.all_gather_object(state, [p.double().sum().item() for p in model.parameters()])
    print(f"rank {rank} of {world_size}: accurate {accuracy > 0.95}, equal {all(one == state[0] for one in state)}")
    dist.destroy_process_group()


if __name__ == "__main__":
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    mp.spawn(main_worker, nprocs=processes, args=(processes, free_port(), 10))
