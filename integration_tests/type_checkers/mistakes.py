"""A program of mistakes: type checkers find one in each line that expects an error, and none in the others."""

# ruff: noqa: F401
from __future__ import annotations

from typing import Any

import facula
import facula.nn.functional as F
from facula import Tensor, nn, optim
from facula.utils.data import DataLoader, Dataset, RandomSampler, TensorDataset, random_split

x = facula.ones(2, 3)
parameters = [x]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.layers = nn.ModuleList([nn.Linear(2, 2)])
        self.body = nn.Sequential(nn.Linear(2, 2), nn.Tanh())

    def forward(self, x: Tensor, scale: float = 1.0) -> Tensor:
        return self.linear(x) * scale

    def wrong(self, x: Tensor) -> str:
        return self.linear(x)  # expect: error

    def also_wrong(self, x: Tensor) -> int:
        return self.body(x)  # expect: error


class Words(Dataset[str]):
    def __getitem__(self, index: int) -> int:  # expect: error
        return index


net = Net()

# Names.
facula.oens(2)  # expect: error
nn.Liner(2, 2)  # expect: error
F.reul(x)  # expect: error
optim.AdamV(parameters)  # expect: error
facula.optim.lr_scheduler.StepLr(optim.SGD(parameters), 1)  # expect: error
x.exponential  # expect: error
from facula import Tenser  # expect: error
from facula.nn import Linaer  # expect: error
from facula.utils.data import DataLoder  # expect: error

# Creation.
facula.zeros("a")  # expect: error
facula.zeros(2, dtype=3)  # expect: error
facula.ones((2, 3), device=1.5)  # expect: error
facula.tensor("abc")  # expect: error
facula.full((2,), "one")  # expect: error
facula.from_numpy([1, 2])  # expect: error
facula.rand(2, requires_grad="yes")  # expect: error
facula.manual_seed("seed")  # expect: error

# Operators and methods.
x + "a"  # expect: error
x @ 3  # expect: error
x["a"]  # expect: error
x[0] = "a"  # expect: error
x.reshape("a")  # expect: error
x.view(2, 3.0)  # expect: error
x.sum(dim="0")  # expect: error
x.mean(0, keepdim="yes", wrong=1)  # expect: error
x.transpose(0)  # expect: error
x.to(3)  # expect: error
x.max(dim=1).value  # expect: error
x.max().indices  # expect: error
x.shape.count_all()  # expect: error
del x[0]  # expect: error
x.type(facula.FloatTensor).foo  # expect: error
x.type() + 1  # expect: error
x.select(0)  # expect: error
x.backward(1)  # expect: error
x.grad.abs()  # expect: error
x.item().foo.bar + x.tolist().foo  # expect: error
text: str = x.item()  # expect: error
number: int = x.sum()  # expect: error
size: int = x.size()  # expect: error
rows: str = x.size(0)  # expect: error
values: str = x.tolist()  # expect: error
facula.relu(3)  # expect: error
facula.cat(3)  # expect: error
facula.where(x > 0, x)  # expect: error
facula.softmax(x, dim="last")  # expect: error
F.relu(3)  # expect: error
F.cross_entropy(x, 3)  # expect: error
F.conv2d(x, x, stride="two")  # expect: error
F.dropout(x, p="half")  # expect: error

# Modules.
nn.Linear("4", 2)  # expect: error
nn.Conv2d(1, 2)  # expect: error
nn.Conv2d(1, 2, kernel_size="3")  # expect: error
nn.Sequential(3)  # expect: error
nn.ModuleList([1, 2])  # expect: error
nn.Parameter(3)  # expect: error
nn.Dropout(inplace=0.5)  # expect: error
net("a")  # expect: error
net(x, scale="a")  # expect: error
net(x, x, x)  # expect: error
net(x).foo  # expect: error
net.linear(x).foo  # expect: error
net.layers[0]("a")  # expect: error
net.layers["0"]  # expect: error
net.body(x).foo  # expect: error
net.load_state_dict([1])  # expect: error
net.train("yes")  # expect: error
net.to(3)  # expect: error
nn.MSELoss()(x, 3)  # expect: error
nn.CrossEntropyLoss(reduction=3)  # expect: error
nn.init.kaiming_uniform_(3)  # expect: error
nn.utils.clip_grad_norm_(net.parameters(), "1")  # expect: error
nn.utils.clip_grad_norm_(net, 1.0)  # expect: error
wrong: list[int] = list(net.parameters())  # expect: error
spelt: str = net.wieght  # expect: error
list(net)  # expect: error

# Optimizers and schedules.
optim.AdamW(parameters, lr="x")  # expect: error
optim.AdamW(parameters, betas=0.9)  # expect: error
optim.SGD(3)  # expect: error
optim.SGD([1.0, 2.0])  # expect: error
optim.SGD(net)  # expect: error
optim.AdamW(nn.Linear(3, 2))  # expect: error
optim.Adam(net.layers)  # expect: error
optim.Adam(net.parameters(), momentum=0.9)  # expect: error
optim.SGD(parameters).step(3)  # expect: error
optim.SGD(parameters).steps()  # expect: error
optim.lr_scheduler.StepLR(net, 3)  # expect: error
optim.lr_scheduler.CosineAnnealingLR(optim.SGD(parameters))  # expect: error
optim.lr_scheduler.LambdaLR(optim.SGD(parameters), "x")  # expect: error

# Data.
DataLoader(3)  # expect: error
DataLoader(TensorDataset(x), batch_size="8")  # expect: error
DataLoader(TensorDataset(x), shufle=True)  # expect: error
DataLoader(TensorDataset(x), shuffle="yes")  # expect: error
RandomSampler(3)  # expect: error
random_split(TensorDataset(x), 0.5)  # expect: error
for batch in DataLoader(facula.ones(3)):
    batch.foo  # expect: error
for first, _ in DataLoader(TensorDataset(x, x)):
    net(first)
    first.foo  # expect: error


# Gradients and files.
@facula.no_grad()
def half(x: Tensor) -> Tensor:
    return x / 2


@facula.inference_mode
def double(x: Tensor) -> Tensor:
    return x * 2


half("a")  # expect: error
half(x).foo  # expect: error
double(2)  # expect: error
facula.no_grad(3)  # expect: error
facula.set_grad_enabled("off")  # expect: error
facula.autograd.grad(x, 3)  # expect: error
facula.autograd.grad(x, [x])[0].foo  # expect: error
facula.autograd.backward("x")  # expect: error
facula.save(net.state_dict())  # expect: error
facula.save({}, 3)  # expect: error
facula.load("x", map_location=3.0)  # expect: error

anything: Any = facula.load("x")
anything.foo
