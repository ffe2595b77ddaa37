"""Operators by their distance to the machine's limit: times in units of `x + 1` over as many elements.

`x + 1` reads and writes each element once, as fast as the caches or the memory deliver it. It has the dtype and the
number of threads of the row. Rows of gradients include the forward pass.
"""

from __future__ import annotations

import os
from functools import partial
from time import perf_counter, sleep
from typing import Any, NamedTuple

import numpy as np

from ..libraries import Rows, facula
from ..measure import Loop
from .networks import rows as of_networks
from .operators import OPERATORS, Operator

rows = Rows()
REST = 0.01  # seconds after which idle workers of PyTorch sleep
CORES = len(os.sched_getaffinity(0))


class Setting(NamedTuple):
    """The inputs of a row: `scale` multiplies the 800,000 elements of an operator's first input."""

    name: str
    scale: float = 1
    threads: int = 1
    dtype: str = "float32"
    is_strided: bool = False
    allowance: float = 1  # factor of the bounds


SETTINGS = (
    Setting("800k"),
    Setting("in cache", scale=0.05),
    Setting("in memory", scale=10),
    Setting("800k, all threads", threads=CORES),
    Setting("in memory, all threads", scale=10, threads=CORES),
    Setting("float64", dtype="float64", allowance=2),
    Setting("bfloat16", dtype="bfloat16", allowance=2),
    Setting("int64", dtype="int64", allowance=2),
    Setting("strided", is_strided=True, allowance=2),
)


def tensor_of(F: Any, shape: tuple[int, ...], setting: Setting) -> Any:
    """Return normally distributed numbers; integers lie between -1,000 and 1,000."""
    if setting.is_strided:
        return tensor_of(F, (*shape[:-1], 2 * shape[-1]), setting._replace(is_strided=False))[..., ::2]
    generator = np.random.default_rng(shape)
    if setting.dtype.startswith("int"):
        return F.from_numpy(generator.integers(-1000, 1000, shape)).clone().to(getattr(F, setting.dtype))
    return F.from_numpy(generator.standard_normal(shape, np.float32)).to(getattr(F, setting.dtype)).clone()


def on_threads(F: Any, threads: int, loop: Loop) -> Loop:
    """Return the loop with another number of threads.

    Workers of PyTorch spin for some milliseconds after their last job. They would take a core from facula's workers,
    and a loop would wait for one of these for a scheduler tick.
    """
    if threads == 1:
        return loop

    def threaded(times):
        F.set_num_threads(threads)
        try:
            sleep(REST)
            loop(range(3))  # wakes the workers
            begun = perf_counter()
            loop(times)
            return (perf_counter() - begun) * 1e6
        finally:
            F.set_num_threads(1)

    return threaded


def loop_of(F: Any, operator: Operator, setting: Setting, with_gradient: bool) -> Loop:
    """Return the loop of an operator, forward or with its gradient."""
    shape = (max(1, round(operator.shape[0] * setting.scale)), *operator.shape[1:])
    x, call = tensor_of(F, shape, setting), operator.call
    others = operator.others(F, x) if operator.others else ()

    def forward(times):
        for _ in times:
            call(F, x, *others)

    if not with_gradient:
        return on_threads(F, setting.threads, forward)
    leaf = x if setting.is_strided else x.requires_grad_()
    if setting.is_strided:
        leaf.requires_grad_()
    g = F.ones_like(call(F, leaf, *others).detach())

    def both(times):
        for _ in times:
            call(F, leaf, *others).backward(g)
            leaf.grad = None

    return on_threads(F, setting.threads, both)


def one_pass(operator: Operator, setting: Setting) -> Loop:
    """Return the loop of `x + 1` on the operator's number of elements."""
    shape = (max(1, round(operator.shape[0] * setting.scale)), *operator.shape[1:])
    x = tensor_of(facula, shape, setting._replace(is_strided=False)).flatten()

    def loop(times):
        for _ in times:
            x + 1

    return on_threads(facula, setting.threads, loop)


def add(operator: Operator, setting: Setting, with_gradient: bool) -> None:
    """Add the row of an operator in one setting."""
    bound = operator.bounds[with_gradient]
    if bound is None or setting.dtype not in operator.dtypes or (with_gradient and setting.dtype.startswith("int")):
        return
    name = f"{operator.name}{', and gradient' if with_gradient else ''}: {setting.name}"
    loop = partial(loop_of, operator=operator, setting=setting, with_gradient=with_gradient)
    rows.row(name, bound * setting.allowance, yardstick=partial(one_pass, operator, setting), rounds=9)(loop)


for one in OPERATORS:
    for one_setting in SETTINGS:
        for gradient in (False, True):
            add(one, one_setting, gradient)
rows += of_networks
