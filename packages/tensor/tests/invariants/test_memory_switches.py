"""Another thread replaces a tensor's memory (`x.data = y`) while an operator, view or export reads it.

The result belongs to one of the two: it never combines the layout of one with the memory of the other, which would
expose memory beyond it. `switching.py` tries each point at which Python may switch threads.
"""

from __future__ import annotations

import copy
import pickle
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from fake_backend import numbers
from memory_switches import OTHERS, check, contents, forget_plans, matrix, outcome, strided, tables_of
from samples import SAMPLES
from slow_path import calls
from switching import Switch, of_library

import facula_tensor as ft
from facula_tensor._dispatch.overrides import disable_overrides
from facula_tensor.extend import layout_of_tensor, no_record_ops, take_apart
from facula_tensor.extend import make as tensor_of
from facula_tensor.testing._writing import change

sys.path.insert(0, str(Path(__file__).parent.parent / "operators"))
from cases import CASES, PRIVATE
from elements import make, operands

VIEWS = {
    "view": lambda x: x.view(-1),
    "view_as": lambda x: x.view_as(ft.zeros(4, 3)),
    "reshape": lambda x: x.reshape(2, -1),
    "reshape, copied": lambda x: x.t().reshape(-1),
    "flatten": lambda x: x.flatten(),
    "expand": lambda x: x.expand(2, -1, -1),
    "expand_as": lambda x: x.expand_as(ft.zeros(2, 3, 4)),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "movedim": lambda x: ft.movedim(x, 0, 1),
    "squeeze": lambda x: x.squeeze(),
    "squeeze of none": lambda x: x.squeeze(()),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "select": lambda x: x.select(0, -1),
    "narrow": lambda x: x.narrow(0, 1, 2),
    "split": lambda x: x.split(2),
    "chunk": lambda x: x.chunk(2),
    "unbind": lambda x: x.unbind(),
    "iteration": lambda x: list(x),
    "as_strided": lambda x: x.as_strided((2, 2), (1, 2)),
    "x[1]": lambda x: x[1],
    "x[-1]": lambda x: x[-1],
    "x[1:]": lambda x: x[1:],
    "x[::2]": lambda x: x[::2],
    "x[1:, ::2]": lambda x: x[1:, ::2],
    "x[..., -1]": lambda x: x[..., -1],
    "x[None]": lambda x: x[None],
    "x[1, 2]": lambda x: x[1, 2],
    "x[...]": lambda x: x[...],
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
}
EXPORTS = {
    "repr": repr,
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: x.numpy().copy(),
    "numpy(force)": lambda x: x.numpy(force=True).copy(),
    "asarray": lambda x: np.asarray(x).copy(),
    "dlpack": lambda x: ft.from_dlpack(x),
    "numpy from dlpack": lambda x: np.from_dlpack(x).copy(),
    "item": lambda x: x[0, 0].item() if x.numel() > 1 else x.item(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "Parameter": ft.Parameter,
    "as_subclass": lambda x: x.as_subclass(Labelled).as_subclass(ft.Tensor),
    "x[mask]": lambda x: x[ft.tensor([True, False, True])],
    "ones[x > 3]": lambda x: ft.ones(3, 4)[x > 3],
    "nonzero": lambda x: ft.nonzero(x),
    "x[tensor]": lambda x: x[ft.tensor([2, 0])],
    "to": lambda x: x.to(ft.float64),
    "out=": lambda x: ft.exp(x, out=ft.empty(0, dtype=ft.float64)),
}
ONE = {
    "item": lambda x: x.item(),
    "float": float,
    "int": int,
    "bool": bool,
    "complex": complex,
    "format": "{:.2f}".format,
}
SOURCE = {
    "setitem, tensor": lambda x: into(x, lambda y: y.__setitem__((), x)),
    "copy_": lambda x: into(x, lambda y: y.copy_(x)),
    "add_": lambda x: into(x, lambda y: y.add_(x)),
    "add_(alpha)": lambda x: into(x, lambda y: y.add_(x, alpha=2)),
    "clamp": lambda x: x.clamp(2, 9),
    "max": lambda x: x.max(),
    "max of rows": lambda x: x.max(-1),
    "amax": lambda x: x.amax(),
    "argmin": lambda x: x.argmin(),
    "cat": lambda x: ft.cat([x, ft.zeros(1, 4, dtype=x.dtype)]),
    "full_like": lambda x: ft.full_like(x, 3),
    "new_zeros": lambda x: x.new_zeros(2),
}


class Labelled(ft.Tensor):
    """A subclass with `__torch_function__`."""


def into(x, change):
    """Return the result of `change` on zeros of the shape that fits `x`."""
    y = ft.zeros(3, 4, dtype=ft.float64)
    change(y)
    return y


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", {**VIEWS, **EXPORTS, **SOURCE})
def test_views_exports_and_copies(name, other):
    call, x = {**VIEWS, **EXPORTS, **SOURCE}[name], matrix()
    check(call, x, OTHERS[other](x))
    if other in ("strided", "of three dimensions"):  # the slow path treats all dtypes and lengths in the same way
        check(call, x, OTHERS[other](x), slow=True, every=23)


@pytest.mark.parametrize("name", ONE)
def test_one_element(name):
    for first, second in ((ft.tensor(2.0), strided(ft.tensor([3.0]))), (ft.tensor([2]), ft.tensor(5.0))):
        check(ONE[name], first, second)
    check(ONE[name], ft.tensor(2.0), matrix())


class Counted(ft.Tensor):
    """Counts how often the library's functions receive it."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ != "__get__":  # an attribute, as its device
            for argument in take_apart((args, kwargs))[0]:
                if isinstance(argument, Counted):
                    argument.count = getattr(argument, "count", 0) + 1
        with disable_overrides():
            return func(*args, **(kwargs or {}))


def reads_repeatedly(case, tensors):
    """Return for each operand if the case itself passes it to several functions, whose reads may then differ."""
    given = [tensor.as_subclass(Counted) for tensor in tensors]
    case.function(*given)
    return [getattr(operand, "count", 0) > 1 for operand in given]


def operands_of(case):
    dtype = "float32" if "float32" in case.dtypes else case.dtypes[-1]
    return [make(array, dtype) for array in operands(case, dtype)]


def running_new_code(cases, call):
    """Return the cases for which `call` runs a function of the library that it runs for no earlier case."""
    known = set()
    for case in cases:
        tensors, before = operands_of(case), len(known)
        with suppress(Exception), calls(lambda frame: of_library(frame) and known.add(frame.f_code)):
            call(case, *tensors)  # the case's test reports failures
        if len(known) > before:
            yield case


@pytest.mark.parametrize(
    "case", running_new_code([*CASES, *PRIVATE], lambda case, *given: case.function(*given)), ids=str
)
def test_every_case(case):
    made = operands_of(case)
    again = reads_repeatedly(case, made)
    for place in range(case.arity):
        others = made[:place] + made[place + 1 :]

        def call(x, *others, place=place):
            x = x[...] if again[place] else x
            return case.function(*others[:place], x, *others[place:])

        check(call, made[place], strided(made[place]), others, every=3, start=place)
        check(call, made[place], strided(made[place]), others, slow=True, every=41, start=place)


# In-place forms that consist of several operators read their target before they change it.
MADE_OF_OTHERS = {"deg2rad", "ldexp", "nan_to_num", "rad2deg"}


@pytest.mark.parametrize(
    "case",
    running_new_code([entry for entry in CASES if entry.inplace and entry.name not in MADE_OF_OTHERS], change),
    ids=str,
)
def test_every_change(case):
    """Either of the two tensors is changed, completely."""
    first, *others = operands_of(case)
    before, after = first, strided(first)
    values = before.clone(), after.clone()
    x = before.detach()
    memory, other = [(tensor._layout, tensor._storage, tensor._offset) for tensor in (before, after)]

    def restore():
        for tensor, value in zip((before, after), values, strict=True):
            no_record_ops.copy_into(tensor, value)

    def call(x):
        change(case, x, *others)
        return numbers(before), numbers(after)

    expected = []
    for tensor in (before, after):
        restore()
        expected.append(contents(call(tensor)))

    def act():
        x._layout, x._storage, x._offset = other

    for slow in (False, True):
        number, used = 0, tables_of(lambda: call(x)) if slow else ()
        while True:
            x._layout, x._storage, x._offset = memory
            if slow:
                forget_plans(used)
            restore()
            with Switch(number, act) as switch:
                change(case, x, *others)
            assert contents((numbers(before), numbers(after))) in expected, f"switched at point {number}"
            if not switch.reached:
                break
            number += 19 if slow else 1


def test_recorded_calls_keep_their_operands():
    for name in ("exp", "mul", "tanh", "softmax", "matmul", "index"):
        _, *others = SAMPLES[name].leaves(requires_grad=False, narrow=True)

        def gradient(x, name=name, others=others):
            w = ft.ones(3, 4, requires_grad=True)
            product = ft.Tensor.__mul__(w, 1)
            product._layout, product._storage, product._offset = x._layout, x._storage, x._offset
            holder[:] = [product]
            try:
                SAMPLES[name](product, *others).sum().backward()
            except RuntimeError as error:  # an error reports a concurrent change
                return error
            return w.grad

        holder = []
        first, second = matrix() / 8, strided(matrix() / 8)
        expected = [contents(gradient(tensor)) for tensor in (first, second)]
        after = second._layout, second._storage, second._offset

        def act(after=after, holder=holder):
            if holder:
                holder[0]._layout, holder[0]._storage, holder[0]._offset = after

        number = 0
        while True:
            holder.clear()
            with Switch(number, act) as switch:
                result = gradient(first)
            found = contents(result)
            assert found in expected or isinstance(result, RuntimeError), (name, number)
            if not switch.reached:
                break
            number += 3


# --------------------------------------------------------------------------------- the test itself
def torn_between_loads(x):
    layout = x._layout
    len(layout.shape)  # a call
    return tensor_of(ft.Tensor, layout, x._storage, x._offset)


def torn_by_a_function(x):
    return tensor_of(ft.Tensor, layout_of_tensor(x), x._storage, x._offset)


def torn_in_a_loop(x):
    found = []
    for slot in (0, 1, 2):
        if slot == 0:
            found += [x._layout]
        elif slot == 1:
            found += [x._storage]
        else:
            found += [x._offset]
    return tensor_of(ft.Tensor, *found)


def whole(x):
    layout = x._layout
    storage = x._storage
    offset = x._offset
    return tensor_of(ft.Tensor, layout, storage, offset)


@pytest.mark.parametrize("planted", [torn_between_loads, torn_by_a_function, torn_in_a_loop])
@pytest.mark.parametrize("other", OTHERS)
def test_a_planted_call_between_the_loads_is_detected(planted, other):
    x = matrix()
    library = ("facula_tensor", __name__.partition(".")[0])
    with pytest.raises(AssertionError, match=r"switched at point|beyond its memory"):
        check(planted, x, OTHERS[other](x), library=library)
    check(whole, x, OTHERS[other](x), library=library)


# --------------------------------------------------------------------------------- with real threads
@pytest.mark.usefixtures("frequent_switches")
def test_in_threads():
    """A real thread assigns `.data` all the time."""
    big, small = ft.full((500, 4), 2.0), ft.full((3, 4), 1.0)
    x = ft.ones(3, 4)
    x.data = small
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            x.data = big
            x.data = small

    calls = {**VIEWS, **EXPORTS, "clamp": lambda x: x.clamp(0, 9), "sum": lambda x: x.sum(0), "exp": lambda x: x.exp()}
    expected = {name: [contents(outcome(call, tensor)) for tensor in (small, big)] for name, call in calls.items()}
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        end = time.monotonic() + 3
        while time.monotonic() < end:
            for name, call in calls.items():
                assert contents(outcome(call, x)) in expected[name], name
    finally:
        stop.set()
        thread.join(600)
