"""PyTorch's files, both ways: state dicts, complete modules and optimizers of ten architectures, and plain values."""

import argparse
import collections
import contextlib
import datetime
import functools
import inspect
import pathlib
import warnings
import weakref

import numpy as np
import pytest
import torch
from exchange import library_of, saved

import facula
from facula_errors.testing import raises


class Residual:
    """A network with a custom class, built for either library."""

    def __new__(cls, nn):
        return nn.Sequential(
            nn.Conv2d(3, 4, 3, padding="same", bias=False),
            nn.BatchNorm2d(4),
            nn.SiLU(),
            nn.ConvTranspose2d(4, 2, 2, stride=2),
            nn.InstanceNorm2d(2, affine=True),
            nn.AdaptiveAvgPool2d((1, 1)),
            nn.Flatten(),
        )


def embedding(nn):
    return nn.ModuleDict({"words": nn.Embedding(7, 4, padding_idx=0), "bag": nn.EmbeddingBag(5, 4, mode="mean")})


# Each with the shape of its input, or None if a complete module is not called.
ARCHITECTURES = {
    "linear": (lambda nn: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2, False)), (3, 4)),
    "convolutions": (Residual, (2, 3, 6, 6)),
    "normalizations": (lambda nn: nn.Sequential(nn.LayerNorm(6), nn.Unflatten(1, (6, 1)), nn.GroupNorm(2, 6)), (4, 6)),
    "lstm": (lambda nn: nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True), (2, 5, 3)),
    "gru": (lambda nn: nn.GRU(3, 4), (5, 2, 3)),
    "encoder": (
        lambda nn: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", batch_first=True), 2, enable_nested_tensor=False
        ),
        (2, 5, 8),
    ),
    "decoder": (lambda nn: nn.TransformerDecoderLayer(8, 2, 16), None),
    "attention": (lambda nn: nn.MultiheadAttention(8, 2, kdim=4, add_bias_kv=True), None),
    "embedding": (embedding, None),
    "lists": (
        lambda nn: nn.ModuleList([nn.PReLU(3), nn.Bilinear(2, 3, 4), nn.ParameterList([nn.Parameter(ones(nn))])]),
        None,
    ),
    "padding": (
        lambda nn: nn.Sequential(nn.ZeroPad2d(1), nn.Upsample(scale_factor=2), nn.Conv2d(2, 2, 3)), (1, 2, 4, 4)
    ),
    "losses": (lambda nn: nn.ModuleList([nn.CrossEntropyLoss(), nn.GELU("tanh"), nn.TripletMarginLoss()]), None),
}  # fmt: skip
OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    "Adam": {"amsgrad": True},
    "AdamW": {"weight_decay": 0.1},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "Adagrad": {},
    "Adadelta": {},
    "Adamax": {},
    "NAdam": {},
    "RAdam": {},
    "ASGD": {},
    "Rprop": {},
    "LBFGS": {},
}


def ones(nn):
    return (torch if nn is torch.nn else facula).ones(2)


def numbers(value):
    """Convert tensors to arrays, in containers of any kind."""
    if isinstance(value, (torch.Tensor, facula.Tensor)):
        return value.detach().numpy()
    if isinstance(value, dict):
        return {key: numbers(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [numbers(one) for one in value]
    return value


def same(left, right, exact=True):
    """Return whether two values are equal, including all of their types and elements."""
    left, right = numbers(left), numbers(right)
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key], exact) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(functools.partial(same, exact=exact), left, right))
    if isinstance(left, np.ndarray):
        close = np.array_equal if exact else functools.partial(np.allclose, rtol=1e-4, atol=1e-5)
        return left.dtype == right.dtype and left.shape == right.shape and close(left, right)
    return left == right


def made(architecture, theirs):
    library = torch if theirs else facula
    library.manual_seed(1)
    return ARCHITECTURES[architecture][0](library.nn)


def output(module, shape):
    library = library_of(module)
    values = np.random.default_rng(0).standard_normal(shape).astype("float32")
    with library.no_grad():
        found = module.eval()(library.from_numpy(values))
    return found[0] if isinstance(found, tuple) else found


