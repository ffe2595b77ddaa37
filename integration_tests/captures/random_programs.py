"""Random programs whose state changes between calls, each compared with an eager twin.

    python -m random_programs --programs 5000 --seed 0      (in the folder integration_tests/captures)

A program reads several kinds of state through branches, loops, helpers and modules, may train a network, and is
called ten times while random state changes. Every second program runs under `capture(check=2)`. Failures are printed
with their seed and source; `--only SEED` runs one program alone.
"""

from __future__ import annotations

import argparse
import inspect
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scenarios import PRELUDE
from twins import described, loaded

import facula

CALLS = 10

# Lines that create the state (with N for its number), lines that change it by v, and an expression of a number.
NUMBERS = [
    ("KN = 2", "global KN; KN = v", "KN"),
    ("ON = Box()", "ON.k = v", "ON.k"),
    ("ON = Box()", "ON.k = v", "ON.get()"),
    ("ON = Box(Box([2, 1]))", "ON.k.k[0] = v", "ON.k.k[0]"),
    ("LN = [2, 3]", "LN[0] = v", "LN[0]"),
    ("LN = [2, 3]", "LN[:] = [1] * v", "len(LN)"),
    ("LN = [2, 3]", "LN[1] = v", "sum(LN)"),
    ("DN = {'k': 2}", "DN['k'] = v", "DN.get('k', 1)"),
    ("DN = {}", "DN.update(k=v) if v % 2 else DN.clear()", "len(DN)"),
    ("DN = {'a': {'b': 2}}", "DN['a'] = {'b': v}", "DN['a']['b']"),
    ("SN = {1}", "SN.clear(); SN.update(range(v))", "len(SN)"),
    ("TN = (2, 1)", "global TN; TN = (v, 1)", "TN[0]"),
    ("class CN: k = 2\nclass BN(CN): pass\nON = BN()", "CN.k = v", "ON.k"),
    ("class CN: k = 2\nclass BN(CN): pass\nON = BN()", "BN.k = v", "ON.k"),
    ("class CN:\n    k = 2\nON = CN()", "ON.k = v", "getattr(ON, 'k', 1)"),
    ("class CN:\n    def m(self): return 2\nON = CN()", "CN.m = lambda self, v=v: v", "ON.m()"),
    ("class CN:\n    def __len__(self): return 2\nON = CN()", "CN.__len__ = lambda self: v", "len(ON)"),
    ("class CN(Box):\n    j = property(lambda self: self.k + 1)\nON = CN()", "ON.k = v", "ON.j"),
    ("class CN:\n    k = 2\nclass BN:\n    k = 3\nON = CN()", "ON.__class__ = (CN, BN)[v % 2]", "ON.k"),
    ("def gN(k=2): return k", "gN.__defaults__ = (v,)", "gN()"),
    ("def gN(*, k=2): return k", "gN.__kwdefaults__['k'] = v", "gN()"),
    ("def gN(): return 2", "gN.__code__ = (lambda: 2, lambda: 3)[v % 2].__code__", "gN()"),
    ("def gN(): return gN.k\ngN.k = 2", "gN.k = v", "gN()"),
    ("PN = functools.partial(lambda k: k, k=2)", "PN.keywords['k'] = v", "PN()"),
    ("ON = Box()\nMN = ON.get", "ON.k = v", "MN()"),
    ("BN = bytearray(b'\\x02')", "BN[0] = v", "BN[0]"),
    ("AN = np.array([2.0, 1.0])", "AN[0] = v", "float(AN[0])"),
    ("QN = collections.deque([2])", "QN[0] = v", "QN[0]"),
    ("EN = contextvars.ContextVar('EN', default=2)", "EN.set(v)", "EN.get()"),
    ("RN = random.Random(1)", "RN.seed(v)", "RN.randint(1, 3)"),
    ("IN = itertools.count(1)", "global IN; IN = itertools.count(v)", "next(IN)"),
    ("ON = Box()\nWN = weakref.ref(ON)", "ON.k = v", "WN().k"),
    ("CN = collections.Counter()", "CN['c'] = v", "(CN.update('c') or CN['c'])"),
    ("", "facula.set_grad_enabled(v % 2 == 0)", "facula.is_grad_enabled() + 1"),
]
TENSORS = [
    ("TN = facula.full((1, 3), 2.0)", "TN.data = facula.full((v, 3), float(v))", "TN"),
    ("TN = facula.full((1, 3), 2.0)", "global TN; TN = facula.full((v, 3), float(v))", "TN.sum()"),
    ("TN = facula.full((1, 3), 2.0)", "TN.fill_(float(v))", "TN.mean()"),
    ("TN = facula.ones(3)", "TN.requires_grad_(v % 2 == 0)", "TN"),
    ("TN = facula.ones(3)", "TN.requires_grad_(v % 2 == 0)", "TN.norm()"),
    ("TN = facula.ones(2, 3)", "TN.resize_(v, 3).fill_(0.5)", "facula.cat([TN, TN]).sum(0)"),
    ("TN = facula.arange(9.0).view(3, 3)", "TN.data = TN.data.t()", "TN[0]"),
    ("LN = [facula.ones(3)]", "LN[0] = facula.full((3,), float(v))", "facula.stack(LN).sum(0)"),
    ("ON = Box(facula.ones(3))", "ON.k.data = facula.full((3,), float(v))", "ON.k.max()"),
    ("AN = np.ones(3, 'f4')\nTN = facula.from_numpy(AN)", "AN[:] = v", "TN"),
    ("NN = nn.Linear(3, 3)", "NN.weight.data = facula.full((3, 3), v / 4)", "NN(X)"),
    ("NN = nn.Linear(3, 3)", "NN.requires_grad_(v % 2 == 0)", "sum(one.norm() for one in NN.parameters())"),
    ("NN = nn.Sequential(nn.Linear(3, 3), nn.Tanh())", "NN[1] = (nn.Tanh(), nn.ReLU())[v % 2]", "NN(X)"),
    ("NN = nn.Dropout(0.5)", "NN.train(v % 2 == 0)", "NN(X)"),
    ("NN = nn.Linear(3, 3)", "NN.forward = lambda x: x * v", "NN(X)"),
    ("NN = nn.Tanh()", "NN.register_forward_hook(lambda net, args, out: out * v)", "NN(X)"),
    ("", "facula.set_default_dtype((facula.float32, facula.float64)[v % 2])", "facula.ones(1)"),
    ("GN = facula.Generator()", "GN.manual_seed(v)", "facula.rand(3, generator=GN)"),
]
STEPS = ["SGD(NET.parameters(), lr=0.1, momentum=0.5)", "Adam(NET.parameters(), lr=0.1)", "RMSprop(NET.parameters())"]
TRAINED = [
    "OPT.param_groups[0]['lr'] = v / 10", "OPT.param_groups[0]['weight_decay'] = v / 10", "OPT.state.clear()",
    "NET.weight.data = facula.full((2, 3), v / 5)", "NET.weight.requires_grad_(v % 2 == 0)", "NET.bias.grad = None",
    "OPT.param_groups[0]['params'].reverse()", "NET.weight.register_hook(lambda g: g * v)",
]  # fmt: skip
SHAPES = ["relu()", "tanh()", "sigmoid()", "abs()", "neg()", "exp().clamp(max=9)", "square().clamp(max=99)", "flip(-1)"]


