"""Groups, options, state dicts, hooks, and what is refused."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from optim_toys import AdamReference, assert_close, give, leaves, trained, values

import facula_tensor as ft
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
    Optimizer,
    RAdam,
    RMSprop,
    Rprop,
)
from facula_optim.lr_scheduler import LambdaLR


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
def test_no_memory_for_state_names_optimizer_and_parameter(make, state):
    """Parameters of a terabyte, over memory of four bytes; the one before is as it was."""
    small, huge = leaf(2), ft.ones(1).expand(1 << 44).requires_grad_()
    for params, called in (([small, huge], "1"), ([("w", small), ("b", huge)], "'b'")):
        optimizer = make(params)
        small.grad, huge.grad = ft.ones(2), huge.detach()
        name, before = type(optimizer).__name__, small.tolist()
        with pytest.raises(
            MemoryError, match=rf"^{name}.step: expected .* for {state} of parameter {called}, float32 \("
        ):
            optimizer.step()
        assert small.tolist() == before
        saved = optimizer.state_dict()
        keys = {"momentum_buffer", *optimizer.keeps} - set(optimizer.scalars)
        saved["state"] = {1: dict.fromkeys(keys, huge.detach()) | dict.fromkeys(optimizer.scalars, 1)}
        with pytest.raises(MemoryError, match=rf"^{name}.load_state_dict: expected .* for the state of parameter 1, "):
            optimizer.load_state_dict(saved)


def test_named_parameters():
    a, b = leaf(2), leaf(2)
    optimizer = SGD([("a", a), ("b", b)])
    assert optimizer.param_groups[0]["param_names"] == ["a", "b"]
    assert [p is q for p, q in zip(optimizer.param_groups[0]["params"], (a, b), strict=True)] == [True, True]


def test_a_group_is_not_the_users_dict():
    group = {"params": [leaf(2)]}
    SGD([group], lr=0.1)
    assert set(group) == {"params"}


def test_a_tensor_as_learning_rate():
    p = leaf(2)
    rate = ft.tensor(0.5)
    optimizer = Adam([p], lr=rate)
    p.grad = ft.ones(2)
    optimizer.step()
    assert optimizer.param_groups[0]["lr"] is rate
    assert p.tolist() == pytest.approx([0.5, 0.5])


REFUSED = [
    (lambda: SGD([]), ValueError, "SGD: got an empty list of parameters"),
    (lambda: SGD(p for p in ()), ValueError, "empty list"),
    (lambda: SGD(leaf(2)), TypeError, "expected params to be an iterable of tensors or dicts.*got Tensor"),
    (lambda: SGD(None), TypeError, "got NoneType"),
    (lambda: SGD("weights"), TypeError, "got str"),
    (lambda: SGD({"params": [leaf(2)]}), TypeError, "put the dict into a list"),
    (lambda: SGD({leaf(2), leaf(2)}), TypeError, "a set has not"),
    (lambda: SGD([{"params": {leaf(2)}}]), TypeError, "a set has not"),
    (lambda: SGD([{"lr": 1.0}]), ValueError, "^SGD: expected a group with 'params'"),
    (lambda: SGD([{"lr": 1.0}]), KeyError, "^SGD: expected a group with 'params'; got one with lr"),
    (lambda: SGD([leaf(2), 1.0]), TypeError, "parameter 1 to be a Tensor; got float"),
    (lambda: SGD([leaf(2) * 2]), ValueError, "parameter 0 to be a leaf"),
    (lambda: SGD([("w", leaf(2) * 2)]), ValueError, r"parameter 0 \('w'\) to be a leaf"),
    (lambda: SGD([("w", leaf(2)), leaf(2)]), ValueError, "with names or none"),
    (lambda: SGD([{"params": [("w", leaf(2))]}, {"params": [leaf(2)]}]), ValueError, "with names or none"),
    (lambda: SGD([leaf(2)], lr=-1), ValueError, "SGD: expected lr of 0 or more; got -1"),
    (lambda: SGD([leaf(2)], lr=float("nan")), ValueError, "expected lr of 0 or more; got nan"),
    (lambda: SGD([leaf(2)], lr="0.1"), TypeError, "expected lr to be a number; got '0.1'"),
    (lambda: SGD([leaf(2)], lr=ft.ones(2)), ValueError, r"lr to be one number; got a tensor of shape \(2,\)"),
    (lambda: SGD([{"params": [leaf(2)], "lr": -3}]), ValueError, "expected lr of 0 or more; got -3"),
    (lambda: SGD([leaf(2)], momentum=-0.5), ValueError, "momentum of 0 or more; got -0.5"),
    (lambda: SGD([leaf(2)], dampening="a"), TypeError, "dampening to be a number; got 'a'"),
    (lambda: SGD([leaf(2)], nesterov=True), ValueError, "nesterov needs momentum and no dampening"),
    (lambda: SGD([leaf(2)], momentum=0.9, dampening=0.1, nesterov=True), ValueError, "dampening=0.1"),
    (lambda: SGD([leaf(2)], rate=1), TypeError, "rate"),
    (lambda: Adam([leaf(2)], betas=(0.9, 1.0)), ValueError, r"betas\[1\] from 0 to below 1; got 1.0"),
    (lambda: Adam([leaf(2)], betas=(0.9,)), ValueError, r"two numbers; got \(0.9,\)"),
    (lambda: Adam([leaf(2)], eps=-1e-8), ValueError, "eps of 0 or more"),
    (lambda: AdamW([leaf(2)], weight_decay=-1), ValueError, "AdamW: expected weight_decay of 0 or more"),
    (lambda: Adam([leaf(2)], betas=(0.9, ft.tensor(0.99))), ValueError, "betas to be two floats or two tensors"),
    (lambda: Adam([leaf(2)], lr=ft.tensor(0.1), foreach=True), ValueError, "expected lr to be given as floats"),
    (lambda: RMSprop([leaf(2)], alpha=-1), ValueError, "RMSprop: expected alpha of 0 or more; got -1"),
    (lambda: RMSprop([leaf(2)], momentum=float("nan")), ValueError, "RMSprop: expected momentum of 0 or more"),
    (lambda: Adadelta([leaf(2)], rho=1.1), ValueError, "Adadelta: expected rho from 0 to 1; got 1.1"),
    (lambda: Adafactor([leaf(2)], eps=(-1.0, 1e-3)), ValueError, r"Adafactor: expected eps\[0\] of 0 or more"),
    (lambda: Adafactor([leaf(2)], d=0.5), ValueError, "Adafactor: expected d of 1 or more; got 0.5"),
    (lambda: Adafactor([leaf(2)], beta2_decay=0.8), ValueError, "expected beta2_decay of 0 or less; got 0.8"),
    (lambda: Adagrad([leaf(2)], lr_decay=-0.5), ValueError, "Adagrad: expected lr_decay of 0 or more; got -0.5"),
    (lambda: Adamax([leaf(2)], betas=(1.0, 0.0)), ValueError, r"Adamax: expected betas\[0\] from 0 to below 1"),
    (lambda: NAdam([leaf(2)], momentum_decay=-0.2), ValueError, "NAdam: expected momentum_decay of 0 or more"),
    (lambda: RAdam([leaf(2)], betas=0.9), ValueError, "RAdam: expected betas to be two numbers; got 0.9"),
    (lambda: ASGD([leaf(2)], t0="x"), TypeError, "ASGD: expected t0 to be a number; got 'x'"),
    (lambda: Rprop([leaf(2)], etas=(1.0, 0.5)), ValueError, "etas from 0 to 1 and above 1; got 1.0 and 0.5"),
    (lambda: Rprop([leaf(2)], step_sizes=(1,)), ValueError, r"step_sizes to be two numbers; got \(1,\)"),
    (lambda: Rprop([leaf(2)], capturable=True), NotImplementedError, "Rprop: capturable=True is not there yet"),
    (lambda: Adam([leaf(2)], capturable=True), NotImplementedError, "capturable=True is not there yet"),
    (lambda: SGD([leaf(2)], differentiable=True), NotImplementedError, "differentiable=True"),
    (lambda: SGD([leaf(2, dtype=ft.float16)]), TypeError, "parameter 0 is float16"),
    (lambda: SGD([leaf(2, dtype=ft.complex64)]), TypeError, "parameter 0 is complex64"),
    (lambda: SGD([ft.ones(2, dtype=ft.int64)]), TypeError, "parameter 0 is int64"),
]


@pytest.mark.parametrize(("make", "error", "message"), REFUSED)
def test_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_duplicates_and_shared_memory():
    p = leaf(4)
    with pytest.raises(ValueError, match="parameter 1 of the group is in the optimizer already"):
        SGD([p, p])
    with pytest.raises(ValueError, match="parameter 0 of the group is in the optimizer already"):
        SGD([{"params": [p]}, {"params": [p]}])
    whole = ft.zeros(4, 4)
    rows = [whole[i].detach().requires_grad_() for i in range(4)]
    columns = [whole[:, i].detach().requires_grad_() for i in range(4)]
    SGD(rows)
    SGD(columns)
    with pytest.raises(ValueError, match="parameters 3 and 4 share memory"):
        SGD([*rows, columns[0]][1:] + [rows[0], columns[0]][:1] + [columns[1]])


def test_a_group_that_is_refused_is_not_added():
    optimizer = SGD([leaf(2)])
    for group in ({"params": [leaf(2)], "lr": -1}, {"params": [leaf(2) * 2]}, [leaf(2)]):
        with pytest.raises((ValueError, TypeError)):
            optimizer.add_param_group(group)
    assert len(optimizer.param_groups) == 1


def test_state_that_does_not_fit_changes_nothing():
    p = leaf(2)
    optimizer = SGD([p], momentum=0.9)
    p.grad = ft.ones(2)
    optimizer.step()
    optimizer.state[p]["momentum_buffer"] = ft.ones(3)
    before = p.tolist()
    with pytest.raises(ValueError, match=r"momentum_buffer of parameter 0 to be float32 \(2,\).*got float32 \(3,\)"):
        optimizer.step()
    assert p.tolist() == before


def test_memory_that_cannot_be_written():
    import numpy as np

    array = np.ones(2, np.float32)
    array.flags.writeable = False
    p = ft.from_numpy(array).requires_grad_()
    other = leaf(2)
    p.grad, other.grad = ft.ones(2), ft.ones(2)
    with pytest.raises(RuntimeError, match="sgd_step: the tensor cannot be written"):
        SGD([other, p]).step()
    assert other.tolist() == [1, 1]
    wide = ft.ones(1).expand(3).detach().requires_grad_()
    wide.grad = ft.ones(3)
    with pytest.raises(RuntimeError, match="share one place in memory"):
        SGD([wide]).step()


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


def test_a_hook_may_change_the_arguments():
    p = leaf(2)
    optimizer = SGD([p])
    called = []
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: called.append(1) or 7), {}))
    assert optimizer.step() == 7 and called == [1]
    optimizer.register_step_pre_hook(lambda *_: 3)
    with pytest.raises(RuntimeError, match="None or a pair"):
        optimizer.step()


def test_a_subclass_that_steps_through_its_base_is_one_step_to_hooks():
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


def test_the_base_class_has_no_step():
    with pytest.raises(NotImplementedError, match="a subclass of Optimizer defines its step"):
        Optimizer([leaf(2)], {}).step()


# ------------------------------------------------------------------------------------------------------- state
MAKERS = [
    lambda p: SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    lambda p: Adam(p, lr=0.1, amsgrad=True),
    lambda p: AdamW(p, lr=0.1, weight_decay=0.2),
    lambda p: RMSprop(p, momentum=0.5, centered=True),
    *(Adadelta, Adafactor, Adagrad, Adamax, NAdam, RAdam, ASGD, Rprop),
]


@pytest.mark.parametrize("make", MAKERS)
def test_going_on_from_a_state_dict(make):
    """Three steps, another optimizer for three more: what six of one do."""
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
    """PyTorch's: numbers for parameters, counted through the groups; options beside them."""
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
def test_what_the_others_keep(make, keys):
    p = leaf(2, dtype=ft.float64)
    optimizer = make([p])
    p.grad = ft.ones(2, dtype=ft.float64)
    optimizer.step()
    state = optimizer.state[p]
    assert list(state) == keys.split() and state["step"].item() == 1
    for key, value in state.items():
        expected = ((), ft.float32) if key in ("step", "eta", "mu", "mu_product") else ((2,), ft.float64)
        assert (value.shape, value.dtype) == expected


