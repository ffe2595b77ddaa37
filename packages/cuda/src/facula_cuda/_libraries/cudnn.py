"""Convolutions and attention by cuDNN, through NVIDIA's Python package nvidia-cudnn-frontend.

A plan builds a graph of cuDNN, and a launch executes it on the current stream. That is a call of Python, so captured
functions cannot contain it; captures of streams can. cuDNN's kernels need addresses that are multiples of 16 and have
no dropout with facula's random numbers: our own kernel computes other calls.
"""

from __future__ import annotations

import ctypes
import threading
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_errors import OperationError
from facula_storage import Plan, float32, layout_of

from .._port.driver import opened
from .._precision import allows_tf32
from .adapters import Request, Sample, register
from .library import VARIABLE, Found, Library, Unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from facula_storage import DType, Layout

VERSION, MINIMUM_BACKEND = "1.23.", 90000
ALIGNMENT = 16
MAX_WIDTH = 128  # of rows in attention, for all architectures
MAX_WORKSPACE = 1 << 30
TYPES = {"float16": "HALF", "bfloat16": "BFLOAT16", "float32": "FLOAT"}  # members of cudnn.data_type
HALVES = ("float16", "bfloat16")
CONVOLUTIONS = ("conv2d", "conv2d_input", "conv2d_weight")
SCALE = 99  # the place of attention's scale, which is in host memory
SCALARS = 4  # of a launch of attention: scale, dropout's probability, seed and offset


def find() -> Found:
    """Import the package and ask for the version of the library."""
    if find_spec("cudnn") is None:
        raise Unusable("not installed")
    try:
        cudnn = import_module("cudnn")
        version, backend = str(cudnn.__version__), int(cudnn.backend_version())
    except Exception as error:  # whatever its imports raise
        raise Unusable(f"its import raised {type(error).__name__} ({error!s:.200})") from error
    name = f"{version} with cuDNN {backend // 10000}.{backend // 100 % 100}.{backend % 100}"
    if not version.startswith(VERSION) or backend < MINIMUM_BACKEND:
        raise Unusable(
            f"expected nvidia-cudnn-frontend {VERSION}x with cuDNN 9 or newer; got {name}", name, str(cudnn.__file__)
        )
    return Found(cudnn, name, str(cudnn.__file__))


class _Handles(threading.local):
    """The calling thread's handles of cuDNN, by session of the driver and device: a handle has one stream at a time."""

    def __init__(self) -> None:
        self.handles: dict[tuple[int, int], int] = {}


_own = _Handles()


def _handle(cudnn: Any, index: int) -> int:
    """Return the thread's handle of a device, whose context is current."""
    key = opened.session, index
    if key not in _own.handles:
        _own.handles[key] = cudnn.create_handle()
    return _own.handles[key]


class Built(NamedTuple):
    """A graph that is ready to run."""

    graph: Any
    workspace: int


class Graph:
    """A graph while it is built: its tensors have the numbers of their places among a launch's addresses, from 1."""

    def __init__(self, request: Request, cudnn: Any, dtype: DType):
        self.cudnn = cudnn
        real = cudnn.data_type.FLOAT
        self.graph = cudnn.pygraph(
            io_data_type=getattr(cudnn.data_type, TYPES[dtype.name]), intermediate_data_type=real,
            compute_data_type=real, handle=_handle(cudnn, request.backend.index),
        )  # fmt: skip

    def tensor(
        self, place: int, shape: Sequence[int], strides: Sequence[int], dtype: DType, on_host: bool = False
    ) -> Any:
        """Return an operand."""
        return self.graph.tensor(
            dim=list(shape), stride=list(strides), data_type=getattr(self.cudnn.data_type, TYPES[dtype.name]),
            is_pass_by_value=on_host, uid=place + 1,
        )  # fmt: skip

    def result(self, tensor: Any, place: int, shape: Sequence[int], strides: Sequence[int], dtype: DType) -> None:
        """Make a tensor a result."""
        tensor.set_output(True).set_uid(place + 1).set_dim(list(shape)).set_stride(list(strides)).set_data_type(
            getattr(self.cudnn.data_type, TYPES[dtype.name])
        )

    def build(self, exact: bool) -> Built:
        """Choose kernels: deterministic ones, and none with tensor cores if float32 must be `exact`."""
        graph, notes, modes = self.graph, self.cudnn.numerical_note, self.cudnn.heur_mode
        graph.validate()
        graph.build_operation_graph()
        graph.create_execution_plans([modes.A, modes.FALLBACK])
        graph.deselect_numeric_notes([notes.NONDETERMINISTIC, *([notes.TENSOR_CORE] if exact else [])])
        graph.deselect_workspace_greater_than(MAX_WORKSPACE)
        graph.check_support()
        graph.build_plans()
        return Built(graph, int(graph.get_workspace_size()))