def program(seed: int) -> tuple[str, list[tuple[int, int]]]:
    """Return a program's source and, for each call, the numbers and values of the changes before it."""
    pick = random.Random(seed)
    setup, changes, lines, numbers, tensors = ["facula.manual_seed(0)"], [], [], [], []
    for at in range(pick.randint(2, 4)):
        is_number = pick.random() < 0.6
        made, change, read = (part_of(one, at) for one in pick.choice(NUMBERS if is_number else TENSORS))
        setup.append(made)
        changes.append(change)
        (numbers if is_number else tensors).append(read)
        if pick.random() < 0.3:  # inside a helper
            setup.append(f"def helper{at}():\n    return {read}")
            (numbers if is_number else tensors)[-1] = f"helper{at}()"
    for number in range(pick.randint(2, 6)):
        lines += statement(pick, number, numbers, tensors)
    if pick.random() < 0.3:
        setup.append(f"NET = nn.Linear(3, 2)\nOPT = facula.optim.{pick.choice(STEPS)}")
        changes += pick.sample(TRAINED, 3)
        lines += ["OPT.zero_grad()", "loss = (NET(y.detach().clamp(-3, 3).float()) ** 2).mean()"]
        lines += ["if loss.requires_grad:", "    loss.backward()", "OPT.step()"]
        lines += ["y = y + loss.detach() + NET.weight.detach().sum()"]
    text = [PRELUDE, *setup, "def f(x):", "    y = x * 1", *(f"    {line}" for line in lines), "    return y"]
    for at, change in enumerate(changes):
        text += [f"def change{at}(v):", *(f"    {line}" for line in change.split("; "))]
    events = [
        (pick.randrange(len(changes)), pick.randint(1, 4)) if pick.random() < 0.4 else (-1, 0) for _ in range(CALLS)
    ]
    return "\n".join(text) + "\n", events