def test_adagrad_has_its_state_from_the_start():
    a, b = leaf(2), leaf(3)
    optimizer = Adagrad([a], initial_accumulator_value=0.5)
    optimizer.add_param_group({"params": b, "initial_accumulator_value": 2.0})
    assert optimizer.state[a]["sum"].tolist() == [0.5, 0.5] and optimizer.state[b]["sum"].tolist() == [2, 2, 2]


def test_momentum_that_comes_later_begins_at_zero():
    p = leaf(2)
    optimizer = RMSprop([p])
    p.grad = ft.ones(2)
    optimizer.step()
    optimizer.param_groups[0].update(momentum=0.5, centered=True)
    optimizer.step()
    assert set(optimizer.state[p]) == {"step", "square_avg", "momentum_buffer", "grad_avg"}


def test_plain_sgd_keeps_nothing():
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


def test_what_does_not_fit_is_not_loaded():
    p = leaf(2)
    optimizer = Adam([p], lr=0.1)
    p.grad = ft.ones(2)
    optimizer.step()
    good = optimizer.state_dict()
    state, group = good["state"][0], good["param_groups"][0]
    bad = [
        ({"state": {}}, "a dict with 'state' and 'param_groups'"),
        ({"state": {}, "param_groups": []}, "has 0 parameter groups, this optimizer 1"),
        ({"state": {}, "param_groups": [{**group, "params": [0, 1]}]}, "has 2 parameters .* and 1 in this"),
        ({"state": {0: {**state, "exp_avg": ft.ones(3)}}, "param_groups": [group]}, r"exp_avg has shape \(3,\)"),
        ({"state": {0: {"momentum_buffer": ft.ones(2)}}, "param_groups": [group]}, "it has momentum_buffer"),
        ({"state": {0: state}, "param_groups": [{**group, "lr": -1}]}, "expected lr of 0 or more"),
    ]
    for wrong, message in bad:
        with pytest.raises(ValueError, match=message):
            optimizer.load_state_dict(wrong)
    assert optimizer.state[p]["exp_avg"] is state["exp_avg"] and optimizer.param_groups[0]["lr"] == 0.1


