"""Small networks for inference on one thread: captured, and saved for C programs, against ONNX Runtime."""

from __future__ import annotations

import atexit
import ctypes
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

import facula_cpu

from ..libraries import Rows, facula, filled
from ..measure import Loop, Row, own_code
from ..steps.networks import perceptron

rows = Rows()
RUNS = 3  # until a capture is settled, passes included
TOLERANCE = 1e-4


def image_network(F: Any, normalized: bool) -> Any:
    """Return a convolutional network for images of (count, 1, 28, 28)."""
    nn, layers = F.nn, []
    for inputs, outputs in ((1, 16), (16, 32)):
        layers.append(nn.Conv2d(inputs, outputs, 3, padding=1))
        if normalized:
            layers.append(nn.BatchNorm2d(outputs))
        layers += [nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 7 * 7, 10))


def encoder(F: Any) -> Any:
    """Return a layer of a transformer's encoder for (count, length, 64)."""
    return F.nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True)


def begin(F: Any, make: Callable[[Any], Any], shape: tuple[int, ...]) -> tuple[Callable, Any]:
    """Return the function of a network in evaluation mode, and its input; all libraries get the same weights."""
    model = make(F).eval()
    with F.no_grad():
        for name, p in model.named_parameters():
            p.copy_((filled(F, *p.shape) - 0.5) * (2 / p.shape[-1] ** 0.5) + (p.ndim == 1 and name.endswith("weight")))
        for b in model.buffers():
            if b.ndim:
                b.copy_(filled(F, *b.shape) + 0.5)

    def infer(x):
        with F.no_grad():
            return model(x)

    return own_code(infer), filled(F, *shape)


def repeated(begin: Callable[[Any], tuple[Callable, Any]], F: Any, **options: Any) -> Loop:
    """Return the loop of a network, captured if it is facula's."""
    infer, x = begin(F)
    if F is facula:
        infer = captured(infer, x, **options)

    def loop(times):
        for _ in times:
            infer(x)

    return own_code(loop)


def captured(infer: Callable, x: Any, **options: Any) -> Callable:
    """Return the capture of a function after some calls."""
    made = facula.capture(infer, on_break="error", **options)
    for _ in range(RUNS):
        made(x)
    return made


def folder() -> Path:
    """Return a folder that is removed at the end."""
    made = tempfile.TemporaryDirectory()
    atexit.register(made.cleanup)
    return Path(made.name)


def session(begin: Callable[[Any], tuple[Callable, Any]]) -> Callable[[], list[np.ndarray]]:
    """Return the network's call by ONNX Runtime."""
    import onnxruntime

    infer, x = begin(facula)
    path = folder() / "network.onnx"
    facula.onnx.export(infer, (x,), path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    made = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return partial(made.run, None, {made.get_inputs()[0].name: x.numpy()})


def exported(begin: Callable[[Any], tuple[Callable, Any]]) -> Loop:
    """Return the loop of a network in ONNX Runtime."""
    run = session(begin)

    def loop(times):
        for _ in times:
            run()

    return own_code(loop)


class Array(ctypes.Structure):
    """The first fields of `struct facula_array` in facula_run.h."""

    _fields_ = (("name", ctypes.c_char_p), ("data", ctypes.c_void_p))


def saved(begin: Callable[[Any], tuple[Callable, Any]]) -> Loop:
    """Return the loop of a network in the C library of facula-run, with its inputs in place."""
    infer, x = begin(facula)
    path = folder() / "network.facula"
    facula.jit.save(captured(infer, x), path, run=True)
    library = ctypes.CDLL(str(next(Path(facula_cpu.__file__).parent.glob("libfacula_kernels.*"))))
    library.facula_model_load.restype = ctypes.c_void_p
    library.facula_model_inputs.restype = ctypes.POINTER(Array)
    library.facula_set_threads(1)
    error = ctypes.create_string_buffer(512)
    model = ctypes.c_void_p(library.facula_model_load(str(path).encode(), ctypes.c_int64(0), error))
    if not model:
        raise ValueError(f"networks: facula_model_load: {error.value.decode()}")
    given = np.ascontiguousarray(x.numpy())
    ctypes.memmove(library.facula_model_inputs(model, None)[0].data, given.ctypes.data, given.nbytes)
    run = library.facula_model_run

    def loop(times):
        for _ in times:
            run(model, error)

    return own_code(loop)


def agree(begin: Callable[[Any], tuple[Callable, Any]]) -> None:
    """Raise ValueError if the libraries compute different results."""
    wanted, *others = (infer(x).numpy() for infer, x in (begin(torch), begin(facula)))
    for name, made in zip(("facula", "ONNX Runtime"), (*others, session(begin)()[0]), strict=True):
        if not np.allclose(made, wanted, TOLERANCE, TOLERANCE):
            raise ValueError(f"networks: results of {name} differ from PyTorch's by {abs(made - wanted).max()}")


PASSES = facula.jit.passes
FOLDED = (PASSES.fold_batch_norm, *PASSES.DEFAULT)  # as ONNX Runtime does
NETWORKS = (
    ("convolutional network", partial(image_network, normalized=False), (1, 28, 28), (1, 64)),
    ("convolutional network with batch norm", partial(image_network, normalized=True), (1, 28, 28), (1, 64)),
    ("MLP 64-256-256-10", partial(perceptron, widths=(64, 256, 256, 10)), (64,), (1, 64)),
    ("encoder layer, 64 wide, length 32", encoder, (32, 64), (1, 8)),
)
for name, make, shape, batches in NETWORKS:
    for batch in batches:
        text, start = f"{name}, batch {batch}", partial(begin, make=make, shape=(batch, *shape))
        ours, theirs, check = partial(repeated, start, facula), partial(exported, start), partial(agree, start)
        rows.append(Row(f"{text}, captured", ours, theirs, 1.0, "ONNX Runtime", check=check))
        rows.append(Row(f"{text}, saved for C", partial(saved, start), theirs, 1.0, "ONNX Runtime"))
        if "batch norm" in name:
            folded = partial(repeated, start, facula, passes=FOLDED)
            rows.append(Row(f"{text}, captured, folded", folded, theirs, 1.0, "ONNX Runtime"))
        rows.append(Row(f"{text}, captured, against PyTorch", ours, partial(repeated, start, torch), 1.0))
