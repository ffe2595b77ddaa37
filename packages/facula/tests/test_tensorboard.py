"""`SummaryWriter` writes files that TensorBoard's reader reads."""

import io
import subprocess
import sys
import wave

import numpy as np
import pytest

import facula
import facula_jit
from facula.utils.tensorboard import SummaryWriter
from facula_errors.testing import raises


def test_the_error_for_a_missing_package_names_what_to_install(tmp_path):
    code = "import sys; sys.modules['tensorboard'] = None; import facula.utils.tensorboard as t; t.SummaryWriter('x')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert "ImportError: SummaryWriter: the package tensorboard is missing; install it" in done.stderr.replace(
        "facula_errors.MissingPackageError", "ImportError"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def written(tmp_path):
    """Return a function that calls a writer's method and reads the folder back."""
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def write(method, *arguments, folder="", **options):
        with SummaryWriter(tmp_path) as writer:
            getattr(writer, method)(*arguments, **options)
        return EventAccumulator(str(tmp_path / folder), size_guidance={"tensors": 0}).Reload()

    write.folder = tmp_path
    return write


def test_scalars(written, tmp_path):
    values = (facula.tensor(1.5, requires_grad=True), np.float32(2.5), 3, facula.tensor([4.0]).half())
    for step, value in enumerate(values):
        found = written("add_scalar", "loss/train", value, step, walltime=step + 10.0)
    assert [(one.step, one.value, one.wall_time) for one in found.Scalars("loss/train")] == [
        (0, 1.5, 10.0), (1, 2.5, 11.0), (2, 3.0, 12.0), (3, 4.0, 13.0),
    ]  # fmt: skip
    found = written("add_scalars", "both/of", {"a": 1, "b": facula.tensor(2)}, 5, folder="both_of_b")
    assert [(one.step, one.value) for one in found.Scalars("both/of")] == [(5, 2.0)]
    with raises(ValueError, "add_scalar", "expected a single number", value="shape (2,)"):
        written("add_scalar", "loss", facula.ones(2))
    with raises(TypeError, "add_scalar", "expected numbers", value="str 'much'"):
        written("add_scalar", "loss", "much")


@pytest.mark.parametrize("options", [{}, {"bins": 10}, {"bins": "auto"}, {"max_bins": 5}])
def test_histograms(written, options):
    values = facula.randn(1000)
    (found,) = written("add_histogram", "weights", values, 3, **options).Histograms("weights")
    told = found.histogram_value
    assert found.step == 3 and told.num == 1000 == sum(told.bucket)
    assert (told.min, told.max) == (values.min().item(), values.max().item())
    assert told.sum == pytest.approx(values.double().sum().item())
    assert told.sum_squares == pytest.approx((values.double() ** 2).sum().item())
    for limit, count in zip(told.bucket_limit[:-1], np.cumsum(told.bucket), strict=False):
        assert (values.double() < limit).sum().item() == count


def test_a_histogram_requires_finite_numbers(written):
    for values in (facula.tensor([1.0, float("nan")]), facula.ones(0)):
        with raises(ValueError, "add_histogram", "values that are finite, one at least"):
            written("add_histogram", "weights", values)


def pixels_of(found):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(found.encoded_image_string)))


def test_images(written):
    image = facula.rand(3, 4, 5)
    (found,) = written("add_image", "digit", image, 1).Images("digit")
    assert (found.width, found.height, found.step) == (5, 4, 1)
    np.testing.assert_array_equal(pixels_of(found), (image.numpy().transpose(1, 2, 0) * 255).astype(np.uint8))
    (found,) = written("add_image", "grey", facula.full((4, 5), 7, dtype=facula.uint8), dataformats="HW").Images("grey")
    assert pixels_of(found).shape == (4, 5) and (pixels_of(found) == 7).all()
    batch = np.zeros((10, 1, 4, 5), np.uint8)
    batch[9] = 200
    (found,) = written("add_images", "batch", batch).Images("batch")
    assert pixels_of(found).shape == (8, 40) and (pixels_of(found)[4:, 5:10] == 200).all()
    assert pixels_of(found).sum() == 20 * 200
    with pytest.raises(ValueError, match=r"add_image: expected dataformats to name the dimensions.*got 'CHW'"):
        written("add_image", "digit", facula.ones(2, 2))
    with pytest.raises(ValueError, match="expected images of 1, 3 or 4 channels; got 2"):
        written("add_image", "digit", facula.ones(2, 2, 2))


def test_figures(written):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(2, 1), dpi=50)
    (found,) = written("add_figure", "figure", figure).Images("figure")
    assert (found.width, found.height) == (100, 50) and not pyplot.fignum_exists(figure.number)


