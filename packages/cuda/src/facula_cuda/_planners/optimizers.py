"""Planners of optimizers' steps: a launch for all parameters whose addresses fit a parameter block.

The arguments of a launch are those of the CPU's planner: the number of parameters, the numbers of the step, and the
addresses of each parameter's tensors and single numbers. The count of steps grows by one in a second kernel, since all
blocks of the first read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .launches import Kernel, table_plan
from .registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

TYPES = {9: ("float", "float32"), 10: ("double", "float64")}
PER_BLOCK = 4096  # elements of a parameter that a block computes


class Step(NamedTuple):
    """An optimizer: how many numbers a launch has, and what its functions get.

    `singles` are the names of a parameter's single numbers; the last counts the steps. `state` has for each number of
    state tensors the operands of the element function after parameter and gradient: an index of a tensor, None for one
    that is missing, or a flag.
    """

    function: str
    numbers: int
    singles: tuple[str, ...]
    factors: str
    state: dict[int, tuple[int | bool | None, ...]]
    finish: str = ""


STEPS = {
    "sgd_step": Step("sgd", 6, (), "", {0: (None, False), 1: (2, True)}),
    "adam_step": Step("adam", 7, ("count",), "count", {2: (2, 3, None, False), 3: (2, 3, 4, True)}),
    "rmsprop_step": Step(
        "rmsprop", 6, ("count",), "", {1: (2, None, None, False, False), 2: (2, None, 3, False, True)}
    ),
    "rmsprop_centered_step": Step(
        "rmsprop", 6, ("count",), "", {2: (2, 3, None, True, False), 3: (2, 3, 4, True, True)}
    ),
    "adadelta_step": Step("adadelta", 5, ("count",), "", {2: (2, 3)}),
    "adagrad_step": Step("adagrad", 5, ("count",), "count", {1: (2,)}),
    "adamax_step": Step("adamax", 6, ("count",), "count", {2: (2, 3)}),
    "nadam_step": Step(
        "nadam", 8, ("product", "count"), "product, count", {2: (2, 3)}, "finish_nadam(&product, count, p.numbers);"
    ),
    "radam_step": Step("radam", 7, ("count",), "count", {2: (2, 3)}),
    "asgd_step": Step(
        "asgd", 6, ("eta", "mu", "count"), "eta, mu", {1: (2,)}, "finish_asgd(&eta, &mu, count, p.numbers);"
    ),
    "rprop_step": Step("rprop", 5, ("count",), "", {2: (2, 3)}),
}


def operand(what: int | bool | None, T: str) -> str:
    """Return an argument of an element function as text: a flag, a missing tensor, or one by its index."""
    if what is None:
        return f"({T} *)nullptr"
    return str(int(what)) if isinstance(what, bool) else f"({T} *)row[{what}] + i"


@planner(*STEPS)
def plan_step(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan the step of the parameters of these layouts: `width` tensors and single numbers of each, all contiguous."""
    (width,) = parameters
    step, first = STEPS[operator], inputs[:width]
    singles = len(step.singles)
    operands = width - singles
    if not first or first[0].dtype.code not in TYPES or operands - 2 not in step.state:
        return None
    lengths = []
    for at in range(0, len(inputs), width):
        tensors, numbers = inputs[at : at + operands], inputs[at + operands : at + width]
        if any([one.shape != tensors[0].shape or one.dtype is not first[0].dtype or not one.is_contiguous
                for one in tensors]) or any([one.numel != 1 or one.dtype.code != 9 for one in numbers]):  # fmt: skip
            return None
        lengths.append(tensors[0].numel)
    T, suffix = TYPES[first[0].dtype.code]
    guard = f"FACULA_OPTIMIZERS_{suffix}"  # modules may be compiled together
    prelude = [
        f"#ifndef {guard}",
        f"#define {guard}",
        f"#define T {T}",
        f"#define SUFFIX {suffix}",
        "#define NAME(x) PASTE(x, SUFFIX)",
        '#include "elements/optimizers.inc"',
        *(f"#undef {name}" for name in ("T", "SUFFIX", "NAME")),
        "#endif",
    ]
    arguments = ", ".join(["p.numbers", *([step.factors] if step.factors else [])])
    tensors_text = ", ".join(operand(one, T) for one in step.state[operands - 2])
    read = [f"const float {name} = kept(row, {operands + k});" for k, name in enumerate(step.singles[:-1])]
    if singles:
        read.append(f"const float count = kept(row, {width - 1}) + 1;")
    update = [
        f"const int64_t *row = row_of_block<{width}>(p);",
        *read,
        f"const struct {step.function}_factors_{suffix} f = {step.function}_factors_of_{suffix}({arguments});",
        f"FOR_ROW_ELEMENTS(i, {width}, {PER_BLOCK})",
        f"    {step.function}_element_{suffix}(f, ({T} *)row[0] + i, ((const {T} *)row[1])[i], {tensors_text});",
    ]
    kernels = [Kernel(f"{operator}_{suffix}", "\n    ".join(update), 0)]
    if singles:
        names = [f"float &{name} = kept(row, {operands + k});" for k, name in enumerate(step.singles)]
        finish = [f"FOR_ROWS({width}) {{", *names, "count += 1;", step.finish, "}"]
        kernels.append(Kernel(f"{operator}_{suffix}_finish", "\n    ".join(line for line in finish if line), 1))
    return table_plan(
        operator,
        parameters,
        outputs,
        ["optimizers", "\n".join(prelude)],
        kernels,
        numbers=step.numbers,
        columns=width,
        lengths=lengths,
        per_block=PER_BLOCK,
        device=first[0].device,
    )
