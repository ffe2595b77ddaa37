"""Training programs that are run twice, as written and captured: those of examples/, and others as people write them.

Each is a function of `wrap`, which is given what is to be captured, and makes a `Program`.
"""

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula import amp, distributions, func, optim, utils
from facula.examples.digits.network import Network
from facula.examples.digits.training import learn as learn_digits

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name):
    """A program of examples/, which says `import torch`, with facula in its place."""
    stood = {one: sys.modules.get(one) for one in list(sys.modules) if one.partition(".")[0] in ("torch", "facula")}
    names = {f"torch{one.removeprefix('facula')}": module for one, module in stood.items() if one.startswith("facula.")}
    spec = importlib.util.spec_from_file_location(f"examples_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    before = {one: sys.modules[one] for one in ("torch", *names) if one in sys.modules}
    sys.modules.update(names, torch=facula)
    try:
        spec.loader.exec_module(module)
    finally:
        for one in ("torch", *names):
            sys.modules.pop(one, None)
        sys.modules.update(before)
    return module


@dataclass
class Program:
    """A program: `step(number, last)` does a step and gives results; `parts` have a `state_dict()`."""

    step: Callable[[int, Any], Any]
    parts: list[Any]
    between: Callable[[int], object] = lambda number: None
    more: Callable[[], list[facula.Tensor]] = field(default=list)  # tensors beside those of `parts`


def draws(number):
    return np.random.default_rng(number)


def normal(number, *shape):
    """Numbers of the default dtype that are the same for a number."""
    return facula.from_numpy(draws(number).standard_normal(shape)).to(facula.get_default_dtype())


def integers(number, most, *shape):
    return facula.from_numpy(draws(number).integers(0, most, shape))


def drawn(program, model):
    program.draw_weights(model, draws(0))
    return model


# --------------------------------------------------------------------------------------------------- those of examples/
def lstm(wrap):
    program = example("lstm")
    model = drawn(program, program.Reader(27, 12))
    optimizer, learn = optim.Adam(model.parameters(), lr=5e-3), wrap(program.learn)

    def step(number, last):
        return learn(model, optimizer, integers(number, 27, 4, 7), last and last[2])

    return Program(step, [model, optimizer])


def gpt(wrap):
    program = example("gpt")
    model = drawn(program, program.GPT(len(program.LETTERS), 16))
    optimizer = program.make_optimizer(model)
    schedule = optim.lr_scheduler.LambdaLR(optimizer, lambda step: program.rate_at(step, 100))
    learn, update = wrap(program.learn), wrap(program.update)

    def step(number, last):
        losses = [learn(model, integers(number + k, len(program.LETTERS), 3, 9)) for k in range(2)]
        update(model, optimizer)
        schedule.step()
        return losses

    return Program(step, [model, optimizer, schedule])


def vit(wrap):
    program = example("vit")
    model = drawn(program, program.ViT(16))
    optimizer = optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=101)
    learn = wrap(program.learn)

    def step(number, last):
        loss = learn(model, optimizer, normal(number, 5, 1, 8, 8), integers(number, 10, 5))
        schedule.step()
        return loss

    return Program(step, [model, optimizer, schedule])


def dcgan(wrap):
    program = example("dcgan")
    models = [drawn(program, make(4)) for make in (program.make_generator, program.make_discriminator)]
    optimizers = [optim.Adam(one.parameters(), lr=2e-3, betas=(0.5, 0.999)) for one in models]
    learn = wrap(program.learn)

    def step(number, last):
        return learn(*models, *optimizers, normal(number, 6, 1, 8, 8), normal(number + 1, 6, 16, 1, 1))

    return Program(step, [*models, *optimizers])


def gcn(wrap):
    program = example("gcn")
    model = drawn(program, program.GCN(integers(0, 12, 2, 30), 12, 8))
    optimizer = optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-3)
    learn, sides = wrap(program.learn), integers(1, 2, 12)
    return Program(lambda number, last: learn(model, optimizer, integers(number, 12, 4), sides), [model, optimizer])


