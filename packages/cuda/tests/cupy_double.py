"""A stand-in for CuPy on simulated devices: NumPy on the host's view of device memory.

Entering a stream waits for its work, as nothing of NumPy can be queued. Work of other streams has not run then: if an
adapter gave the wrong stream, the operands would be missing. Functions have the parameters of CuPy 14.2 and refuse what
CuPy refuses; `test_cupy.py` compares their signatures with CuPy's where it is installed.
"""

import ctypes
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import numpy as np
from simulated_calls import call

from facula_cuda._driver import lib

#: Functions that the adapter calls by NumPy's names and parameters.
SAME = """abs ascontiguousarray broadcast_to ceil concatenate conj cumprod diagonal exp2 eye isfinite log2 maximum
    ones_like swapaxes where""".split()
entered = []  # handles of streams
errstates = []


class Stream:
    """A context manager of a stream by its handle."""

    def __init__(self, ptr, device_id=-1):
        self.ptr = ptr

    def __enter__(self):
        entered.append(self.ptr)
        call("cuStreamSynchronize", self.ptr)

    def __exit__(self, *exc):
        pass


@contextmanager
def on_device(device=None):
    yield


class UnownedMemory:
    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size = ptr, size


class MemoryPointer:
    def __init__(self, mem, offset):
        self.mem, self.offset = mem, offset


def ndarray(shape, dtype=float, memptr=None, strides=None, order="C"):
    mem = memptr.mem
    at = lib.facula_cuda_simulated_alias(mem.ptr) + memptr.offset
    buffer = (ctypes.c_char * mem.size).from_address(at)
    return np.ndarray(shape, dtype, buffer, 0, strides)


@contextmanager
def errstate(*, divide=None, over=None, under=None, invalid=None, linalg=None, fallback_mode=None):
    errstates.append(linalg)
    with np.errstate(all="ignore"):
        yield
    errstates.pop()


def computed(function, *arrays):
    """Call NumPy's function; where CuPy would not raise, results are NaN."""
    try:
        return function(*arrays)
    except np.linalg.LinAlgError:
        if errstates[-1] == "raise":
            raise
        return np.full_like(arrays[0], np.nan)


def solve_of(a, b):
    assert a.shape[:-1] == b.shape[:-1], "CuPy does not broadcast"
    return computed(np.linalg.solve, a, b)


def lu_factor(a, overwrite_a=False, check_finite=True):
    assert a.ndim == 2
    a, rows = np.array(a), []
    m, n = a.shape
    for k in range(min(m, n)):
        row = k + int(np.abs(a[k:, k]).argmax())
        rows.append(row)
        a[[k, row]] = a[[row, k]]
        if a[k, k] != 0:
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return a, np.array(rows, np.intc)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=False):
    assert a.shape[:-2] == b.shape[:-2]
    a = (np.tril if lower else np.triu)(a)
    if unit_diagonal:
        a = np.where(np.eye(a.shape[-1], dtype=bool), 1, a)
    return computed(np.linalg.solve, a, b)


linalg = SimpleNamespace(
    cholesky=lambda a: computed(np.linalg.cholesky, a),
    inv=lambda a: computed(np.linalg.inv, a),
    solve=lambda a, b: solve_of(a, b),
    det=lambda a: np.linalg.det(a),
    slogdet=lambda a: np.linalg.slogdet(a),
    svd=lambda a, full_matrices=True, compute_uv=True: np.linalg.svd(a, full_matrices, compute_uv),
    qr=lambda a, mode="reduced": np.linalg.qr(a, mode),
    eigh=lambda a, UPLO="L": np.linalg.eigh(a, UPLO),
    eigvalsh=lambda a, UPLO="L": np.linalg.eigvalsh(a, UPLO),
    eig=lambda a: np.linalg.eig(a),
    eigvals=lambda a: np.linalg.eigvals(a),
)
fft = SimpleNamespace(
    fftn=lambda a, s=None, axes=None, norm=None: np.fft.fftn(a, s, axes, norm),
    ifftn=lambda a, s=None, axes=None, norm=None: np.fft.ifftn(a, s, axes, norm),
    rfftn=lambda a, s=None, axes=None, norm=None: np.fft.rfftn(a, s, axes, norm),
    irfft=lambda a, n=None, axis=-1, norm=None: np.fft.irfft(a, n, axis, norm),
)


def install(monkeypatch, version="14.2.0"):
    """Make `import cupy` give the stand-in, and return the module."""
    names = ["cupy", "cupyx", "cupyx.scipy", "cupyx.scipy.linalg"]
    cupy, cupyx, _, scipy_linalg = modules = [ModuleType(name) for name in names]
    cupy.__version__, cupy.__file__, cupy.__spec__ = version, "/double/cupy/__init__.py", SimpleNamespace()
    cupy.ndarray, cupy.fft = ndarray, fft
    cupy.linalg = SimpleNamespace(**vars(linalg))
    cupy.cuda = SimpleNamespace(
        Device=on_device, ExternalStream=Stream, Stream=SimpleNamespace(null=Stream(0)), UnownedMemory=UnownedMemory,
        MemoryPointer=MemoryPointer,
    )  # fmt: skip
    for name in SAME:
        setattr(cupy, name, getattr(np, name))
    cupyx.errstate = errstate
    scipy_linalg.lu_factor, scipy_linalg.solve_triangular = lu_factor, solve_triangular
    for name, module in zip(names, modules, strict=True):
        monkeypatch.setitem(sys.modules, name, module)
    entered.clear()
    return cupy
