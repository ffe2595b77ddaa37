"""Contracts: what a kernel is promised of shapes and parameters, which its planner does not look at.

In a program the operators look at their operands before a plan is made. A file has no operators, and may be a
stranger's: an operator is in a file only if it has a contract, and every launch is held to it, when the file is
written as when it is read. A contract is a function (inputs, outputs, parameters) of a request for a plan that says
whether all that the kernel reads and writes lies within the layouts; what it raises is a no, too.

Where next: `declared.py`, what follows from declarations by their family; the other modules, rows of single operators.
Their results are mostly those that the declarations say, and a row is a promise (inputs, parameters) beyond that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    declared,
    decompositions,
    elementwise,
    fourier,
    layers,
    optimizer_steps,
    ordering,
    products,
    rearrangement,
    reductions,
)

if TYPE_CHECKING:
    from .declared import Contract, Promise

PROMISES: dict[str, Promise] = {
    **decompositions.PROMISES,
    **fourier.PROMISES,
    **layers.PROMISES,
    **ordering.PROMISES,
    **rearrangement.PROMISES,
    **products.PROMISES,
    **reductions.PROMISES,
}
ROWS: dict[str, Contract] = {
    **{kernel: declared.as_declared(kernel, promise) for kernel, promise in PROMISES.items()},
    **elementwise.CONTRACTS,
    **layers.CONTRACTS,
    **rearrangement.CONTRACTS,
    **products.CONTRACTS,
    **optimizer_steps.CONTRACTS,
}
"""The contracts of operators of neither family, by the names of their kernels."""
PROGRAM: Contract = elementwise.program
VERSIONS: dict[str, int] = {}
"""The versions of operators whose meaning has changed since files have been written; of all others 1."""


def contract_of(kernel: str) -> Contract | None:
    """The contract of the operator whose kernel has this name: its row, or what follows from its declaration."""
    return ROWS.get(kernel) or declared.contract_from(kernel)
