"""Count the Python functions that a second call of each sample runs. Run as a program, which prints JSON."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import facula_tensor as ft
from facula_tensor import fft, functional, linalg, special
from facula_tensor.extend import operators
from facula_tensor.testing._operands import make, operands
from facula_tensor.testing._writing import change

sys.path.insert(0, str(Path(__file__).parent.parent / "operators"))
from cases import EVERY

DTYPES = ("float32", "int64", "bool", "complex64")  # the first that a sample supports
DIFFERENTIABLE = ("float32", "complex64")


class Count(NamedTuple):
    """One call from a sample into the library.

    - `sample`: its name; `form`: "", "out=" or "in place"; `recorded`: whether its operands require gradients.
    - `function`: the called function; `options`: whether an argument differs from its default.
    - `calls`: the Python functions that run, the called one included; `launches`: the number of operators among them.
    """

    sample: str
    form: str
    recorded: bool
    function: str
    options: bool
    calls: list[str]
    launches: int

    @property
    def limit(self) -> int:
        """The number of calls that an operator may make."""
        return 5 if self.options else 3


def functions() -> Iterator[FunctionType]:
    """Public functions, methods and operators, each with those that it wraps."""
    for namespace in map(vars, (ft, functional, linalg, fft, special, ft.Tensor)):
        for function in namespace.values():
            while isinstance(function, FunctionType):
                yield function
                function = getattr(function, "__wrapped__", None)


BY_CODE = {id(function.__code__): function for function in functions()}
OPERATORS = {id(made.__code__) for op in operators.values() for made in (op.call, op.no_record, op.library_call)}


class Profile:
    """A profiler that records the calls from samples into the library."""

    def __init__(self) -> None:
        self.depth = 0
        self.tops: list[tuple[list[Any], list[Any]]] = []  # for each call: codes, and the called function's arguments

    def __call__(self, frame: Any, event: str, _argument: object) -> None:
        if event == "call":
            module = frame.f_globals.get("__name__", "")
            if not self.depth:
                if not module.startswith("facula_") or module.startswith("facula_tensor.testing"):
                    return
                self.tops.append(([], []))
            codes, arguments = self.tops[-1]
            codes.append(frame.f_code)
            if frame.f_code.co_name != "call" and not arguments:  # the function inside its wrappers
                arguments.append(dict(frame.f_locals))
            self.depth += 1
        elif event == "return" and self.depth:
            self.depth -= 1


def has_options(code: Any, arguments: dict[str, Any]) -> bool:
    """Whether an argument of a function differs from its default."""
    function = BY_CODE.get(id(code))
    given = signature(function).parameters.values() if function is not None else ()
    return any(
        [
            parameter.default is not parameter.empty and differs(arguments.get(parameter.name), parameter.default)
            for parameter in given
        ]
    )


def differs(value: object, default: object) -> bool:
    if value is default:
        return False
    return isinstance(value, ft.Tensor) or type(value) is not type(default) or value != default


def counted(
    sample: str, form: str, recorded: bool, call: Callable[..., object], prepare: Callable[[], Any]
) -> Iterator[Count]:
    """The counts of the second of two equal calls."""
    call(*prepare())
    given, profile = prepare(), Profile()
    gc.disable()  # a collection closes generators, which are called for that
    sys.setprofile(profile)
    try:
        call(*given)
    finally:
        sys.setprofile(None)
        gc.enable()
    for codes, arguments in profile.tops:
        inner = next((code for code in codes if code.co_name != "call"), codes[0])
        options = bool(arguments) and has_options(inner, arguments[0])
        launches = sum([id(code) in OPERATORS for code in codes])
        yield Count(sample, form, recorded, inner.co_name, options, [code.co_qualname for code in codes], launches)


def counts() -> Iterator[Count]:
    """The counts of all samples in all forms."""
    for case in EVERY:
        dtype = next(name for name in (*DTYPES, *case.dtypes) if name in case.dtypes)
        arrays = operands(case, dtype, "contiguous")

        def tensors(recorded: bool, dtype: str = dtype, arrays: Any = arrays) -> list[Any]:
            return [make(array, dtype).requires_grad_(recorded and dtype in DIFFERENTIABLE) for array in arrays]

        def changed(recorded: bool, tensors: Any = tensors) -> list[Any]:
            first, *others = tensors(recorded)
            return [first * 1 if recorded else first, *others]

        for recorded in (False, True)[: 1 + bool(case.gradient)]:
            held = tensors(recorded)
            yield from counted(case.name, "", recorded, case.function, lambda held=held: held)
            if case.inplace and case.result(dtype) == dtype:
                yield from counted(
                    case.name,
                    "in place",
                    recorded,
                    lambda *given, case=case: change(case, *given),
                    lambda recorded=recorded, changed=changed: changed(recorded),
                )
        if case.out:
            held = tensors(False)
            out = ft.empty_like(case.function(*held))
            yield from counted(
                case.name,
                "out=",
                False,
                lambda *given, case=case, out=out: case.function(*given, out=out),
                lambda held=held: held,
            )


if __name__ == "__main__":
    print(json.dumps(list(counts())))