def test_audio_and_text(written):
    sound = facula.linspace(-1, 1, 100)
    (found,) = written("add_audio", "sound", sound, sample_rate=8000).Audio("sound")
    with wave.open(io.BytesIO(found.encoded_audio_string)) as file:
        assert (file.getframerate(), file.getnframes(), found.length_frames) == (8000, 100, 100)
        assert np.frombuffer(file.readframes(100), "<i2")[[0, -1]].tolist() == [-32767, 32767]
    (found,) = written("add_text", "note", "*hello*", 2).Tensors("note/text_summary")
    assert found.step == 2 and found.tensor_proto.string_val[0] == b"*hello*"
    with raises(TypeError, "add_text", "expected text", value="int"):
        written("add_text", "note", 3)


def test_precision_recall_curves(written):
    labels, predictions = facula.tensor([0, 1, 1, 0]), facula.tensor([0.1, 0.9, 0.4, 0.6])
    (found,) = written("add_pr_curve", "curve", labels, predictions, num_thresholds=3).Tensors("curve")
    from tensorboard.util.tensor_util import make_ndarray

    table = make_ndarray(found.tensor_proto)
    assert table[0].tolist() == [2, 1, 0] and table[1].tolist() == [2, 1, 0]  # true and false positives by threshold
    assert table[4].tolist() == [0.5, 0.5, 0.0] and table[5].tolist() == [1.0, 0.5, 0.0]


def test_hyperparameters_of_a_run(written):
    found = written("add_hparams", {"lr": 0.1, "deep": True, "name": "x"}, {"loss": facula.tensor(2.0)}, folder="run",
                    run_name="run", hparam_domain_discrete={"name": ["x", "y"]})  # fmt: skip
    told = {"_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info"}
    assert told <= set(found.PluginTagToContent("hparams"))
    assert [one.value for one in found.Scalars("loss")] == [2.0]
    with pytest.raises(TypeError, match="expected settings to be numbers, bools or text; got layers="):
        written("add_hparams", {"layers": [1, 2]}, {})


def test_embeddings_for_the_projector(tmp_path):
    pytest.importorskip("tensorboard")
    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

    with SummaryWriter(tmp_path) as writer:
        pictures = facula.rand(3, 1, 2, 4)
        writer.add_embedding(facula.eye(3), metadata=["a", "b", "c\n"], label_img=pictures, global_step=2)
        writer.add_embedding(
            facula.eye(2), metadata=[["a", 1], ["b", 2]], metadata_header=["name", "number"], tag="more"
        )
        with pytest.raises(ValueError, match="expected metadata for 3 points; got 2"):
            writer.add_embedding(facula.eye(3), metadata=["a", "b"])
    folder = tmp_path / "00002" / "default"
    assert (folder / "metadata.tsv").read_text() == "a\nb\nc \n"
    assert np.loadtxt(folder / "tensors.tsv").tolist() == np.eye(3).tolist()
    assert (tmp_path / "00000" / "more" / "metadata.tsv").read_text() == "name\tnumber\na\t1\nb\t2\n"
    config = text_format.Parse((tmp_path / "projector_config.pbtxt").read_text(), ProjectorConfig())
    assert [one.tensor_path for one in config.embeddings] == ["00002/default/tensors.tsv", "00000/more/tensors.tsv"]
    assert list(config.embeddings[0].sprite.single_image_dim) == [4, 2]


def test_the_default_folder_and_later_files(tmp_path, monkeypatch):
    pytest.importorskip("tensorboard")
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_lr") as writer:
        assert writer.get_logdir().startswith("runs/") and writer.get_logdir().endswith("_lr")
    with SummaryWriter(tmp_path / "again", purge_step=3, filename_suffix=".mine") as writer:
        writer.add_scalar("x", 1, 3)
        writer.flush()
    writer.add_scalar("x", 2, 4)  # after close: in a new file
    writer.close()
    assert len(list((tmp_path / "again").glob("*.mine"))) >= 1


