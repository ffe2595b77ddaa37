"""The parts of the time of `a + b` and of a chain of 100 products: `python -m benchmarks.where_time_goes`.

Each part is timed alone, as the lines that `facula_tensor` runs for it, so the parts are an account and not a trace:
the difference between their sum and the total is printed as the rest (branches, loads and stores, cache effects).
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable
from sys import _getframe

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import LEAF, Node, Rule, next_seq
from facula_autograd.extend.values import adapter_of
from facula_storage import Storage, contiguous, cpu, float32
from facula_storage.extend.objects import new_instance
from facula_tensor import Tensor

from .libraries import facula, filled
from .measure import CLOCKS, Loop, enough, own_code, timed

ROUNDS, SECONDS = 11, 0.02
LENGTH = 100


class Empty:
    """An object whose `+` returns immediately, to time Python's own dispatch."""

    __slots__ = ()

    def __add__(self, other):
        return None


# ------------------------------------------------------------------------------------------------ parts of `a + b`
def nothing() -> Loop:
    def loop(times):
        for _ in times:
            pass

    return loop


def empty_call() -> Loop:
    a, b = Empty(), Empty()

    def loop(times):
        for _ in times:
            a + b

    return loop


def load_operands() -> Loop:
    a, b = filled(facula, 4, 4), filled(facula, 4, 4)

    def loop(times):
        for _ in times:
            if active_modes or type(b) is float:
                return
            la = a._layout
            lb = b._layout
            sa = a._storage
            sb = b._storage
            oa = a._offset
            ob = b._offset
            na = a.node
            nb = b.node
            if la is not lb:
                return
            pa = sa.ptr
            pb = sb.ptr
            if oa:
                pa += oa
            if ob:
                pb += ob
            if na is None and nb is None:
                continue

    return loop


def allocation() -> Loop:
    layout = contiguous((4, 4), float32)

    def loop(times):
        for _ in times:
            s = Storage()
            try:
                p, s.__del__ = layout.take_block()
            except IndexError:
                p, s.__del__ = layout.refill()
            s.ptr = p
            s.version = 0

    return loop


def launch() -> Loop:
    a, b, out = (filled(facula, 4, 4) for _ in range(3))
    layout = contiguous((4, 4), float32)
    call = cpu.backend.plan("add", (layout, layout), (layout,), ()).launch
    pa, pb, pc = a.data_ptr(), b.data_ptr(), out.data_ptr()

    def loop(times):
        for _ in times:
            call(layout.numel, pa, pb, pc)

    loop.operands = a, b, out
    return loop


def tensor() -> Loop:
    a = filled(facula, 4, 4)

    def loop(times):
        layout, storage = a._layout, a._storage
        for _ in times:
            t = new_instance(Tensor)
            t._layout = layout
            t._storage = storage
            t._offset = 0
            t.node = None

    return loop


def addition(*, grad: bool) -> Callable[[], Loop]:
    def make() -> Loop:
        a, b = filled(facula, 4, 4, grad=grad), filled(facula, 4, 4, grad=grad)

        def loop(times):
            for _ in times:
                a + b

        return loop

    return make


def node() -> Loop:
    a = filled(facula, 4, 4, grad=True)
    rule = Rule("add", lambda F, node, g: (), False, False)

    def loop(times):
        na = a.node
        for _ in times:
            n = Node()
            n.rule = rule
            n.seq = next_seq()
            n.e0 = a if na is LEAF else na
            n.e1 = a if na is LEAF else na

    return loop


def call_site() -> Loop:
    n = Node()

    def loop(times):
        for _ in times:
            f = _getframe(0)
            n.code = f.f_code
            n.lasti = f.f_lasti

    return loop


# ------------------------------------------------------------------------------------------- parts of the 100-op chain
def chain(*, backward: bool) -> Callable[[], Loop]:
    def make() -> Loop:
        a, b = filled(facula, 4, 4, grad=True), filled(facula, 4, 4, grad=True)

        def loop(times):
            for _ in times:
                x = a
                for _ in range(LENGTH):
                    x = x * b
                if backward:
                    x.sum().backward()
                    a.grad = b.grad = None

        return loop

    return make


def unrecorded_chain() -> Loop:
    a, b = filled(facula, 4, 4), filled(facula, 4, 4)

    def loop(times):
        for _ in times:
            x = a
            for _ in range(LENGTH):
                x = x * b

    return loop


