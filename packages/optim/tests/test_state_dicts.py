"""State of optimizers: state dicts, resuming, copies, and hooks."""

import copy
import gc
import pickle
import weakref

import pytest
from optim_toys import AdamReference, assert_close, give, leaves, trained, values

import facula_tensor as ft
from facula_errors.testing import raises
from facula_optim import (
    ASGD,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)


def leaf(*shape, dtype=ft.float32):
    return ft.ones(*shape, dtype=dtype, requires_grad=True)


MAKERS = [
    lambda p: SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    lambda p: Adam(p, lr=0.1, amsgrad=True),
    lambda p: AdamW(p, lr=0.1, weight_decay=0.2),
    lambda p: RMSprop(p, momentum=0.5, centered=True),
    *(Adadelta, Adafactor, Adagrad, Adamax, NAdam, RAdam, ASGD, Rprop),
]


@pytest.mark.parametrize("make", MAKERS)
def test_resuming_from_a_state_dict(make):
    """Three steps of one optimizer and three of another equal six steps of one."""
    ours, theirs = leaves(values(0)), leaves(values(0))
    one, two = make(ours), make(theirs)
    for step in range(6):
        give(ours, values(step + 1))
        give(theirs, values(step + 1))
        one.step()
        two.step()
        if step == 2:
            saved = two.state_dict()
            two = make(theirs)
            two.load_state_dict(pickle.loads(pickle.dumps(saved)))
    assert_close(ours, [p.detach().numpy() for p in theirs], rtol=0)
    assert one.state_dict()["param_groups"] == two.state_dict()["param_groups"]


def test_the_format_of_a_state_dict():
    """PyTorch's format: indices for parameters, counted through all groups, and the options."""
    a, b = leaf(2), leaf(3)
    optimizer = Adam([{"params": [a]}, {"params": [b], "lr": 0.5}])
    b.grad = ft.ones(3)
    optimizer.step()
    state = optimizer.state_dict()
    assert set(state) == {"state", "param_groups"}
    assert [group["params"] for group in state["param_groups"]] == [[0], [1]]
    assert list(state["param_groups"][0])[-1] == "params"
    assert set(state["param_groups"][0]) == {
        "lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable", "differentiable",
        "fused", "decoupled_weight_decay", "params",
    }  # fmt: skip
    assert set(state["state"]) == {1} and list(state["state"][1]) == ["step", "exp_avg", "exp_avg_sq"]
    step = state["state"][1]["step"]
    assert (step.dtype, step.shape, step.item()) == (ft.float32, (), 1.0)


@pytest.mark.parametrize(
    ("make", "keys"),
    [
        (RMSprop, "step square_avg"),
        (lambda p: RMSprop(p, momentum=0.5, centered=True), "step square_avg grad_avg momentum_buffer"),
        (Adadelta, "step square_avg acc_delta"),
        (Adafactor, "step variance"),
        (Adagrad, "step sum"),
        (Adamax, "step exp_avg exp_inf"),
        (NAdam, "step exp_avg exp_avg_sq mu_product"),
        (RAdam, "step exp_avg exp_avg_sq"),
        (ASGD, "step ax eta mu"),
        (Rprop, "step prev step_size"),
    ],
)
def test_state_of_other_optimizers(make, keys):
    p = leaf(2, dtype=ft.float64)
    optimizer = make([p])
    p.grad = ft.ones(2, dtype=ft.float64)
    optimizer.step()
    state = optimizer.state[p]
    assert list(state) == keys.split() and state["step"].item() == 1
    for key, value in state.items():
        expected = ((), ft.float32) if key in ("step", "eta", "mu", "mu_product") else ((2,), ft.float64)
        assert (value.shape, value.dtype) == expected


def test_adagrad_creates_its_state_in_the_constructor():
    a, b = leaf(2), leaf(3)
    optimizer = Adagrad([a], initial_accumulator_value=0.5)
    optimizer.add_param_group({"params": b, "initial_accumulator_value": 2.0})
    assert optimizer.state[a]["sum"].tolist() == [0.5, 0.5] and optimizer.state[b]["sum"].tolist() == [2, 2, 2]


def test_momentum_enabled_later_starts_at_zero():
    p = leaf(2)
    optimizer = RMSprop([p])
    p.grad = ft.ones(2)
    optimizer.step()
    optimizer.param_groups[0].update(momentum=0.5, centered=True)
    optimizer.step()
    assert set(optimizer.state[p]) == {"step", "square_avg", "momentum_buffer", "grad_avg"}


def test_plain_sgd_has_no_state():
    p = leaf(2)
    p.grad = ft.ones(2)
    optimizer = SGD([p])
    optimizer.step()
    assert optimizer.state_dict()["state"] == {}


def test_loading_copies_and_casts():
    p = leaf(2, dtype=ft.float64)
    source = {"step": ft.tensor(4), "exp_avg": ft.ones(2), "exp_avg_sq": ft.ones(2)}
    optimizer = Adam([p])
    saved = optimizer.state_dict()
    saved["state"] = {0: source}
    optimizer.load_state_dict(saved)
    loaded = optimizer.state[p]
    assert [loaded[key].dtype for key in source] == [ft.float32, ft.float64, ft.float64]
    assert loaded["step"].item() == 4
    p.grad = ft.ones(2, dtype=ft.float64)
    optimizer.step()
    assert source["exp_avg"].tolist() == [1, 1] and source["step"].item() == 4
    saved["state"] = {0: {**source, "step": 7}}  # as older programs wrote it
    optimizer.load_state_dict(saved)
    assert optimizer.state[p]["step"].item() == 7


