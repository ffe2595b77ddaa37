"""Contracts: the shapes and parameters that a kernel accepts, which its planner does not check.

In a program, operators validate their operands before a plan is created. A file contains no operators and may be
untrusted. An operator is therefore permitted in files only if it has a contract, and every launch is checked against it
when a file is written or read. A contract is a function (inputs, outputs, parameters) of a request for a plan. It
returns True if all memory accesses of the kernel are within the layouts; an exception counts as False.

Where next: `declared.py` derives contracts from declarations of operator families; the other modules contain rows for
single operators. Most of their results follow from declarations, and a row is a promise (inputs, parameters) with the
remaining requirements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    attention,
    convolution,
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
    **convolution.CONTRACTS,
    **attention.CONTRACTS,
    **optimizer_steps.CONTRACTS,
}
"""Contracts of operators outside of both families, by the names of their kernels."""
PROGRAM: Contract = elementwise.program
VERSIONS: dict[str, int] = {"attention": 2, "attention_grad": 2}  # version 1 has results in row-major order
"""The versions of operators whose meaning has changed since files are written; 1 for all others."""


def contract_of(kernel: str) -> Contract | None:
    """Return the contract of the operator with this kernel: its row, or one derived from its declaration."""
    return ROWS.get(kernel) or declared.contract_from(kernel)
