"""Modules and functions whose passes are graphs, a model on two devices, and pools of memory."""

import copy

import torch
from torch import nn

torch.manual_seed(0)


def network():
    return nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2)).cuda()


def same_gradients(one, other):
    return all(torch.equal(p.grad, q.grad) for p, q in zip(one.parameters(), other.parameters(), strict=True))


# Graphed callables: the same results and gradients, which add up over steps.
eager = network()
graphed = copy.deepcopy(eager)
head = nn.Linear(2, 1).cuda()
sample = torch.randn(3, 4, device="cuda", requires_grad=True)
graphed, last = torch.cuda.make_graphed_callables(
    (graphed, copy.deepcopy(head)), ((sample,), (torch.randn(3, 2, device="cuda", requires_grad=True),))
)
for _ in range(3):
    x = torch.randn(3, 4, device="cuda")
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    found, expected = last(graphed(a)), head(eager(b))
    assert torch.equal(found, expected)
    (found**2).sum().backward()
    (expected**2).sum().backward()
    assert torch.equal(a.grad, b.grad) and same_gradients(graphed, eager) and same_gradients(last, head)
graphed.eval()  # in the other mode it runs as before
assert graphed(torch.randn(7, 4, device="cuda")).shape == (7, 2)
both = torch.cuda.make_graphed_callables(lambda u, v: {"product": u * v, "sum": u + v}, (sample[0], sample[1].detach()))
given = torch.full((4,), 3.0, device="cuda"), torch.full((4,), 4.0, device="cuda")
assert {name: one[0].item() for name, one in both(*given).items()} == {"product": 12, "sum": 7}

# A batch on two devices.
model, own = network(), None
own = copy.deepcopy(model)
parallel = nn.DataParallel(model)
for count in (5, 2, 1):
    x = torch.randn(count, 4, device="cuda")
    found, expected = parallel(x), own(x)
    assert found.device == torch.device("cuda:0") and torch.allclose(found, expected)
    (found**2).sum().backward()
    (expected**2).sum().backward()
for p, q in zip(model.parameters(), own.parameters()):
    assert torch.allclose(p.grad, q.grad, rtol=1e-4, atol=1e-6)
parts = nn.parallel.scatter({"x": torch.arange(3.0), "y": "name"}, [0, 1])
assert [(part["x"].tolist(), part["x"].get_device(), part["y"]) for part in parts] == [
    ([0, 1], 0, "name"),
    ([2], 1, "name"),
]
assert nn.parallel.gather(parts, 1)["x"].tolist() == [0, 1, 2]
try:
    nn.DataParallel(nn.Linear(1, 1))(torch.ones(2, 1))
except RuntimeError as error:
    assert "weight on cpu" in str(error), error
else:
    raise AssertionError("a module on the CPU")

# Pools, generators, and what a simulated device cannot tell.
pool = torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    kept = torch.ones(1000, device="cuda")
inside = torch.cuda.CUDAGraph()
with torch.cuda.graph(inside, pool=pool.id):
    twice = kept * 2
inside.replay()
assert twice.sum().item() == 2000 and inside.pool() == pool.id
generators = torch.cuda.default_generators
assert len(generators) == 2 and generators[1].device == torch.device("cuda:1") and generators[-1] is generators[1]
generators[0].manual_seed(5)
first = torch.rand(3, device="cuda")
torch.cuda.manual_seed(5)
assert torch.equal(first, torch.rand(3, device="cuda"))
assert not torch.cuda.nccl.is_available([first])
with torch.cuda.nvtx.range("step {}", 1):
    depth = torch.cuda.nvtx.range_push("inner")
    assert depth == torch.cuda.nvtx.range_pop() == 1
for query in (torch.cuda.utilization, torch.cuda.temperature, torch.cuda.power_draw, torch.cuda.clock_rate):
    try:
        query()
    except RuntimeError as error:
        assert query.__name__ in str(error), error
