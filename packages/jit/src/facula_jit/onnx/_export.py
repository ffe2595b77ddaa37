"""`export`: a model as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ._arguments import Arguments
from ._conversion import convert
from ._nodes import OnnxExporterError, all_nodes
from ._onnx_program import ONNXProgram
from ._onnx_program import verify as compare
from ._size_formulas import generalise
from ._trace import trace
from ._writer import fold, model_of, onnx_package, with_output_names, with_shared_constants, without_unused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO, TypeAlias

    from ._arguments import Axes
    from ._conversion import Converted
    from ._nodes import Builder, Shape

    Results: TypeAlias = list[tuple[str, Tensor]]
    Sizes: TypeAlias = tuple[int, ...]

OPSET, OLDEST, NEWEST = 18, 18, 23
UNSUPPORTED_OPTIONS = (
    "custom_opsets", "custom_translation_table", "dump_exported_program", "export_modules_as_functions",
    "keep_initializers_as_inputs", "operator_export_type", "profile", "report", "training",
)  # fmt: skip
IGNORED_OPTIONS = ("artifacts_dir", "autograd_inlining", "fallback")
STRIDES = (1, 2, 4, 8, 16, 32)  # differences between sizes of the same dynamic axis


@boundary
def export(
    model: Callable[..., Any],
    args: tuple[Any, ...] | Tensor = (),
    f: str | os.PathLike[str] | IO[bytes] | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamic_axes: Axes | None = None,
    do_constant_folding: bool = True,
    external_data: bool = False,
    export_params: bool = True,
    verbose: bool | None = None,
    dynamo: bool | None = None,
    dynamic_shapes: Any = None,
    verify: bool = False,
    optimize: bool = True,
    **options: object,
) -> ONNXProgram:
    """Export a model as an ONNX file. The `onnx` package writes it: `pip install onnx`.

    The model runs once in its present mode (call `eval()` before), without recording gradients. Each operator is
    converted to nodes, and parameters keep their names in `state_dict()`. Values that depend on Python are constant.
    In-place changes of tensors that the model creates become new values.

    Arguments:
        model: a module, or a function of tensors.
        args: its positional arguments, or the only one. Tensors become inputs of the file; other values are constant.
        f: a path, or a file that is open for writing bytes; None to write no file.
        kwargs: its keyword arguments.
        input_names: the names of the tensor arguments; by default those of the parameters of `forward`.
        output_names: the names of the returned tensors; by default "output", or "output_0" and so on.
        opset_version: the version of ONNX's operators, from 18 to 23; 18 by default.
        dynamic_axes: sizes of inputs that may differ when the file is used: `{"x": {0: "batch"}}`, or `{"x": [0]}`. The
            model runs for several sizes. Axes with the same name are equal. Entries for outputs are not needed.
        dynamic_shapes: the same, by position: a dict by the names of the model's parameters, or a tuple in their order,
            with a dict of axes for each tensor, `{"x": {0: "batch"}}`; a name may be a `Dim`.
        do_constant_folding: compute values that depend only on constants; parameters are not folded.
        external_data: write parameters to a separate file next to `f`.
        export_params: must be True: files always contain parameters.
        verbose: print the exported model.
        dynamo: ignored; PyTorch selects one of two exporters by it.
        verify: run the file with onnxruntime, and compare its results with those of the model.
        optimize: ignored.
        options: PyTorch's other options, which must have their default values.

    Returns:
        The program. Its `model_proto` is the object of the `onnx` package, and its `save` writes the file.

    Raises:
        OnnxExporterError: an operator has no ONNX node here, or the model reads elements in Python, for example for
            data-dependent shapes. The message names the operator, its line and the remedy.
        ImportError: the onnx package is not installed.
        TypeError, ValueError: invalid arguments.

    >>> from facula_tensor import ones
    >>> export(lambda x: (x * 2).relu(), ones(2, 3))  # doctest: +SKIP
    <ONNX program: 2 nodes, 1 parameters and constants>
    """
    onnx_package()
    opset = OPSET if opset_version is None else opset_version
    _check(model, args, f, opset, export_params)
    _check_options(options)
    for name, given_names in (("input_names", input_names), ("output_names", output_names)):
        if not (given_names is None or isinstance(given_names, (tuple, list))):
            raise InvalidTypeError(f"onnx.export: expected {name} to be a list of names; got {given_names!r}")
    positional = (args,) if isinstance(args, Tensor) else tuple(args)
    given = Arguments(model, positional, kwargs or {}, input_names, dynamic_axes, dynamic_shapes, output_names)
    runs, found, results = _converted(model, given, opset)
    names = _output_names([label for label, _ in results], output_names, given.names)
    b, outputs = found[0]
    shapes: list[Shape] = [list(layout.shape) for _, layout in outputs]
    if given.labels:
        shapes = generalise(given.distinct, runs, found)
    b.nodes = without_unused(b.nodes, [name for name, _ in outputs])
    with_shared_constants(b)
    if do_constant_folding:
        fold(b)
        with_shared_constants(b)
    _check_free(b, names)
    with_output_names(b, [name for name, _ in outputs], names)
    declared = [(name, layout.dtype, shape) for name, (_, layout), shape in zip(names, outputs, shapes, strict=True)]
    graph_name = str(getattr(model, "__name__", None) or type(model).__name__).strip("<>")
    program = ONNXProgram(model_of(b, graph_name, given.declared(), declared))
    if verify:
        compare(program, given.resized(runs[0])[0], [entry for _, entry in results])
    if verbose:
        print(program)
    if f is not None:
        program.save(f, external_data=external_data)
    return program


def _converted(model: Callable[..., Any], given: Arguments, opset: int) -> tuple[list[Sizes], list[Converted], Results]:
    """Convert the model for several sizes, starting with the given ones; return sizes, nodes, and first results.

    Sizes that differ by one are tried first. If the model raises an error, for example because it halves and joins
    images, they differ by two, by four and so on.
    """
    problem: Exception | None = None
    for stride in STRIDES:
        runs = given.runs(stride)
        found: list[Converted] = []
        first: Results = []
        try:
            for sizes in runs:
                inputs, args, kwargs = given.resized(sizes)
                made = trace(model, inputs, args, kwargs)
                results = list(_labelled(made.result))
                first = first or results
                found.append(convert(made, opset, given.names, [entry for _, entry in results]))
            return runs, found, first
        except OnnxExporterError:
            raise
        except Exception as error:
            if not found:  # for the given sizes, too
                raise
            problem = problem or error
    raise OnnxExporterError(
        f"onnx.export: for other sizes of {given.labels} the model raises {type(problem).__name__}: {problem}; "
        "give axes that are equal one name, or leave one out"
    ) from problem


def _check_options(options: Mapping[str, object]) -> None:
    """Raise TypeError or ValueError for options that are unknown, or request unsupported behavior."""
    for name, value in options.items():
        if name not in (*UNSUPPORTED_OPTIONS, *IGNORED_OPTIONS):
            raise InvalidTypeError(f"onnx.export: got an unexpected keyword argument {name!r}; leave it out")
        if name in UNSUPPORTED_OPTIONS and value:
            raise InvalidValueError(f"onnx.export: expected {name} to be left out; got {value!r:.60}")


def _check(model: object, args: object, f: object, opset: object, export_params: bool) -> None:
    """Raise TypeError or ValueError for arguments of invalid types."""
    if type(opset) is not int or not OLDEST <= opset <= NEWEST:
        raise InvalidValueError(f"onnx.export: expected opset_version from {OLDEST} to {NEWEST}; got {opset!r}")
    if not export_params:
        raise InvalidValueError("onnx.export: expected export_params=True, since a file has its parameters; got False")
    if not callable(model):
        raise InvalidTypeError(f"onnx.export: expected a module or a function; got {type(model).__name__}")
    if not isinstance(args, (Tensor, tuple, list)):
        raise InvalidTypeError(f"onnx.export: expected args to be a tuple, or a Tensor; got {type(args).__name__}")
    if not (f is None or isinstance(f, (str, os.PathLike)) or hasattr(f, "write")):
        raise InvalidTypeError(f"onnx.export: expected f to be a path or an open file; got {type(f).__name__}")


def _labelled(result: Any, path: str = "") -> Iterator[tuple[str, Tensor]]:
    """Generate the tensors of a result with their paths: keys of dicts, indices in tuples and lists."""
    if isinstance(result, Tensor):
        yield path, result
    elif isinstance(result, Mapping):
        for key, part in result.items():
            yield from _labelled(part, f"{path}_{key}" if path else str(key))
    elif isinstance(result, (tuple, list)):
        for place, part in enumerate(result):
            yield from _labelled(part, f"{path}_{place}" if path else f"output_{place}")
    elif result is not None:
        raise OnnxExporterError(
            f"onnx.export: the model returns a {type(result).__name__}; return tensors, in tuples, lists or dicts"
        )


def _check_free(b: Builder, names: Sequence[str]) -> None:
    """Raise ArgumentError if an internal value has the name of a result."""
    inside = {*b.parameters, *b.constants, *[name for node in all_nodes(b.nodes) for name in node.outputs]}
    taken = inside.intersection(names)
    if taken:
        raise ArgumentError(f"onnx.export: a value inside is called {min(taken)!r}; give results other output_names")


def _output_names(labels: Sequence[str], given: Sequence[str] | None, inputs: Sequence[str]) -> list[str]:
    """Return the names of the results."""
    if not labels:
        raise OnnxExporterError("onnx.export: the model returns no tensor; return the tensors to compute")
    own = [label or "output" for label in labels]
    names = [f"output_{key}" if key in inputs else key for key in own] if given is None else list(given)
    if len(names) != len(labels) or len({*names, *inputs}) != len(names) + len(inputs):
        raise ArgumentError(
            f"onnx.export: expected output_names to be {len(labels)} different names that no input has; got {names}"
        )
    return names
