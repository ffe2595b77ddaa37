"""A captured training step on a device: the same losses as eager steps, and no wait for the device."""

import copy

import torch
from torch.jit import capture

import facula_cuda

torch.manual_seed(0)
x, y = torch.randn(8, 10, device="cuda"), torch.randn(8, 1, device="cuda")
eager = torch.nn.Sequential(torch.nn.Linear(10, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).cuda()
captured = copy.deepcopy(eager)


def training(model):
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)

    def step(x, y):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


step, replay = training(eager), capture(training(captured))
for number in range(8):
    waits = facula_cuda.waits()
    loss = replay(x, y)
    assert number < 5 or facula_cuda.waits() == waits  # earlier calls prepare the capture
    assert torch.equal(loss, step(x, y))
assert str(replay) == "<captured training.<locals>.step: 1 signature>"
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):  # replays reuse memory in the order of one stream: here the function itself runs
    assert torch.equal(replay(x, y), step(x, y))

# Wrong elements that a replay finds are reported by the line of the captured call.
table, indices = torch.randn(5, 3, device="cuda"), torch.tensor([0, 4], device="cuda")


@capture(check=0)
def rows(indices):
    return torch.nn.functional.embedding(indices, table) * 2


for _ in range(5):
    found = rows(indices)
assert torch.equal(found, table[indices] * 2) and "replayed" in rows.report()
indices.fill_(7)
rows(indices)
try:
    torch.cuda.synchronize()
except IndexError as error:
    assert "embedding: index[0] = 7" in str(error) and "captures.py:47 (rows)" in str(error), error
else:
    raise AssertionError("an index out of range")
assert torch.equal(rows(torch.tensor([1, 2], device="cuda")), table[1:3] * 2)