def engine() -> Loop:
    """Return a loop over a graph of the same form whose rule returns its gradient: nodes and engine, no kernels."""
    leaf, g = filled(facula, 4, 4, grad=True), filled(facula, 4, 4)
    rule = Rule("nothing", lambda F, node, g: ((node.e0, g),), False, False)

    def loop(times):
        for _ in times:
            t, edge = new_instance(Tensor), leaf
            for _ in range(LENGTH):
                n = Node()
                n.rule = rule
                n.seq = next_seq()
                n.e0 = edge
                edge = n
            t._layout, t._storage, t._offset, t.node = g._layout, g._storage, g._offset, edge
            t.backward(g)
            leaf.grad = None

    return loop


def bare_nodes() -> Loop:
    """Return a loop that creates and drops the nodes of `engine`."""
    leaf = filled(facula, 4, 4, grad=True)
    rule = Rule("nothing", lambda F, node, g: ((node.e0, g),), False, False)

    def loop(times):
        for _ in times:
            edge = leaf
            for _ in range(LENGTH):
                n = Node()
                n.rule = rule
                n.seq = next_seq()
                n.e0 = edge
                edge = n

    return loop


def two_products() -> Loop:
    """Return a loop that computes the two gradients of a product with the operators of its rule."""
    g, a = filled(facula, 4, 4), filled(facula, 4, 4)
    mul = adapter_of(a).no_record_ops.mul

    def loop(times):
        for _ in times:
            for _ in range(LENGTH):
                mul(g, a)
                mul(g, a)

    return loop


def accumulation() -> Loop:
    """Return a loop that adds to the gradient of the leaf that all products share."""
    g, a = filled(facula, 4, 4), filled(facula, 4, 4)
    add_into = adapter_of(a).add_into

    def loop(times):
        for _ in times:
            for _ in range(LENGTH):
                add_into(a, g)

    return loop


# ------------------------------------------------------------------------------------------------------------ account
def nanoseconds(makers: dict[str, Callable[[], Loop]], clock: str) -> dict[str, float]:
    """Return the median time of one turn of each loop; rounds alternate between the loops."""
    now = CLOCKS[clock]
    loops = {name: own_code(make()) for name, make in makers.items()}
    counts = {name: enough(loop, SECONDS, now) for name, loop in loops.items()}
    times: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(ROUNDS):
        for name, loop in loops.items():
            times[name].append(timed(loop, counts[name], now) * 1e3)
    return {name: statistics.median(found) for name, found in times.items()}


def show(title: str, whole: float, parts: Iterable[tuple[str, float]], scale: float = 1) -> None:
    """Print the parts of `whole`, their shares, and the rest."""
    print(f"\n{title}: {whole / scale:.0f} ns")
    left = whole
    for name, time in parts:
        left -= time
        print(f"  {name:52s} {time / scale:6.0f} ns {100 * time / whole:5.0f} %")
    print(f"  {'the rest':52s} {left / scale:6.0f} ns {100 * left / whole:5.0f} %")


def main() -> None:
    """Measure all parts and print both accounts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.where_time_goes", description=__doc__.split("\n")[0])
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    clock = parser.parse_args().clock
    t = nanoseconds(
        {
            "loop": nothing,
            "call": empty_call,
            "load": load_operands,
            "allocation": allocation,
            "launch": launch,
            "tensor": tensor,
            "add": addition(grad=False),
            "node": node,
            "site": call_site,
            "recorded": addition(grad=True),
        },
        clock,
    )
    loop = t["loop"]
    parts = [
        ("the call: Python's dispatch of + to a method", t["call"] - loop),
        ("looking at the operands", t["load"] - loop),
        ("memory for the result: Storage, take, release", t["allocation"] - loop),
        ("the launch: into C, the kernel, and back", t["launch"] - loop),
        ("the Tensor, made and dropped", t["tensor"] - loop),
    ]
    show("a + b, 4×4", t["add"] - loop, parts)
    recorded = [
        ("all of a + b, unrecorded", t["add"] - loop),
        ("the node, made and dropped", t["node"] - loop),
        ("the call site: code object and instruction", t["site"] - loop),
    ]
    show("a + b, 4×4, recorded", t["recorded"] - loop, recorded)

    t = nanoseconds(
        {
            "whole": chain(backward=True),
            "forward": chain(backward=False),
            "unrecorded": unrecorded_chain,
            "engine": engine,
            "nodes": bare_nodes,
            "products": two_products,
            "accumulation": accumulation,
        },
        clock,
    )
    parts = [
        ("forward: the products, unrecorded", t["unrecorded"]),
        ("forward: recording, and freeing what was recorded", t["forward"] - t["unrecorded"]),
        ("the engine: taking a node, running its rule", t["engine"] - t["nodes"]),
        ("backward: two products a node", t["products"]),
        ("backward: adding to the shared factor's gradient", t["accumulation"]),
    ]
    show("chain of 100 products, forward + backward, an op", t["whole"], parts, LENGTH)


if __name__ == "__main__":
    main()
