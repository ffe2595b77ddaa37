"""Seeds: the same numbers after each seed, states that are restored, and a generator for each device."""

import random

import numpy as np
import torch


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def draw(device="cuda"):
    return torch.cat([torch.rand(4, device=device), torch.nn.functional.dropout(torch.ones(8, device=device), 0.5)])


set_seed(5)
first, first_on_cpu = draw(), torch.rand(3)
assert torch.cuda.initial_seed() == torch.initial_seed() == 5
set_seed(5)
assert torch.equal(draw(), first)
assert torch.equal(torch.rand(3), first_on_cpu), "draws on a GPU do not advance the CPU's generator"

state, states = torch.cuda.get_rng_state(), torch.cuda.get_rng_state_all()
second, third = draw(), draw("cuda:1")
torch.cuda.set_rng_state(state)
assert torch.equal(draw(), second)
torch.cuda.set_rng_state_all(states)
assert torch.equal(draw(), second) and torch.equal(draw("cuda:1"), third)
with torch.random.fork_rng(devices=[0]):
    torch.cuda.manual_seed(1)
    draw()
with torch.random.fork_rng():
    inside = draw(), torch.rand(2)
assert torch.equal(draw(), inside[0]) and torch.equal(torch.rand(2), inside[1])

generator = torch.Generator(device="cuda").manual_seed(3)
one = torch.randperm(10, generator=generator, device="cuda")
assert torch.equal(one, torch.randperm(10, generator=generator.manual_seed(3), device="cuda")) and one.is_cuda

set_seed(7)
x = torch.ones(16, device="cuda", requires_grad=True)
out = torch.utils.checkpoint.checkpoint(lambda x: torch.nn.functional.dropout(x, 0.5), x, use_reentrant=False)
out.sum().backward()
assert torch.equal(x.grad, out), "the recomputation drops the same elements"