def actor_critic(wrap):
    """The captured network plays, and all its moves are gone back through at once."""
    program = example("actor_critic")
    model = drawn(program, program.ActorCritic(8))
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    move, cart = wrap(model), program.Cart(draws(0))
    return Program(lambda number, last: program.learn(optimizer, *program.play(move, cart)), [model, optimizer])


def hogwild(wrap):
    program = example("hogwild")
    model = program.network().share_memory()
    optimizer, learn = optim.SGD(model.parameters(), lr=0.1), wrap(program.learn)

    def step(number, last):
        x = normal(number, 8, 64)
        return learn(model, optimizer, x.to(model[0].weight.dtype), integers(number, 10, 8))

    return Program(step, [model, optimizer])


def digits(wrap):
    """With a last batch that is smaller, and held-out digits read in between."""
    model, learn = Network(), wrap(learn_digits)
    optimizer, read = optim.AdamW(model.parameters(), lr=1e-2), wrap(model)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)

    def step(number, last):
        size = 3 if number % 5 == 4 else 6
        loss = learn(model.train(), optimizer, normal(number, size, 1, 8, 8), integers(number, 10, size))
        schedule.step()
        with facula.no_grad():
            model.eval()
            return loss, read(normal(number, 4, 1, 8, 8)).argmax(1)

    return Program(step, [model, optimizer, schedule])


# ------------------------------------------------------------------------------------------------------ as people write
def perceptron(*, dropout=0.2):
    return nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))


def trained(model, optimizer, *, set_to_none=True, clip=None):
    """The usual step."""

    def learn(x, y):
        optimizer.zero_grad(set_to_none=set_to_none)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        if clip is not None:
            clip(model.parameters())
        optimizer.step()
        return loss.detach()

    return learn


def batch(number, size=6):
    return normal(number, size, 12), integers(number, 4, size)


def early_stopping(wrap):
    """The best weights are kept, and come back with the optimizer's state; an average of the weights is kept beside."""
    model = perceptron()
    optimizer = optim.AdamW(
        [{"params": model[:4].parameters(), "lr": 0.03}, {"params": model[4:].parameters(), "weight_decay": 0.2}], lr=0.01
    )
    schedule = optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
    average = [one.detach().clone() for one in model.parameters()]
    learn = wrap(trained(model, optimizer, clip=lambda own: nn.utils.clip_grad_value_(own, 0.1)))
    best = {}

    @wrap
    @facula.no_grad()
    def average_in():
        for kept, one in zip(average, model.parameters(), strict=True):
            kept.lerp_(one, 0.1)

    def between(number):
        if number % 9 == 3:
            best["model"] = {name: one.clone() for name, one in model.state_dict().items()}
            best["optimizer"] = optimizer.state_dict()
        elif number % 9 == 7:
            model.load_state_dict(best["model"])
            optimizer.load_state_dict(best["optimizer"])

    def step(number, last):
        loss = learn(*batch(number))
        average_in()
        schedule.step(loss.item())
        return loss

    return Program(step, [model, optimizer, schedule], between, lambda: average)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.mean, self.spread = nn.Linear(12, 8), nn.Linear(8, 3), nn.Linear(8, 3)
        self.outer = nn.Sequential(nn.Linear(3, 8), nn.SiLU(), nn.Linear(8, 12))

    def forward(self, x):
        hidden = F.gelu(self.inner(x))
        found = distributions.Normal(self.mean(hidden), self.spread(hidden).mul(0.5).exp())
        return self.outer(found.rsample()), found


