"""A perceptron of three layers and one training step: the same lines for both libraries, and PyTorch's idiom."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from ..libraries import filled

Step = Callable[[Any, Any], Any]
RATE = 0.1


def weights(F: Any, widths: tuple[int, ...]) -> list[Any]:
    """Return weight (inputs, outputs) and bias (outputs,) of each layer in turn, with requires_grad."""
    made = []
    for inputs, outputs in pairwise(widths):
        weight = (filled(F, inputs, outputs) - 0.5) * (2 / inputs**0.5)
        made += [weight.requires_grad_(), F.zeros(outputs, requires_grad=True)]
    return made


def plain_step(F: Any, widths: tuple[int, ...]) -> Step:
    """Return `step(pixels, targets) -> loss` in plain operators. `targets` are 0 and 1, shape (batch, classes)."""
    w1, b1, w2, b2, w3, b3 = parameters = weights(F, widths)
    relu, no_grad = F.relu, F.no_grad

    def step(pixels, targets):
        hidden = relu(pixels @ w1 + b1)
        hidden = relu(hidden @ w2 + b2)
        logarithms = (hidden @ w3 + b3).log_softmax(1)
        loss = (logarithms * targets).sum() * (-1 / len(pixels))
        loss.backward()
        with no_grad():
            for p in parameters:
                p -= RATE * p.grad
                p.grad = None
        return loss

    return step


def torch_step(widths: tuple[int, ...], **options: Any) -> Step:
    """Return the step in idiomatic PyTorch, for the same network and data; `targets` are classes. Options are SGD's."""
    values = weights(torch, widths)
    layers: list[nn.Module] = []
    for weight, bias in zip(values[::2], values[1::2], strict=True):
        linear = nn.Linear(*weight.shape)
        linear.load_state_dict({"weight": weight.detach().t(), "bias": bias.detach()})
        layers += [linear, nn.ReLU()]
    model = nn.Sequential(*layers[:-1])
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, **options)
    cross_entropy = nn.functional.cross_entropy

    def step(pixels, targets):
        optimizer.zero_grad()
        loss = cross_entropy(model(pixels), targets)
        loss.backward()
        optimizer.step()
        return loss

    return step
