"""Errors carry fields and pickle with them, and anomalies are found where they begin."""

import copy
import pickle

import numpy as np
import pytest
from autograd_helpers import MANY, Box, many

import facula_autograd
from facula_autograd import (
    AnomalyError,
    AutogradError,
    FreedGraphError,
    GradcheckError,
    GradientError,
    MutationError,
    Variable,
    detect_anomaly,
    set_detect_anomaly,
)
from facula_autograd.extend import LEAF, Adapter, Rule, adapter_of, current_mode, record_many, register_adapter
from facula_errors.testing import raises

ERRORS = [AnomalyError, AutogradError, FreedGraphError, GradcheckError, GradientError, MutationError]


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_errors_pickle_with_their_fields(kind, copied):
    error = kind("what happened", operator="mul", forward="a.py:1 (f)", mutation=None)
    error.add_note("a note")
    again = copied(error)
    assert type(again) is kind
    assert isinstance(again, RuntimeError)
    assert str(again) == "what happened"
    assert vars(again) == vars(error)
    assert again.__notes__ == ["a note"]


def test_raised_errors_pickle_too():
    y = Box(3.0, True) * Box(1.0)
    y.backward()
    with pytest.raises(FreedGraphError) as caught:
        y.backward()
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.operator, again.forward, again.freed_by) == ("mul", caught.value.forward, caught.value.freed_by)


@pytest.mark.parametrize(
    ("number", "settings", "caught"),
    [
        (float("nan"), {}, True),
        (float("inf"), {}, False),
        (float("inf"), {"check_inf": True}, True),
        (float("nan"), {"check_nan": False, "check_inf": True}, False),
        (1.0, {"check_inf": True}, False),
    ],
)
def test_detect_anomaly(number, settings, caught):
    x = Box(3.0, True)
    bad = x * Box(number)
    out = bad * Box(1.0)
    with detect_anomaly(**settings):
        if caught:
            with pytest.raises(AnomalyError) as error:
                out.backward()
            assert error.value.operator == "mul"
            assert error.value.forward == bad.grad_fn.where
            assert error.value.forward in str(error.value)
        else:
            out.backward()


def test_detect_anomaly_through_several_outputs_and_inputs():
    x = Box(3.0, True)
    first, _ = many(x, 2)
    out = first * Box(float("nan"))
    with detect_anomaly(), pytest.raises(AnomalyError):
        facula_autograd.grad(out, x)


def test_leaf_sentinel_survives_pickling():
    assert pickle.loads(pickle.dumps(LEAF)) is LEAF
    assert copy.deepcopy(LEAF) is LEAF


def test_adapters():
    class Base:
        pass

    class Derived(Base):
        pass

    assert type(adapter_of(Derived())) is Adapter
    mine = Adapter()
    register_adapter(Base, mine)
    assert adapter_of(Derived()) is mine
    with raises(NotImplementedError, "ones_like", "Derived", "register_adapter"):
        mine.ones_like(Derived())
    with raises(TypeError, "register_adapter", "expected a type"):
        register_adapter("Base", mine)
    with raises(TypeError, "register_adapter", "expected an Adapter"):
        register_adapter(Base, object())


def test_rules_for_several_outputs_own_their_gradients():
    rule = Rule("many", MANY.backward, False, False)
    with raises(TypeError, "record_many", "fresh"):
        record_many([Box(1.0)], rule)


def test_numbers_are_gradients_too():
    """They use the default adapter, which only needs `+`."""
    from facula_autograd.extend import Value, edge_to, record

    class Length(Value):
        __slots__ = ("metres",)

        def __init__(self, metres):
            self.metres, self.node = metres, None

    scale = Rule("scale", lambda F, node, g: ((node.e0, g * node.s0), (node.e1, g)), None, True)
    x = Length(3.0).requires_grad_()
    y = Length(3.0 * 5.0 + 3.0)
    node = record(y, scale, 1)
    node.e0 = node.e1 = edge_to(x)
    node.s0 = 5.0
    y.backward(1.0)
    assert x.grad == 6.0
    assert facula_autograd.grad(Length_chain(x, scale), x, 2.0) == (12.0,)


def Length_chain(x, scale):
    from facula_autograd.extend import record

    y = type(x)(0.0)
    node = record(y, scale, 1)
    node.e0 = node.e1 = x
    node.s0 = 5.0
    return y


def test_create_graph_warns_about_the_cycle_once(monkeypatch):
    from facula_autograd._engine import backward as _backward

    monkeypatch.setattr(_backward, "_warned_of_cycle", False)
    x = Box(3.0, True)
    with pytest.warns(UserWarning, match="cycles") as caught:
        [(x * x).backward(create_graph=True) for _ in range(2)]
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert x.grad.requires_grad
    x.grad = None


@pytest.mark.parametrize("recorded", [False, True])
def test_results_checked_in_forward(recorded):
    x = Variable(np.array([1.0, -1.0]), requires_grad=recorded)
    with np.errstate(invalid="ignore", divide="ignore"):
        with detect_anomaly(check_forward=True):
            np.exp(x)
            with raises(
                AnomalyError,
                "detect_anomaly",
                "the result of log has one. The operator was called at",
                "test_autograd_errors",
            ) as e:
                np.log(x)
            assert (e.value.operator, e.value.module) == ("log", None)
            assert "Operand" not in str(e.value)
            np.exp(x) / 0.0  # infinities are not checked here
        with (
            detect_anomaly(check_forward=True, check_inf=True),
            raises(AnomalyError, "detect_anomaly", "NaN or infinity"),
        ):
            np.exp(x) / 0.0
        with detect_anomaly():
            np.log(x)


def test_results_checked_permanently():
    set_detect_anomaly(True, check_forward=True)
    try:
        with np.errstate(invalid="ignore"), raises(AnomalyError, "detect_anomaly", "the result of log"):
            np.log(Variable(-1.0))
    finally:
        set_detect_anomaly(False)
    assert current_mode().compute is None and current_mode().anomaly is None
    with np.errstate(invalid="ignore"):
        np.log(Variable(-1.0))
    with raises(TypeError, "set_detect_anomaly"):
        set_detect_anomaly(True, check_forward="yes")
