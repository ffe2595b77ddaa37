"""Pruning: selected entries, combination of masks, training, and invalid arguments."""

import pickle

import pytest

import facula_nn as nn
import facula_tensor as ft
from facula_errors.testing import raises
from facula_nn.utils import prune

WEIGHT = [[0.5, -3.0, 1.0, 0.25], [-0.125, 2.0, 4.0, -0.75], [1.5, 0.0625, -5.0, 6.0]]
EVEN = ["0000", "0010", "0010"]


def layer():
    made = nn.Linear(4, 3)
    made.weight = nn.Parameter(ft.tensor(WEIGHT))
    return made


def kept(module):
    return ["".join("01"[int(one)] for one in line) for line in module.weight_mask.tolist()]


@pytest.mark.parametrize(
    ("steps", "mask"),
    [
        ([(prune.identity,)], ["1111", "1111", "1111"]),
        ([(prune.l1_unstructured, 3)], ["1110", "0111", "1011"]),
        ([(prune.l1_unstructured, 0.5)], ["0100", "0110", "1011"]),
        ([(prune.l1_unstructured, 0.5), (prune.l1_unstructured, 0.5)], ["0000", "0010", "0011"]),
        ([(prune.l1_unstructured, 0)], ["1111", "1111", "1111"]),
        ([(prune.l1_unstructured, 2, ft.arange(12.0).reshape(3, 4))], ["0011", "1111", "1111"]),
        ([(prune.ln_structured, 1, 2, 0)], ["0000", "1111", "1111"]),
        ([(prune.ln_structured, 0.5, 1, 1)], ["0011", "0011", "0011"]),
        ([(prune.ln_structured, 1, float("inf"), 1)], ["0111", "0111", "0111"]),
        ([(prune.ln_structured, 1, 2, 0), (prune.ln_structured, 1, 2, -1)], ["0000", "0111", "0111"]),
        ([(prune.ln_structured, 2, 2, 0), (prune.l1_unstructured, 2)], ["0000", "0000", "0011"]),
        ([(prune.l1_unstructured, 9), (prune.ln_structured, 1, 2, 0)], ["0000", "0000", "0011"]),
        ([(prune.custom_from_mask, ft.tensor([[1, 0, 1, 0]] * 3)), (prune.l1_unstructured, 4)], EVEN),
    ],
)
def test_pruned_entries(steps, mask):
    module = layer()
    x = ft.randn(2, 4)
    for step, *arguments in steps:
        assert step(module, "weight", *arguments) is module
    assert kept(module) == mask
    assert ft.equal(module.weight, module.weight_orig * module.weight_mask)
    assert ft.allclose(module(x), nn.functional.linear(x, module.weight, module.bias))
    assert len(module._forward_pre_hooks) == 1 and prune.is_pruned(nn.Sequential(module))
    again = prune.identity(layer(), "weight")
    again.load_state_dict(module.state_dict())
    assert ft.equal(again(x), module(x))
    value = module.weight.detach().clone()
    parameter = module.weight_orig
    assert prune.remove(module, "weight") is module
    assert module.weight is parameter and ft.equal(module.weight, value) and not prune.is_pruned(module)
    assert sorted(module.state_dict()) == ["bias", "weight"]
    pickle.dumps(module)


def test_random_pruning():
    ft.manual_seed(0)
    module = prune.random_unstructured(layer(), "weight", 0.25)
    assert int(module.weight_mask.sum()) == 9
    prune.random_unstructured(module, "weight", 9)
    assert int(module.weight_mask.sum()) == 0
    columns = prune.random_structured(layer(), "weight", 2, 1).weight_mask
    assert int(columns.sum()) == 6 and ft.equal(columns[0], columns[2])
    drawn = {tuple(prune.random_structured(layer(), "weight", 1, 1).weight_mask[0].tolist()) for _ in range(40)}
    assert len(drawn) == 4


