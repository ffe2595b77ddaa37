"""Trains a network on the CPU and on a simulated CUDA device; prints the losses and weights of both as JSON."""

import json

import facula
from facula import nn
from facula_cuda import fallbacks
from facula_cuda.testing import simulate

simulate()


def network():
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Dropout(0.1), nn.Linear(32, 5))


def train(device, make_optimizer):
    facula.manual_seed(0)
    model = network().to(device)
    optimizer = make_optimizer(model.parameters())
    x, y = facula.randn(8, 16).to(device), facula.randint(0, 5, (8,)).to(device)
    facula.manual_seed(1)  # each device has a generator, for dropout; the CPU's drew the weights
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return {"device": str(loss.device), "losses": losses, "weights": [p.tolist() for p in model.parameters()]}


optimizers = {
    "SGD": lambda parameters: facula.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "AdamW": lambda parameters: facula.optim.AdamW(parameters, lr=0.01),
}
runs = {name: [train(device, make) for device in ("cpu", "cuda")] for name, make in optimizers.items()}
print(json.dumps({"runs": runs, "fallbacks": fallbacks()}))
