"""Optimizers name invalid parameters, options and states, before anything is modified."""

import numpy as np
import pytest

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
    Muon,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
    SparseAdam,
)
from facula_optim.lr_scheduler import LambdaLR


def leaf(*shape, dtype=ft.float32):
    return ft.ones(*shape, dtype=dtype, requires_grad=True)


class Layers(list):
    """A module that is a sequence of others, as `Sequential` is."""

    def parameters(self):
        return iter([leaf(2)])


REFUSED = [
    (lambda: SGD([]), ValueError, "SGD: got an empty list of parameters"),
    (lambda: SGD(p for p in ()), ValueError, "empty list"),
    (lambda: SGD(leaf(2)), TypeError, "expected params to be an iterable of tensors or dicts.*got Tensor"),
    (lambda: SGD(None), TypeError, "got NoneType"),
    (lambda: SGD("weights"), TypeError, "got str"),
    (lambda: SGD({"params": [leaf(2)]}), TypeError, "put the dict into a list"),
    (lambda: SGD({leaf(2), leaf(2)}), TypeError, "a set does not have"),
    (lambda: SGD([{"params": {leaf(2)}}]), TypeError, "a set does not have"),
    (lambda: SGD([{"lr": 1.0}]), ValueError, "^SGD: expected a group with 'params'"),
    (lambda: SGD([{"lr": 1.0}]), KeyError, "^SGD: expected a group with 'params'; got one with lr"),
    (lambda: SGD([leaf(2), 1.0]), TypeError, "parameter 1 to be a Tensor; got float"),
    (lambda: SGD(Layers([Layers()])), TypeError, r"got Layers; pass model.parameters\(\) for a module"),
    (lambda: SGD([leaf(2)]).step(3), TypeError, "^SGD.step: expected a function that computes the loss; got 3"),
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
    (lambda: Rprop([leaf(2)], capturable=True), NotImplementedError, "Rprop: capturable=True is not supported"),
    (lambda: Adam([leaf(2)], capturable=True), NotImplementedError, "capturable=True is not supported"),
    (lambda: SGD([leaf(2)], differentiable=True), NotImplementedError, "differentiable=True"),
    (
        lambda: Muon([leaf(2)]),
        ValueError,
        r"Muon: expected matrices; parameter 0 has shape \(2,\); use another",
    ),
    (lambda: Muon([leaf(2, 2)], ns_steps=100), ValueError, "ns_steps to be an int from 0 to below 100; got 100"),
    (lambda: Muon([leaf(2, 2)], ns_coefficients=(1, 2)), ValueError, r"to be three numbers; got \(1, 2\)"),
    (lambda: Muon([leaf(2, 2)], adjust_lr_fn="x"), ValueError, "'original', 'match_rms_adamw' or None; got 'x'"),
    (lambda: SparseAdam([leaf(2)]), NotImplementedError, "SparseAdam: gradients are dense, .*; use Adam"),
    (lambda: SGD([leaf(2, dtype=ft.float16)]), TypeError, "parameter 0 is float16"),
    (lambda: SGD([leaf(2, dtype=ft.complex64)]), TypeError, "parameter 0 is complex64"),
    (lambda: SGD([ft.ones(2, dtype=ft.int64)]), TypeError, "parameter 0 is int64"),
]


