"""A sample of each declared operator, from `tests/operators/cases`, for tests of rules that apply to all operators.

`SAMPLES` maps each operator's name to a sample; `CHANGES` has the samples with an in-place form. A new operator needs
no entry here: recording the operators that each sample launches finds its sample.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from memory_switches import forget_plans
from slow_path import PLANNING, SLOW, calls

import facula_tensor as ft
from facula_tensor._dispatch.slow_path.nodes import node_for
from facula_tensor.extend import operators
from facula_tensor.extend import recorded_ops as F
from facula_tensor.testing._derivatives import smooth
from facula_tensor.testing._operands import make, operands
from facula_tensor.testing._writing import change

sys.path.insert(0, str(Path(__file__).parent.parent / "operators"))
from cases import EVERY

WINDOWS = {op.window.__code__: name for name, op in operators.items() if op.window is not None}
NAMING = {*SLOW, PLANNING, node_for.__code__}  # functions whose first argument is an operator
PREFERRED = ("float64", "complex128", "int64")
NARROW = {"float64": "float32", "complex128": "complex64"}


class Sample:
    """A case as a function of leaves that returns one tensor."""

    def __init__(self, case: Any) -> None:
        self.case = smooth(case)
        self.dtype = (*case.gradient, *[dtype for dtype in PREFERRED if dtype in case.dtypes])[0]

    def __str__(self) -> str:
        return str(self.case)

    def leaves(
        self, device: str = "cpu", *, requires_grad: bool = True, narrow: bool = False, seed: int = 3, shape: Any = None
    ) -> list[Any]:
        """Make the operands, with gradients if their dtype has any.

        Arguments:
            device: the device of the operands.
            requires_grad: False for operands without gradients.
            narrow: use float32 instead of float64, and complex64 instead of complex128.
            seed: selects other elements.
            shape: the shape of all operands, if the case does not define shapes.
        """
        dtype = NARROW.get(self.dtype, self.dtype) if narrow else self.dtype
        case = self.case if shape is None or self.case.shapes else replace(self.case, shapes=(shape,) * self.case.arity)
        made = [make(array, dtype, device) for array in operands(case, dtype, seed=seed)]
        return [result.requires_grad_(requires_grad and bool(case.gradient)) for result in made]

    def __call__(self, *leaves: Any) -> Any:
        """Return the result, or the first of several."""
        result = self.case.function(*leaves)
        return result if isinstance(result, ft.Tensor) else result[0]

    def change(self, first: Any, *others: Any) -> Any:
        """Run the in-place form."""
        return change(self.case, first, *others)


def launched(call: Callable[[], object]) -> set[str]:
    """Return the names of the operators that a call launches, whose views it makes, or whose nodes it records."""
    names = set()

    def seen(frame: Any) -> None:
        code = frame.f_code
        if code in WINDOWS:
            names.add(WINDOWS[code])
        elif code in NAMING:
            names.add(frame.f_locals[code.co_varnames[0]].name)

    forget_plans()
    with calls(seen):
        call()
    return names


@cache
def launched_by(number: int) -> set[str]:
    """Return the operators that a case launches."""
    sample = Sample(EVERY[number])
    leaves = sample.leaves()
    return launched(lambda: sample(*leaves))


def named(number: int) -> str:
    """Return the name of the function or operator that a case tests."""
    return re.match(r"(?:operator )?(?:\w+\.)*(\w*)", EVERY[number].name)[1]


@cache
def sample_of(name: str) -> Sample:
    """Return the sample of an operator.

    Samples named after the operator have priority, then differentiable ones, then those that launch the fewest
    other operators.
    """
    everything = range(len(EVERY))
    for numbers in ([number for number in everything if named(number) == name], everything):
        found = [number for number in numbers if name in launched_by(number)]
        if found:
            best = min(found, key=lambda number: (not EVERY[number].gradient, len(launched_by(number)), number))
            return Sample(EVERY[best])
    raise AssertionError(
        f"{name}: no sample launches this operator. Write one in packages/tensor/tests/operators/cases/: for a public "
        f"function in the file of its family, for an operator without one `private({name!r}, ...)` in private.py."
    )


def declared() -> list[str]:
    """Return the operators that the package declares, without those of tests and examples."""
    return sorted(name for name, op in operators.items() if op.module.startswith("facula_tensor."))


class Samples(Mapping):
    """A mapping of operators' names to samples, which are found on first access."""

    def __getitem__(self, name: str) -> Sample:
        return sample_of(name)

    def __contains__(self, name: object) -> bool:
        return name in declared()

    def __iter__(self) -> Any:
        return iter(declared())

    def __len__(self) -> int:
        return len(declared())


SAMPLES = Samples()
CHANGES = {
    case.inplace if case.inplace == f"{case.name}_" else f"{case.name}, in place": Sample(case)
    for case in EVERY
    if case.inplace and case.gradient and case.result(case.gradient[0]) == case.gradient[0]
}
every_operator = pytest.mark.parametrize("name", declared())
every_change = pytest.mark.parametrize("name", CHANGES)


def pair(device: str = "cpu", dtype: Any = ft.float64, requires_grad: bool = True) -> tuple[Any, Any]:
    """Make two leaves of shape (3, 4), with different elements between 0.5 and 2."""
    rows = [[0.5 + 1.5 * (step * i % 13) / 13 for i in range(1, 13)] for step in (7, 5)]
    made = ft.tensor(rows, dtype=dtype, device=device).reshape(2, 3, 4)
    return tuple(result.clone().requires_grad_(requires_grad) for result in made)


def differentiable(result: Any) -> bool:
    """Tell if the result supports backward."""
    return result.requires_grad and (result.dtype.is_floating_point or result.dtype.is_complex)


def total(result: Any) -> Any:
    """Reduce a result to a real number that can be differentiated."""
    result = result.sum()
    return (result * F.conj(result)).abs() if result.dtype.is_complex else result
