"""Networks as ONNX files: onnxruntime computes facula's results, and the format's checker accepts the files."""

import subprocess
import sys

import numpy as np
import pytest

from facula_errors.testing import raises

onnx = pytest.importorskip("onnx", reason="the onnx package is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

import facula
import facula.nn as nn
import facula.nn.functional as F

EXAMPLES = ("actor_critic", "dcgan", "gcn", "gpt", "hogwild", "lstm", "vit")
# Builds a model of an example program, with inputs, and exports it in a process, since it contains `import torch`.
EXPORT = """
import sys
import torch
sys.path.insert(0, sys.argv[1])
import numpy as np
torch.manual_seed(0)
name, path = sys.argv[2:]
example = __import__(name)
axes = None
if name == "actor_critic":
    model, args, axes = example.ActorCritic(16), [torch.randn(3, 4)], [0]
elif name == "dcgan":
    model, args, axes = example.make_generator(8), [torch.randn(3, example.NOISE, 1, 1)], [0]
elif name == "gcn":
    model, args = example.GCN(torch.tensor([[0, 1, 2], [1, 2, 3]]), 4, 8), []
elif name == "gpt":
    model, args, axes = example.GPT(20, 16, 2, 2), [torch.randint(0, 20, (2, 6))], [0, 1]
elif name == "hogwild":
    model, args, axes = example.network(), [torch.randn(5, 64)], [0]
elif name == "lstm":
    model, args, axes = example.Reader(20, 16), [torch.randint(0, 20, (2, 6))], [0, 1]
else:
    model, args, axes = example.for_digits(16), [torch.randn(2, 1, 8, 8)], [0]
model.eval()
torch.onnx.export(model, tuple(args), path, input_names=["x"][: len(args)], dynamic_axes=axes and {"x": axes})
if axes == [0]:
    args = [torch.cat([one, one[:1]]) for one in args]
elif axes:
    args = [one[:1, :-1] for one in args]
with torch.no_grad():
    result = model(*args)
results = [result]
while any(isinstance(one, tuple) for one in results):
    results = [part for one in results for part in (one if isinstance(one, tuple) else (one,))]
np.savez(path + ".npz", *[one.numpy() for one in [*args, *results]])
"""


def session_of(model):
    """Return an onnxruntime session for a model."""
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    content = model if isinstance(model, str) else model.SerializeToString()
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def run(session, *inputs):
    """Return a file's results for arrays."""
    return session.run(None, {one.name: given for one, given in zip(session.get_inputs(), inputs, strict=True)})


def tensors_in(result):
    if isinstance(result, facula.Tensor):
        return [result]
    parts = result.values() if isinstance(result, dict) else result
    return [one for part in parts for one in tensors_in(part)]


def check(program, model, *inputs):
    """Check that the file gives the model's results and the same maximal elements."""
    found = run(session_of(program.model_proto), *[one.numpy() for one in inputs])
    with facula.no_grad():
        wanted = [one.numpy() for one in tensors_in(model(*inputs))]
    for mine, theirs in zip(wanted, found, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(theirs, mine, rtol=1e-4, atol=1e-5)
        if mine.ndim and mine.dtype == np.float32:
            assert (theirs.argmax(-1) == mine.argmax(-1)).all()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_models_of_the_example_programs(root, tmp_path, name):
    """Export with `torch.onnx.export`, in a separate program; then run with other batches and lengths."""
    program, path = tmp_path / "program.py", str(tmp_path / "model.onnx")
    program.write_text(EXPORT)
    command = [sys.executable, "-m", "facula", "run", str(program), str(root / "examples"), name, path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    arrays = list(np.load(f"{path}.npz").values())
    session = session_of(path)
    count = len(session.get_inputs())
    for mine, theirs in zip(arrays[count:], run(session, *arrays[:count]), strict=True):
        np.testing.assert_allclose(theirs, mine, rtol=1e-4, atol=1e-5)


class Block(nn.Module):
    """Two convolutions with a skip connection, as in ResNets."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first, self.norm = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.second, self.last = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.around = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.norm(self.first(x)), inplace=True)
        y = self.last(self.second(y))
        y += self.around(x)
        return y.relu_()


class UNet(nn.Module):
    """Down by pooling, up by resizing and by a transposed convolution, with skip connections."""

    def __init__(self):
        super().__init__()
        self.down, self.middle = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1, groups=2, dilation=1)
        self.up, self.last = nn.ConvTranspose2d(8, 8, 2, stride=2), nn.Conv2d(24, 2, 1)
        self.norm = nn.GroupNorm(2, 8)

    def forward(self, x):
        first = F.silu(self.norm(self.down(x)))
        low = F.gelu(self.middle(F.max_pool2d(first, 2)))
        wide = F.interpolate(low, scale_factor=2, mode="bilinear", align_corners=False)
        return self.last(facula.cat([first, self.up(low), wide], dim=1))


class Seq2Seq(nn.Module):
    """An encoder-decoder transformer, with masks."""

    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(12, 16, padding_idx=0)
        self.body = nn.Transformer(16, 4, 1, 1, 32, dropout=0.0, batch_first=True, activation="gelu")
        self.scores = nn.Linear(16, 12)

    def forward(self, source, target):
        mask = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        hidden = self.body(
            self.letters(source), self.letters(target), tgt_mask=mask, tgt_is_causal=True,
            src_key_padding_mask=source == 0, memory_key_padding_mask=source == 0,
        )  # fmt: skip
        return {"scores": self.scores(hidden), "best": self.scores(hidden).argmax(-1)}


class Recurrent(nn.Module):
    """A recurrent layer between an embedding and scores; its states are results, too."""

    def __init__(self, kind, **options):
        super().__init__()
        self.letters, self.layers = nn.Embedding(12, 8), kind(8, 6, batch_first=True, **options)
        self.scores = nn.LazyLinear(12)

    def forward(self, letters):
        hidden, state = self.layers(self.letters(letters))
        return self.scores(hidden), state


class Hidden(nn.Module):
    """A head of several layers over the mean of a bag of words."""

    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(20, 8, mode="mean")
        self.body = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.Mish(), nn.Dropout(0.5), nn.Linear(16, 3))

    def forward(self, words):
        return self.body(self.words(words)).log_softmax(-1)


def resnet():
    return nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1), Block(8, 8, 1),
        Block(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    )  # fmt: skip


def perceptron():
    return nn.Sequential(
        nn.Linear(6, 16), nn.ELU(), nn.Linear(16, 16), nn.Hardswish(), nn.Linear(16, 4), nn.Softmax(-1)
    )


def pooled():
    return nn.Sequential(
        nn.ReflectionPad2d(1), nn.Conv2d(3, 4, 3, padding="same", padding_mode="circular"), nn.InstanceNorm2d(4),
        nn.PReLU(4), nn.AvgPool2d(3, 2, 1, ceil_mode=True), nn.AdaptiveMaxPool2d((3, 3)), nn.AdaptiveAvgPool2d((2, 2)),
        nn.PixelShuffle(2), nn.Upsample(scale_factor=2), nn.Hardsigmoid(),
    )  # fmt: skip


def images(batch):
    return (facula.randn(batch, 3, 16, 16),)


def letters(batch, length=5):
    return (facula.randint(1, 12, (batch, length)),)


# A model, its inputs for a size, the variable axes of the first input, and whether lengths vary, too.
NETWORKS = {
    "resnet": (resnet, images, {0: "batch"}),
    "unet": (UNet, images, {0: "batch"}),
    "pooled": (pooled, images, {0: "batch"}),
    "perceptron": (perceptron, lambda batch: (facula.randn(batch, 6),), {0: "batch"}),
    "bag": (Hidden, lambda batch: (facula.randint(0, 20, (batch, 4)),), {0: "batch"}),
    "transformer": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True), 2),
        lambda batch: (facula.randn(batch, batch + 2, 16),),
        {0: "batch", 1: "length"},
    ),
    "seq2seq": (Seq2Seq, lambda batch: (*letters(batch, 5), *letters(batch, 4)), {0: "batch"}),
    "lstm": (
        lambda: Recurrent(nn.LSTM, num_layers=2, bidirectional=True),
        lambda batch: letters(batch, batch + 3),
        {0: "batch", 1: "length"},
    ),
    "gru": (lambda: Recurrent(nn.GRU), lambda batch: letters(batch, batch + 3), {0: "batch", 1: "length"}),
    "rnn": (lambda: Recurrent(nn.RNN, nonlinearity="relu", bias=False), letters, {0: "batch"}),
}


def made(name):
    facula.manual_seed(0)
    make, inputs, axes = NETWORKS[name]
    model = make().eval()
    with facula.no_grad():
        model(*inputs(2))
    return model, inputs, axes


@pytest.mark.parametrize("opset", [18, 23])
@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, opset):
    model, inputs, _ = made(name)
    given = inputs(3)
    check(facula.onnx.export(model, given, opset_version=opset), model, *given)


@pytest.mark.parametrize("name", NETWORKS)
def test_batches_and_lengths_that_vary(name):
    """Export for 4 (and 6 letters), run for 1, 2 and 7."""
    model, inputs, axes = made(name)
    given = inputs(4)
    names = [f"in{place}" for place in range(len(given))]
    program = facula.onnx.export(model, given, input_names=names, dynamic_axes={one: axes for one in names})
    for batch in (1, 2, 7):
        check(program, model, *inputs(batch))


def test_parameters_keep_their_names():
    model, inputs, _ = made("resnet")
    program = facula.onnx.export(model, inputs(2))
    names = {one.name for one in program.model_proto.graph.initializer}
    kept = {name for name in model.state_dict() if not name.endswith("num_batches_tracked")}
    assert kept <= names and [one.op_type for one in program.model_proto.graph.node][:3] == [
        "Conv", "BatchNormalization", "Relu",
    ]  # fmt: skip


def test_an_input_and_a_parameter_of_one_name():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(facula.full((3,), 2.0))

        def forward(self, weight):
            return weight * self.weight

    check(facula.onnx.export(Scaled(), facula.ones(2, 3)), Scaled(), facula.randn(2, 3))


def test_what_training_changes_is_refused_by_name():
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    with raises(facula.onnx.OnnxExporterError, "onnx.export", "changes the model's 1. ... call model.eval()"):
        facula.onnx.export(model, facula.randn(3, 4))
    with raises(facula.onnx.OnnxExporterError, "onnx.export", "dropout: draws random numbers; call model.eval()"):
        facula.onnx.export(nn.Dropout(0.5), facula.randn(3, 4))


def test_a_large_model_keeps_its_parameters_beside_the_file(tmp_path):
    model, inputs, _ = made("perceptron")
    given = inputs(3)
    facula.onnx.export(model, given, tmp_path / "model.onnx", external_data=True)
    assert (tmp_path / "model.onnx.data").stat().st_size > 1000
    (found,) = run(session_of(str(tmp_path / "model.onnx")), given[0].numpy())
    np.testing.assert_allclose(found, model(*given).detach().numpy(), rtol=1e-4, atol=1e-6)


def test_modules_of_another_framework_are_not_taken_for_the_models():
    """Check this because they have the same methods and their own tensors; a program may keep some with its model."""

    class ForeignModule:
        training = False
        weight = object()

        def named_modules(self):
            yield "", self

        def named_parameters(self):
            yield "weight", self.weight

        def named_buffers(self):
            yield from ()

    other = {"a": ForeignModule()}
    held = other["a"]
    model = nn.Sequential(nn.Linear(4, 2), nn.ReLU()).eval()
    proto = facula.onnx.export(
        lambda x: model(x) * (2.0 if held.training or not other else 1.0), (facula.randn(1, 4),)
    ).model_proto
    assert sorted(one.name for one in proto.graph.initializer if "." in one.name) == ["0.bias", "0.weight"]
