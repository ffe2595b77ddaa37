"""Policies of `fully_shard`: dtypes, and where parameters are."""

from __future__ import annotations

from dataclasses import dataclass

from facula_tensor import dtype


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes of a module's computation. Parameters and their gradients keep their own between steps.

    Arguments:
        param_dtype: the dtype of gathered parameters, and of the arguments of `forward`; None: their own.
        reduce_dtype: the dtype in which gradients are reduced; None: that of gathered parameters.
        output_dtype: the dtype of floating-point results of `forward`; None: their own.
        cast_forward_inputs: whether floating-point arguments of `forward` are cast to `param_dtype`.
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    output_dtype: dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Parameters stay on the device of the mesh."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters are on the CPU, where they are anyway: no effect.

    Arguments:
        pin_memory: ignored.
    """

    pin_memory: bool = True
