"""Checkpoints as safetensors files, to PyTorch and back: the same network gives the same outputs there."""

import json
import struct

import numpy as np
import pytest
import safetensors.torch
import torch

import facula

NETWORKS = {
    "convolutions": lambda nn: nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(64, 10),
    ),
    "perceptron": lambda nn: nn.Sequential(
        nn.Flatten(), nn.Linear(64, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 10)
    ),
}
DTYPES = ("float32", "float64")


@pytest.fixture(params=NETWORKS)
def build(request):
    return NETWORKS[request.param]


@pytest.fixture(params=DTYPES)
def dtype(request):
    return request.param


def images(dtype, count=8):
    return np.random.default_rng(0).standard_normal((count, 1, 8, 8)).astype(dtype)


def trained(library, build, dtype):
    """Return a network in evaluation mode after a few steps, which changed its running statistics."""
    library.manual_seed(1)
    network = build(library.nn).to(getattr(library, dtype))
    optimizer = library.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = library.nn.functional.cross_entropy(network(library.from_numpy(images(dtype))), library.arange(8))
        loss.backward()
        optimizer.step()
    return network.eval()


def outputs(library, network, dtype):
    with library.no_grad():
        return network(library.from_numpy(images(dtype))).numpy()


def tolerance(dtype):
    return {"float32": 1e-5, "float64": 1e-12}[dtype]


def test_what_facula_saved_runs_in_pytorch(build, dtype, tmp_path):
    ours = trained(facula, build, dtype)
    facula.save(ours.state_dict(), tmp_path / "ours.safetensors")
    theirs = build(torch.nn).to(getattr(torch, dtype))
    theirs.load_state_dict(safetensors.torch.load_file(tmp_path / "ours.safetensors"))
    expected, found = outputs(facula, ours, dtype), outputs(torch, theirs.eval(), dtype)
    assert np.allclose(found, expected, rtol=tolerance(dtype), atol=tolerance(dtype))


def test_what_pytorch_saved_runs_in_facula(build, dtype, tmp_path):
    theirs = trained(torch, build, dtype)
    safetensors.torch.save_file(theirs.state_dict(), tmp_path / "theirs.safetensors")
    ours = build(facula.nn).to(getattr(facula, dtype))
    ours.load_state_dict(facula.load(tmp_path / "theirs.safetensors"))
    expected, found = outputs(torch, theirs, dtype), outputs(facula, ours.eval(), dtype)
    assert np.allclose(found, expected, rtol=tolerance(dtype), atol=tolerance(dtype))


def test_a_nested_run_is_found_by_name(tmp_path):
    """Check that any reader finds tensors of nested containers under their joined keys."""
    facula.save({"model": {"0.weight": facula.ones(2)}, "epoch": 3}, tmp_path / "run.safetensors")
    assert safetensors.torch.load_file(tmp_path / "run.safetensors")["model.0.weight"].tolist() == [1.0, 1.0]
    start = (tmp_path / "run.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", start[:8])
    assert json.loads(start[8 : 8 + length])["model.0.weight"]["dtype"] == "F32"


@pytest.mark.parametrize(
    "name", ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "complex64"]
)
def test_each_dtype_crosses_both_ways(name, tmp_path):
    values = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
    safetensors.torch.save_file({"x": values}, tmp_path / "theirs.safetensors")
    loaded = facula.load(tmp_path / "theirs.safetensors")
    assert loaded["x"].dtype is getattr(facula, name)
    facula.save(loaded, tmp_path / "ours.safetensors")
    again = safetensors.torch.load_file(tmp_path / "ours.safetensors")["x"]
    assert again.dtype is values.dtype and torch.equal(again, values)
