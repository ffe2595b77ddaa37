"""Trains networks on the CPU and on a simulated CUDA device; prints the losses and states of both as JSON.

With `--bits` the device uses the kernels whose results are the CPU's bits: those of elementwise operators and programs.
"""

import json
import sys

from cuda_models import Recurrent, Residual

import facula
from facula import nn
from facula_cuda import fallbacks
from facula_cuda.testing import simulate

simulate()
if "--bits" in sys.argv:
    from facula_cuda._planners import planners

    planners.clear()


F = nn.functional


class Language(nn.Module):
    def __init__(self, width=16, tokens=20):
        super().__init__()
        self.tokens, self.places = nn.Embedding(tokens, width), nn.Embedding(8, width)
        self.block = nn.TransformerEncoderLayer(width, 2, 32, batch_first=True, dropout=0.0)
        self.head = nn.Linear(width, tokens)

    def forward(self, x):
        length = x.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=x.device)
        x = self.tokens(x) + self.places(facula.arange(length, device=x.device))
        return self.head(self.block(x, src_mask=mask)).transpose(1, 2)


def dense():
    return nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.LayerNorm(32), nn.Dropout(0.1), nn.Linear(32, 5))


def convolutions():
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.MaxPool2d(2), Residual(8, 16), *head)


def sgd(parameters):
    return facula.optim.SGD(parameters, lr=0.1, momentum=0.9)


def adam(parameters):
    return facula.optim.AdamW(parameters, lr=0.01)


def numbers(*shape):
    return facula.randn(*shape), facula.randint(0, 5, shape[:1])


def text():
    tokens = facula.randint(0, 20, (2, 8))
    return tokens, tokens


def train(device, make_network, make_data, make_optimizer):
    facula.manual_seed(0)
    model = make_network().to(device)
    optimizer = make_optimizer(model.parameters())
    x, y = (made.to(device) for made in make_data())
    losses = []
    facula.manual_seed(1)  # each device has a generator, for dropout; the CPU's drew the weights
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        losses.append(loss.item())
    return {
        "device": str(loss.device),
        "losses": losses,
        "state": [one.tolist() for one in model.state_dict().values()],
    }


programs = {
    "MLP, SGD": (dense, lambda: numbers(8, 8), sgd),
    "MLP, AdamW": (dense, lambda: numbers(8, 8), adam),
    "ResNet": (convolutions, lambda: numbers(4, 3, 16, 16), sgd),
    "GPT": (Language, text, adam),
    "LSTM": (Recurrent, lambda: numbers(4, 6, 8), adam),
}
runs = {name: [train(device, *parts) for device in ("cpu", "cuda")] for name, parts in programs.items()}
print(json.dumps({"runs": runs, "fallbacks": fallbacks()}))
