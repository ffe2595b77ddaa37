"""Arguments of `export`: names, dynamic sizes, options, and errors for invalid ones."""

import io
import sys

import pytest
from jit_onnx import check

import facula_tensor as ft
from facula_errors.testing import raises
from facula_jit.onnx import Dim, OnnxExporterError, dims, export
from facula_tensor import functional as F


def images():
    ft.manual_seed(0)
    return ft.randn(2, 3, 6, 6)


def test_names_of_inputs_and_results():
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    x = images()

    def function(first, pair, scale=2.0):
        return {"sum": first + pair[0] * scale, "pair": [pair[1] * 1]}

    graph = export(function, (x, (x * 2, x * 3))).model_proto.graph
    assert [entry.name for entry in graph.input] == ["first", "pair_1", "pair_2"]
    assert [entry.name for entry in graph.output] == ["sum", "pair_0"]
    given = {"input_names": ["a"], "output_names": ["b"]}
    with io.BytesIO() as file:
        graph = export(lambda x: x + 1, x, file, **given).model_proto.graph
        assert file.getvalue()
    assert (graph.input[0].name, graph.output[0].name) == ("a", "b")
    graph = export(lambda x, scale: x * scale, (x, {"scale": 2.0})).model_proto.graph
    assert len(graph.input) == 1
    check(lambda Mul_1, constant_1: Mul_1 * 2 + constant_1 * 3, x, x + 1)
    with raises(ValueError, "onnx.export", "a value inside is called 'constant_1'", "give results other output_names"):
        export(lambda x: x * 2, x, output_names=["constant_1"])


def test_paths_that_cannot_be_written(tmp_path):
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    with raises(FileNotFoundError, "onnx.export", "cannot write the file", "check the path"):
        export(lambda x: x + 1, images(), tmp_path / "none" / "x.onnx")


DYNAMIC = {
    "batch": (lambda x: (x.flatten(1) @ ft.ones(108, 2), x.mean(0), x.reshape(-1, 6), x[-1], ft.cat([x, x])), {0: "n"}),
    "two": (lambda x: (x.softmax(0).transpose(0, 2), x.flatten(0, 2).sum(0) / x.shape[0], x.mean()), {0: "n", 2: "m"}),
    "counted": (lambda x: (x + ft.arange(x.shape[3]), x.argmax(3), ft.ones(x.shape[3]).cumsum(0)), [3]),
    "masked": (lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), {0: "n", 2: "m"}),
    "resized": (
        lambda x: [F.interpolate(x[:, :, 1:, 1:], size=x.shape[2:], mode=mode) for mode in ("bilinear", "nearest")],
        {0: "n", 2: "m"},
    ),
    "twice as large": (
        lambda x: [F.interpolate(x, scale_factor=2, mode=mode) for mode in ("bicubic", "nearest-exact", "nearest")],
        {0: "n", 3: "m"},
    ),
    "states": (lambda x: (x.new_zeros(x.shape[0], 2) + x[:, 0, 0, :2], x[:, 1:], x.var(1)), {0: "n"}),
}  # fmt: skip


@pytest.mark.parametrize("name", DYNAMIC)
def test_sizes_that_vary(name):
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    function, axes = DYNAMIC[name]
    program = export(function, (images(),), dynamic_axes={"x": axes, "output": {0: "n"}})
    for shape in ((1, 3, 6, 6), (5, 3, 6, 6), (3, 3, 9, 6), (3, 3, 6, 11)):
        varying = [axis for axis in range(4) if shape[axis] != (2, 3, 6, 6)[axis]]
        if set(varying) <= set(axes):
            check(function, ft.randn(*shape), program=program)
    shown = [dim.dim_param or dim.dim_value for dim in program.model_proto.graph.input[0].type.tensor_type.shape.dim]
    assert [shown[axis] for axis in axes] == (["n", "m"][: len(axes)] if isinstance(axes, dict) else ["x_dim_3"])


def batches(x, lengths, *pair, scale=1.0, **further):
    wide = x * scale * (ft.arange(x.shape[1]) < lengths[:, None])
    return wide + pair[0]["y"] * further["z"][:, None]


BATCH, LENGTH = dims("n", "m")
X, Y, LENGTHS = {0: BATCH, 1: LENGTH}, (BATCH, LENGTH), {0: Dim("n", min=1, max=64)}
SHAPES = {
    "by names": {"x": X, "lengths": LENGTHS, "pair": [{"y": Y}], "z": ["n"]},
    "by places": (Y, LENGTHS, {"y": {0: "n", 1: "m"}}, None, {0: BATCH}),
}


