"""A user's program in which type checkers find no errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula import Tensor, optim
from facula.autograd import Function
from facula.autograd.function import FunctionCtx
from facula.nn import Conv2d, CrossEntropyLoss, Linear, ModuleDict, ModuleList, Parameter, Sequential
from facula.nn.modules.batchnorm import BatchNorm1d
from facula.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, LRScheduler, ReduceLROnPlateau
from facula.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, Subset, TensorDataset, random_split


class Squares(Dataset[tuple[Tensor, int]]):
    """Points of the plane, and their side of a circle."""

    def __init__(self, count: int, transform: Callable[[Tensor], Tensor] | None = None) -> None:
        self.points = facula.rand(count, 2) * 2 - 1
        self.transform = transform

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        point = self.points[index]
        inside = (point**2).sum() < 0.5
        if self.transform is not None:
            point = self.transform(point)
        return point, int(inside)


class Noise(Dataset[Tensor]):
    """Samples that are drawn at random: a loader gives each a generator."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int, rng: np.random.Generator) -> Tensor:
        return facula.tensor(rng.random(2)) * index


class Steps:
    """The same dataset without a base class of the library."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int, rng: np.random.Generator) -> Tensor:
        return facula.tensor(rng.random(2)) * index


class Block(nn.Module):
    scale: Tensor

    def __init__(self, width: int, drop: float = 0.1) -> None:
        super().__init__()
        self.linear = Linear(width, width)
        self.drop = nn.Dropout(drop)
        self.gain = Parameter(facula.ones(width))
        self.register_buffer("scale", facula.tensor(0.5))

    def forward(self, x: Tensor, residual: bool = True) -> Tensor:
        y = self.drop(F.relu(self.linear(x))) * self.gain * self.scale
        return x + y if residual else y


class Undeclared(nn.Module):
    """Members without a declaration: buffers and modules by name."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", facula.ones(2))
        self.add_module("head", Linear(2, 2))
        setattr(self, "blocks", ModuleList([Linear(2, 2)]))  # noqa: B010

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(x * self.mask) + self.mask.sum() * self.head.weight.mean()
        for block in self.blocks:
            x = F.relu(block(x))
        return F.mse_loss(x, self.mask.expand(len(x), 2)) + self.mask[0]


class Network(nn.Module):
    def __init__(self, width: int = 16, depth: int = 2) -> None:
        super().__init__()
        self.first = Sequential(Linear(2, width), nn.ReLU(), nn.BatchNorm1d(width))
        self.blocks = ModuleList(Block(width) for _ in range(depth))
        self.heads = ModuleDict({"classes": Linear(width, 2), "radius": Linear(width, 1, bias=False)})

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        x = self.first(x)
        for block in self.blocks:
            x = block(x, residual=True)
        return self.heads["classes"](x), self.heads["radius"](x).squeeze(-1)