def part_of(text: str, number: int) -> str:
    """Replace every name that ends with N in a template by its numbered form."""
    for name in "KOLDSTCBgPMAQERIWNG":
        text = text.replace(f"{name}N", f"{name}{number}")
    return text


def statement(pick: random.Random, number: int, numbers: list[str], tensors: list[str]) -> list[str]:
    """Return one or more lines that compute y from y and from the state that they read."""
    kind = pick.randrange(7)
    read = pick.choice([*numbers, *tensors])
    if kind == 0 and numbers:
        return [f"if {pick.choice(numbers)} > {pick.randint(1, 3)}:", f"    y = y * ({read})", "else:", "    y = y + 1"]
    if kind == 1:
        return [f"for number in range({pick.randint(1, 3)}):", f"    y = y * 0.5 + ({read})"]
    if kind == 2 and numbers:
        return [f"y = y * [({pick.choice(numbers)}) for _ in range(2)][-1]"]
    if kind == 3 and numbers:
        return [f"y = y + sum(map(lambda one: one * ({pick.choice(numbers)}), [1, 2]))"]
    if kind == 4:
        return ["def inner():", f"    return y - ({read})", "y = inner()"]
    if kind == 5:
        return [f"y = y.{pick.choice(SHAPES)}"]
    return [f"y = y {pick.choice('+-*')} ({read})"]


def wrapped(function: Any, seed: int) -> Any:
    """Return the captured function: every second one checked, if `capture` has that option, and some in pieces."""
    options: dict[str, Any] = {"on_break": "split"} if seed % 4 > 1 else {}
    if seed % 2 and "check" in inspect.signature(facula.jit.capture).parameters:
        options["check"] = 2
    return facula.capture(function, **options)


def results(source: str, events: list[tuple[int, int]], path: Path, wrap: Any) -> list[Any]:
    """Return each call's result, or the exception's type."""
    found: list[Any] = []
    try:
        module = loaded(source, path)
        function = wrap(module.f)
        for number, (change, value) in enumerate(events):
            try:
                if change >= 0:
                    getattr(module, f"change{change}")(value)
                random.seed(number)
                np.random.seed(number)
                facula.manual_seed(number)
                found.append(described(function(facula.tensor([1.0, 2.0, 3.0]))))
            except facula.jit.CaptureError as error:
                found.append(f"CaptureError: {error}")
            except Exception as error:
                found.append(f"raised {type(error).__name__}")
    finally:
        facula.set_grad_enabled(True)
        facula.set_default_dtype(facula.float32)
        sys.modules.pop(path.stem, None)
    return found


def problem_of(seed: int, folder: Path) -> str:
    """Return the first difference between the twins of one program, or an empty value."""
    source, events = program(seed)
    path = folder / f"random_program_{seed}.py"
    wanted = results(source, events, path, lambda function: function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = results(source, events, path, lambda function: wrapped(function, seed))
    path.unlink()
    for number, (a, b) in enumerate(zip(wanted, found, strict=True)):
        if a != b:
            return f"call {number} after changes {events[: number + 1]}:\n  eager    {a}\n  captured {b}"
    return ""


def main(arguments: list[str]) -> int:
    """Run programs, print those that fail, and return their number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the others follow it")
    parser.add_argument("--only", type=int, help="the seed of one program")
    given = parser.parse_args(arguments)
    seeds = range(given.seed, given.seed + given.programs) if given.only is None else [given.only]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            if problem := problem_of(seed, Path(folder)):
                failed += 1
                text = program(seed)[0].removeprefix(PRELUDE)
                print(f"===== seed {seed}\n{text}\n----- {problem}", flush=True)
    print(f"{len(seeds)} programs, {failed} differ")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
