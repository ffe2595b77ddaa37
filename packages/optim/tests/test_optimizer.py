"""Groups, options, state dicts, hooks, and invalid arguments."""

import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_optim import (
    ASGD,
    SGD,
    Adadelta,
    Adam,
    Adamax,
    AdamW,
    NAdam,
    Optimizer,
    RAdam,
    RMSprop,
    Rprop,
)
from facula_optim.lr_scheduler import StepLR
from facula_tensor import ones


def leaf(*shape, dtype=ft.float32):
    return ft.ones(*shape, dtype=dtype, requires_grad=True)


# ------------------------------------------------------------------------------------------------------ groups
def test_groups_and_their_options():
    a, b, c = leaf(2), leaf(2), leaf(2)
    optimizer = SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": iter([c]), "lr": 0})
    for p in (a, b, c):
        p.grad = ft.ones(2)
    optimizer.step()
    assert [round(p[0].item(), 6) for p in (a, b, c)] == [0.9, 0.5, 1.0]
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.5, 0]
    assert optimizer.param_groups[1]["params"] == [b] and optimizer.defaults["lr"] == 0.1


@pytest.mark.parametrize(
    ("make", "state"),
    [
        (lambda params: SGD(params, momentum=0.9), "momentum_buffer"),
        (Adam, "exp_avg"),
        (AdamW, "exp_avg"),
        (RMSprop, "square_avg"),
        (Adadelta, "square_avg"),
        (Adamax, "exp_avg"),
        (NAdam, "exp_avg"),
        (RAdam, "exp_avg"),
        (ASGD, "ax"),
        (Rprop, "prev"),
    ],
)
def test_out_of_memory_error_names_optimizer_and_parameter(make, state):
    """Parameters of a terabyte over memory of four bytes; the preceding parameter is unchanged."""
    small, huge = leaf(2), ft.ones(1).expand(1 << 44).requires_grad_()
    for params, called in (([small, huge], "1"), ([("w", small), ("b", huge)], "'b'")):
        optimizer = make(params)
        small.grad, huge.grad = ft.ones(2), huge.detach()
        name, before = type(optimizer).__name__, small.tolist()
        with raises(
            MemoryError, "out of memory", f"requested by {name}", f"step for {state} of parameter {called}, float32 ("
        ):
            optimizer.step()
        assert small.tolist() == before
        saved = optimizer.state_dict()
        keys = {"momentum_buffer", *optimizer.keeps} - set(optimizer.scalars)
        saved["state"] = {1: dict.fromkeys(keys, huge.detach()) | dict.fromkeys(optimizer.scalars, 1)}
        with raises(MemoryError, "out of memory", f"by {name}", "load_state_dict for the state of parameter 1"):
            optimizer.load_state_dict(saved)


def test_named_parameters():
    a, b = leaf(2), leaf(2)
    optimizer = SGD([("a", a), ("b", b)])
    assert optimizer.param_groups[0]["param_names"] == ["a", "b"]
    assert [p is q for p, q in zip(optimizer.param_groups[0]["params"], (a, b), strict=True)] == [True, True]


def test_group_is_a_copy_of_the_users_dict():
    group = {"params": [leaf(2)]}
    SGD([group], lr=0.1)
    assert set(group) == {"params"}


def test_tensor_learning_rate():
    p = leaf(2)
    rate = ft.tensor(0.5)
    optimizer = Adam([p], lr=rate)
    p.grad = ft.ones(2)
    optimizer.step()
    assert optimizer.param_groups[0]["lr"] is rate
    assert p.tolist() == pytest.approx([0.5, 0.5])


# ------------------------------------------------------------------------------------------------------- steps
def test_closure():
    p = leaf(2)
    optimizer = SGD([p], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with ft.no_grad():
        assert optimizer.step(closure).item() == 2
    assert optimizer.step(closure).item() == 0.5
    assert optimizer.step() is None


def test_zero_grad():
    p, q = leaf(2), leaf(2)
    optimizer = SGD([p, q])
    p.grad = gradient = ft.ones(2)
    optimizer.zero_grad(set_to_none=False)
    assert p.grad is gradient and gradient.tolist() == [0, 0] and q.grad is None
    p.grad = leaf(2) * 2
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0, 0] and not p.grad.requires_grad
    optimizer.zero_grad()
    assert p.grad is None


def test_hooks():
    seen = []
    p = leaf(2)
    optimizer = SGD([p], lr=1.0)
    before = optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(("before", o is args[0], kwargs)))
    after = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(("after", len(args), p.tolist())))
    p.grad = ft.ones(2)
    optimizer.step()
    assert seen == [("before", True, {}), ("after", 1, [0, 0])]
    before.remove()
    optimizer.step(closure=None)
    assert seen[2:] == [("after", 1, [-1, -1])]
    after.remove()
    optimizer.step()
    assert len(seen) == 3


def test_hook_may_change_the_arguments():
    p = leaf(2)
    optimizer = SGD([p])
    called = []
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: called.append(1) or 7), {}))
    assert optimizer.step() == 7 and called == [1]
    optimizer.register_step_pre_hook(lambda *_: 3)
    with raises(RuntimeError, "SGD.step", "None or a pair"):
        optimizer.step()


def test_base_class_step_calls_hooks_once():
    class Twice(SGD):
        def step(self, closure=None):
            super().step()
            return super().step(closure)

    p = leaf(2)
    optimizer = Twice([p], lr=0.5)
    p.grad = ft.ones(2)
    count = []
    optimizer.register_step_post_hook(lambda *_: count.append(1))
    optimizer.step()
    assert p.tolist() == [0, 0] and count == [1]


def test_base_class_step_raises():
    with raises(NotImplementedError, "Optimizer.step", "define step"):
        Optimizer([leaf(2)], {}).step()


class Lookahead(Optimizer):
    """An optimizer that wraps another one and does not call `Optimizer.__init__`, as PyTorch allows."""

    def __init__(self, base):
        self.base, self.count = base, 0
        self.param_groups, self.state = base.param_groups, base.state

    def step(self, closure=None):
        self.count += 1
        return self.base.step(closure)


def test_optimizer_without_base_constructor_call():
    p = ones(2, requires_grad=True)
    optimizer, calls = Lookahead(SGD([p], lr=0.5)), []
    optimizer.register_step_post_hook(lambda *args: calls.append(args[0]))
    schedule = StepLR(optimizer, 1, gamma=0.5)
    for _ in range(2):
        optimizer.zero_grad()
        p.sum().backward()
        optimizer.step()
        schedule.step()
    assert p.tolist() == [0.25, 0.25] and optimizer.count == 2 and calls == [optimizer] * 2
    assert schedule.get_last_lr() == [0.125] and optimizer.state_dict()["param_groups"][0]["lr"] == 0.125
    assert "Lookahead (" in repr(optimizer)


def test_setstate_keeps_the_hooks():
    """Some programs load optimizers by `__setstate__`."""
    p = ones(2, requires_grad=True)
    optimizer, calls = SGD([p], lr=0.5), []
    optimizer.register_step_pre_hook(lambda *args: calls.append(1))
    optimizer.__setstate__({"state": optimizer.state, "param_groups": optimizer.param_groups})
    optimizer.step()
    assert calls == [1]