def build_convolution(request: Request, cudnn: Any) -> Built | None:
    """Build the graph of a convolution or of a gradient; None if cuDNN has no such padding."""
    operator, output = request.operator, request.outputs[0]
    inputs = request.inputs
    images, weights, results = {
        "conv2d": (inputs[0], inputs[1], output),
        "conv2d_input": (output, inputs[1], inputs[0]),
        "conv2d_weight": (inputs[1], output, inputs[0]),
    }[operator]
    stride, before, dilation = request.parameters[:3]
    after = paddings_after(images.shape[2:], weights.shape[2:], results.shape[2:], stride, before, dilation)
    if after is None or min(before) < 0:
        return None
    graph = Graph(request, cudnn, output.dtype)
    tensors = [None if one is None else graph.tensor(place, one.shape, one.strides, one.dtype)
               for place, one in enumerate(inputs[:2])]  # fmt: skip
    geometry = {
        "pre_padding": list(before), "post_padding": after, "stride": list(stride), "dilation": list(dilation)
    }  # fmt: skip
    if operator == "conv2d":
        made = graph.graph.conv_fprop(image=tensors[0], weight=tensors[1], **geometry)
    elif operator == "conv2d_input":
        made = graph.graph.conv_dgrad(loss=tensors[0], filter=tensors[1], **geometry)
    else:
        made = graph.graph.conv_wgrad(image=tensors[1], loss=tensors[0], **geometry)
    graph.result(made, len(inputs), output.shape, output.strides, output.dtype)
    return graph.build(exact=not allows_tf32())


def paddings_after(
    size: Sequence[int], taps: Sequence[int], out: Sequence[int], stride: Sequence[int], before: Sequence[int],
    dilation: Sequence[int],
) -> list[int] | None:  # fmt: skip
    """Return paddings at the ends of dimensions that give `out` elements; equal to those before, if possible.

    >>> paddings_after((6, 6), (3, 3), (3, 6), (2, 1), (1, 1), (1, 1))
    [1, 1]
    >>> paddings_after((9,), (1,), (2,), (2,), (0,), (1,)) is None
    True
    """
    found = []
    for n, k, count, step, pad, gap in zip(size, taps, out, stride, before, dilation, strict=True):
        least = (count - 1) * step + (k - 1) * gap + 1 - n - pad
        if least + step <= 0:  # elements at the end that no filter reaches, more than a step
            return None
        found.append(pad if least <= pad < least + step else max(least, 0))
    return found


