"""Errors of the whole library under one base, and tracebacks that end at the program's line, whatever was called.

FACULA_FULL_TRACEBACK is what the tests of facula_errors look at, and the environments in which a traceback is shown.
"""

import copy
import inspect
import pickle
import sys
import threading
import traceback
import warnings

import pytest

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula.errors import FaculaError, full_traceback
from facula.utils.data import DataLoader, Dataset, Subset, TensorDataset, default_collate, random_split
from facula_errors.extend import in_library


@pytest.fixture(autouse=True)
def trimmed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # `save` is among what is called
    with full_traceback(False):
        yield


def raised(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error
    return None


def library_frames(error):
    return [
        f"{frame.f_globals['__name__']}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if in_library(frame)
    ]


def own_frames(error):
    """The program's functions, from the one that called the library; `raised` above is left out."""
    return [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__) if not in_library(frame)][1:]


def x(*shape, **options):
    return facula.ones(*(shape or (2, 3)), **options)


def leaf(*shape):
    return x(*shape, requires_grad=True)


class Descent(facula.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    def step(self, closure=None):
        return closure()


def read_only():
    import numpy as np

    array = np.ones(3, np.float32)
    array.flags.writeable = False
    return facula.from_numpy(array)


def optimizer():
    return facula.optim.SGD([leaf()], lr=0.1)


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
    "exp of what is recorded, out": lambda: facula.exp(leaf() * 1, out=x()),
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
    "backward of many": lambda: (leaf() * 2).backward(),
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
    # the rest
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
def test_the_whole_is_there_on_request(name):
    with full_traceback(True):
        error = raised(FAILING[name])
    assert library_frames(error)


# ------------------------------------------------------------------------------------- programs inside the library
class Broken(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 4)

    def forward(self, input):
        return F.relu(self.inner(input)) @ facula.ones(7)


class Twice(facula.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input * 2

    @staticmethod
    def backward(ctx, g):
        return g @ facula.ones(7, 7)


class Early(Twice):
    @staticmethod
    def forward(ctx, input):
        return input @ facula.ones(7, 7)


class Samples(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return x(2).view(3)


class Units(facula.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return facula.zeros(-1)


def hook(*args):
    return x() @ x()


def with_hook(register):
    module = nn.Linear(3, 3)
    register(module)
    out = module(leaf())
    out.sum().backward()


def through_backward(register):
    value = leaf() * 2
    register(value)
    (value * value).sum().backward()


def with_closure():
    Descent([leaf()]).step(hook)


def with_fused_closure():
    optimizer().step(hook)


def with_step_hook():
    made = optimizer()
    made.register_step_pre_hook(hook)
    made.step()


def with_saved_hooks():
    with facula.autograd.graph.saved_tensors_hooks(lambda t: t, hook):
        y = (leaf() * 2) ** 2
    y.sum().backward()


def in_a_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(raised(hook)))
    thread.start()
    thread.join()
    raise found[0]


def with_checkpoint():
    facula.utils.checkpoint.checkpoint(hook, leaf(), use_reentrant=False)


@facula.no_grad()
def decorated():
    hook()


CROSSINGS = {
    "forward": (lambda: Broken()(x()), ["<lambda>", "forward"]),
    "nested forward": (lambda: nn.Sequential(nn.ReLU(), Broken())(x()), ["<lambda>", "forward"]),
    "forward hook": (lambda: with_hook(lambda m: m.register_forward_hook(hook)), ["<lambda>", "with_hook", "hook"]),
    "forward pre-hook": (
        lambda: with_hook(lambda m: m.register_forward_pre_hook(hook)),
        ["<lambda>", "with_hook", "hook"],
    ),
    "backward hook of a module": (
        lambda: with_hook(lambda m: m.register_full_backward_hook(hook)),
        ["<lambda>", "with_hook", "hook"],
    ),
    "hook of a value": (
        lambda: through_backward(lambda v: v.register_hook(hook)),
        ["<lambda>", "through_backward", "hook"],
    ),
    "hook of a node": (
        lambda: through_backward(lambda v: v.grad_fn.register_hook(hook)),
        ["<lambda>", "through_backward", "hook"],
    ),
    "backward of a Function": (lambda: Twice.apply(leaf()).sum().backward(), ["<lambda>", "backward"]),
    "forward of a Function": (lambda: Early.apply(leaf()), ["<lambda>", "forward"]),
    "dataset": (lambda: list(DataLoader(Samples(), batch_size=2)), ["<lambda>", "__getitem__"]),
    "dataset of a Subset": (lambda: list(DataLoader(Subset(Samples(), [0]))), ["<lambda>", "__getitem__"]),
    "collate_fn": (lambda: next(iter(DataLoader([1], collate_fn=hook))), ["<lambda>", "hook"]),
    "closure": (with_closure, ["with_closure", "step", "hook"]),
    "closure of ours": (with_fused_closure, ["with_fused_closure", "hook"]),
    "step hook": (with_step_hook, ["with_step_hook", "hook"]),
    "saved-tensor hooks": (with_saved_hooks, ["with_saved_hooks", "hook"]),
    "__torch_function__": (lambda: Units([1.0]) + 1, ["<lambda>", "__torch_function__"]),
    "__torch_function__ of many": (lambda: Units([1.0]).mean(), ["<lambda>", "__torch_function__"]),
    "gradcheck": (lambda: facula.autograd.gradcheck(hook, leaf()), ["<lambda>", "hook"]),
    "jacobian": (lambda: facula.autograd.functional.jacobian(hook, x()), ["<lambda>", "hook"]),
    "checkpoint": (with_checkpoint, ["with_checkpoint", "hook"]),
    "apply": (lambda: nn.Linear(2, 2).apply(hook), ["<lambda>", "hook"]),
    "LambdaLR": (lambda: facula.optim.lr_scheduler.LambdaLR(optimizer(), hook), ["<lambda>", "hook"]),
    "decorated": (decorated, ["decorated", "hook"]),
    "thread": (in_a_thread, ["in_a_thread", "raised", "hook"]),
}


@pytest.mark.parametrize("name", CROSSINGS)
def test_each_crossing_keeps_the_programs_frames(name):
    function, expected = CROSSINGS[name]
    error = raised(function)
    assert isinstance(error, FaculaError), repr(error)
    assert own_frames(error) == expected
    crossings = len(expected)
    assert len(library_frames(error)) <= crossings
    kept = [in_library(frame) for frame, _ in traceback.walk_tb(error.__traceback__)]
    assert not any(kept[i] and kept[i + 1] for i in range(len(kept) - 1)), library_frames(error)


@pytest.mark.parametrize("name", CROSSINGS)
def test_what_a_program_raises_there_is_whole(name, monkeypatch):
    class Own(Exception):
        pass

    def failing(*args, **kwargs):
        raise Own

    for operator in ("__matmul__",):
        monkeypatch.setattr(facula.Tensor, operator, failing)
    monkeypatch.setattr(facula, "zeros", failing)
    monkeypatch.setattr(facula.Tensor, "view", failing)
    error = raised(CROSSINGS[name][0])
    assert type(error) is Own and own_frames(error)[-1] == "failing"
    assert library_frames(error) or name in ("closure", "thread")


# ------------------------------------------------------------------------------------------- what it costs to be safe
def wrappers(function):
    """The public functions that `function` calls through the wrapper that `boundary` makes."""
    called = []

    def trace(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.endswith("_trimming.py"):
            called.append(frame.f_locals["function"].__qualname__)

    sys.setprofile(trace)
    try:
        function()
    finally:
        sys.setprofile(None)
    return called


def test_what_programs_call_in_every_step_runs_no_wrapper():
    """They have the except clause itself, which costs nothing: Note [Trimming] in facula_errors."""
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Linear(36, 10),
    )
    images, labels = facula.rand(16, 1, 8, 8), facula.zeros(16, dtype=facula.int64)
    loader = DataLoader(TensorDataset(images, labels), batch_size=4, shuffle=True)
    batches = iter(loader)
    for made in (facula.optim.SGD(model.parameters(), lr=0.1), facula.optim.AdamW(model.parameters(), lr=0.1)):

        def step(optimizer=made):
            input, target = next(batches)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(input), target)
            loss.backward()
            optimizer.step()
            return loss.detach().item()

        step()
        assert wrappers(step) == []

    def others():
        a = facula.ones(4, 4)
        (a @ a + a * 2 - a.t()).sum()
        F.mse_loss(F.linear(a, a).relu().mean(0).reshape(2, 2).view(4), facula.zeros(4))
        F.softmax(a[1:3].flatten().unsqueeze(0), 1), facula.cat((a, a)), facula.stack((a, a)), a.to(facula.float64)
        with facula.no_grad():
            a.add_(a), a.zero_(), a.clone().contiguous(), a.detach().numpy(), bool((a == a).all()), len(a), a.tolist()

    others()
    assert wrappers(others) == []


# ------------------------------------------------------------------------- whatever is public, whatever it is given
class Odd:
    """Fits nowhere."""


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
        thing = getattr(facula.Tensor, name, None)  # names that are PyTorch's alone raise
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
def test_no_public_function_is_forgotten(name):
    """Called with what does not fit, in many ways: an error of the library leaves at most one of its frames."""
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
