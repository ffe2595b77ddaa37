"""Captured functions in notebooks: HTML reprs, and reloads of their modules as by IPython."""

import importlib
import os
import sys
from types import FunctionType, SimpleNamespace

import pytest

from facula_jit import capture
from facula_tensor import ones

SOURCE = """
from facula_jit import capture
@capture
def step(x):
    return x * {0}
@capture(on_break="split")
def split(x):
    y = x * {0}
    float(y.sum())
    return y
def plain(x):
    return x * {0}
class Net:
    @capture
    def step(self, x):
        return x * {0}
"""


@pytest.fixture
def reloads(tmp_path, monkeypatch):
    """Return a module, a function that writes it with another factor, and IPython's rules."""
    path = tmp_path / "facula_reloaded.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    rules = []
    monkeypatch.setitem(sys.modules, "IPython.extensions.autoreload", SimpleNamespace(UPDATE_RULES=rules))

    def write(factor):
        path.write_text(SOURCE.format(factor))
        os.utime(path, (factor, factor))
        importlib.invalidate_caches()

    write(1)
    yield importlib.import_module("facula_reloaded"), write, rules
    del sys.modules["facula_reloaded"]


def results(functions):
    return [[function(ones(1)).item() for _ in range(4)][-1] for function in functions]


def update(old, new, rules):
    """Update an object of a module as IPython does after it has run the whole module again."""
    if isinstance(old, FunctionType):
        old.__code__ = new.__code__
    for fits, change in rules:
        if fits(old, new):
            change(old, new)


def test_captured_functions_follow_reloaded_modules(reloads):
    module, write, rules = reloads
    old = dict(vars(module))
    plain, net = module.plain, module.Net()
    functions = [module.step, module.split, capture(plain), capture(lambda x: plain(x)), net.step]
    assert results(functions) == [1.0] * 5
    for factor in (2, 3):
        write(factor)
        importlib.reload(module)
        for name in ("step", "split", "plain"):
            update(old[name], getattr(module, name), rules)
        update(vars(old["Net"])["step"], vars(module.Net)["step"], rules)
        assert results(functions) == [float(factor)] * 5
        assert results([module.step, module.Net().step]) == [float(factor)] * 2
    assert len(rules) == 1
    assert module.step.report().startswith("step: 1 signature")


def assign(old, new):
    """Update a function as IPython does after it has run only that function again."""
    for name in ("__code__", "__defaults__", "__kwdefaults__", "__doc__", "__dict__"):
        setattr(old, name, getattr(new, name))


@pytest.mark.parametrize("name", ["step", "plain"])
def test_captured_functions_follow_reloaded_functions(reloads, name):
    module, write, _ = reloads
    step = module.step
    followers = [step, capture(lambda x: module.step.function(x))]
    assert results(followers) == [1.0] * 2
    write(2)
    again = {}
    exec(module.__loader__.get_code("facula_reloaded"), again)
    assign(step, again["plain"])  # IPython starts with the function without its decorators
    if name == "step":
        assign(step, again["step"])
    assert results(followers) == [2.0] * 2
    assert step.on_break == "eager" and vars(step)["function"] is step.function
    assign(step, again["split"])
    assert (step.on_break == "split", results([step])) == (True, [2.0])


def test_html_reprs():
    def split(x):
        y = x * 2
        float(y.sum())
        return y + 1

    captured = capture(split, on_break="split")
    for _ in range(3):
        captured(ones(2, 3))
    shown = captured._repr_html_()
    assert shown.count("<tr>") == 4  # titles, the function and its two parts
    for part in ("(float32 (2, 3))", "runs split: float reads elements in Python", ">0 B<", "line 9"):
        assert part.replace("line 9", f"line {split.__code__.co_firstlineno + 1}") in shown
    listing = captured.graph(0)._repr_html_()
    assert "1 operator<" in listing and "mul(x0, 2" in listing
