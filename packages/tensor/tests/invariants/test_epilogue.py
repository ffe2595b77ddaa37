"""All paths of a call record the same node; the slow path's node is the reference."""

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
    """A graph as plain data. Leaves, nodes and storages are numbered in the order in which they are found."""

    def __init__(self, results, leaves):
        self.numbers, self.alive = {}, []  # keeping all objects alive keeps ids unique
        self.nodes, found = [], []
        for leaf in leaves:
            self.number("leaf", leaf)
        for result in results if isinstance(results, tuple) else (results,):
            if isinstance(result, ft.Tensor):
                self.value(result.node)
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
        """Return the slots that are set in a node, and the source position that created it."""
        place = list(node.code.co_positions())[node.lasti // 2]  # f_lasti may point into an instruction's cache
        found = {"rule": node.rule, "site": (node.code, place)}
        for slot in ("e0", "e1", "s0", "s1", "v0", "v1", "rest", "context"):
            value = getattr(node, slot, None)
            if value is not None:
                found[slot] = self.value(value)
        return found

    def value(self, value):
        if isinstance(value, Node):
            if value.rule.name == "held":  # the slow path's snapshot of a leaf, which refers to the leaf
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
        if hasattr(value, "versions"):  # saved values have a version; the versions of others do not matter
            saved = [
                (self.value(tensor), version)
                for tensor, version in zip(value.values, value.versions)
                if tensor is not None
            ]
            return self.value((value.edges, value.layouts, value.parameters)), saved
        if value is int:  # a number with floating elements is a float, however it is written
            return float
        return value


def check(call, leaves, again=None):
    """Compare the graph that `call` records on the slow path with a later one, of `again` or `call`."""
    clear_layout_caches()
    slow = Description(call(), leaves)
    quick = Description((again or call)(), leaves)
    assert len(slow.text) == len(quick.text)
    for line, other in zip(slow.text, quick.text):
        if ("rest" in line) is not ("rest" in other):  # the slow path records layouts for every rule, needed or not
            assert not operators[line["rule"].name].extras
            for text in (line, other):
                text.pop("rest", None)
        assert line == other


LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.detach().mT.clone().mT.requires_grad_(x.requires_grad) if x.ndim > 1 else x,
}
CONTIGUOUS = ("_grad",)  # kernels of gradients that accept only these


@every_operator
def test_operators(name):
    """A leaf and another tensor, contiguous or not; also in a thread without modes while another thread is in one."""
    for layout, lay_out in LAYOUTS.items():
        if layout != "contiguous" and name.endswith(CONTIGUOUS):
            continue
        first, *others = map(lay_out, SAMPLES[name].leaves(narrow=True))
        given = [first, *[operand * 1 for operand in others]]

        def call(given=given):
            return SAMPLES[name](*given)

        check(call, (first, *others, *given[1:]))
        check(call, (first, *others, *given[1:]), lambda call=call: while_another_thread_is_in_a_mode(call))


def while_another_thread_is_in_a_mode(call):
    """Run `call()` while another thread is in a mode."""
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
    """Hooks pack the same values each time, and anomaly detection records the same graph."""
    leaves = SAMPLES[name].leaves(narrow=True)
    packed = []
    for _ in range(2):
        found = []
        with saved_tensors_hooks(
            lambda tensor, found=found: found.append((tensor._layout, tensor._offset)), lambda tensor: tensor
        ):
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


def test_a_difference_is_detected():
    """The check detects a different saved value, edge or source position."""
    x, y = pair(dtype=ft.float32)
    for wrong in (lambda: x * x, lambda: x * (y * 1), lambda: x * y):
        with pytest.raises(AssertionError):
            check(lambda: x * y, (x, y), wrong)