def build_attention(request: Request, cudnn: Any) -> Built:
    """Build the graph of attention or of its gradients."""
    inputs, outputs, (causal,) = request.inputs, request.outputs, request.parameters
    gradient = request.operator == "attention_grad"
    graph = Graph(request, cudnn, inputs[0].dtype)
    lse = 6 if gradient else len(inputs) + 1
    tensors = [
        None if layout is None else graph.tensor(place, *_whole(layout, place == lse), layout.dtype)
        for place, layout in enumerate(inputs)
    ]
    scale = graph.tensor(SCALE, [1] * 4, [1] * 4, float32, on_host=True)
    common: dict[str, Any] = {"attn_scale": scale}
    if causal:
        common |= {"diagonal_alignment": cudnn.diagonal_alignment.TOP_LEFT, "diagonal_band_right_bound": 0}
    if gradient:
        g, q, k, v, _, out, sums = tensors
        made = graph.graph.sdpa_backward(
            q=q, k=k, v=v, o=out, dO=g, stats=sums, use_deterministic_algorithm=True, **common
        )  # fmt: skip
    else:
        made = graph.graph.sdpa(q=tensors[0], k=tensors[1], v=tensors[2], generate_stats=True, **common)
    for place, (tensor, layout) in enumerate(zip(made, outputs, strict=True), len(inputs)):
        graph.result(tensor, place, *_whole(layout, place == lse), layout.dtype)
    return graph.build(exact=False)


def _whole(layout: Layout, of_rows: bool) -> tuple[list[int], list[int]]:
    """Return shape and strides with four dimensions; sums of rows have one more at the end."""
    shape, strides = list(layout.shape), list(layout.strides)
    if of_rows:
        shape, strides = [*shape, 1], [*strides, 1]
    missing = 4 - len(shape)
    return [1] * missing + shape, [shape[0] * strides[0]] * missing + strides


class CudnnAdapter:
    """Plans of convolutions of float32, and of attention of half types without a mask."""

    library = Library("cudnn", find, "'nvidia-cudnn-frontend==1.23.*' nvidia-cudnn-cu13")

    def dtypes(self, operator: str) -> Sequence[str]:
        """Return the dtypes of an operator."""
        return ("float32",) if operator in CONVOLUTIONS else HALVES

    def plan(self, request: Request) -> Plan | None:
        """Return a plan, or None where our own kernel or the CPU computes the operator."""
        layouts = [layout for layout in (*request.inputs, *request.outputs) if layout is not None]
        found = self.library.get()
        is_convolution = request.operator in CONVOLUTIONS
        fits = _fits_convolution if is_convolution else _fits_attention
        if found is None or not all([layout.numel for layout in layouts]) or not fits(request):
            return None
        request.backend.enter(request.operator)
        build: Callable[[Request, Any], Built | None] = build_convolution if is_convolution else build_attention
        try:
            built = build(request, found.handle)
        except found.handle.cudnnGraphNotSupportedError:
            return None
        return built and _plan(request, found, built, 0 if is_convolution else SCALARS)

    def sample(self, operator: str, dtype: DType) -> Sample:
        """Return small operands."""
        return _convolution_sample(operator, dtype) if operator in CONVOLUTIONS else _attention_sample(operator, dtype)


def _fits_convolution(request: Request) -> bool:
    layouts = [layout for layout in (*request.inputs, *request.outputs) if layout is not None]
    return all([layout.dtype is float32 and layout.is_contiguous for layout in layouts])


def _fits_attention(request: Request) -> bool:
    first = 1 if request.operator == "attention_grad" else 0
    q, k, v, mask = request.inputs[first : first + 4]
    matrices = [request.inputs[0], q, k, v]
    return (
        mask is None
        and q.dtype.name in HALVES
        and all([one.dtype is q.dtype and 3 <= len(one.shape) <= 4 and one.strides[-1] == 1 for one in matrices])
        and all([one.shape[-1] % 8 == 0 and one.shape[-1] <= MAX_WIDTH for one in (q, v)])
        and all([step % 8 == 0 for one in matrices for step in one.strides[:-1]])
    )


