"""Checkpoints that keep selected results: the number of computations, and the gradients of a plain call."""

from functools import partial

import numpy as np
import pytest
from autograd_helpers import Box, BoxAdapter, write_

from facula_autograd import (
    SAC_IGNORED_OPS,
    CheckpointError,
    CheckpointPolicy,
    MutationError,
    Variable,
    checkpoint,
    checkpoint_sequential,
    create_selective_checkpoint_contexts,
    grad,
    noop_context_fn,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from facula_autograd.extend import Adapter, adapter_of, current_mode, register_adapter, replace_mode
from facula_errors.testing import raises

P = CheckpointPolicy


class Log:
    """Computes x ** 6 + x by two products, a square and a sum, which log their computation."""

    def __init__(self):
        self.computed = []

    def compute(self, inner):
        def stand_in(name, kernel, operands, parameters):
            def noted():
                self.computed.append(name)
                return kernel()

            return inner(name, noted, operands, parameters) if inner else [*noted()]

        return stand_in

    def __call__(self, x):
        with replace_mode(compute=self.compute(current_mode().compute)):
            return ((x * x) * x) ** 2 + x


def again(policy, backward=lambda y: y.backward(), **more):
    """Return the operators computed in the runs after the first, and the gradient."""
    log, x = Log(), Variable(2.0, True)
    y = checkpoint(log, x, context_fn=partial(create_selective_checkpoint_contexts, policy), **more)
    assert y.value == 66.0 and log.computed == ["mul", "mul", "pow", "add"]
    log.computed.clear()
    backward(y)
    return log.computed, x.grad.value


def by_name(choice, other=P.PREFER_RECOMPUTE):
    return lambda context, operator, *args: choice if operator == "mul" else other


def mul():
    """A function with the name of an operator."""


@pytest.mark.parametrize(
    ("policy", "computed"),
    [
        (["mul"], ["pow", "add"]),
        ([mul, "pow"], ["add"]),
        ((), ["mul", "mul", "pow", "add"]),
        (by_name(P.MUST_SAVE), ["pow", "add"]),
        (by_name(P.PREFER_SAVE), ["pow", "add"]),
        (by_name(P.MUST_CPU_OFFLOAD), ["pow", "add"]),
        (by_name(P.MUST_RECOMPUTE, P.MUST_SAVE), ["mul", "mul"]),
        (lambda context, operator, *args: P.MUST_SAVE if operator in {mul} or operator == mul else P.PREFER_RECOMPUTE,
         ["pow", "add"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("times", [1, 2])
def test_kept_results_are_not_recomputed(policy, computed, times):
    def backward(y):
        for k in range(times):
            y.backward(retain_graph=k + 1 < times)

    assert again(policy, backward, early_stop=False) == (computed * times, 193.0 * times)


def test_the_second_run_ends_with_the_last_needed_value():
    log, x = Log(), Variable(2.0, True)
    y = checkpoint(lambda x: [log(x * x), log.computed.append("end")][0], x)
    y.backward()
    assert log.computed.count("end") == 1
    with set_checkpoint_early_stop(False):
        y = checkpoint(lambda x: [log(x * x), log.computed.append("end")][0], x, early_stop=True)
    y.backward()
    assert log.computed.count("end") == 3


def test_policies_receive_operands_and_are_called_once():
    asked = []

    def policy(context, operator, *args):
        asked.append((str(operator), [a.value for a in args if isinstance(a, Variable)], context.is_recompute))
        return P.MUST_SAVE

    x = Variable(2.0, True)
    contexts = partial(create_selective_checkpoint_contexts, policy)
    y = checkpoint(lambda x: x * 3.0, x, context_fn=contexts)
    y.backward()
    assert asked == [("mul", [2.0, 3.0], False)] and x.grad.value == 3.0


def test_policies_may_compute_without_recording():
    seen = []

    def policy(context, operator, *args):
        seen.append(((args[0] * 2.0).requires_grad, current_mode().compute))
        return P.MUST_SAVE if (args[0] + 0.0).value > 3.0 else P.MUST_RECOMPUTE

    assert again(policy, early_stop=False) == (["mul"], 193.0) and seen == [(False, None)] * 4  # 2 < 3


def test_operators_without_policy_calls():
    asked = []
    SAC_IGNORED_OPS.add("mul")
    try:
        found = again(lambda context, name, *args: [P.MUST_SAVE, asked.append(str(name))][0], early_stop=False)
    finally:
        SAC_IGNORED_OPS.remove("mul")
    assert found == (["mul", "mul"], 193.0) and asked == ["pow", "add"]


class Answer:
    """An invalid result of a policy, whose repr computes."""

    def __repr__(self):
        return f"{current_mode().compute} {(Variable(2.0) * 3.0).value}"


def test_second_derivatives():
    x = Variable(2.0, True)
    y = checkpoint(lambda x: (x * x) ** 2, x, context_fn=partial(create_selective_checkpoint_contexts, ["mul"]))
    (first,) = grad(y, x, create_graph=True)
    (second,) = grad(first, x)
    assert (first.value, second.value) == (32.0, 48.0)


class Drawn(Box):
    """A box with random products."""


class DrawnAdapter(BoxAdapter):
    position = 0

    def random_position(self):
        return DrawnAdapter.position

    def skip_random(self, before, after):
        DrawnAdapter.position += after - before

    def save_random_state(self):
        position = DrawnAdapter.position

        class Again:
            def __enter__(self):
                self.before, DrawnAdapter.position = DrawnAdapter.position, position

            def __exit__(self, *exc):
                DrawnAdapter.position = self.before

        return Again


register_adapter(Drawn, DrawnAdapter())


def test_random_numbers_of_kept_results_are_skipped():
    from facula_autograd._numpy.functions.table import operator

    def draw(x):
        DrawnAdapter.position += 3
        return x * DrawnAdapter.position

    drawn = operator(draw, lambda k, g, y, x: g * (y / x))
    x = Variable(2.0, True)
    DrawnAdapter.position = 10
    kept = [0]

    def policy(context, name, *args):
        kept[0] += 1
        return P.MUST_SAVE if kept[0] == 1 else P.MUST_RECOMPUTE

    y = checkpoint(
        lambda x: drawn(drawn(x)), x, context_fn=partial(create_selective_checkpoint_contexts, policy), early_stop=False
    )
    assert (y.value, DrawnAdapter.position) == (2.0 * 13 * 16, 16)
    DrawnAdapter.position = 50
    y.backward()
    assert (x.grad.value, DrawnAdapter.position) == (13 * 16, 50)


# ---- errors


def test_changed_kept_results_are_an_error():
    made = []

    def function(x):
        made.append(mul_of(x, x))
        return made[-1] * x

    def mul_of(a, b):
        stand_in = current_mode().compute
        out = Box(a.number * b.number)
        return stand_in("mul", lambda: [out], [a, b], ())[0] if stand_in else out

    for mutable in (False, True):
        x = Box(2.0, True)
        contexts = partial(create_selective_checkpoint_contexts, ["mul"], allow_cache_entry_mutation=mutable)
        y = checkpoint(function, x, context_fn=contexts)
        write_(made[-1], 5.0)
        if mutable:
            y.backward()
            assert x.grad.number == 5.0
        else:
            with raises(MutationError, "checkpoint", "expected the result of mul", "write_ at", "clone"):
                y.backward()


@pytest.mark.parametrize(("call", "text"), [
    (lambda: create_selective_checkpoint_contexts(3), "create_selective_checkpoint_contexts: a ... got int"),
    (lambda: create_selective_checkpoint_contexts([3]), "create_selective_checkpoint_contexts: names ... got 3"),
    (lambda: create_selective_checkpoint_contexts([], 1),
     "create_selective_checkpoint_contexts: allow_cache_entry_mutation: expected True or False"),
    (lambda: again(lambda *args: True), "checkpoint: create_selective_checkpoint_contexts ... got True"),
    (lambda: again(lambda *args: Answer()), "checkpoint: create_selective_checkpoint_contexts ... got None 6.0"),
    (lambda: checkpoint(3, 1), "checkpoint: expected function to be callable; got int"),
    (lambda: checkpoint(abs, 1, context_fn=3), "checkpoint: expected context_fn to be callable; got int"),
    (lambda: checkpoint(abs, 1, context_fn=lambda: 3), "checkpoint: context_fn to return two context managers; got 3"),
    (lambda: checkpoint(abs, 1, context_fn=lambda: (None, 3)), "checkpoint: two context managers; got 3 among them"),
    (lambda: checkpoint_sequential(3, 1, 1), "checkpoint_sequential: expected functions to be a sequence of callables"),
    (lambda: checkpoint_sequential([abs, 3], 1, 1), "checkpoint_sequential: expected function 1 to be callable"),
    (lambda: set_checkpoint_debug_enabled(1), "set_checkpoint_debug_enabled: expected True or False; got 1"),
    (lambda: checkpoint(abs, 1, determinism_check="all"), "checkpoint: determinism_check ... got 'all'"),
    (lambda: checkpoint(abs, 1, early_stop=0), "checkpoint: early_stop: expected True or False"),
    (lambda: set_checkpoint_early_stop(0), "set_checkpoint_early_stop: expected True or False"),
])  # fmt: skip
def test_arguments(call, text):
    with raises((TypeError, ValueError), text):
        call()


def test_contexts_without_kept_results_have_no_effect():
    x = Variable(3.0, True)
    with set_checkpoint_debug_enabled(True):
        checkpoint(lambda x: x * x, x, context_fn=noop_context_fn).backward()
    assert x.grad.value == 6.0


def test_different_shapes_in_the_second_run():
    sizes = iter([3, 2, 3, 2])

    def function(x):
        return (np.ones(next(sizes)) * x * x).sum()

    x = Variable(2.0, True)
    with raises(CheckpointError, "checkpoint", "expected function to save the same values", "value", "(3,)", "(2,)"):
        checkpoint(function, x, early_stop=False).backward()
    with raises(TypeError, "saved_tensors_hooks", "expected unpack_hook to return a value like"):
        checkpoint(function, x, determinism_check="none").backward()
    assert adapter_of(x).random_position() is None and Adapter().skip_random(0, 1) is None