class Block(facula.nn.Module):
    """A layer with a residual connection."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm = facula.nn.Linear(4, 4), facula.nn.BatchNorm1d(4)

    def forward(self, x):
        return x + self.norm(self.linear(x)).relu()


def test_graphs_are_grouped_by_module(written):
    model = facula.nn.Sequential(Block(), Block(), facula.nn.Dropout(0.5))
    graph = written("add_graph", model, facula.ones(3, 4)).Graph()
    nodes = {node.name: node for node in graph.node}
    assert len(nodes) == len(graph.node)
    assert {name for node in graph.node for name in node.input} <= set(nodes)
    assert [name for name in nodes if name.startswith("Sequential/1/linear/")] == [
        "Sequential/1/linear/weight", "Sequential/1/linear/bias", "Sequential/1/linear/linear",
    ]  # fmt: skip
    assert nodes["Sequential/1/add"].input[:] == ["Sequential/0/add", "Sequential/1/relu"]
    (shape,) = nodes["Sequential/1/add"].attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [3, 4]
    assert nodes["output/y0"].input[:] == ["Sequential/1/add"] and "input/x0" in nodes
    assert model.training and model[0].norm.training and model[0].norm.num_batches_tracked == 0


def test_graphs_of_functions(written, capsys):
    def changed(x, y):
        z = x * 2
        z.add_(y)
        return z

    graph = written("add_graph", changed, (facula.ones(2), facula.ones(2)), verbose=True).Graph()
    assert [(node.name, node.input[:]) for node in graph.node] == [
        ("input/x0", []), ("mul", ["input/x0"]), ("input/x1", []), ("add", ["mul", "input/x1"]),
        ("output/y0", ["add"]),
    ]  # fmt: skip
    assert "def changed(" in capsys.readouterr().out


def test_graphs_of_decisions_show_the_branch_of_the_call(written):
    def either(x):
        return x.exp() if x.sum() > 0 else x.sin()

    for x, operator in (facula.ones(2), "exp"), (-facula.ones(2), "sin"):
        with pytest.warns(facula_jit.TracerWarning, match="reads elements in Python"):
            graph = written("add_graph", either, x).Graph()
        names = [node.name for node in graph.node]
        assert operator in names and len({"exp", "sin"} & set(names)) == 1
    with pytest.warns(facula_jit.TracerWarning, match="item reads elements in Python"):
        graph = written("add_graph", lambda x: x * x.sum().item(), facula.ones(2)).Graph()
    assert "mul" in [node.name for node in graph.node]


def array_of(found):
    from tensorboard.util.tensor_util import make_ndarray

    return make_ndarray(found.tensor_proto)


def test_tensors_and_counted_histograms(written):
    (found,) = written("add_tensor", "values", facula.arange(6).reshape(2, 3), 4).Tensors("values")
    assert found.step == 4 and array_of(found).tolist() == [[0, 1, 2], [3, 4, 5]]
    arguments = {"min": 0, "max": 5, "num": 4, "sum": 8, "sum_squares": 30, "bucket_counts": [1, 3]}
    (found,) = written("add_histogram_raw", "counted", bucket_limits=[1, 5], **arguments).Histograms("counted")
    told = found.histogram_value
    assert (told.min, told.max, told.num, told.sum, told.sum_squares) == (0, 5, 4, 8, 30)
    assert (told.bucket_limit, told.bucket) == ([1, 5], [1, 3])
    with raises(ValueError, "add_histogram_raw", "a count for each upper bound"):
        written("add_histogram_raw", "counted", bucket_limits=[1], **arguments)


def test_images_with_boxes(written):
    image, boxes = facula.zeros(3, 20, 30), facula.tensor([[2.0, 3.0, 10.0, 12.0]])
    (found,) = written("add_image_with_boxes", "boxes", image, boxes, rescale=2, labels=["cat"]).Images("boxes")
    pixels = pixels_of(found)
    assert pixels.shape == (40, 60, 3) and (pixels[6, 4:21] == [255, 0, 0]).all()
    assert not pixels[:6].any() and not pixels[:, 24:].any()
    with raises(ValueError, "add_image_with_boxes", "box_tensor (n, 4)"):
        written("add_image_with_boxes", "boxes", image, boxes[0])


def test_videos(written):
    from PIL import Image

    video = facula.zeros(2, 3, 1, 4, 5, dtype=facula.uint8)
    video[1, 2] = 255
    video[0, 1, 0, 0, 0] = 255
    (found,) = written("add_video", "video", video, fps=10).Images("video")
    film = Image.open(io.BytesIO(found.encoded_image_string))
    assert (film.format, film.n_frames, film.size, film.info["duration"]) == ("GIF", 3, (10, 4), 100)
    film.seek(2)
    assert np.asarray(film.convert("L"))[0].tolist() == [0] * 5 + [255] * 5
    with raises(ValueError, "add_video", "(n, frames, channels, height, width)"):
        written("add_video", "video", video[0])


def test_meshes(written):
    points = facula.rand(1, 4, 3)
    found = written("add_mesh", "mesh", points, faces=[[[0, 1, 2]]], config_dict={"lights": []}, global_step=1)
    assert set(found.PluginTagToContent("mesh")) == {"mesh_VERTEX", "mesh_FACE"}
    np.testing.assert_array_equal(array_of(found.Tensors("mesh_VERTEX")[0]), points.numpy())
    assert array_of(found.Tensors("mesh_FACE")[0]).dtype == np.int32
    with raises(ValueError, "add_mesh", "(n, ..., 3)", value="color"):
        written("add_mesh", "mesh", points, colors=facula.ones(4, 3))


def test_counted_precision_recall_curves(written):
    rows = [[2, 1], [2, 1], [0, 1], [0, 1], [0.5, 0.5], [1, 0.5]]
    (found,) = written("add_pr_curve_raw", "curve", *rows, global_step=2).Tensors("curve")
    assert array_of(found).tolist() == rows and found.step == 2
    with raises(ValueError, "add_pr_curve_raw", "six arrays of one length"):
        written("add_pr_curve_raw", "curve", *rows[:5], [1])


def test_layouts_of_charts(written):
    from tensorboard.plugins.custom_scalar import layout_pb2, metadata

    layout = {"loss": {"both": ["Multiline", ["a", "b"]], "range": ["Margin", ["x", "low", "high"]]}}
    (found,) = written("add_custom_scalars", layout).Tensors(metadata.CONFIG_SUMMARY_TAG)
    read = layout_pb2.Layout.FromString(found.tensor_proto.string_val[0])
    assert (read.category[0].title, read.category[0].chart[0].multiline.tag[:]) == ("loss", ["a", "b"])
    series = read.category[0].chart[1].margin.series[0]
    assert (series.value, series.lower, series.upper) == ("x", "low", "high")
    for kind in ("multiline", "margin"):
        found = written(f"add_custom_scalars_{kind}chart", ["a", "b", "c"], "group", "title")
        (found,) = found.Tensors(metadata.CONFIG_SUMMARY_TAG)[-1:]
        assert b"group" in found.tensor_proto.string_val[0]
    with raises(ValueError, "add_custom_scalars", "or ['Margin', [value, lower, upper]]"):
        written("add_custom_scalars_marginchart", ["a"])


def test_graphs_of_onnx_files(written, tmp_path):
    onnx = pytest.importorskip("onnx")
    network, path = facula.nn.Sequential(facula.nn.Linear(4, 3), facula.nn.ReLU()), tmp_path / "net.onnx"
    facula.onnx.export(network, facula.ones(2, 4), path, input_names=["x"], dynamic_axes={"x": {0: "batch"}})
    graph = written("add_onnx_graph", path).Graph()
    file = onnx.load(path).graph
    nodes = {node.name: node for node in graph.node}
    assert [node.op for node in graph.node if node.op in ("Gemm", "MatMul", "Add", "Relu")] == [
        node.op_type for node in file.node
    ]
    assert nodes["0/weight"].op == "Parameter" and nodes["input/x"].op == "Placeholder"
    assert [dim.size for dim in nodes["input/x"].attr["_output_shapes"].list.shape[0].dim] == [-1, 4]
    (result,) = [node for node in graph.node if node.op == "Result"]
    assert nodes[result.input[0]].op == file.node[-1].op_type
    assert all(name in nodes for node in graph.node for name in node.input)


def test_files_without_a_graph_of_onnx_are_refused(tmp_path, monkeypatch):
    pytest.importorskip("tensorboard")
    with SummaryWriter(tmp_path) as writer:
        monkeypatch.setitem(sys.modules, "onnx", None)
        with raises(ImportError, "add_onnx_graph", "pip install onnx"):
            writer.add_onnx_graph(tmp_path / "net.onnx")
        monkeypatch.undo()
        pytest.importorskip("onnx")
        with raises(FileNotFoundError, "add_onnx_graph", "check the path"):
            writer.add_onnx_graph(tmp_path / "none.onnx")
        for content in (b"<html>", b""):
            (tmp_path / "net.onnx").write_bytes(content)
            with raises(ValueError, "add_onnx_graph", "expected an ONNX file", "net.onnx"):
                writer.add_onnx_graph(tmp_path / "net.onnx")


def test_records_of_libraries(written):
    """Lightning writes its settings in this way."""
    from facula.utils.tensorboard.summary import hparams

    with SummaryWriter(written.folder) as writer:
        for record in hparams({"lr": 0.1}, {"loss": 1.0}):
            writer._get_file_writer().add_summary(record, 3)
    found = written("add_scalar", "x", 1)
    assert len(found.PluginTagToContent("hparams")) == 3


def test_all_methods_of_pytorch_exist():
    names = (
        "add_hparams add_scalar add_scalars add_tensor add_histogram add_histogram_raw add_image add_images "
        "add_image_with_boxes add_figure add_video add_audio add_text add_onnx_graph add_graph add_embedding "
        "add_pr_curve add_pr_curve_raw add_custom_scalars_multilinechart add_custom_scalars_marginchart "
        "add_custom_scalars add_mesh flush close get_logdir"
    )
    assert all(callable(getattr(SummaryWriter, name)) for name in names.split())