def variational_autoencoder(wrap):
    model = Autoencoder()
    optimizer = optim.RMSprop(model.parameters(), lr=1e-2, momentum=0.5, centered=True)
    prior = distributions.Normal(facula.zeros(3), facula.ones(3))

    @wrap
    def learn(x, weight):
        optimizer.zero_grad(set_to_none=False)
        made, found = model(x)
        far = distributions.kl_divergence(found, prior).sum(1).mean()
        loss = F.binary_cross_entropy_with_logits(made, x.sigmoid()) + weight * far
        loss.backward()
        optimizer.step()
        return loss.detach(), far.detach()

    return Program(
        lambda number, last: learn(normal(number, 6, 12), facula.tensor(min(1.0, number / 20))), [model, optimizer]
    )


def least_squares(wrap):
    """L-BFGS asks a captured closure for losses."""
    model, x, y = nn.Linear(5, 2), normal(0, 20, 5), normal(1, 20, 2)
    optimizer = optim.LBFGS(model.parameters(), lr=0.5, max_iter=3, history_size=5, line_search_fn="strong_wolfe")

    @wrap
    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y) + 0.01 * sum(one.square().sum() for one in model.parameters())
        loss.backward()
        return loss.detach()

    def between(number):
        if number % 10 == 9:
            x.add_(0.1)

    return Program(lambda number, last: optimizer.step(closure), [model, optimizer], between)


class Denoiser(nn.Module):
    """A small U-Net: down, in the middle, up with what was there before."""

    def __init__(self):
        super().__init__()
        self.times, self.into = nn.Embedding(20, 8), nn.Conv2d(1, 8, 3, padding=1)
        self.down = nn.Sequential(nn.GroupNorm(2, 8), nn.SiLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1))
        self.middle = nn.Sequential(nn.GroupNorm(4, 16), nn.SiLU(), nn.Conv2d(16, 16, 3, padding=1))
        self.up = nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x, times):
        first = self.into(x) + self.times(times)[:, :, None, None]
        low = self.down(first)
        low = low + utils.checkpoint.checkpoint(self.middle, low, use_reentrant=False)
        return self.out(facula.cat([self.up(low), first], 1))


def diffusion(wrap):
    """Noise is drawn inside; part of the network runs again in the backward; an average is kept by the library."""
    model = Denoiser()
    average = optim.swa_utils.AveragedModel(model, multi_avg_fn=optim.swa_utils.get_ema_multi_avg_fn(0.9))
    optimizer = optim.Adam(model.parameters(), lr=2e-3, amsgrad=True)
    kept = facula.linspace(0.99, 0.05, 20)

    @wrap
    def learn(images):
        times = facula.randint(0, 20, (len(images),))
        noise, share = facula.randn_like(images), kept[times][:, None, None, None]
        loss = F.mse_loss(model(share.sqrt() * images + (1 - share).sqrt() * noise, times), noise)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    def step(number, last):
        loss = learn(normal(number, 3, 1, 8, 8))
        average.update_parameters(model)
        return loss

    return Program(step, [model, average, optimizer])


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters, self.places = nn.Embedding(15, 16, padding_idx=0), nn.Embedding(10, 16)
        self.both = nn.Transformer(16, 2, 1, 1, 32, dropout=0.1, batch_first=True)
        self.scores = nn.Linear(16, 15)

    def told(self, letters):
        return self.letters(letters) + self.places(facula.arange(letters.shape[1]))

    def forward(self, source, target):
        nothing, later = source == 0, self.both.generate_square_subsequent_mask(target.shape[1])
        found = self.both(
            self.told(source), self.told(target), tgt_mask=later, src_key_padding_mask=nothing, memory_key_padding_mask=nothing
        )  # fmt: skip
        return self.scores(found)