def test_options_that_were_not_saved_stay():
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
def test_nothing_waits_for_the_collector(make):
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


@pytest.mark.parametrize(("make", "name"), [(SGD, "SGD"), (Adam, "Adam")])
@pytest.mark.parametrize(("value", "error"), [("x", TypeError), (None, TypeError)])
def test_an_option_that_was_made_nonsense_is_named_at_the_step(make, name, value, error):
    x = leaf(2)
    optimizer = make([x], lr=0.1)
    optimizer.param_groups[0]["lr"] = value
    (x * x).sum().backward()
    with pytest.raises(error, match=f"{name}: expected lr to be a number; got {value!r}"):
        optimizer.step()
    assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("make", [SGD, Adam, AdamW])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.5, np.float32("nan"), ft.tensor(-1.0)], ids=str)
def test_a_rate_that_was_made_nonsense_changes_nothing(make, value):
    x, y = leaf(2), leaf(2)
    optimizer = make([{"params": [x]}, {"params": [y]}], lr=0.1)
    x.grad = y.grad = ft.ones(2)
    optimizer.param_groups[1]["lr"] = value
    with pytest.raises(ValueError, match=f"^{make.__name__}: expected lr (of 0 or more|from 0 to below inf); got"):
        optimizer.step()
    assert x.tolist() == y.tolist() == [1.0, 1.0]
    assert not optimizer.state
    schedule = LambdaLR(make([x], lr=0.1), lambda epoch: float("nan") if epoch else 1.0)
    schedule.optimizer.step()
    before = x.tolist()
    schedule.step()
    with pytest.raises(ValueError, match="expected lr of 0 or more; got nan"):
        schedule.optimizer.step()
    assert x.tolist() == before


