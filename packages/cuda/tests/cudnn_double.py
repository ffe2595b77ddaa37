"""A stand-in for cuDNN's Python package on simulated devices: graphs record their operation, and NumPy computes it.

`execute` queues a kernel that calls back into Python, so that the work runs in the order of its stream.
"""

import ctypes
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
from simulated_calls import build_kernels, functions, launch, load, words

KERNEL = """
#include <stdint.h>
void call_back(const struct { void (*function)(const int64_t *); int64_t addresses[15]; } *p, unsigned b, unsigned t)
{
    p->function(p->addresses);
}
"""
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_int64))
DTYPES = {"HALF": np.float16, "BFLOAT16": np.uint16, "FLOAT": np.float32}


class NotSupported(Exception):
    """cuDNN has no kernel for a graph."""


def names(*members):
    return SimpleNamespace(**{member: member for member in members})


class Tensor:
    """A tensor of a graph, whose setters return it."""

    def __init__(self, dim=(), stride=(), data_type="NOT_SET", is_pass_by_value=False, uid=-1):
        self.dim, self.stride, self.data_type, self.uid = dim, stride, data_type, uid
        self.on_host, self.is_output = is_pass_by_value, False

    def _set(name):
        def change(self, value):
            setattr(self, name, value)
            return self

        return change

    set_output, set_uid, set_dim = _set("is_output"), _set("uid"), _set("dim")
    set_stride, set_data_type = _set("stride"), _set("data_type")

    def array(self, address):
        dtype = np.dtype(DTYPES[self.data_type])
        steps = [step * dtype.itemsize for step in self.stride]
        nbytes = sum((size - 1) * step for size, step in zip(self.dim, steps)) + dtype.itemsize
        return np.ndarray(self.dim, dtype, (ctypes.c_char * nbytes).from_address(address), 0, steps)

    def read(self, address):
        found = self.array(address)
        if self.data_type == "BFLOAT16":
            found = (found.astype("u4") << 16).view("f4")
        return found.astype(float)

    def write(self, address, values):
        if self.data_type == "BFLOAT16":
            bits = np.asarray(values, "f4").view("u4")
            values = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        self.array(address)[...] = values


class Graph:
    """A graph with one operation."""

    def __init__(self, io_data_type, intermediate_data_type, compute_data_type, handle):
        assert handle == 42
        self.tensors, self.steps = [], []
        double.graphs.append(self)

    def tensor(self, dim, stride, data_type, is_pass_by_value=False, uid=-1):
        self.tensors.append(Tensor(dim, stride, data_type, is_pass_by_value, uid))
        return self.tensors[-1]

    def _operation(self, kind, results, options):
        self.kind, self.options = kind, options
        self.results = [Tensor() for _ in range(results)]
        self.tensors += self.results
        return self.results

    def conv_fprop(self, image, weight, pre_padding, post_padding, stride, dilation):
        return self._operation("fprop", 1, locals())[0]

    def conv_dgrad(self, loss, filter, pre_padding, post_padding, stride, dilation):
        return self._operation("dgrad", 1, locals())[0]

    def conv_wgrad(self, image, loss, pre_padding, post_padding, stride, dilation):
        return self._operation("wgrad", 1, locals())[0]

    def sdpa(self, q, k, v, generate_stats, attn_scale, diagonal_alignment=None, diagonal_band_right_bound=None):
        return self._operation("sdpa", 2, locals())

    def sdpa_backward(self, q, k, v, o, dO, stats, use_deterministic_algorithm, attn_scale, diagonal_alignment=None,
                      diagonal_band_right_bound=None):  # fmt: skip
        return self._operation("backward", 3, locals())

    def validate(self):
        self.steps.append("validate")

    def build_operation_graph(self):
        self.steps.append("build_operation_graph")

    def create_execution_plans(self, modes):
        self.steps.append("create_execution_plans")

    def deselect_numeric_notes(self, notes):
        self.notes = notes

    def deselect_workspace_greater_than(self, nbytes):
        pass

    def check_support(self):
        if double.unsupported:
            raise NotSupported("no kernel")

    def build_plans(self):
        assert self.steps == ["validate", "build_operation_graph", "create_execution_plans"]

    def get_workspace_size(self):
        return double.workspace

    def execute(self, pack, workspace, handle):
        assert handle == 42
        if double.fails:
            raise RuntimeError("CUDNN_STATUS_EXECUTION_FAILED")
        given = [tensor for tensor in self.tensors if not tensor.on_host]
        assert all(tensor.uid in pack and pack[tensor.uid] % 16 == 0 for tensor in given)
        assert not double.workspace or workspace
        scale = next((ctypes.c_float.from_address(pack[one.uid]).value for one in self.tensors if one.on_host), None)

        def run(addresses):
            try:
                at = {id(tensor): addresses[place] for place, tensor in enumerate(given)}
                compute(self, lambda tensor: tensor.read(at[id(tensor)]), scale, at)
            except BaseException as error:  # in a callback of C
                double.errors.append(error)

        double.kept.append(CALLBACK(run))
        function = ctypes.cast(double.kept[-1], ctypes.c_void_p).value
        block = words(function, *[pack[tensor.uid] for tensor in given])
        double.streams.append(double.stream)
        assert launch(double.kernel, block, double.stream) == 0