@pytest.mark.parametrize("name", SHAPES)
def test_sizes_that_vary_as_a_tree_of_the_arguments(name):
    """Different sizes for each length and batch; `verify` and calls use onnxruntime."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

    def given(batch, length):
        lengths = ft.arange(batch) % length + 1
        return (ft.randn(batch, length), lengths, {"y": ft.randn(batch, length)}), {"scale": 2.0, "z": ft.randn(batch)}

    args, kwargs = given(3, 5)
    program = export(batches, args, kwargs=kwargs, dynamic_shapes=SHAPES[name], verify=True)
    for args, kwargs in (given(1, 4), given(6, 1)):
        (found,) = program(*args, **kwargs)
        assert (found - batches(*args, **kwargs)).abs().max() < 1e-6
    with raises(ValueError, "ONNXProgram", "expected 4 tensors, ['x', 'lengths'", "]", value=1):
        program(ft.ones(1))


def test_sizes_without_names():
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    program = export(lambda x: x.exp(), ft.ones(2, 3, 4), dynamic_shapes=[(Dim.AUTO, Dim.DYNAMIC, Dim.STATIC)])
    shown = [dim.dim_param or dim.dim_value for dim in program.model_proto.graph.input[0].type.tensor_type.shape.dim]
    assert shown == ["x_dim_0", "x_dim_1", 4] and repr(BATCH) == "Dim('n')"


def test_sizes_that_a_model_halves():
    """It raises an error for odd sizes, like a network that joins an image with an enlarged half."""
    pytest.importorskip("onnx", reason="the onnx package is not installed")

    def halved(x):
        y = F.max_pool2d(x, 2)
        return ft.cat([x, F.conv_transpose2d(y, ft.ones(3, 1, 2, 2), stride=2)], 1)

    program = export(halved, ft.randn(1, 3, 8, 8), dynamic_axes={"x": [0, 2, 3]})
    for shape in ((1, 3, 8, 8), (2, 3, 4, 14)):
        check(halved, ft.randn(*shape), program=program)


def test_errors_for_other_sizes():
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    with raises(OnnxExporterError, "onnx.export", "for other sizes of ['x_dim_0'", "add: shapes", "equal one name"):
        export(lambda x, y: x + y, (ft.ones(4), ft.ones(4)), dynamic_axes={"x": [0], "y": [0]})


def test_results_named_as_inputs():
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    graph = export(lambda x: {"x": x + 1, "y": x}, ft.ones(2)).model_proto.graph
    assert [entry.name for entry in graph.output] == ["output_x", "y"]


WRONG = {
    "a tree of sizes": ({"dynamic_shapes": {"y": {0: "n"}}}, "dynamic_shapes to be a dict with keys of ['x'], like"),
    "many trees": ({"dynamic_shapes": ({0: "n"}, None)}, "expected dynamic_shapes to be 1 entries, like the arguments"),
    "a size": ({"dynamic_shapes": {"x": 5}}, "dynamic_shapes['x'] to be a dict of axes, or a tuple of 4; got 5"),
    "both ways": ({"dynamic_shapes": [{0: "n"}], "dynamic_axes": {"x": [0]}}, "or dynamic_shapes; got both"),
    "an option": ({"report": True}, "expected report to be left out; got True"),
    "opset": ({"opset_version": 17}, "expected opset_version from 18 to 23; got 17"),
    "no parameters": ({"export_params": False}, "expected export_params=True"),
    "input names": ({"input_names": ["a", "b"]}, "expected input_names to be 1 different names"),
    "output names": ({"output_names": ["x"]}, "expected output_names to be 1 different names that no"),
    "an unknown input": ({"dynamic_axes": {"y": [0]}}, "dynamic_axes: expected names of inputs, ['x']; got 'y'"),
    "an axis": ({"dynamic_axes": {"x": [4]}}, "expected an axis below 4 of 'x'; got 4"),
    "sizes that differ": ({"dynamic_axes": {"x": {0: "n", 1: "n"}}}, "axes of one name have one size; 'n'"),
    "too many names": ({"dynamic_axes": {"x": [0, 1, 2, 3]}}, "at most 3 different names"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    options, message = WRONG[name]
    with raises(ValueError, "onnx.export", message):
        export(lambda x: x + 1, images(), **options)


WRONG_KINDS = {
    "f": "a path or an open file; got int", "kwargs": "expected kwargs to be a dict; got int",
    "fold": "an unexpected keyword argument 'fold'",
    "input_names": "a list of names; got 5", "output_names": "a list of names; got 5", "args": "a Tensor; got int",
    "dynamic_axes": "expected dynamic_axes to be a dict; got int", "model": "a module or a function; got int",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG_KINDS)
def test_arguments_of_wrong_kinds(name):
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    given = {"model": lambda x: x + 1, "args": images(), name: 5}
    with raises(TypeError, "onnx.export", WRONG_KINDS[name]):
        export(**given)
    with raises(TypeError, "Dim", "expected name to be an identifier", value=5):
        Dim(5)
    with raises(TypeError, "onnx.export", "dynamic_shapes[0][1] to be a name or a Dim", value=5.5):
        export(lambda x: x, images(), dynamic_shapes=[{1: 5.5}])


def test_work_that_depends_on_a_size_is_refused():
    pytest.importorskip("onnx", reason="the onnx package is not installed")
    with raises(OnnxExporterError, "onnx.export", "for other sizes of dynamic_axes", "leave the axis out"):
        export(lambda x: sum(x.unbind(0)), images(), dynamic_axes={"x": [0]})
    with raises(OnnxExporterError, "onnx.export", "in a way that is not a product", "leave the axis out"):
        export(lambda x: x * (x.shape[0] ** 3), images(), dynamic_axes={"x": [0]})


def test_without_the_onnx_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with raises(
        ImportError, "onnx.export", "the package onnx, which writes the file, is missing", "install it with: pip"
    ):
        export(lambda x: x, images())
