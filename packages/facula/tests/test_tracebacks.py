"""The library's errors share a base class, and tracebacks end at the program's line for every public call.

The tests of facula_errors cover FACULA_FULL_TRACEBACK and the environments in which a traceback is shown.
"""

import copy
import importlib
import inspect
import pickle
import warnings

import pytest
from traceback_helpers import leaf, library_frames, optimizer, own_frames, raised, x

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula.errors import FaculaError, full_traceback
from facula.utils.data import DataLoader, TensorDataset, default_collate, random_split


@pytest.fixture(autouse=True)
def trimmed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # `save` is one of the calls
    with full_traceback(False):
        yield


def read_only():
    import numpy as np

    array = np.ones(3, np.float32)
    array.flags.writeable = False
    return facula.from_numpy(array)


FAILING = {
    # operators
    "a @ b": lambda: x() @ x(),
    "a + b": lambda: x() + x(7),
    "2 ** meta": lambda: x() + x(device="meta"),
    "a - bool": lambda: x(dtype=facula.bool) - x(dtype=facula.bool),
    "a / out": lambda: facula.div(x(), 2, out=x(5, dtype=facula.int64)),
    "add": lambda: facula.add(x(), "no"),
    "relu": lambda: facula.relu("no"),
    "exp out": lambda: facula.exp(x(), out=x(dtype=facula.int64)),
    "exp of a recorded tensor, out": lambda: facula.exp(leaf() * 1, out=x()),
    "integers / 0": lambda: x(dtype=facula.int64) // 0 + facula.tensor([1]) // facula.tensor([0]),
    "sum": lambda: x().sum(4),
    "mean": lambda: x(dtype=facula.int64).mean(),
    "function mean": lambda: facula.mean(x(), 9),
    "max": lambda: facula.max(x(0)),
    "argmax": lambda: x(0, 3).argmax(0),
    "softmax": lambda: facula.softmax(x(), 5),
    "matmul": lambda: facula.matmul(x(2), x(3)),
    "where": lambda: facula.where(x(), x(), x(9)),
    "clamp": lambda: x().clamp(),
    "cat": lambda: facula.cat([x(), x(4, 5)]),
    "stack": lambda: facula.stack([]),
    "to": lambda: x().to("nowhere"),
    "float": lambda: x().float("no"),
    "item": lambda: x().item(),
    "int": lambda: int(facula.tensor(float("nan"))),
    "bool": lambda: bool(x()),
    "bytes": lambda: bytes(x()),
    "numpy": lambda: leaf().numpy(),
    # creation
    "zeros": lambda: facula.zeros(-1),
    "full": lambda: facula.full((2,), "no"),
    "tensor": lambda: facula.tensor([[1], [1, 2]]),
    "arange": lambda: facula.arange(1, 2, 0),
    "linspace": lambda: facula.linspace(0, 1, -1),
    "randint": lambda: facula.randint(5, 2, (3,)),
    "Tensor": lambda: facula.Tensor("no"),
    "as_tensor": lambda: facula.as_tensor(object()),
    "from_numpy": lambda: facula.from_numpy([1]),
    "from_dlpack": lambda: facula.from_dlpack(3),
    "frombuffer": lambda: facula.frombuffer(b"123", dtype=facula.float32),
    "set_default_dtype": lambda: facula.set_default_dtype(facula.int64),
    # views and indices
    "view": lambda: x().view(7),
    "reshape": lambda: x().reshape(7),
    "transpose": lambda: x().transpose(0, 5),
    "permute": lambda: x().permute(0, 0),
    "expand": lambda: x().expand(4, 4),
    "unsqueeze": lambda: x().unsqueeze(9),
    "narrow": lambda: x().narrow(0, 1, 9),
    "size": lambda: x().size(9),
    "t": lambda: x(2, 2, 2).t(),
    "a[9]": lambda: x()[9],
    "a[0, 0, 0]": lambda: x()[0, 0, 0],
    "a[index]": lambda: x()[facula.tensor([9])],
    "a[9] = 1": lambda: x().__setitem__(9, 1),
    "a['x']": lambda: x()["x"],
    # in place
    "add_": lambda: x().add_(x(7)),
    "a += integer": lambda: x(dtype=facula.int64).add_(0.5),
    "leaf += 1": lambda: leaf().add_(1),
    "zero_": lambda: leaf().zero_(),
    "copy_": lambda: x().copy_(x(7)),
    "read-only": lambda: read_only().add_(1),
    "resize_": lambda: x().resize_(-1),
    "uniform_": lambda: x(dtype=facula.int64).uniform_(),
    "normal_": lambda: x().normal_(0, -1),
    # autograd
    "backward": lambda: x().backward(),
    "backward of many elements": lambda: (leaf() * 2).backward(),
    "second backward": lambda: [y.backward() for y in [(leaf() ** 2).sum()] * 2],
    "grad": lambda: facula.autograd.grad(leaf().sum(), leaf()),
    "autograd.backward": lambda: facula.autograd.backward([x()]),
    "gradcheck": lambda: facula.autograd.gradcheck(
        lambda a: a * a.detach(), x(2, dtype=facula.float64).requires_grad_()
    ),
    "requires_grad_": lambda: x(dtype=facula.int64).requires_grad_(),
    "grad =": lambda: setattr(leaf(), "grad", x(9)),
    "register_hook": lambda: x().register_hook(print),
    "no_grad": lambda: facula.no_grad()(3),
    "set_grad_enabled": lambda: facula.set_grad_enabled(3),
    "deepcopy": lambda: copy.deepcopy(leaf() * 2),
    # networks
    "Linear": lambda: nn.Linear(-1, 2),
    "Linear()": lambda: nn.Linear(4, 2)(x()),
    "Conv2d()": lambda: nn.Conv2d(3, 4, 3)(x(1, 2, 8, 8)),
    "BatchNorm2d()": lambda: nn.BatchNorm2d(3)(x()),
    "MaxPool2d()": lambda: nn.MaxPool2d(9)(x(1, 1, 2, 2)),
    "Sequential[9]": lambda: nn.Sequential(nn.ReLU())[9],
    "Module without forward": lambda: nn.Module()(1),
    "load_state_dict": lambda: nn.Linear(2, 2).load_state_dict({}),
    "register_buffer": lambda: nn.Module().register_buffer("a.b", None),
    "register_parameter": lambda: nn.Module().register_parameter("w", x()),
    "get_submodule": lambda: nn.Linear(2, 2).get_submodule("a.b"),
    "linear": lambda: F.linear(x(), x(5, 7)),
    "conv2d": lambda: F.conv2d(x(), x()),
    "cross_entropy": lambda: F.cross_entropy(x(), facula.tensor([7, 8])),
    "nll_loss": lambda: F.nll_loss(x(), x()),
    "mse_loss": lambda: F.mse_loss(x(), x(), reduction="some"),
    "dropout": lambda: F.dropout(x(), 3.0),
    "max_pool2d": lambda: F.max_pool2d(x(), 2),
    "init": lambda: nn.init.kaiming_uniform_(x(3)),
    "clip_grad_norm_": lambda: nn.utils.clip_grad_value_([leaf()], -1.0),
    # training
    "SGD": lambda: facula.optim.SGD([leaf()], lr=-1),
    "Adam": lambda: facula.optim.Adam([], lr=0.1),
    "add_param_group": lambda: optimizer().add_param_group({}),
    "optimizer.load_state_dict": lambda: optimizer().load_state_dict({"state": {}, "param_groups": []}),
    "StepLR": lambda: facula.optim.lr_scheduler.StepLR(None, 1),
    "LambdaLR": lambda: facula.optim.lr_scheduler.LambdaLR(optimizer(), [abs, abs]),
    # data
    "DataLoader": lambda: DataLoader([1], batch_size=-1),
    "DataLoader batch_size =": lambda: setattr(DataLoader([1]), "batch_size", 3),
    "loader.load_state_dict": lambda: DataLoader([1]).load_state_dict({}),
    "next(loader)": lambda: next(iter(DataLoader([x(2), x(3)], batch_size=2))),
    "for in loader": lambda: list(DataLoader([x(2), x(3)], batch_size=2)),
    "default_collate": lambda: default_collate([1, None]),
    "TensorDataset": lambda: TensorDataset(x(2), x(3)),
    "random_split": lambda: random_split(range(3), [5]),
    "WeightedRandomSampler": lambda: facula.utils.data.WeightedRandomSampler([-1.0], 2),
    # files
    "save": lambda: facula.save(object(), "no such folder/x"),
    "load": lambda: facula.load(__file__),
    # other
    "facula.name": lambda: facula.Generator().manual_seed("no"),
    "device": lambda: facula.device("nowhere"),
    "set_num_threads": lambda: facula.set_num_threads(-1),
    "cuda": lambda: x().cuda(),
}


