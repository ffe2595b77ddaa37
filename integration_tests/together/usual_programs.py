"""Common code of programs around a training step, as functions of the wrapper that captures it."""

from training_programs import Program, batch, every, normal, perceptron, trained

import facula
import facula.nn as nn
import facula.nn.functional as F
from facula import amp, distributions, func, optim


def early_stopping(wrap):
    """The best weights and the optimizer's state are kept and restored; an average of the weights is maintained."""
    model = perceptron()
    optimizer = optim.AdamW(
        [{"params": model[:4].parameters(), "lr": 0.03}, {"params": model[4:].parameters(), "weight_decay": 0.2}],
        lr=0.01,
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
        if number % 20 == 3:
            best["model"] = {name: one.clone() for name, one in model.state_dict().items()}
            best["optimizer"] = optimizer.state_dict()
        elif number % 20 == 7:
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


def mixed(wrap, dtype, scale):
    """Mixed precision, with infinite gradients in some steps, and accumulated and clipped gradients."""
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


def frozen(wrap):
    """Layers frozen during training, added groups, loaded weights, changing modes."""
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
    return Program(lambda number, last: learn(*batch(number)), [model, optimizer], every(3, changes))


def rebuilt(wrap):
    """Hooks that are added and removed, modules that are replaced and added, another dtype, external gradients."""
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

    return Program(step, [model, optimizer], every(3, changes))


def parametrized(wrap):
    """Weight norms as parametrizations, and running statistics of instances."""
    model = nn.Sequential(
        nn.utils.parametrizations.spectral_norm(nn.Linear(12, 16)), nn.PReLU(16),
        nn.utils.parametrizations.weight_norm(nn.Linear(16, 16)), nn.Unflatten(1, (4, 4)),
        nn.InstanceNorm1d(4, affine=True, track_running_stats=True), nn.Flatten(), nn.Linear(16, 4),
    )  # fmt: skip
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, dampening=0.1)
    learn = wrap(trained(model, optimizer, set_to_none=False))
    return Program(lambda number, last: learn(*batch(number)), [model, optimizer])


def reinforcement(wrap):
    """Double Q-learning: a second network follows the first one slowly; tensors contain the replay buffer."""
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
    """A captured model whose loss, backward and step run eagerly; two results before a backward."""
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


def averaged(wrap):
    """Stochastic weight averaging: the averaged model recomputes BatchNorm's statistics."""
    model = nn.Sequential(
        nn.Linear(12, 8), nn.BatchNorm1d(8, momentum=None), nn.ELU(), nn.AlphaDropout(0.1), nn.Linear(8, 4)
    )
    average = optim.swa_utils.AveragedModel(model)
    optimizer = optim.Adamax(model.parameters(), lr=1e-2)
    schedule, learn = optim.swa_utils.SWALR(optimizer, 0.05, anneal_epochs=5), wrap(trained(model, optimizer))

    def between(number):
        if number % 6 == 5:
            average.update_parameters(model)
            schedule.step()
            optim.swa_utils.update_bn([batch(number + k) for k in range(2)], average)

    return Program(lambda number, last: learn(*batch(number)), [model, average, optimizer, schedule], between)


def half_precision(wrap):
    """In float16, with a scale that is initially much too large."""
    return mixed(wrap, facula.float16, 2.0**14)


def brain_floats(wrap):
    """In bfloat16."""
    return mixed(wrap, facula.bfloat16, 4.0)


PROGRAMS = (
    early_stopping, variational_autoencoder, least_squares, frozen, rebuilt, parametrized, reinforcement, meta_learning,
    outside, averaged, half_precision, brain_floats,
)  # fmt: skip
