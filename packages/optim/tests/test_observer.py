"""Observers of optimizers."""

from contextlib import nullcontext

import pytest

from facula_errors.testing import raises
from facula_optim import LBFGS, SGD, Adam
from facula_optim.extend import observe_optimizers
from facula_tensor import ones


class Observer:
    def __init__(self, events=None, mark=""):
        self.events, self.mark = [] if events is None else events, mark

    def begin(self, optimizer, method):
        self.events.append(f"{self.mark}{type(optimizer).__name__}.{method}")

    def end(self, optimizer, method):
        self.events.append(f"{self.mark}end")

    def replayed(self, optimizer):
        self.events.append(f"{type(optimizer).__name__} replayed")


@pytest.fixture
def observer():
    with observe_optimizers(Observer()) as observing:
        yield observing._observer


def parameter():
    x = ones(3, requires_grad=True)
    (x * x).sum().backward()
    return x


@pytest.mark.parametrize("set_to_none", [True, False])
def test_steps_and_resets_are_observed(observer, set_to_none):
    x = parameter()
    optimizer = Adam([x], lr=0.1)
    optimizer.step()
    optimizer.zero_grad(set_to_none)
    assert observer.events == ["Adam.step", "end", "Adam.zero_grad", "end"]
    assert (x.grad is None) == set_to_none


def test_steps_count_once_with_their_hooks_inside(observer):
    class Sub(SGD):
        def step(self, closure=None):
            return super().step(closure)

    optimizer = Sub([parameter()], lr=0.1)
    optimizer.register_step_pre_hook(lambda *given: observer.events.append("before"))
    optimizer.register_step_post_hook(lambda *given: observer.events.append("after"))
    optimizer.step()
    assert observer.events == ["Sub.step", "before", "after", "end"]


def test_results_do_not_change():
    observed, plain, observer = parameter(), parameter(), Observer()
    for x, seen in ((observed, observe_optimizers(observer)), (plain, nullcontext())):
        optimizer = LBFGS([x], lr=0.1, max_iter=3)

        def closure(x=x, optimizer=optimizer):
            optimizer.zero_grad()
            loss = (x * x).sum()
            loss.backward()
            return loss

        with seen:
            optimizer.step(closure)
    assert observed.tolist() == plain.tolist()
    assert observer.events[:2] == ["LBFGS.step", "LBFGS.zero_grad"]
    assert observer.events.count("end") * 2 == len(observer.events)


def test_an_error_ends_the_step(observer):
    optimizer = SGD([parameter()], lr=0.1)
    optimizer.register_step_pre_hook(lambda *given: 3)
    with raises(RuntimeError, "SGD.step: a pre-hook to return None or a pair (args, kwargs)", value=3):
        optimizer.step()
    assert observer.events == ["SGD.step", "end"]


def test_several_observers(observer):
    other = Observer(observer.events, "other ")
    optimizer = SGD([parameter()], lr=0.1)
    with observe_optimizers(other):
        optimizer.step()
    assert observer.events == ["SGD.step", "other SGD.step", "other end", "end"], "the first ends last"
    optimizer.step()
    assert observer.events[4:] == ["SGD.step", "end"]


def test_observers_may_change_within_a_step(observer):
    other = observe_optimizers(Observer(observer.events, "other "))
    optimizer = SGD([parameter()], lr=0.1)
    optimizer.register_step_pre_hook(lambda *given: other.__enter__() and None)
    optimizer.register_step_post_hook(lambda *given: other.__exit__())
    optimizer.step()
    assert observer.events == ["SGD.step", "end"]
