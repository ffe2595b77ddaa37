"""Check of values and gradients at each instruction set level of the processor."""

from __future__ import annotations

from facula_cpu import level
from facula_cpu.extend import at_level, levels

from ._derivatives import check_gradients_of
from ._samples import COMPLEX, FLOATS, Case
from ._values import check_call


def check_kernel_levels(case: Case) -> None:
    """Check floating values and gradients at every level, with operands large enough to fill vector registers."""
    for name in levels():
        if name == level():
            _check_floating(case)
            continue
        with at_level(name):
            _check_floating(case)


def _check_floating(case: Case) -> None:
    layout = "contiguous" if case.shapes else "long"
    for dtype in case.dtypes:
        if dtype not in FLOATS + COMPLEX:
            continue
        check_call(case, dtype, layout)
        wide = COMPLEX[1] if dtype in COMPLEX else FLOATS[3]
        if wide in case.gradient and dtype != wide:
            check_gradients_of(case, dtype, wide, layout)