def _plan(request: Request, found: Found, built: Built, scalars: int) -> Plan:
    """Return a plan that executes a graph, or launches the reference's."""
    cudnn, backend, operator = found.handle, request.backend, request.operator
    reference = request.reference()
    places = [place for place, layout in enumerate((*request.inputs, *request.outputs)) if layout is not None]
    count = len(request.inputs) + len(request.outputs)
    workspace = max(built.workspace, reference.workspace)
    # cuDNN has few kernels that add a bias in float32.
    biased = operator == "conv2d" and request.inputs[2] is not None
    add_bias = _bias_plan(request).launch if biased else None

    def launch(n: int, *arguments: Any) -> None:
        addresses, rest = arguments[:count], arguments[count:]
        room, numbers = (rest[0], rest[1:]) if workspace else (0, rest)
        unaligned = any([addresses[place] % ALIGNMENT for place in places])
        if unaligned or (scalars and numbers[1]):
            reference.launch(n, *addresses, *([room] if reference.workspace else []), *numbers)
            return
        pack: dict[int, int] = {place + 1: addresses[place] for place in places if not (biased and place == 2)}
        if scalars:
            scale = ctypes.c_float(numbers[0])
            pack[SCALE + 1] = ctypes.addressof(scale)
        backend.enter(operator)
        try:
            handle = _handle(cudnn, backend.index)
            cudnn.set_stream(handle=handle, stream=backend.stream)
            built.graph.execute(pack, room, handle=handle)
        except Exception as error:  # whatever cuDNN raises
            raise OperationError(
                f"{operator}: expected cuDNN {found.version} to compute it; got {type(error).__name__} "
                f"({error!s:.200}). Set {VARIABLE} to libraries without cudnn, such as none, to use facula's kernels"
            ) from error
        if add_bias:
            add_bias(n, addresses[3], addresses[2], addresses[3])

    return Plan(operator, request.parameters, request.outputs, launch, workspace)


def _bias_plan(request: Request) -> Plan:
    """Return the plan that adds a bias to the results of a convolution."""
    (output,), bias = request.outputs, request.inputs[2]
    row = layout_of(output.shape, (0, bias.strides[0], *[0] * (len(output.shape) - 2)), output.dtype, output.device)
    return request.backend.reference_plan("add", (output, row), (output,), ())


def _convolution_sample(operator: str, dtype: DType) -> Sample:
    random = np.random.default_rng(13)
    shapes = {"images": (2, 4, 6, 7), "weights": (6, 2, 3, 3), "results": (2, 6, 3, 7)}
    images, weights, results = (random.integers(-3, 4, shape).astype(float) for shape in shapes.values())
    inputs: dict[str, tuple[Sequence[np.ndarray | None], str]] = {
        "conv2d": ((images, weights, results[0, :, 0, 0]), "results"),
        "conv2d_input": ((results, weights), "images"),
        "conv2d_weight": ((results, images), "weights"),
    }
    given, name = inputs[operator]
    size = shapes[name][2:]
    return Sample(given, [(shapes[name], dtype)], dtype, ((2, 1), (1, 1), (1, 1), 2, size), tolerance=1e-5)


def _attention_sample(operator: str, dtype: DType) -> Sample:
    random = np.random.default_rng(17)
    scale, shape, keys = 0.5, (2, 2, 16, 8), (2, 2, 24, 8)
    q, k, v, g = (random.integers(-8, 9, shape) / 8 for shape in (shape, keys, keys, shape))
    numbers = (scale, 0.0, 0, 0)
    if operator == "attention":
        outputs = [(shape, dtype), (shape[:-1], float32)]
        return Sample((q, k, v, None), outputs, dtype, (True,), 2e-2, numbers=numbers)
    scores = np.where(np.tri(shape[-2], keys[-2], dtype=bool), scale * q @ k.swapaxes(-1, -2), -np.inf)
    lse = np.log(np.exp(scores).sum(-1))
    others: Mapping[int, DType] = {6: float32}
    out = np.exp(scores - lse[..., None]) @ v
    outputs = [(shape, dtype), (keys, dtype), (keys, dtype)]
    return Sample((g, q, k, v, None, out, lse), outputs, dtype, (True,), 4e-2, numbers=numbers, others=others)


register(CudnnAdapter(), [*CONVOLUTIONS, "attention", "attention_grad"])
