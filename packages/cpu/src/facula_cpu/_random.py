"""The planners of random operators; see Note [Random numbers] in random.c.

Launch: `launch(n, output, seed, offset, *parameters)`, with a contiguous output. Parameters of each operator:

        uniform    low, high (floats): evenly from [low, high); floating dtypes
        normal     mean, deviation (floats); floating dtypes
        randint    low, high (ints): evenly from [low, high); bool and integer dtypes
        bernoulli  probability of 1 (float), else 0; all real dtypes
        philox     block (int): the generator's words, from that block on; int32
        range      first, last, step: evenly spaced numbers, not random; instead of seed and offset the number of those
                   that are computed from `first`, and the number of all minus 1; float32 and float64, and int64 of ints

`inputs` is empty, or the types of these scalars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import int64

from ._kernels import ffi
from ._runtime.planners import GRAIN, SERIAL, bound_plan, no_kernel, planner
from ._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from ._runtime.types import Layouts, Parameters

SCALARS = {
    "uniform": (float, float),
    "normal": (float, float),
    "randint": (int, int),
    "bernoulli": (float,),
    "philox": (int,),
    "range": (float, float, float),
}


@planner(*SCALARS)
def plan_random(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Return a plan that fills a contiguous output of any size."""
    output = outputs[0]
    draw = find_kernel(operator, output.dtype.code)
    if draw is None or not output.is_contiguous:
        raise no_kernel(operator, inputs, outputs)
    struct = ffi.new(
        "struct facula_random *",
        {
            "draw": ffi.cast("facula_draw", draw.address),
            "itemsize": output.dtype.itemsize,
            "serial": SERIAL // draw.cost,
            "grain": GRAIN // draw.cost,
        },
    )
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("random").address,
        struct,
        arrays=1,
        scalars=(int, int, *((int,) * 3 if operator == "range" and output.dtype is int64 else SCALARS[operator])),
        cost=draw.cost,
        any_size=True,
    )


@planner("dropout")
def plan_dropout(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = x / (1 - p), or 0 with probability p: launch(n, x, o, p, seed, offset). Contiguous floats."""
    x, output = inputs[0], outputs[0]
    drop = find_kernel("drop", output.dtype.code)
    if drop is None or x.dtype is not output.dtype or not (x.is_contiguous and output.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    struct = ffi.new("struct facula_dropout *")
    struct.drop = ffi.cast("facula_dropper", drop.address)
    struct.itemsize, struct.serial, struct.grain = output.dtype.itemsize, SERIAL // drop.cost, GRAIN // drop.cost
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("dropout").address,
        struct,
        arrays=2,
        scalars=(float, int, int),
        cost=drop.cost,
        any_size=True,
    )


SAMPLES = {"standard_gamma": "gamma", "log_standard_gamma": "log_gamma", "poisson": "poisson", "binomial": "binomial"}


@planner(*SAMPLES)
def plan_samples(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan draws with parameters of the output's shape: launch(n, *inputs, o, seed, offset). Contiguous floats."""
    output = outputs[0]
    sample = find_kernel(SAMPLES[operator], output.dtype.code)
    if sample is None or any(
        layout.dtype is not output.dtype or not layout.is_contiguous for layout in (*inputs, output)
    ):
        raise no_kernel(operator, inputs, outputs)
    struct = ffi.new("struct facula_samples *")
    struct.sample = ffi.cast("facula_sampler", sample.address)
    struct.itemsize, struct.parameters = output.dtype.itemsize, len(inputs)
    struct.serial, struct.grain = SERIAL // sample.cost, max(GRAIN // sample.cost, 1)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for("samples").address,
        struct,
        arrays=1 + len(inputs),
        scalars=(int, int),
        cost=sample.cost,
        any_size=True,
    )