def test_pruned_entries_are_not_trained():
    module = prune.l1_unstructured(layer(), "weight", 5)
    optimizer_sees = dict(module.named_parameters())
    assert sorted(optimizer_sees) == ["bias", "weight_orig"]
    module(ft.ones(2, 4)).sum().backward()
    assert ft.equal(module.weight_orig.grad != 0, module.weight_mask != 0)
    with ft.no_grad():
        module.weight_orig.add_(1.0)
    module(ft.ones(2, 4))
    assert ft.equal(module.weight != 0, module.weight_mask != 0)


def test_global_pruning():
    one, two = layer(), nn.Linear(4, 1)
    two.weight = nn.Parameter(ft.tensor([[0.01, 9.0, 0.3, -0.02]]))
    prune.global_unstructured([(one, "weight"), (two, "weight")], prune.L1Unstructured, amount=4)
    assert kept(one) == ["1111", "0111", "1011"] and kept(two) == ["0110"]
    scores = {(two, "weight"): ft.zeros(1, 4)}
    prune.global_unstructured([(one, "weight"), (two, "weight")], prune.L1Unstructured, scores, amount=2)
    assert kept(one) == ["1111", "0111", "1011"] and kept(two) == ["0000"]


def test_custom_pruning_methods():
    class Even(prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask

    module = layer()
    Even.apply(module, "weight")
    assert kept(module) == ["0101"] * 3
    container = prune.L1Unstructured.apply(module, "weight", amount=1)
    assert isinstance(container, prune.PruningContainer) and len(container) == 2 and type(container[0]) is Even
    assert [type(one) for one in container] == [Even, prune.L1Unstructured] and int(module.weight_mask.sum()) == 5
    assert prune.L1Unstructured(2).prune(ft.arange(1.0, 5.0)).tolist() == [0.0, 0.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: prune.l1_unstructured(layer(), "width", 1), ValueError, "L1Unstructured: of Linear; got 'width'"),
        (lambda: prune.l1_unstructured(layer(), "weight", 1.5), ValueError, "L1Unstructured: expected amount from 0.0"),
        (lambda: prune.l1_unstructured(layer(), "weight", -1), ValueError, "L1Unstructured: or an integer ... got -1"),
        (lambda: prune.l1_unstructured(layer(), "weight", 13), ValueError, "L1Unstructured: amount ... got 13"),
        (lambda: prune.l1_unstructured(layer(), "weight", "a"), TypeError, "L1Unstructured: amount ... got str 'a'"),
        (lambda: prune.random_unstructured(layer(), "weight", True), TypeError, "RandomUnstructured: got bool"),
        (
            lambda: prune.l1_unstructured(layer(), "weight", 1, ft.ones(3)),
            ValueError,
            "L1Unstructured: importance_scores of shape (3, 4)",
        ),
        (lambda: prune.ln_structured(layer(), "bias", 1, 2, 0), ValueError, "LnStructured: expected two dimensions"),
        (lambda: prune.ln_structured(layer(), "weight", 1, 2, 7), IndexError, "LnStructured: dim from -2 to 1; got 7"),
        (lambda: prune.custom_from_mask(layer(), "weight", ft.ones(3)), ValueError, "CustomFromMask: mask of shape (3"),
        (lambda: prune.remove(layer(), "weight"), ValueError, "remove: of Linear; got 'weight'"),
        (
            lambda: prune.global_unstructured([], prune.L1Unstructured, amount=1),
            ValueError,
            "global_unstructured: at least one pair",
        ),
        (
            lambda: prune.global_unstructured([3], prune.L1Unstructured, amount=1),
            TypeError,
            "global_unstructured: pairs (module, name)",
        ),
        (
            lambda: prune.global_unstructured([(layer(), "weight")], prune.LnStructured, amount=1, n=2),
            TypeError,
            "global_unstructured: single entries; got LnStructured, whose PRUNING_TYPE is 'structured'",
        ),
        (lambda: prune.PruningContainer(3), TypeError, "PruningContainer: expected pruning methods; got int"),
        (
            lambda: prune.BasePruningMethod().prune(ft.ones(2)),
            NotImplementedError,
            "BasePruningMethod: define compute_mask",
        ),
    ],
)
def test_invalid_arguments_are_rejected(call, error, said):
    with raises(error, said):
        call()
