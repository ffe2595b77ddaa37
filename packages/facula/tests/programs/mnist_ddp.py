"""A convolutional network for synthetic digits, with a sampler for each rank. Written for PyTorch."""

import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.nn.parallel import DistributedDataParallel
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.bn = nn.BatchNorm2d(8)
        self.dropout = nn.Dropout(0.1)
        self.fc1 = nn.Linear(8 * 9, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv1(x))), 2)
        x = self.dropout(torch.flatten(x, 1))
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


def data(count, seed):
    generator = torch.Generator().manual_seed(seed)
    targets = torch.randint(0, 4, (count,), generator=generator)
    images = 0.3 * torch.randn(count, 1, 8, 8, generator=generator)
    for k in range(4):
        images[targets == k, :, 2 * k : 2 * k + 2] += 1
    return TensorDataset(images, targets)


def train(model, device, loader, optimizer, epoch):
    model.train()
    for images, targets in loader:
        images, targets = images.to(device), targets.to(device)
        optimizer.zero_grad()
        loss = F.nll_loss(model(images), targets)
        loss.backward()
        optimizer.step()


def test(model, device, loader):
    model.eval()
    counts = torch.zeros(2)
    with torch.no_grad():
        for images, targets in loader:
            counts[0] += (model(images.to(device)).argmax(1) == targets).sum()
            counts[1] += len(targets)
    dist.all_reduce(counts, op=dist.ReduceOp.SUM)
    return (counts[0] / counts[1]).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--local-rank", type=int, default=int(os.environ.get("LOCAL_RANK", 0)))
    args = parser.parse_args()
    dist.init_process_group(backend="gloo", init_method="env://")
    torch.manual_seed(1)
    device = torch.device("cpu")
    train_set, test_set = data(256, 0), data(64, 1)
    sampler = DistributedSampler(train_set)
    loader = DataLoader(train_set, batch_size=16, sampler=sampler)
    test_loader = DataLoader(test_set, batch_size=32, sampler=DistributedSampler(test_set, shuffle=False))
    model = DistributedDataParallel(Net().to(device))
    optimizer = optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(1, args.epochs + 1):
        sampler.set_epoch(epoch)
        train(model, device, loader, optimizer, epoch)
        accuracy = test(model, device, test_loader)
        scheduler.step()
    total = sum(p.double().sum().item() for p in model.parameters())
    print(f"accuracy above 0.9: {accuracy > 0.9}, parameters {total!r}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
