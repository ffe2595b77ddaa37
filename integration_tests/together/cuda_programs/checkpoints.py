"""A checkpoint that is saved on the GPU, and loaded on the CPU, on the GPU, and on another GPU."""

import os
import tempfile

import torch
import torch.nn as nn

assert torch.cuda.is_available()


def training(device):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)
    return model, torch.optim.Adam(model.parameters(), lr=0.1)


def step(model, optimizer):
    x = torch.linspace(-1, 1, 20, device=next(model.parameters()).device).view(5, 4)
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


model, optimizer = training("cuda")
for _ in range(3):
    step(model, optimizer)
path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.cuda.get_rng_state()}, path)
following = [step(model, optimizer) for _ in range(3)]

for device, location in (
    ("cpu", "cpu"), ("cuda", None), ("cuda", "cuda"), ("cuda:1", "cuda:1"), ("cuda:1", {"cuda:0": "cuda:1"}),
    ("cuda:1", lambda storage, saved_from: storage.cuda(1)),
):  # fmt: skip
    saved = torch.load(path, map_location=location)
    wanted = torch.device(device if ":" in device or device == "cpu" else "cuda:0")
    assert {value.device for value in saved["model"].values()} == {wanted}, (device, location)
    torch.cuda.set_rng_state(saved["rng"])
    model, optimizer = training(device)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    assert {value.device for value in optimizer.state[next(model.parameters())].values() if value.ndim} == {wanted}
    again = [step(model, optimizer) for _ in range(3)]
    torch.testing.assert_close(torch.tensor(again), torch.tensor(following), rtol=1e-5, atol=1e-6)
