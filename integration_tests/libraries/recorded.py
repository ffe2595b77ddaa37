"""Helpers for the programs of this folder: NumPy draws weights and inputs, and results are written to one file.

The programs are written for PyTorch. `nox -s libraries` runs each with PyTorch and with facula in its place, and
compares the files: `compare.py`.
"""

from __future__ import annotations

import sys
import zlib

import numpy as np
import torch

FACULA = hasattr(torch.version, "facula")
results: dict[str, np.ndarray] = {}


def generator(name: str) -> np.random.Generator:
    """Return NumPy's generator, seeded by a name: models do not depend on the order in which they are drawn."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def draw(name: str, *shape: int, dtype: str = "float32") -> torch.Tensor:
    """Draw a tensor of normal numbers."""
    return torch.from_numpy(generator(name).standard_normal(shape).astype(dtype))


def integers(name: str, high: int, *shape: int) -> torch.Tensor:
    """Draw a tensor of integers below `high`."""
    return torch.from_numpy(generator(name).integers(0, high, shape))


def fill(model: torch.nn.Module, name: str) -> None:
    """Draw the weights of a model and the averages of its norms, and disable its randomness."""
    random = generator(name)
    with torch.no_grad():
        for key, value in sorted({**dict(model.named_parameters()), **dict(model.named_buffers())}.items()):
            if not value.is_floating_point() or value.numel() == 0:
                continue
            numbers = random.standard_normal(tuple(value.shape))
            if key.endswith("running_var"):
                numbers = 1 + 0.1 * np.abs(numbers)
            elif isinstance(value, torch.nn.Parameter) and value.ndim > 1:
                numbers = numbers / np.sqrt(np.prod(value.shape[1:]))
            elif (isinstance(value, torch.nn.Parameter) and "weight" in key) or "gamma" in key:
                numbers = 1 + 0.1 * numbers
            elif isinstance(value, torch.nn.Parameter) or key.endswith("running_mean"):
                numbers = 0.1 * numbers
            else:
                continue  # a constant of the model
            value.copy_(torch.from_numpy(numbers.astype("float32")))
    for module in model.modules():
        if type(module).__name__.startswith(("Dropout", "StochasticDepth")):
            module.p = 0.0
        for name in ("drop_prob", "drop_rate"):
            if hasattr(module, name):
                setattr(module, name, 0.0)


def record(name: str, value: object) -> None:
    """Record a result: a tensor, an array, a number or a list of these."""
    if isinstance(value, (list, tuple)):
        for place, one in enumerate(value):
            record(f"{name}.{place}", one)
        return
    array = value.detach().to("cpu") if isinstance(value, torch.Tensor) else value
    if isinstance(array, torch.Tensor):
        array = array.float().numpy() if array.dtype == torch.bfloat16 else array.numpy()
    # Libraries return losses computed in float32 as Python numbers.
    results[name] = np.array(array, np.float32 if isinstance(array, float) else None)


def record_gradients(name: str, model: torch.nn.Module) -> None:
    """Record the size of each parameter's gradient, and all elements of the smallest gradient."""
    gradients = {key: one.grad for key, one in model.named_parameters() if one.grad is not None}
    for key, one in gradients.items():
        record(f"{name} gradient of {key}, size", one.double().norm())
    if gradients:
        key = min(gradients, key=lambda key: gradients[key].numel())
        record(f"{name} gradient of {key}", gradients[key])


def doubled(value: object) -> object:
    """Convert floating tensors to float64, also in lists and dicts."""
    if isinstance(value, dict):
        return {key: doubled(one) for key, one in value.items()}
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def output_of(found: object) -> torch.Tensor:
    """Return a model's output tensor: its result, its logits or its first hidden state."""
    if isinstance(found, torch.Tensor):
        return found
    if isinstance(found, (tuple, list)):
        return output_of(found[0])
    return next(found[key] for key in ("out", "logits", "last_hidden_state") if key in found)


def run_model(name: str, model: torch.nn.Module, *args: object, classes: torch.Tensor | None = None, **options) -> None:
    """Evaluate a model with drawn weights in float32, then run a forward and a backward pass in float64.

    Norms over few numbers amplify float32 rounding in gradients a thousandfold.
    """
    fill(model, name)
    with torch.no_grad():
        record(f"{name}, float32", output_of(model.eval()(*args, **options)))
    model.train().double()
    found = model(*map(doubled, args), **doubled(options))
    out = output_of(found)
    if classes is not None:
        loss = torch.nn.functional.cross_entropy(out, classes)
    elif isinstance(found, dict) and found.get("loss") is not None:
        loss = found["loss"]
    else:
        loss = (out * draw(f"{name} slopes", *out.shape, dtype="float64")).sum()
    loss.backward()
    record(name, out)
    record(f"{name}, loss", loss)
    record_gradients(name, model)


def write() -> None:
    """Write the results to the file that the command line names."""
    assert results
    assert sys.argv[1].endswith(".facula.npz" if FACULA else ".torch.npz")
    if FACULA:
        with open("/proc/self/maps") as maps:
            assert "libtorch" not in maps.read()
    np.savez(sys.argv[1], **results)
    print(f"{len(results)} results")
