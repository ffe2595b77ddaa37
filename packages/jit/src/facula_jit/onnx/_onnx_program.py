"""The result of an export: a program that can be saved and run."""

from __future__ import annotations

import os
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from facula_errors import ArgumentError, FileError, InvalidTypeError, MissingPackageError
from facula_errors.extend import boundary
from facula_tensor import Tensor, from_numpy

from .._recording.signature import tensors_in
from ._nodes import OnnxExporterError
from ._writer import onnx_package

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLERANCES = {2: 2e-2, 4: 1e-3, 8: 1e-6}  # tolerances, by the size of a float in bytes


class ONNXProgram:
    """An exported model; `model_proto` is the object of the `onnx` package. A call runs it with onnxruntime."""

    def __init__(self, model_proto: Any):
        self.model_proto = model_proto

    def save(self, destination: str | os.PathLike[str] | IO[bytes], *, external_data: bool = False) -> None:
        """Write the file.

        Arguments:
            destination: a path, or a file that is open for writing bytes.
            external_data: write parameters to a separate file next to it, which is required above 2 GB.
        """
        options: dict[str, Any] = {}
        if external_data:
            if not isinstance(destination, (str, os.PathLike)):
                raise InvalidTypeError(f"onnx.export: external_data needs a path; got {type(destination).__name__}")
            options = {"save_as_external_data": True, "location": f"{os.path.basename(os.fspath(destination))}.data"}
        try:
            onnx_package().save_model(self.model_proto, destination, **options)
        except OSError as error:
            if not isinstance(destination, (str, os.PathLike)):
                raise
            text = f"onnx.export: cannot write the file: {error.strerror}; check the path and the free space"
            raise FileError(error.errno, text, os.fspath(destination)) from None

    @boundary
    def __call__(self, *args: Any, **kwargs: Any) -> list[Tensor]:
        """Run the model with onnxruntime and return the results, in order. Install it with `pip install onnxruntime`.

        Arguments:
            args: arguments like those of the export.
            kwargs: keyword arguments.
        """
        given = list({id(tensor): tensor for tensor in tensors_in([*args, *kwargs.values()])}.values())
        names = [entry.name for entry in self.model_proto.graph.input]
        if len(given) != len(names):
            raise ArgumentError(f"ONNXProgram: expected {len(names)} tensors, {names}; got {len(given)}")
        try:
            runtime = import_module("onnxruntime")
        except ModuleNotFoundError as error:
            raise MissingPackageError(
                "ONNXProgram: the package onnxruntime, which runs the file, is missing; install it with: pip install "
                "onnxruntime"
            ) from error
        session = runtime.InferenceSession(self.model_proto.SerializeToString(), providers=["CPUExecutionProvider"])
        used = {tensor.name for tensor in session.get_inputs()}
        arrays = {name: tensor.detach().numpy() for name, tensor in zip(names, given, strict=True) if name in used}
        return [from_numpy(array) for array in session.run(None, arrays)]

    def __repr__(self) -> str:
        graph = self.model_proto.graph
        return f"<ONNX program: {len(graph.node)} nodes, {len(graph.initializer)} parameters and constants>"


def verify(program: ONNXProgram, inputs: Sequence[Tensor], wanted: Sequence[Tensor]) -> None:
    """Raise OnnxExporterError if the results of onnxruntime differ.

    Arguments:
        program: the exported model.
        inputs: the tensor arguments of the model.
        wanted: its results.
    """
    names = [entry.name for entry in program.model_proto.graph.output]
    for name, tensor, mine in zip(names, program(*inputs), wanted, strict=True):
        close = TOLERANCES.get(mine.dtype.itemsize, 0) if mine.dtype.is_floating_point else 0
        if tensor.shape != mine.shape or not tensor.allclose(mine, rtol=close, atol=close, equal_nan=True):
            raise OnnxExporterError(
                f"onnx.export: verify: onnxruntime computes another {name!r} than the model; report it with the "
                "model, and do not use the file"
            )
