"""Ctrl-C at random moments: afterwards no mode is active, modules have their parameters, and errors propagate.

FACULA_INTERRUPTS is the number for each program; facula_autograd's tests count the kinds of interruptible places.
"""

import os
import random
import signal
import sys
import time

import pytest

import facula
import facula.autograd.forward_ad as forward_ad
import facula.nn as nn
from facula.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from facula.func import functional_call, grad, hessian, jvp, linearize, vmap
from facula.utils.checkpoint import checkpoint
from facula.utils.flop_counter import FlopCounterMode
from facula_autograd.extend import DEFAULT, active_modes, current_mode
from facula_storage.extend import collecting
from facula_tensor.extend import current_recorder

COUNT = int(os.environ.get("FACULA_INTERRUPTS", "60"))
X = facula.ones(4, 3)
LAYER = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))
GIVEN = {name: one.detach() * 2 for name, one in LAYER.named_parameters()}


def inside(mode):
    def run():
        with mode(), mode():
            LAYER(X)

    return run


def in_forward_mode():
    with forward_ad.dual_level():
        forward_ad.unpack_dual(forward_ad.make_dual(X, X).sin())


def on_meta():
    with facula.device("meta"):
        facula.ones(2)


def counted():
    with FlopCounterMode(display=False):
        LAYER(X)


@facula.no_grad()
def steps():
    yield X.sin()
    yield X.cos()


def captured():
    layer = nn.Linear(3, 2)
    optimizer = facula.optim.SGD(layer.parameters(), lr=0.1)

    @facula.capture
    def step(x):
        optimizer.zero_grad()
        loss = layer(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(3):
        step(X)


replayed = facula.capture(lambda x: (x * 2).sin().sum())
PROGRAMS = {
    "no_grad": inside(facula.no_grad),
    "enable_grad": inside(facula.enable_grad),
    "inference_mode": inside(facula.inference_mode),
    "set_grad_enabled": inside(lambda: facula.set_grad_enabled(False)),
    "set_detect_anomaly": inside(lambda: facula.autograd.set_detect_anomaly(True)),
    "autocast": inside(lambda: facula.autocast("cpu")),
    "saved_tensors_hooks": inside(lambda: saved_tensors_hooks(lambda t: t, lambda t: t)),
    "save_on_cpu": inside(save_on_cpu),
    "disable_saved_tensors_hooks": lambda: disable_saved_tensors_hooks("no")(X.sin)(),
    "detect_anomaly": inside(facula.autograd.detect_anomaly),
    "a device": on_meta,
    "FlopCounterMode": counted,
    "decorated": facula.no_grad()(X.sin),
    "a generator": lambda: list(steps()),
    "vmap": lambda: vmap(lambda row: row.sin().sum())(X),
    "vmap of draws": lambda: vmap(LAYER, randomness="different")(X),
    "grad": lambda: grad(lambda x: x.sin().sum())(X),
    "vmap of grad": lambda: vmap(grad(lambda x: x.sin().sum()))(X),
    "jvp": lambda: jvp(facula.sin, (X,), (X,)),
    "hessian": lambda: hessian(lambda x: x.sin().sum())(X[0]),
    "linearize": lambda: linearize(lambda x: x.clone().sin_(), X)[1](X),
    "forward_ad": in_forward_mode,
    "functional_call": lambda: functional_call(LAYER, GIVEN, (X,)),
    "checkpoint": lambda: checkpoint(LAYER, X, use_reentrant=False).sum().backward(),
    "capture": captured,
    "a replay": lambda: replayed(X),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_random_interrupts(name, monkeypatch):
    """The error is kept until all checks ran, as in an interactive interpreter."""
    swallowed = []
    monkeypatch.setattr(sys, "unraisablehook", swallowed.append)
    former = signal.signal(signal.SIGALRM, signal.default_int_handler)
    program, rng = PROGRAMS[name], random.Random(0)
    own = [id(one) for one in LAYER.parameters()]
    try:
        program()
        begin = time.perf_counter()
        program()
        span = min(2 * (time.perf_counter() - begin), 0.002)
        for number in range(COUNT):
            error = None
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, rng.random() * span + 2e-6, 10)  # again if it was lost
                    while True:
                        program()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt as interrupt:
                error = interrupt
            assert current_mode() is DEFAULT and not active_modes and not collecting, number
            assert current_recorder() is None and facula.ones(1).device.type == "cpu", number
            assert vmap(lambda x: x * 2)(X).tolist() == (X * 2).tolist() and forward_ad.enter_dual_level() == 0, number
            forward_ad.exit_dual_level()
            assert LAYER(X).shape == (4, 2), number  # its dropout draws
            assert [id(one) for one in LAYER.parameters()] == own, number
            assert not swallowed and isinstance(error, KeyboardInterrupt)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