@pytest.mark.parametrize("kind", [np.float32, np.float64, ft.tensor])
def test_options_of_other_kinds_of_numbers(kind):
    options = {"lr": 0.5, "momentum": 0.5, "dampening": 0.25, "weight_decay": 0.125}
    plain, other = leaf(2), leaf(2)
    for p, given in ((plain, options), (other, {name: kind(value) for name, value in options.items()})):
        optimizer = SGD([p], **given)
        for _ in range(2):
            p.grad = ft.ones(2)
            optimizer.step()
    assert plain.tolist() == other.tolist() != [1.0, 1.0]


@pytest.mark.parametrize("make", [lambda p: SGD(p, lr=0.1, momentum=0.9), lambda p: Adam(p, lr=0.1)])
def test_a_parameter_that_was_cast_after_the_first_step(make):
    x = leaf(2)
    optimizer = make([x])
    x.grad = ft.ones(2)
    optimizer.step()
    x.data = x.data.double()
    x.grad = ft.ones(2, dtype=ft.float64)
    before = x.tolist()
    with pytest.raises(RuntimeError, match=r"parameter 0 is float64 on 'cpu', and its \w+ still float32.*state_dict"):
        optimizer.step()
    assert x.tolist() == before
    optimizer.load_state_dict(optimizer.state_dict())  # as the message says
    optimizer.step()
    assert x.tolist() != before


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
    assert seen == [1.0] and saved["param_groups"][0]["lr"] == 0.5  # the caller's dict is left alone
    hook.remove()
    optimizer.load_state_dict(saved)
    assert seen == [1.0, 0.5]
    optimizer.register_load_state_dict_pre_hook(lambda o, d: {"state": {}, "param_groups": []})
    with pytest.raises(ValueError, match="load_state_dict"):
        optimizer.load_state_dict(saved)
    assert seen == [1.0, 0.5] and optimizer.param_groups[0]["lr"] == 0.5