@pytest.mark.parametrize("name", FAILING)
def test_an_error_ends_at_the_programs_line(name):
    error = raised(FAILING[name])
    assert isinstance(error, FaculaError), repr(error)
    assert len(library_frames(error)) <= 1, library_frames(error)
    assert own_frames(error)[:1] == ["<lambda>"]
    assert error.__context__ is None or error.__suppress_context__ or error.__cause__ is not None
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)


@pytest.mark.parametrize("name", FAILING)
def test_full_tracebacks_are_available_on_request(name):
    with full_traceback(True):
        error = raised(FAILING[name])
    assert library_frames(error)


# ----------------------------------------------------------------- every public function, with arbitrary arguments
class Odd:
    """A value that no function accepts."""


def public():
    spaces = {
        "facula": facula, "nn": nn, "F": F, "nn.init": nn.init, "nn.utils": nn.utils, "optim": facula.optim,
        "lr_scheduler": facula.optim.lr_scheduler, "data": facula.utils.data, "autograd": facula.autograd,
        "autograd.functional": facula.autograd.functional, "autograd.graph": facula.autograd.graph,
    }  # fmt: skip
    lasting = {"manual_seed", "seed", "set_default_dtype", "set_num_threads", "set_rng_state"}
    for space, module in spaces.items():
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing) and name not in lasting and not inspect.ismodule(thing):
                yield f"{space}.{name}", thing
    for name in dir(facula.Tensor):
        thing = getattr(facula.Tensor, name, None)  # PyTorch's names without an implementation raise
        if callable(thing) and not name.startswith("_"):
            yield f"Tensor.{name}", thing