@pytest.mark.parametrize(("make", "error", "message"), REFUSED)
def test_invalid_options_are_rejected(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_duplicates_and_shared_memory():
    p = leaf(4)
    with raises(ValueError, "SGD", "parameter 1 of the group is in the optimizer already"):
        SGD([p, p])
    with raises(ValueError, "SGD", "parameter 0 of the group is in the optimizer already"):
        SGD([{"params": [p]}, {"params": [p]}])
    whole = ft.zeros(4, 4)
    rows = [whole[i].detach().requires_grad_() for i in range(4)]
    columns = [whole[:, i].detach().requires_grad_() for i in range(4)]
    SGD(rows)
    SGD(columns)
    with raises(ValueError, "SGD", "parameters 3 and 4 share memory"):
        SGD([*rows, columns[0]][1:] + [rows[0], columns[0]][:1] + [columns[1]])


def test_rejected_group_is_not_added():
    optimizer = SGD([leaf(2)])
    for group in ({"params": [leaf(2)], "lr": -1}, {"params": [leaf(2) * 2]}, [leaf(2)]):
        with pytest.raises((ValueError, TypeError)):
            optimizer.add_param_group(group)
    assert len(optimizer.param_groups) == 1


def test_mismatched_state_changes_no_parameter():
    p = leaf(2)
    optimizer = SGD([p], momentum=0.9)
    p.grad = ft.ones(2)
    optimizer.step()
    optimizer.state[p]["momentum_buffer"] = ft.ones(3)
    before = p.tolist()
    with raises(ValueError, "sgd_step", "momentum_buffer of parameter 0 to be float32 (2,)", value="float32 (3,)"):
        optimizer.step()
    assert p.tolist() == before


def test_read_only_parameters():
    import numpy as np

    array = np.ones(2, np.float32)
    array.flags.writeable = False
    p = ft.from_numpy(array).requires_grad_()
    other = leaf(2)
    p.grad, other.grad = ft.ones(2), ft.ones(2)
    with raises(RuntimeError, "sgd_step", "the tensor cannot be written"):
        SGD([other, p]).step()
    assert other.tolist() == [1, 1]
    wide = ft.ones(1).expand(3).detach().requires_grad_()
    wide.grad = ft.ones(3)
    with raises(RuntimeError, "sgd_step", "share one place in memory"):
        SGD([wide]).step()


@pytest.mark.parametrize(("make", "name"), [(SGD, "SGD"), (Adam, "Adam")])
@pytest.mark.parametrize(("value", "error"), [("x", TypeError), (None, TypeError)])
def test_step_names_an_invalid_option(make, name, value, error):
    x = leaf(2)
    optimizer = make([x], lr=0.1)
    optimizer.param_groups[0]["lr"] = value
    (x * x).sum().backward()
    with raises(error, name, "expected lr to be a number", value=repr(value)):
        optimizer.step()
    assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("make", [SGD, Adam, AdamW])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.5, np.float32("nan"), ft.tensor(-1.0)], ids=str)
def test_invalid_rate_changes_no_parameter(make, value):
    x, y = leaf(2), leaf(2)
    optimizer = make([{"params": [x]}, {"params": [y]}], lr=0.1)
    x.grad = y.grad = ft.ones(2)
    optimizer.param_groups[1]["lr"] = value
    with raises(ValueError, make.__name__, "expected lr ...; got"):
        optimizer.step()
    assert x.tolist() == y.tolist() == [1.0, 1.0]
    assert not optimizer.state
    schedule = LambdaLR(make([x], lr=0.1), lambda epoch: float("nan") if epoch else 1.0)
    schedule.optimizer.step()
    before = x.tolist()
    schedule.step()
    with raises(ValueError, make.__name__, "expected lr of 0 or more", value="nan"):
        schedule.optimizer.step()
    assert x.tolist() == before


@pytest.mark.parametrize("kind", [np.float32, np.float64, ft.tensor])
def test_options_of_other_numeric_types(kind):
    options = {"lr": 0.5, "momentum": 0.5, "dampening": 0.25, "weight_decay": 0.125}
    plain, other = leaf(2), leaf(2)
    for p, given in ((plain, options), (other, {name: kind(value) for name, value in options.items()})):
        optimizer = SGD([p], **given)
        for _ in range(2):
            p.grad = ft.ones(2)
            optimizer.step()
    assert plain.tolist() == other.tolist() != [1.0, 1.0]


@pytest.mark.parametrize("make", [lambda p: SGD(p, lr=0.1, momentum=0.9), lambda p: Adam(p, lr=0.1)])
def test_parameter_cast_after_the_first_step(make):
    x = leaf(2)
    optimizer = make([x])
    x.grad = ft.ones(2)
    optimizer.step()
    x.data = x.data.double()
    x.grad = ft.ones(2, dtype=ft.float64)
    before = x.tolist()
    with raises(
        RuntimeError,
        type(optimizer).__name__,
        "parameter 0 is float64 on 'cpu', and its ... still float32",
        "state_dict",
    ):
        optimizer.step()
    assert x.tolist() == before
    optimizer.load_state_dict(optimizer.state_dict())  # as the message says
    optimizer.step()
    assert x.tolist() != before


@pytest.mark.parametrize("kind", [lambda p: SGD(p, lr=0.1, momentum=0.9), Adam, ASGD, Adafactor, Muon])
def test_state_is_not_created_in_a_captured_graph(kind, monkeypatch):
    """The device's backend says whether work is captured."""
    p = leaf(2, 2)
    p.grad = ft.ones_like(p)
    optimizer, backend = kind([p]), type(p.device.backend)
    with monkeypatch.context() as patch:
        patch.setattr(backend, "is_capturing", True, raising=False)
        with raises(RuntimeError, f"{type(optimizer).__name__}.step", "facula.capture(step)", value="none"):
            optimizer.step()
    assert p.tolist() == [[1, 1], [1, 1]]
    optimizer.step()
    with monkeypatch.context() as patch:
        patch.setattr(backend, "is_capturing", True, raising=False)
        optimizer.step()  # the state is there
