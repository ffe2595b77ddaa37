"""The programs of examples/, and facula's digits example, as functions of the wrapper that captures their steps."""

import importlib.util
import sys
from pathlib import Path

from training_programs import Program, draws, integers, normal

import facula
from facula import optim
from facula.examples.digits.network import Network
from facula.examples.digits.training import learn as learn_digits

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name):
    """Load a program of examples/, which contains `import torch`, with facula in place of PyTorch."""
    ours = {one: module for one, module in sys.modules.items() if one == "facula" or one.startswith("facula.")}
    names = {f"torch{one.removeprefix('facula')}": module for one, module in ours.items()}
    before = {one: sys.modules.get(one) for one in names}
    spec = importlib.util.spec_from_file_location(f"examples_{name}", EXAMPLES / f"{name}.py")
    program = importlib.util.module_from_spec(spec)
    sys.modules.update(names)
    try:
        spec.loader.exec_module(program)
    finally:
        for one, module in before.items():
            if module is None:
                del sys.modules[one]
            else:
                sys.modules[one] = module
    return program


def drawn(program, model):
    program.draw_weights(model, draws(0))
    return model


def lstm(wrap):
    program = example("lstm")
    model = drawn(program, program.Reader(27, 12))
    optimizer, learn = optim.Adam(model.parameters(), lr=5e-3), wrap(program.learn)

    def step(number, last):
        return learn(model, optimizer, integers(number, 27, 4, 7), last and last[2])

    return Program(step, [model, optimizer])


def gpt(wrap):
    program = example("gpt")
    model = drawn(program, program.for_letters(16))
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
    model = drawn(program, program.for_digits(16))
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
    """The captured network plays, and one backward pass covers all its moves."""
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
    """With a smaller last batch, and held-out digits evaluated during training."""
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


PROGRAMS = (lstm, gpt, vit, dcgan, gcn, actor_critic, hogwild, digits)