class Double(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: FunctionCtx, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return g * 2 + 0 * x


def train(network: Network, loader: DataLoader[tuple[Tensor, int]], epochs: int, rate: float = 1e-3) -> list[float]:
    optimizer = optim.AdamW(network.parameters(), lr=rate, betas=(0.9, 0.99))
    schedule: LRScheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    criterion = CrossEntropyLoss(label_smoothing=0.1)
    history: list[float] = []
    for epoch in range(epochs):
        network.train()
        total, seen = 0.0, 0
        for points, labels in loader:
            optimizer.zero_grad(set_to_none=True)
            logits, radius = network(points)
            loss = criterion(logits, labels) + 0.1 * F.mse_loss(radius, points.pow(2).sum(dim=1).sqrt())
            loss.backward()
            norm = nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            assert math.isfinite(norm.item())
            optimizer.step()
            total += loss.item() * len(labels)
            seen += points.shape[0]
        schedule.step()
        history.append(total / seen)
        print(f"epoch {epoch}: loss {history[-1]:.4f}, rate {schedule.get_last_lr()[0]:.2e}")
    return history


@facula.no_grad()
def accuracy(network: Network, loader: DataLoader[tuple[Tensor, int]]) -> float:
    network.eval()
    right = count = 0
    for points, labels in loader:
        logits, _ = network(points)
        right += int((logits.argmax(dim=1) == labels).sum())
        count += labels.numel()
    return right / count


@facula.inference_mode
def predict(network: Network, points: Tensor) -> list[int]:
    logits, _ = network(points)
    values, indices = logits.max(dim=-1)
    assert values.shape == indices.shape
    return [int(index) for index in indices]


def arithmetic() -> Tensor:
    x = facula.arange(12, dtype=facula.float32, device="cpu").reshape(3, 4)
    y: Tensor = 2 * x + 1 - x / 3 + x @ x.T.sum(0, keepdim=True).expand(4, 3).t().mT if x.ndim == 3 else -x
    y = x[0] + x[:, 1:3].mean() + x[..., None].squeeze() + x[x > 2].sum() + np.float32(2) * x
    x[0, 1] = 3.0
    x[1] = facula.zeros(4)
    y += 1
    n: int = x.argmax().item()
    s: float = x.mean().item()
    flag: bool = (x > 0).any().item()
    shape: tuple[int, ...] = x.shape
    rows, columns = x.shape
    array = x.numpy()
    back = facula.from_numpy(array.astype(np.float64)).to(facula.float32)
    parts = facula.cat([back, x], dim=0).split(2)
    first, *others = parts
    z = facula.where(first > 0, first, 0.0).clamp(min=0, max=n + s).to("cpu", dtype=facula.float64)
    z = facula.stack([z, z.clone()]).permute(1, 0, 2).contiguous().view(-1, x.size(1))
    total = sum(part.sum() for part in others) if flag else len(shape) + rows * columns
    z = z + total
    longs = facula.LongTensor([1, 2]).type(facula.FloatTensor).type("torch.DoubleTensor")
    kind: str = longs.type()
    z = z + longs.narrow(axis=0, start=0, length=1) * len(kind) if isinstance(z, facula.FloatTensor) else z
    nested: list[list[float]] = z.tolist()
    w = facula.tensor(nested, requires_grad=True) * facula.ones((len(nested), 1)) + facula.full((1,), 3)
    (g,) = facula.autograd.grad(w.sum(), [w])
    doubled: Tensor = Double.apply(g)
    return doubled.mean(dim=(0, 1))


def closures(network: Network, points: Tensor) -> float:
    sgd = optim.SGD(
        [{"params": network.first.parameters(), "lr": 0.1}, {"params": network.heads.parameters()}],
        lr=0.01,
        momentum=0.9,
    )
    plateau = ReduceLROnPlateau(sgd, factor=0.5, patience=2)
    warm = LambdaLR(sgd, lr_lambda=lambda step: min(1.0, (step + 1) / 10))

    def closure() -> Tensor:
        sgd.zero_grad()
        loss = network(points)[0].square().mean()
        loss.backward()
        return loss

    loss = sgd.step(closure)
    plateau.step(loss)
    warm.step()
    for name, parameter in network.named_parameters():
        if parameter.grad is not None:
            print(name, parameter.grad.abs().max().item(), parameter.shape.numel())
    return float(loss)


def save(network: Network, optimizer: optim.Optimizer, path: Path) -> None:
    facula.save({"model": network.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, path)
    state = facula.load(path, map_location="cpu")
    keys = network.load_state_dict(state["model"], strict=False)
    print(keys.missing_keys, keys.unexpected_keys)
    optimizer.load_state_dict(state["optimizer"])


def convolve(images: Tensor) -> Tensor:
    layers: list[nn.Module] = [Conv2d(1, 8, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    body = Sequential(*layers).to(facula.float32).eval()
    for layer in body:
        layer.requires_grad_(False)
    with facula.no_grad(), facula.autograd.detect_anomaly(check_nan=True):
        out = F.max_pool2d(F.relu(images), 2, stride=(2, 2)).flatten(1)
    return out.new_zeros(1) + body(images)


def batches(numbers: Tensor) -> Iterator[Tensor]:
    train, test = random_split(TensorDataset(numbers, numbers), [0.8, 0.2])
    loader = DataLoader(train, batch_size=4, shuffle=True, drop_last=True)
    for x, y in loader:
        yield x + y
    by_sampler = DataLoader(test, batch_sampler=BatchSampler(RandomSampler(test), 2, drop_last=False))
    for x, _ in by_sampler:
        yield x.float()
    yield from DataLoader(numbers, batch_size=2, collate_fn=lambda samples: facula.stack(samples) * 2)
    yield next(iter(DataLoader(range(3))))
    yield next(iter(DataLoader(Noise(), batch_size=2))) + next(iter(DataLoader(Steps(), batch_size=2)))
    yield facula.randint(5, (3,)) + facula.randint(0, 5, (3,)) + facula.randint(high=5, size=[3])


def main() -> None:
    facula.manual_seed(0)
    data = Squares(256, transform=lambda point: point * 2)
    subset = Subset(data, range(128))
    loader = DataLoader(subset, batch_size=32, shuffle=True)
    network = Network()
    train(network, loader, epochs=2)
    print(accuracy(network, DataLoader(data, 64)), predict(network, facula.rand(3, 2)), arithmetic())
    print(Undeclared().type(facula.float32)(facula.ones(3, 2)).item())
    print(closures(network, data.points), convolve(facula.ones(2, 1, 6, 6)).shape, list(batches(facula.rand(20))))
    save(network, optim.Adam(network.parameters()), Path("run.safetensors"))


if __name__ == "__main__":
    main()


def a_layer_by_its_place(layer: BatchNorm1d) -> facula.nn.modules.linear.Linear:
    """PyTorch's paths of layers, whose names are rows of a table."""
    return facula.nn.modules.linear.Linear(layer.num_features, 2)
