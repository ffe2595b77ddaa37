"""Write PyTorch files, which the tests of facula_checkpoint and facula read: `nox -s conformance`.

`lightning.ckpt` in the same folder was written by Lightning 2.6 for the same network; this program does not write it.
"""

from __future__ import annotations

import argparse
import collections
from pathlib import Path

import numpy as np
import torch
from torch import nn

PACKAGES = Path(__file__).resolve().parents[2] / "packages"


def save_legacy(value: object, path: Path) -> None:
    """Write the format before version 1.6 only once: it contains addresses, which differ each time."""
    if not path.exists():
        torch.save(value, path, _use_new_zipfile_serialization=False)


def counted(module: nn.Module) -> nn.Module:
    """Fill each parameter of the module with 0, 1, 2, ... and return the module."""
    for parameter in module.parameters():
        parameter.data = torch.arange(parameter.numel()).reshape(parameter.shape).to(parameter.dtype)
    return module


def values() -> dict[str, object]:
    """Return tensors of each kind of sharing and layout, and plain values."""
    whole = torch.arange(12.0).reshape(3, 4)
    return {
        "whole": whole,
        "row": whole[1],
        "turned": whole.t(),
        "half": torch.arange(3, dtype=torch.bfloat16),
        "mask": torch.tensor([True, False]),
        "parameter": nn.Parameter(torch.ones(2)),
        "dtype": torch.float16,
        "size": torch.Size([1, 2]),
        "array": np.arange(6, dtype="u2").reshape(2, 3),
        "number": np.float32(0.5),
        "set": {1, 2},
        "bytes": b"\x00\xff",
        "options": argparse.Namespace(lr=0.1),
        "counter": collections.Counter("aab"),
    }


def run() -> list[object]:
    """Return a network, its optimizer after a step, and a schedule."""
    network = counted(nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2)))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.5, momentum=0.9)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for parameter in network.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    schedule.step()
    return [network, optimizer, schedule]


if __name__ == "__main__":
    checkpoint = PACKAGES / "checkpoint" / "tests" / "pytorch_files"
    torch.save(values(), checkpoint / "values.pt")
    save_legacy(values(), checkpoint / "legacy.pt")
    torch.save(values(), checkpoint / "protocol4.pt", pickle_protocol=4)
    torch.save([torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)], checkpoint / "quantized.pt")
    torch.save([torch.eye(2).to_sparse()], checkpoint / "sparse.pt")
    torch.jit.script(counted(nn.Linear(2, 2))).save(checkpoint / "script.pt")
    face = PACKAGES / "facula" / "tests" / "pytorch_files"
    torch.save(run(), face / "run.pt")
    save_legacy(run()[1:], face / "legacy.pt")  # without modules, whose source code would be written, too
    print("wrote files of PyTorch's")