def test_loading_matches_names():
    a, b = leaf(2), leaf(3)
    one = SGD([("a", a), ("b", b)], momentum=0.9)
    a.grad, b.grad = ft.ones(2), ft.ones(3) * 2
    one.step()
    two = SGD([("b", b), ("a", a)], momentum=0.9)
    two.load_state_dict(one.state_dict())
    assert two.state[a]["momentum_buffer"].tolist() == [1, 1]
    assert two.state[b]["momentum_buffer"].tolist() == [2, 2, 2]
    assert two.param_groups[0]["param_names"] == ["b", "a"]


def test_mismatched_state_is_not_loaded():
    p = leaf(2)
    optimizer = Adam([p], lr=0.1)
    p.grad = ft.ones(2)
    optimizer.step()
    good = optimizer.state_dict()
    state, group = good["state"][0], good["param_groups"][0]
    bad = [
        ({"state": {}}, "Adam.load_state_dict: a dict with 'state' and 'param_groups'"),
        ({"state": {}, "param_groups": []}, "Adam.load_state_dict: has 0 parameter groups, this optimizer 1"),
        ({"state": {}, "param_groups": [{**group, "params": [0, 1]}]}, "Adam.load_state_dict: has 2 parameters ..."),
        (
            {"state": {0: {**state, "exp_avg": ft.ones(3)}}, "param_groups": [group]},
            "Adam.load_state_dict: exp_avg of shape (2,); got (3,)",
        ),
        ({"state": {0: {"momentum_buffer": ft.ones(2)}}, "param_groups": [group]}, "Adam.load_state_dict: it has"),
        ({"state": {0: state}, "param_groups": [{**group, "lr": -1}]}, "Adam: expected lr of 0 or more"),
    ]
    for wrong, message in bad:
        with raises(ValueError, message):
            optimizer.load_state_dict(wrong)
    assert optimizer.state[p]["exp_avg"] is state["exp_avg"] and optimizer.param_groups[0]["lr"] == 0.1


def test_unsaved_options_are_kept():
    p = leaf(2)
    optimizer = Adam([p], lr=0.1, eps=0.5)
    optimizer.load_state_dict({"state": {}, "param_groups": [{"params": [0], "lr": 0.3}]})
    assert (optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["eps"]) == (0.3, 0.5)


def test_copies():
    (p,) = parameters = leaves(values(0, [(3,)]))
    optimizer = Adam(parameters, lr=0.1)
    trained(optimizer, parameters, AdamReference(0.1), steps=3)
    twin = copy.deepcopy(optimizer)
    other = twin.param_groups[0]["params"][0]
    assert other is not p and twin.state[other]["step"].item() == 2
    again = pickle.loads(pickle.dumps(optimizer))
    again.step()
    assert repr(again) == repr(optimizer) == repr(twin)


def test_repr():
    assert repr(SGD([{"params": [leaf(2)]}, {"params": [leaf(2)], "lr": 2}], lr=0.1)) == (
        "SGD (\n"
        "Parameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 0.1\n    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n\n"
        "Parameter Group 1\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 2\n    maximize: False\n    momentum: 0\n    nesterov: False\n    weight_decay: 0\n)"
    )


@pytest.mark.parametrize("make", MAKERS)
def test_no_reference_cycles(make):
    gc.collect()
    gc.disable()
    try:
        p = leaf(2)
        optimizer = make([p])
        handle = optimizer.register_step_post_hook(lambda *_: None)
        p.grad = ft.ones(2)
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
        gone = [weakref.ref(optimizer), weakref.ref(p), weakref.ref(next(iter(optimizer.state[p].values())))]
        del optimizer, p
        assert [one() for one in gone] == [None] * 3
        handle.remove()
    finally:
        gc.enable()


def test_hooks_around_state_dicts():
    optimizer, seen = SGD([leaf(2)], lr=0.1), []
    before = optimizer.register_state_dict_pre_hook(lambda o: seen.append(("before", o)))
    optimizer.register_state_dict_pre_hook(lambda o: seen.append(("first", o)), prepend=True)
    after = optimizer.register_state_dict_post_hook(lambda o, d: {**d, "epoch": 3})
    optimizer.register_state_dict_post_hook(lambda o, d: seen.append(sorted(d)))
    saved = optimizer.state_dict()
    assert seen == [("first", optimizer), ("before", optimizer), ["epoch", "param_groups", "state"]]
    assert saved["epoch"] == 3
    before.remove()
    after.remove()
    seen.clear()
    assert sorted(optimizer.state_dict()) == ["param_groups", "state"] and seen[0] == ("first", optimizer)


def test_hooks_around_loading():
    optimizer, seen = SGD([leaf(2)], lr=0.1), []
    saved = SGD([leaf(2)], lr=0.5).state_dict()

    def doubled(o, state_dict):
        groups = state_dict.pop("param_groups")
        return {**state_dict, "param_groups": [{**group, "lr": 2 * group["lr"]} for group in groups]}

    hook = optimizer.register_load_state_dict_pre_hook(doubled)
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append(o.param_groups[0]["lr"]))
    optimizer.load_state_dict(saved)
    assert seen == [1.0] and saved["param_groups"][0]["lr"] == 0.5  # the caller's dict is unchanged
    hook.remove()
    optimizer.load_state_dict(saved)
    assert seen == [1.0, 0.5]
    optimizer.register_load_state_dict_pre_hook(lambda o, d: {"state": {}, "param_groups": []})
    with raises(ValueError, "SGD.load_state_dict", "load_state_dict"):
        optimizer.load_state_dict(saved)
    assert seen == [1.0, 0.5] and optimizer.param_groups[0]["lr"] == 0.5
