"""einops, safetensors, skorch, torchdiffeq, and gradients of gradients in them."""

import tempfile

import numpy as np
import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from recorded import draw, fill, generator, integers, record, record_gradients, write
from safetensors.torch import load_file, load_model, safe_open, save_file, save_model
from skorch import NeuralNetClassifier, NeuralNetRegressor
from skorch.callbacks import EarlyStopping, EpochScoring, LRScheduler
from skorch.dataset import ValidSplit
from torchdiffeq import odeint, odeint_adjoint, odeint_event

x = draw("images", 2, 6, 4, 4)
record("rearranged", rearrange(x, "b (c d) h w -> (b h) c (d w)", d=2))
record("reduced", [reduce(x, "b c h w -> b c", one) for one in ("mean", "max", "min", "sum", "prod")])
record("repeated", repeat(x, "b c h w -> b (c 2) h w"))
record("einsum", einsum(x, x, "b c h w, b d h w -> b c d"))
packed, shapes = pack([x, x[:, :, 0]], "b c *")
record("packed", [packed, *unpack(packed, shapes, "b c *")])
model = torch.nn.Sequential(
    Rearrange("b c h w -> b (h w) c"),
    EinMix("b n c -> b n d", weight_shape="c d", bias_shape="d", c=6, d=3),
    Reduce("b n d -> b d", "max"),
)
fill(model, "einops")
model(x).square().sum().backward()
record_gradients("einops", model)

with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/one.safetensors"
    save_file({"a": x, "b": integers("b", 9, 3), "half": x.bfloat16()}, path, metadata={"format": "pt"})
    found = load_file(path)
    assert torch.equal(found["a"], x) and found["half"].dtype == torch.bfloat16
    record("safetensors", [found[key] for key in sorted(found)])
    with safe_open(path, framework="pt") as file:
        record("a slice", file.get_slice("a")[:, 1:3])
        assert file.metadata() == {"format": "pt"}
    tied = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    tied[1].weight = tied[0].weight
    fill(tied, "tied")
    save_model(tied, path)
    again = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    again[1].weight = again[0].weight
    assert load_model(again, path) == (set(), [])
    record("tied", list(again.parameters()))


class Network(torch.nn.Module):
    """Two layers with drawn weights."""

    def __init__(self, outputs=2):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.ReLU(), torch.nn.Linear(8, outputs))
        fill(self, "skorch")

    def forward(self, x):
        return self.layers(x)


rows = generator("rows").standard_normal((40, 5)).astype("f4")
classes = (rows[:, 0] > rows[:, 1]).astype("i8")
net = NeuralNetClassifier(
    Network,
    criterion=torch.nn.CrossEntropyLoss,
    max_epochs=4,
    lr=0.1,
    batch_size=8,
    verbose=0,
    train_split=ValidSplit(4, stratified=True),
    iterator_train__shuffle=False,
    callbacks=[
        EpochScoring("roc_auc", lower_is_better=False),
        EarlyStopping(patience=9),
        LRScheduler("StepLR", step_size=2),
    ],
)
net.fit(rows, classes)
for key in ("train_loss", "valid_loss", "valid_acc", "roc_auc"):
    record(f"skorch {key}", net.history[:, key])
record("skorch predictions", [net.predict(rows), net.predict_proba(rows)])
with tempfile.TemporaryDirectory() as folder:
    net.save_params(
        f_params=f"{folder}/net.pt", f_optimizer=f"{folder}/optimizer.pt", f_history=f"{folder}/history.json"
    )
    other = NeuralNetClassifier(Network, criterion=torch.nn.CrossEntropyLoss).initialize()
    other.load_params(
        f_params=f"{folder}/net.pt", f_optimizer=f"{folder}/optimizer.pt", f_history=f"{folder}/history.json"
    )
    assert np.array_equal(other.predict_proba(rows), net.predict_proba(rows))
regressor = NeuralNetRegressor(Network, module__outputs=1, max_epochs=3, verbose=0, iterator_train__shuffle=False)
regressor.fit(rows, rows[:, :1])
record("regressor", regressor.predict(rows))


class Decay(torch.nn.Module):
    """A linear system with a nonlinear part."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3).double()
        fill(self, "decay")

    def forward(self, t, y):
        return torch.tanh(self.layer(y)) - 0.3 * y * t


start, times = draw("start", 3).double(), torch.linspace(0.0, 2.0, 5, dtype=torch.float64)
for method in (
    "dopri5",
    "dopri8",
    "bosh3",
    "fehlberg2",
    "adaptive_heun",
    "euler",
    "midpoint",
    "rk4",
    "explicit_adams",
    "implicit_adams",
):
    function, y = Decay(), start.clone().requires_grad_()
    found = odeint(function, y, times, method=method)
    found[-1].square().sum().backward()
    record(f"{method}", [found, y.grad])
    record_gradients(method, function)
function, y = Decay(), start.clone().requires_grad_()
found = odeint_adjoint(function, y, times, rtol=1e-9, atol=1e-9)
found[-1].square().sum().backward()
record("adjoint", [found, y.grad])
record_gradients("adjoint", function)
time, state = odeint_event(
    lambda t, y: torch.stack([y[1], torch.full_like(y[1], -9.8)]),
    torch.tensor([2.0, 0.0], dtype=torch.float64),
    torch.tensor(0.0, dtype=torch.float64),
    event_fn=lambda t, y: y[0],
)
record("event", [time, state[-1, 1]])
write()
