"""Runs programs eagerly and captured on a simulated CUDA device, and compares all their numbers.

Arguments: names of programs. Prints as JSON for each the graphs that were launched and how the captured functions ran,
and what replays of a plain training step ask of the driver.
"""

import json
import sys

import network_programs
import usual_programs
from training_programs import captured_functions, where

import facula
import facula_cuda
from facula import nn
from facula_cuda.testing import driver_calls, simulate

STEPS = 8

simulate()
where[0] = "cuda"
programs = {one.__name__: one for one in (*network_programs.PROGRAMS, *usual_programs.PROGRAMS)}
found = {}
for name in sys.argv[1:] or programs:
    before = driver_calls()
    captured = captured_functions(programs[name], facula.capture, facula.float32, STEPS)
    calls = driver_calls() - before
    found[name] = {"graphs": calls["cuGraphLaunch"], "reports": [one.report() for one in captured]}

model = nn.Sequential(nn.Linear(12, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)).cuda()
optimizer = facula.optim.SGD(model.parameters(), lr=0.1)
x, y = facula.randn(6, 12).cuda(), facula.randn(6, 4).cuda()


@facula.capture
def step():
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


calls, first = [], step()
for _ in range(12):
    before, waits = driver_calls(), facula_cuda.waits()
    loss = step()
    calls.append({**(driver_calls() - before), "waits": facula_cuda.waits() - waits})
print(json.dumps({"programs": found, "replays": calls[-2:], "losses": [first.item(), loss.item()]}))