def unfit():
    odd, integers = Odd(), x(dtype=facula.int64)
    return [
        (), (odd,), (odd, odd), (x(), odd), (x(), odd, odd), (x(), 7), (x(), x(), odd), (x(), (9,)), (x(), "no"),
        (integers,), (x(), x(5, 7)), (x(), x(5, 7), 7), (-1,), ("no",), (x(), 9, 9), (x(), 9, 9, 9), (x(), [odd]),
        ([odd],), (x(), integers), (x(4, 5, 6, 7, 8), x(), x()), (leaf(), 9), (leaf(), odd),
    ]  # fmt: skip


PUBLIC = dict(public())


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_trims_its_traceback(name):
    """Check that library errors for many invalid arguments leave at most one library frame."""
    left = []
    for arguments in unfit():
        if name.startswith("Tensor.") and not (arguments and isinstance(arguments[0], facula.Tensor)):
            arguments = (x(), *arguments)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = raised(PUBLIC[name], *arguments)
        if isinstance(error, FaculaError):
            frames = library_frames(error)
            shown = error.__context__ is not None and not error.__suppress_context__ and error.__cause__ is None
            if len(frames) > 1 or shown:
                left.append((frames, str(error), repr(error.__context__)))
    assert not left, left[0]


# ------------------------------------------------------------------------------------------ invalid arguments
def public_classes():
    places = ("nn", "optim", "optim.lr_scheduler", "utils.data", "utils.data.files", "utils.data.transforms",
              "distributions", "distributions.constraints", "distributions.transforms", "jit", "autograd", "amp",
              "nn.utils.prune", "optim.swa_utils", "cpu.memory")  # fmt: skip
    modules = [facula, *[importlib.import_module(f"facula.{place}") for place in places]]
    members = [getattr(module, name) for module in modules for name in module.__all__]
    kinds = {kind for kind in members if isinstance(kind, type) and kind.__module__.startswith("facula")}
    return [kind for kind in kinds if not issubclass(kind, BaseException)]


@pytest.mark.parametrize("given", [{}, {"no_such_argument": 1}], ids=["missing", "unknown"])
def test_invalid_arguments_of_classes_show_no_library_frames(given):
    """Check both cases, a failing call in a boundary and a check in a constructor."""
    refused = 0
    for kind in public_classes():
        try:
            kind(**given)
        except Exception as error:
            refused += 1
            assert not library_frames(error), f"{kind.__name__}: {error}"
    assert refused > 150


PASSING_ON = {  # functions that accept any arguments and pass them on
    "in place": lambda: facula.ones(2).addmv_(zzz=1),
    "a copy of a view": lambda: facula.diagonal_copy(facula.ones(2, 2), zzz=1),
    "init": lambda: nn.init.xavier_uniform_(),
    "init under no_grad": lambda: nn.init.constant_(facula.ones(2)),
}


@pytest.mark.parametrize("name", PASSING_ON)
def test_forwarded_invalid_arguments_show_no_library_frames(name):
    assert isinstance(raised(PASSING_ON[name]), TypeError)
    assert own_frames(raised(PASSING_ON[name])) == ["<lambda>"] and not library_frames(raised(PASSING_ON[name]))


def test_invalid_arguments_of_forward_end_at_the_callers_line():
    class Net(nn.Module):
        def forward(self, x):
            return nn.Linear(2, 2)(x, 1)

    assert not library_frames(raised(lambda: nn.Linear(2, 2)()))
    assert own_frames(raised(lambda: Net()(facula.ones(1, 2)))) == ["<lambda>", "forward"]