@pytest.mark.parametrize("theirs", [True, False], ids=["from PyTorch", "to PyTorch"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_state_dicts_and_whole_modules(architecture, theirs, across):
    module = made(architecture, theirs)
    state = across(module.state_dict(), theirs)
    assert type(state) is collections.OrderedDict and same(state, module.state_dict())
    target = made(architecture, not theirs)
    target.load_state_dict(state)
    whole = across(module, theirs)
    assert [type(one).__name__ for one in whole.modules()] == [type(one).__name__ for one in module.modules()]
    assert same(whole.state_dict(), module.state_dict())
    assert type(whole).__module__.startswith("facula" if theirs else "torch")
    assert [p.requires_grad for p in whole.parameters()] == [p.requires_grad for p in module.parameters()]
    shape = ARCHITECTURES[architecture][1]
    if shape is not None:
        expected = output(module, shape)
        assert same(output(whole, shape), expected, exact=False) and same(output(target, shape), expected, exact=False)


SOME_MODULES = {
    **{f"Conv{n}d": (2, 4, 3) for n in (1, 2, 3)},
    **{f"ConvTranspose{n}d": (2, 4, 3, 2, 1, 1) for n in (1, 2, 3)},
    **{f"FractionalMaxPool{n}d": (2, 3) for n in (2, 3)},
    **{f"LPPool{n}d": (2, 2) for n in (1, 2, 3)},
    "AdaptiveLogSoftmaxWithLoss": (4, 10, [3, 6]),
    "Bilinear": (2, 3, 4),
    "RNNBase": ("LSTM", 3, 4),
    "Transformer": (8, 2, 1, 1, 16),
    "TransformerEncoderLayer": (8, 2, 16, 0.1, "gelu"),
    "Unflatten": (1, (2, 2)),
    "Fold": ((4, 4), 2),
}  # a dict of arguments; those of all other classes are found by trying
ATTEMPTS = ((), (2,), (2, 2), (0.1, 20.0), (2, 2, 1))


def plain(value):
    """Convert an attribute to a value that can be compared between the libraries."""
    if isinstance(value, (list, tuple)):
        return type(value), [plain(one) for one in value]
    if isinstance(value, dict):
        return [*value]
    if isinstance(value, (torch.Tensor, facula.Tensor)):
        return [*value.shape]
    if isinstance(value, (torch.nn.Module, facula.nn.Module, weakref.ref)):
        return type(value).__name__
    return getattr(value, "__name__", value)


def modules_of(library):
    """Return an instance of each module class by name."""
    made = {}
    for name, kind in vars(library.nn).items():
        if not inspect.isclass(kind) or not issubclass(kind, library.nn.Module) or name.startswith("Lazy"):
            continue
        for arguments in (SOME_MODULES[name],) if name in SOME_MODULES else ATTEMPTS:
            with contextlib.suppress(TypeError, ValueError, RuntimeError):
                made[name] = kind(*arguments)
                break
    return made


def test_modules_of_all_classes_have_the_attributes_of_pytorch():
    """Check that modules written by one library have the attributes of the other library's modules."""
    ours, theirs = modules_of(facula), modules_of(torch)
    assert len(ours) > 130
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ours:
            found, own = torch.load(saved(facula, ours[name]), weights_only=False), theirs[name]
            assert {k: plain(v) for k, v in vars(found).items()} == {k: plain(v) for k, v in vars(own).items()}, name
            assert repr(found) == repr(own) == repr(facula.load(saved(torch, own))), name


def trained(network, optimizer, steps):
    """Train for a few steps and return the loss after them."""
    library = library_of(optimizer)
    images = library.from_numpy(np.random.default_rng(1).standard_normal((3, 4)).astype("float32"))

    def closure():
        optimizer.zero_grad()
        loss = (network(images) ** 2).mean()
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return closure().item()


@pytest.mark.parametrize("theirs", [True, False], ids=["from PyTorch", "to PyTorch"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name, theirs, across):
    """Check that state dicts, and optimizers saved with their network, continue as in the library that wrote them."""
    library, other = (torch, facula) if theirs else (facula, torch)
    network = made("linear", theirs).eval()
    optimizer = getattr(library.optim, name)(network.parameters(), **OPTIMIZERS[name])
    schedule = library.optim.lr_scheduler.StepLR(optimizer, 2)
    trained(network, optimizer, 3)
    kept = across({"model": network.state_dict(), "optimizer": optimizer.state_dict()}, theirs)
    whole, whole_optimizer, whole_schedule = across([network, optimizer, schedule], theirs)
    again = made("linear", not theirs).eval()
    again.load_state_dict(kept["model"])
    again_optimizer = getattr(other.optim, name)(again.parameters(), **OPTIMIZERS[name])
    again_optimizer.load_state_dict(kept["optimizer"])
    assert whole_schedule.optimizer is whole_optimizer
    assert whole_optimizer.param_groups[0]["params"][0] is whole[0].weight
    expected = trained(network, optimizer, 3)
    assert trained(again, again_optimizer, 3) == pytest.approx(expected, rel=1e-3)
    if name != "LBFGS" or theirs:  # PyTorch pickles no list of parameters
        assert trained(whole, whole_optimizer, 3) == pytest.approx(expected, rel=1e-3)


DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128")  # fmt: skip


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("weights_only", [False, True])
def test_dtypes_strides_and_sharing(weights_only, mmap, tmp_path):
    """Check both directions, also with PyTorch's restricted reader."""
    for library, other, folder in ((torch, facula, "theirs"), (facula, torch, "ours")):
        whole = library.arange(24.0).reshape(4, 6)
        kept = {name: library.arange(6).reshape(2, 3).to(getattr(library, name)) for name in DTYPES}
        kept |= {"whole": whole, "row": whole[1], "turned": whole.t(), "step": whole[::2, 1::2], "none": whole[:0]}
        kept |= {"detached": whole[2].detach(), "number": library.tensor(3.5), "expanded": library.ones(1).expand(5)}
        library.save(kept, tmp_path / folder)
        again = other.load(tmp_path / folder, weights_only=weights_only, mmap=mmap)
        for name, tensor in kept.items():
            found = again[name]
            assert found.tolist() == tensor.tolist() and found.stride() == tensor.stride(), name
            assert str(found.dtype).partition(".")[2] == str(tensor.dtype).partition(".")[2]
        again["whole"][1:3] = -1
        for name in ("row", "detached"):
            assert again[name].tolist() == [-1.0] * 6
        assert again["turned"][0].tolist()[1] == -1 and again["step"][1].tolist() == [-1.0] * 3


BITS = ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")


@pytest.mark.parametrize("name", BITS)
def test_dtypes_without_a_storage_class(name, tmp_path):
    """Check that they are written as bytes with a dtype, which PyTorch's restricted reader accepts, too."""
    for library, other in ((torch, facula), (facula, torch)):
        bits = library.arange(16, dtype=library.uint8).view(getattr(library, name))
        library.save([bits, bits[1:], bits.dtype], tmp_path / "a.pt")
        whole, rest, dtype = other.load(tmp_path / "a.pt", weights_only=True)
        assert whole.dtype is rest.dtype is dtype is getattr(other, name)
        assert whole.view(other.uint8).tolist() == list(range(16))
        assert rest.view(other.uint8).tolist() == list(range(bits.element_size(), 16))


VALUES = {
    "containers": {"set": {1, "a"}, "frozen": frozenset([2]), "tuple": (1, (2.5, None)), 3: [True, 1 << 70, -5]},
    "collections": [collections.deque([1], 3), collections.Counter("aab"), collections.defaultdict(list, a=[1])],
    "texts": ["ä\ud800" * 3, b"\x00\xff", bytearray(b"ab"), "x" * 300],
    "numbers": [float("inf"), 1j, np.float32(0.5), np.int64(3), np.bool_(True)],
    "arrays": [np.arange(6, dtype="u2").reshape(2, 3), np.asfortranarray(np.eye(3)[:2])],
    "dates": [datetime.datetime(2020, 1, 2, 3, 4, 5, 6, datetime.UTC), datetime.timedelta(1, 2, 3)],
    "places": [pathlib.Path("/a/b"), argparse.Namespace(lr=0.1, name="x"), functools.partial(int, base=2)],
    "kinds": [int, dict, slice(1, 5, 2), range(3), ...],
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_plain_values(name, across):
    for theirs in (True, False):
        assert repr(across(VALUES[name], theirs)) == repr(VALUES[name])


def test_arrays_of_the_other_byte_order(across):
    for theirs in (True, False):
        assert across(np.arange(300, dtype=">f8"), theirs).tolist() == list(range(300))


def test_values_of_the_library(across):
    """Check dtypes, devices, sizes, layouts, storages, classes, functions, parameters with attributes and buffers."""
    for library, other in ((torch, facula), (facula, torch)):
        theirs = library is torch
        tagged = library.nn.Parameter(library.ones(2), requires_grad=False)
        tagged.tag = "kept"
        kept = [
            library.float16, library.device("cuda", 1), library.Size([2, 3]), library.strided, library.nn.Linear,
            library.nn.functional.gelu, library.tanh, functools.partial(library.nn.LayerNorm, eps=1e-3), tagged,
            library.nn.Buffer(library.ones(1), persistent=False), library.ones(3).untyped_storage(),
            library.empty(2, 3, device="meta"),
        ]  # fmt: skip
        found = across(kept, theirs)
        assert found[:4] == [other.float16, other.device("cuda", 1), other.Size([2, 3]), other.strided]
        assert found[4] is other.nn.Linear and found[5] is other.nn.functional.gelu
        assert found[6](other.ones(1)).item() == pytest.approx(np.tanh(1))
        assert found[7](4).eps == 1e-3 and found[8].tag == "kept" and not found[8].requires_grad
        assert isinstance(found[9], other.nn.Buffer) and found[9].persistent is False
        assert found[10].nbytes() == 12 and found[11].device.type == "meta" and found[11].shape == (2, 3)


class Net(torch.nn.Module):
    """A custom network of the program."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.register_buffer("count", torch.zeros(1), persistent=False)
        self.note = {"a": 1}


class OurNet(facula.nn.Module):
    """The same network for facula."""

    def __init__(self):
        super().__init__()
        self.layer = facula.nn.Linear(2, 2)


def test_classes_of_the_program(across):
    name = f"{Net.__module__}.{Net.__qualname__}"
    with raises(ValueError, "...", "add_safe_globals([...Net])"):
        across(Net(), True)
    theirs = Net()
    with facula.serialization.safe_globals([(OurNet, name)]):
        ours = across(theirs, True)
    assert type(ours) is OurNet and ours.note == {"a": 1} and same(ours.state_dict(), theirs.state_dict())
    assert list(ours._buffers) == ["count"] and "count" not in ours.state_dict()