def translation(wrap):
    """Padding and causal masks, a schedule inside, batches of several lengths."""
    model = Translator()
    optimizer = optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.98))
    schedule = optim.lr_scheduler.SequentialLR(
        optimizer,
        [optim.lr_scheduler.LinearLR(optimizer, 0.1, total_iters=4), optim.lr_scheduler.ExponentialLR(optimizer, 0.9)], [4],
    )  # fmt: skip

    @wrap
    def learn(source, target):
        optimizer.zero_grad()
        scores = model(source, target[:, :-1])
        loss = F.cross_entropy(scores.transpose(1, 2), target[:, 1:], ignore_index=0, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss.detach()

    def step(number, last):
        source = integers(number, 15, 3, 6 + number % 2)
        source[:, -2:] = 0
        return learn(source, integers(number + 1, 15, 3, 6))

    return Program(step, [model, optimizer, schedule])


class Attending(nn.Module):
    """A GRU reads, and another writes a letter at a time, looking back at what was read."""

    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(12, 8)
        self.reads, self.writes = nn.GRU(8, 8, batch_first=True, bidirectional=True), nn.GRUCell(24, 16)
        self.scores = nn.Linear(16, 12)

    def forward(self, source, target, taught):
        read, hidden = self.reads(self.letters(source))
        hidden, letter, found = hidden.transpose(0, 1).flatten(1), target[:, 0], []
        for place in range(target.shape[1] - 1):
            weights = (read @ hidden[:, :, None]).softmax(1)
            looked = (weights * read).sum(1)
            hidden = self.writes(facula.cat([self.letters(letter), looked], 1), hidden)
            found.append(self.scores(hidden))
            letter = target[:, place + 1] if taught else found[-1].argmax(1)
        return facula.stack(found, 1)


def attention(wrap):
    """Taught by the right letters in some steps, by its own in others."""
    model = Attending()
    optimizer = optim.NAdam(model.parameters(), lr=1e-2)

    @wrap
    def learn(source, target, taught):
        optimizer.zero_grad()
        loss = F.nll_loss(model(source, target, taught).log_softmax(2).flatten(0, 1), target[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program(
        lambda number, last: learn(integers(number, 12, 3, 5), integers(number + 1, 12, 3, 5), number % 3 != 2),
        [model, optimizer],
    )


def word_vectors(wrap):
    """Words near each other and words drawn by chance; the weights' norm is bounded when they are looked up."""
    words, around = nn.Embedding(30, 6, max_norm=1.0), nn.EmbeddingBag(30, 6, mode="mean")
    optimizer = optim.Adagrad([*words.parameters(), *around.parameters()], lr=0.1)
    chances = facula.arange(1.0, 31.0).reciprocal()

    @wrap
    def learn(middle, near):
        others = facula.multinomial(chances, 5, replacement=True)
        vectors = words(middle)
        right = (vectors * around(near)).sum(1)
        loss = -(F.logsigmoid(right).mean() + F.logsigmoid(-vectors @ around.weight[others].T).mean())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program(
        lambda number, last: learn(integers(number, 30, 7), integers(number + 1, 30, 7, 4)), [words, around, optimizer]
    )


def mixed(dtype, scale):
    """Mixed precision, with infinite gradients now and then, gradients added up and clipped."""

    def program(wrap):
        model = perceptron()
        optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
        scaler = amp.GradScaler("cpu", init_scale=scale, growth_interval=4, growth_factor=16.0)

        @wrap
        def add(x, y):
            with facula.autocast("cpu", dtype=dtype):
                loss = F.cross_entropy(model(x), y) / 2
            scaler.scale(loss).backward()
            return loss.detach()

        @wrap
        def update():
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()

        def step(number, last):
            losses = [add(*batch(number + k)) for k in range(2)]
            update()
            return losses

        return Program(step, [model, optimizer, scaler])

    return program


def every(steps, changes):
    """What happens between steps: one of the changes after so many, in turn."""
    return lambda number: changes[number // steps % len(changes)]() if number % steps == steps - 1 else None


def frozen(wrap):
    """Layers that are frozen midway, groups that are added, weights that are loaded, modes that change."""
    model = nn.Sequential(perceptron(), nn.BatchNorm1d(4), nn.Linear(4, 4))
    optimizer = optim.Adam(model[0].parameters(), lr=0.01)
    learn = wrap(trained(model, optimizer))
    changes = [
        lambda: model[0][0].requires_grad_(False),
        lambda: optimizer.add_param_group({"params": [*model[1:].parameters()], "lr": 0.1}),
        lambda: model.load_state_dict({name: one / 2 for name, one in model.state_dict().items()}),
        lambda: model[1].eval(),
        lambda: model[0][0].requires_grad_(True),
        lambda: optimizer.param_groups[0].update(maximize=not optimizer.param_groups[0]["maximize"], weight_decay=0.1),
        lambda: [optimizer.state.pop(one, None) for one in optimizer.param_groups.pop()["params"]],
        lambda: model.train(),
        lambda: optimizer.state.clear(),
    ]
    return Program(lambda number, last: learn(*batch(number)), [model, optimizer], every(4, changes))


def rebuilt(wrap):
    """Hooks that come and go, modules that are replaced and added, another dtype, gradients from elsewhere."""
    model = nn.Sequential(perceptron(), nn.BatchNorm1d(4), nn.Linear(4, 4))
    optimizer = optim.Adam(model[0].parameters(), lr=0.01)
    learn, hooks = wrap(trained(model, optimizer, set_to_none=False)), []
    weight = model[0][0].weight

    def convert(dtype):
        model.to(dtype)
        optimizer.load_state_dict(optimizer.state_dict())

    changes = [
        lambda: hooks.append(model[-1].register_forward_hook(lambda module, args, out: out * 2)),
        lambda: hooks.append(model[0][3].register_full_backward_hook(lambda module, into, out: (into[0] * 3,))),
        lambda: hooks.append(weight.register_hook(lambda grad: grad.clamp(-0.1, 0.1))),
        lambda: [hooks.pop().remove() for _ in range(3)],
        lambda: model.__setitem__(1, nn.LayerNorm(4, dtype=weight.dtype)),
        lambda: convert(facula.float64),
        lambda: setattr(weight, "grad", facula.ones_like(weight)),
        lambda: convert(facula.get_default_dtype()),
        lambda: setattr(weight, "data", weight.data.clone()),
    ]

    def step(number, last):
        x, y = batch(number)
        return learn(x.to(weight.dtype), y)

    return Program(step, [model, optimizer], every(4, changes))


def parametrized(wrap):
    """Norms in the weights' place, and running statistics of instances."""
    model = nn.Sequential(
        nn.utils.parametrizations.spectral_norm(nn.Linear(12, 16)), nn.PReLU(16),
        nn.utils.parametrizations.weight_norm(nn.Linear(16, 16)), nn.Unflatten(1, (4, 4)),
        nn.InstanceNorm1d(4, affine=True, track_running_stats=True), nn.Flatten(), nn.Linear(16, 4),
    )  # fmt: skip
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, dampening=0.1)
    learn = wrap(trained(model, optimizer, set_to_none=False))
    return Program(lambda number, last: learn(*batch(number)), [model, optimizer])


def reinforcement(wrap):
    """Double Q-learning: a second network follows the first one slowly; what is gathered lies in tensors."""
    model, target = perceptron(dropout=0.0), perceptron(dropout=0.0)
    target.load_state_dict(model.state_dict())
    target.requires_grad_(False)
    optimizer = optim.RAdam(model.parameters(), lr=1e-2)
    memory = facula.zeros(16, 12)

    @wrap
    def learn(state, move, reward, place):
        memory.index_copy_(0, place, state[:1])
        with facula.no_grad():
            best = model(memory[:6]).argmax(1, keepdim=True)
            wanted = reward + 0.9 * target(memory[:6]).gather(1, best).squeeze(1)
        found = model(state).gather(1, move[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(found, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with facula.no_grad():
            for slow, fast in zip(target.parameters(), model.parameters(), strict=True):
                slow.mul_(0.95).add_(fast, alpha=0.05)
        return loss.detach()

    def step(number, last):
        return learn(*batch(number), normal(number + 1, 6), facula.tensor([number % 16]))

    return Program(step, [model, target, optimizer], more=lambda: [memory])


def meta_learning(wrap):
    """Gradients of gradients: the loss after a step of gradient descent, for each task of a batch."""
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = optim.Adam(model.parameters(), lr=1e-2)

    def loss_of(parameters, x, y):
        return F.mse_loss(func.functional_call(model, parameters, (x,)), y)

    def adapted(parameters, x, y):
        gradients = func.grad(loss_of)(parameters, x, y)
        return loss_of({name: one - 0.1 * gradients[name] for name, one in parameters.items()}, x, y)

    @wrap
    def learn(x, y):
        optimizer.zero_grad()
        loss = func.vmap(adapted, in_dims=(None, 0, 0))(dict(model.named_parameters()), x, y).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program(lambda number, last: learn(normal(number, 3, 5, 3), normal(number + 1, 3, 5, 1)), [model, optimizer])


def outside(wrap):
    """A captured model whose loss, backward and step are the program's; two results before a backward."""
    model = nn.Sequential(perceptron(), nn.BatchNorm1d(4))
    optimizer = optim.Adadelta(model.parameters(), lr=0.5)
    scores = wrap(model)

    def step(number, last):
        x, y = batch(number)
        first, second = scores(x), scores(x * 2)
        loss = F.cross_entropy(first, y) + F.cross_entropy(second, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach(), first.detach()

    return Program(step, [model, optimizer])


def spoken(wrap):
    """Convolutions in time, an LSTM in two directions, and the loss of all alignments."""
    model = nn.ModuleDict(
        {"waves": nn.Conv1d(3, 8, 3, padding=1), "norm": nn.BatchNorm1d(8), "back": nn.LSTM(8, 6, bidirectional=True),
         "scores": nn.Linear(12, 5)}
    )  # fmt: skip
    optimizer = optim.Rprop(model.parameters(), lr=1e-3)

    @wrap
    def learn(x, y):
        optimizer.zero_grad()
        hidden = F.leaky_relu(model["norm"](model["waves"](x))).permute(2, 0, 1)
        found = model["scores"](model["back"](hidden)[0]).log_softmax(2)
        loss = F.ctc_loss(found, y, (9,) * 4, (2,) * 4)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Program(lambda number, last: learn(normal(number, 4, 3, 9), integers(number, 4, 4, 2) + 1), [model, optimizer])


def averaged(wrap):
    """Stochastic weight averaging: statistics of BatchNorm are taken again by the averaged model."""
    model = nn.Sequential(nn.Linear(12, 8), nn.BatchNorm1d(8, momentum=None), nn.ELU(), nn.AlphaDropout(0.1), nn.Linear(8, 4))
    average = optim.swa_utils.AveragedModel(model)
    optimizer = optim.Adamax(model.parameters(), lr=1e-2)
    schedule, learn = optim.swa_utils.SWALR(optimizer, 0.05, anneal_epochs=5), wrap(trained(model, optimizer))

    def between(number):
        if number % 6 == 5:
            average.update_parameters(model)
            schedule.step()
            optim.swa_utils.update_bn([batch(number + k) for k in range(2)], average)

    return Program(lambda number, last: learn(*batch(number)), [model, average, optimizer, schedule], between)


PROGRAMS = {
    one.__name__: one
    for one in (
        lstm, gpt, vit, dcgan, gcn, actor_critic, hogwild, digits, early_stopping, variational_autoencoder, least_squares,
        diffusion, translation, attention, word_vectors, frozen, rebuilt, parametrized, reinforcement, meta_learning, outside,
        spoken, averaged,
    )
}  # fmt: skip
PROGRAMS["bfloat16"], PROGRAMS["float16"] = mixed(facula.bfloat16, 4.0), mixed(facula.float16, 2.0**14)
