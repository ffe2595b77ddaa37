"""Trains a network on a simulated CUDA device; prints what each step after the third asks of the driver, as JSON."""

import json

import facula
import facula_cuda
from facula import nn
from facula_cuda.testing import driver_calls, simulate

simulate()
model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Dropout(0.1), nn.Linear(32, 5)).cuda()
x, y = facula.randn(8, 16).cuda(), facula.randint(0, 5, (8,)).cuda()
optimizer = facula.optim.AdamW(model.parameters(), lr=0.01)


def step():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()


found = []
for number in range(6):
    calls, waits = driver_calls(), facula_cuda.waits()
    step()
    if number >= 3:
        found.append({"calls": dict(driver_calls() - calls), "waits": facula_cuda.waits() - waits})
print(json.dumps({"steps": found, "fallbacks": facula_cuda.fallbacks()}))
