"""Programs that the library calls (hooks, closures, datasets): errors show all of their frames."""

import sys
import threading
import traceback

import pytest
from traceback_helpers import Descent, leaf, library_frames, optimizer, own_frames, raised, x

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula.errors import FaculaError, full_traceback
from facula.utils.data import DataLoader, Dataset, Subset, TensorDataset
from facula_errors.extend import in_library


@pytest.fixture(autouse=True)
def trimmed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # `save` is one of the calls
    with full_traceback(False):
        yield


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
def test_exceptions_of_the_program_keep_their_traceback(name, monkeypatch):
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


def wrappers(function):
    """Return the public functions that `function` calls through the wrapper that `boundary` makes."""
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


def test_functions_called_in_every_step_need_no_wrapper():
    """Check that they contain the except clause, which costs no time: Note [Trimming] in facula_errors."""
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
