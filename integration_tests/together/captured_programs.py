"""Training programs of many kinds, for comparisons of captured with eager runs."""

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula import optim


class Convolutions(nn.Sequential):
    def __init__(self, momentum=0.1):
        super().__init__(
            nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4, momentum=momentum), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(4, 8, 3), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10),
        )  # fmt: skip


class Recurrent(nn.Module):
    def __init__(self, kind=nn.LSTM):
        super().__init__()
        self.letters, self.scores = nn.Embedding(20, 8), nn.Linear(16, 20)
        self.layers = kind(8, 16, 2, batch_first=True, dropout=0.2)

    def forward(self, x):
        return self.scores(self.layers(self.letters(x))[0]).flatten(0, 1)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters, self.places = nn.Embedding(20, 16), nn.Embedding(12, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.1, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.scores = nn.Linear(16, 20)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        x = self.letters(x) + self.places(facula.arange(x.shape[1]))
        return self.scores(self.layers(x, mask=mask, is_causal=True)).flatten(0, 1)


class Choosing(nn.Module):
    """A module that loops while its input is large, then reports its choice."""

    def __init__(self):
        super().__init__()
        self.first, self.scores = nn.Linear(16, 16), nn.Linear(16, 10)

    def forward(self, x):
        limit = 2 + F.dropout(facula.ones(1), 0.5, self.training).sum()
        with facula.no_grad():
            (x,) = facula.while_loop(lambda x: x.norm() > limit, lambda x: (x * 0.8,), (x,))
        return facula.cond(
            x.mean() > 0, lambda h: self.scores(F.dropout(h, 0.2).relu()), lambda h: self.scores(F.dropout(h).tanh()),
            (self.first(x),),
        )  # fmt: skip


def perceptron(dropout=0.0):
    return nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 10))


def vectors():
    return facula.randn(6, 16), facula.randint(0, 10, (6,))


def images():
    return facula.randn(6, 1, 8, 8), facula.randint(0, 10, (6,))


def letters():
    made = facula.randint(0, 20, (3, 13))
    return made[:, :-1].contiguous(), made[:, 1:].reshape(-1)


def sgd(parameters, **options):
    return optim.SGD(parameters, lr=0.1, **options)


def adam(parameters):
    return optim.Adam(parameters, lr=0.01)


def simple(model, optimizer, after_backward=lambda model: None, after_step=lambda: None):
    """The usual step."""

    def step(x, y):
        optimizer.zero_grad()
        scores = model(x)
        loss = F.cross_entropy(scores, y)
        loss.backward()
        after_backward(model)
        optimizer.step()
        after_step()
        return loss, scores.argmax(1)

    return step


def scaled(model, optimizer):
    """A step in mixed precision, with infinite gradients in some calls."""
    scaler = facula.amp.GradScaler("cpu", init_scale=1.0, growth_factor=64.0, growth_interval=3)

    def step(x, y):
        optimizer.zero_grad()
        with facula.autocast("cpu", dtype=facula.bfloat16):
            scores = model(x)
        loss = F.cross_entropy(scores.float(), y)
        scaler.scale(loss * 1e35).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach(), scaler._scale.clone()

    return step


def gathered(model, optimizer):
    """Gradients accumulated over calls; the optimizer steps outside."""

    def step(x, y):
        loss = F.cross_entropy(model(x), y) / 4
        loss.backward()
        return loss.detach()

    return step


def at_once(model, optimizer):
    """Each parameter steps as soon as its gradient is computed; the gradient is then dropped."""
    own = {one: optim.Adam([one], lr=0.01) for one in model.parameters()}

    def descend(parameter):
        own[parameter].step()
        own[parameter].zero_grad()

    for one in own:
        one.register_post_accumulate_grad_hook(descend)

    def step(x, y):
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss.detach()

    return step


def clipped(model):
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)


PROGRAMS = {
    **{
        f"optim.{kind}": (perceptron, lambda p, kind=kind: getattr(optim, kind)(p, lr=0.01), simple, vectors)
        for kind in "Adadelta Adafactor Adagrad AdamW Adamax ASGD NAdam RAdam RMSprop Rprop".split()
    },
    "optim.Muon": (lambda: nn.Linear(16, 10, bias=False), lambda p: optim.Muon(p, lr=0.01), simple, vectors),
    "momentum": (perceptron, lambda p: sgd(p, momentum=0.9, nesterov=True), simple, vectors),
    "dropout": (lambda: perceptron(0.5), sgd, simple, vectors),
    "batch norm": (Convolutions, sgd, simple, images),
    "cumulative batch norm": (lambda: Convolutions(None), sgd, simple, images),
    "LSTM": (Recurrent, adam, simple, letters),
    "GRU": (lambda: Recurrent(nn.GRU), adam, simple, letters),
    "transformer": (Transformer, adam, simple, letters),
    "clipping": (perceptron, sgd, lambda m, o: simple(m, o, after_backward=clipped), vectors),
    "schedule": (
        perceptron, sgd, lambda m, o: simple(m, o, after_step=optim.lr_scheduler.StepLR(o, 5).step), vectors,
    ),
    "conditions": (Choosing, adam, simple, vectors),
    "scaler": (perceptron, adam, scaled, vectors),
    "accumulation": (perceptron, sgd, gathered, vectors),
    "steps in backward": (perceptron, sgd, at_once, vectors),
}  # fmt: skip


def build(make, begin, write):
    facula.manual_seed(3)
    model = make()
    optimizer = begin(model.parameters())
    return model, optimizer, write(model, optimizer)