def compute(graph, read, scale, at):
    """Run a graph's operation."""
    options = graph.options
    if graph.kind in ("fprop", "dgrad", "wgrad"):
        found = [convolve(graph, read) + double.wrong]
    else:
        found = attend(options, read, scale, graph.kind == "backward")
    for tensor, values in zip(graph.results, found, strict=True):
        tensor.write(at[id(tensor)], values)


def convolve(graph, read):
    """Convolve images, or compute a gradient, by a sum over the places of filters."""
    options, kind, made = graph.options, graph.kind, graph.results[0]
    before, after, stride, dilation = (options[name] for name in ("pre_padding", "post_padding", "stride", "dilation"))
    images = read(options["image"]) if kind != "dgrad" else np.zeros(made.dim)
    weights = (
        read(options["weight"] if kind == "fprop" else options["filter"]) if kind != "wgrad" else np.zeros(made.dim)
    )
    results = np.zeros(made.dim) if kind == "fprop" else read(options["loss"])
    n, filters, channels = len(images), len(weights), weights.shape[1]
    groups = images.shape[1] // channels
    wide = np.pad(images, [(0, 0), (0, 0), *zip(before, after)])
    wide = wide.reshape(n, groups, channels, *wide.shape[2:])
    weights = weights.reshape(groups, filters // groups, *weights.shape[1:])
    results = results.reshape(n, groups, filters // groups, *results.shape[2:])
    for place in np.ndindex(*weights.shape[3:]):
        part = tuple(slice(i * by, i * by + (count - 1) * step + 1, step)
                     for i, by, step, count in zip(place, dilation, stride, results.shape[3:]))  # fmt: skip
        taps, patch = weights[(..., *place)], wide[(..., *part)]
        if kind == "fprop":
            results += np.einsum("ngc...,gfc->ngf...", patch, taps)
        elif kind == "dgrad":
            wide[(..., *part)] += np.einsum("ngf...,gfc->ngc...", results, taps)
        else:
            flat = (results.reshape(*results.shape[:3], -1), patch.reshape(*patch.shape[:3], -1))
            weights[(..., *place)] = np.einsum("ngfp,ngcp->gfc", *flat)
    if kind == "dgrad":
        inner = tuple(slice(b, b + size) for b, size in zip(before, made.dim[2:]))
        return wide[(..., *inner)].reshape(made.dim)
    return (results if kind == "fprop" else weights).reshape(made.dim)


def attend(options, read, scale, backward):
    q, k, v = (read(options[name]) for name in "qkv")
    scores = scale * q @ k.swapaxes(-1, -2)
    if options["diagonal_band_right_bound"] == 0:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    if not backward:
        lse = np.log(np.exp(scores - scores.max(-1, keepdims=True)).sum(-1, keepdims=True)) + scores.max(
            -1, keepdims=True
        )
        return [np.exp(scores - lse) @ v + double.wrong, lse]
    assert options["use_deterministic_algorithm"]
    share, g = np.exp(scores - read(options["stats"])), read(options["dO"])
    inner = share * (g @ v.swapaxes(-1, -2) - (g * read(options["o"])).sum(-1, keepdims=True)) * scale
    return [inner @ k, inner.swapaxes(-1, -2) @ q, share.swapaxes(-1, -2) @ g]


double = SimpleNamespace()


def set_stream(handle, stream):
    double.stream = stream


def install(monkeypatch, folder, version="1.23.0", backend=92801):
    """Make `import cudnn` give the stand-in, and return its state."""
    vars(double).update(
        graphs=[], kept=[], errors=[], streams=[], stream=None, unsupported=False, workspace=0, wrong=0, fails=False
    )  # fmt: skip
    (double.kernel,) = functions(load(build_kernels(folder, KERNEL)), "call_back")
    cudnn = ModuleType("cudnn")
    cudnn.__version__, cudnn.__file__, cudnn.__spec__ = version, "/double/cudnn/__init__.py", SimpleNamespace()
    cudnn.data_type = names("HALF", "BFLOAT16", "FLOAT")
    cudnn.numerical_note = names("TENSOR_CORE", "NONDETERMINISTIC")
    cudnn.heur_mode, cudnn.diagonal_alignment = names("A", "FALLBACK"), names("TOP_LEFT")
    cudnn.pygraph, cudnn.cudnnGraphNotSupportedError = Graph, NotSupported
    cudnn.create_handle, cudnn.set_stream, cudnn.backend_version = lambda: 42, set_stream, lambda: backend
    monkeypatch.setitem(sys.modules, "cudnn", cudnn)
    return double
