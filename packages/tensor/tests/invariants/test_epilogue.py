"""The node of a call is the same whichever path the call takes: the slow path's is what all others are held to."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from samples import CHANGES, SAMPLES, every_change, every_operator, pair

import facula_tensor as ft
from facula_autograd import detect_anomaly, saved_tensors_hooks
from facula_autograd.extend import Node, edges_of
from facula_storage import Storage
from facula_storage.extend import clear_layout_caches
from facula_tensor.extend import operators

sys.path.insert(0, str(Path(__file__).parent.parent / "operators"))
from cases import CASES
from elements import make, operands


class Description:
    """A graph as plain data: leaves, nodes and storages are numbers, in the order in which they are met."""

    def __init__(self, results, leaves):
        self.numbers, self.alive = {}, []  # no id is given twice while all are alive
        self.nodes, found = [], []
        for leaf in leaves:
            self.number("leaf", leaf)
        for one in results if isinstance(results, tuple) else (results,):
            if isinstance(one, ft.Tensor):
                self.value(one.node)
        while len(found) < len(self.nodes):
            found.append(self.slots(self.nodes[len(found)]))
        order = sorted(range(len(found)), key=lambda i: self.nodes[i].seq)
        for node in self.nodes:
            assert all(edge.seq < node.seq for edge in edges_of(node) if isinstance(edge, Node))
        self.text = [{**slots, "order": order.index(i)} for i, slots in enumerate(found)]

    def number(self, kind, value):
        if id(value) not in self.numbers:
            self.numbers[id(value)] = kind, len(self.numbers)
            self.alive.append(value)
            if kind == "node":
                self.nodes.append(value)
        return self.numbers[id(value)]

    def slots(self, node):
        """What is set in a node, and the place in the program where it was made."""
        place = list(node.code.co_positions())[node.lasti // 2]  # f_lasti may be in an instruction's cache
        found = {"rule": node.rule, "site": (node.code, place)}
        for slot in ("e0", "e1", "s0", "s1", "v0", "v1", "rest", "context"):
            value = getattr(node, slot, None)
            if value is not None:
                found[slot] = self.value(value)
        return found

    def value(self, value):
        if isinstance(value, Node):
            if value.rule.name == "held":  # the slow path's snapshot of a leaf, which leads to the leaf
                return self.value(value.e0)
            return self.number("node", value)
        if isinstance(value, ft.Tensor):
            if id(value) in self.numbers:
                return self.numbers[id(value)]
            if isinstance(value.node, Node) and value.node.rule.name == "held":
                leaf = value.node.e0
                if (leaf._layout, leaf._storage, leaf._offset) == (value._layout, value._storage, value._offset):
                    return self.value(leaf)
            return "tensor", value._layout, self.value(value._storage), value._offset, self.value(value.node)
        if isinstance(value, Storage):
            return *self.number("storage", value), value.version
        if isinstance(value, (tuple, list)):
            return tuple(map(self.value, value))
        if hasattr(value, "versions"):  # what is saved has a version; what is not has any, or none
            saved = [
                (self.value(one), version) for one, version in zip(value.values, value.versions) if one is not None
            ]
            return self.value((value.edges, value.layouts, value.parameters)), saved
        if value is int:  # a number beside floating elements is one, however it is written
            return float
        return value


def check(call, leaves, again=None):
    """What the call records on the slow path, and what it (or `again`) records when its signature is known."""
    clear_layout_caches()
    slow = Description(call(), leaves)
    quick = Description((again or call)(), leaves)
    assert len(slow.text) == len(quick.text)
    for one, other in zip(slow.text, quick.text):
        if ("rest" in one) is not ("rest" in other):  # the slow path notes layouts for every rule, asked for or not
            assert not operators[one["rule"].name].extras
            for text in (one, other):
                text.pop("rest", None)
        assert one == other


LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.detach().mT.clone().mT.requires_grad_(x.requires_grad) if x.ndim > 1 else x,
}
CONTIGUOUS = ("_grad",)  # kernels of gradients that take no others


@every_operator
def test_operators(name):
    """With a leaf and another tensor, contiguous and not; also as a thread's that is in no mode while another is."""
    for layout, lay_out in LAYOUTS.items():
        if layout != "contiguous" and name.endswith(CONTIGUOUS):
            continue
        first, *others = map(lay_out, SAMPLES[name].leaves(narrow=True))
        given = [first, *[one * 1 for one in others]]

        def call(given=given):
            return SAMPLES[name](*given)

        check(call, (first, *others, *given[1:]))
        check(call, (first, *others, *given[1:]), lambda call=call: beside_another_mode(call))


def beside_another_mode(call):
    """`call()` while another thread is in a mode."""
    inside, done = threading.Event(), threading.Event()

    def elsewhere():
        with ft.no_grad():
            inside.set()
            done.wait(600)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    try:
        assert inside.wait(600)
        return call()
    finally:
        done.set()
        thread.join()


@every_change
def test_changes(name):
    first, *others = CHANGES[name].leaves(narrow=True)

    def call():
        target = first * 1
        CHANGES[name].change(target, *others)
        return target

    check(call, (first, *others))


@every_operator
def test_modes(name):
    """Hooks get the same values to pack each time, and anomaly detection the same graph."""
    leaves = SAMPLES[name].leaves(narrow=True)
    packed = []
    for _ in range(2):
        found = []
        with saved_tensors_hooks(lambda one, found=found: found.append((one._layout, one._offset)), lambda one: one):
            SAMPLES[name](*leaves)
        packed.append(found)
    assert packed[0] == packed[1]

    def anomalous():
        with detect_anomaly():
            return SAMPLES[name](*leaves)

    check(lambda: SAMPLES[name](*leaves), leaves, anomalous)


recorded = [case for case in CASES if "float32" in case.dtypes and case.gradient]


@pytest.mark.parametrize("case", recorded, ids=str)
def test_cases(case):
    leaves = [make(array, "float32").requires_grad_() for array in operands(case, "float32", "contiguous")]
    check(lambda: case.function(*leaves), leaves)
    if case.elementwise and case.arity == 2 and case.numbers:
        for number in (2, 2.5):
            check(lambda number=number: case.function(leaves[0], number), leaves[:1])


@pytest.mark.parametrize(
    "call",
    [lambda x: 2 - x, lambda x: 1.5 / x, lambda x: 3**x, lambda x: 2.5 // x, lambda x: x - 2],
    ids=["2 - x", "1.5 / x", "3 ** x", "2.5 // x", "x - 2"],
)
def test_numbers_first(call):
    x, _ = pair(dtype=ft.float32)
    check(lambda: call(x), (x,))
    check(lambda: call(x * 1), (x,))


def test_a_difference_is_found():
    """Of a saved value, of an edge, of the place in the program."""
    x, y = pair(dtype=ft.float32)
    for wrong in (lambda: x * x, lambda: x * (y * 1), lambda: x * y):
        with pytest.raises(AssertionError):
            check(lambda: x * y, (x, y), wrong)
