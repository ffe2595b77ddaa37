"""Result dtypes of two operands, of an `out=` and of an in-place call, for any library.

Float16 with a complex number or zero-dimensional tensor is omitted: PyTorch returns complex32.
"""

from __future__ import annotations

from itertools import product

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64"]
DTYPES += ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
SCALARS = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}


def name_of(dtype) -> str:
    """Return the dtype's name: `torch.float32` and `facula.float32` are both float32."""
    return str(dtype).rpartition(".")[2]


def outcome(call, *arguments, **keywords) -> str:
    """Return the result dtype of a call, or that it is refused."""
    try:
        return name_of(call(*arguments, **keywords).dtype)
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return "refused"


def answers(library) -> dict[str, str]:
    """Return the dtype of each result or "refused", under `add(int8[2], float16[])` and the like."""

    def ones(dtype, *shape):
        return library.ones(shape, dtype=getattr(library, dtype))

    found = {}
    for name in ("add", "mul", "div", "eq"):
        call = getattr(library, name)
        for left, right in product(DTYPES, DTYPES):
            found[f"{name}({left}[2], {right}[2])"] = outcome(call, ones(left, 2), ones(right, 2))
            if left != "float16" or "complex" not in right:
                found[f"{name}({left}[2], {right}[])"] = outcome(call, ones(left, 2), ones(right))
        for left, (kind, value) in product(DTYPES, SCALARS.items()):
            if left != "float16" or kind != "complex":
                found[f"{name}({left}[2], {kind})"] = outcome(call, ones(left, 2), value)
                found[f"{name}({left}[], {kind})"] = outcome(call, ones(left), value)
    for left, right in product(DTYPES, DTYPES):
        one = ones(left, 2)
        found[f"add({left}[2], {left}[2], out={right}[2])"] = outcome(library.add, one, one, out=ones(right, 2))
        found[f"{left}[2].add_({right}[2])"] = outcome(one.add_, ones(right, 2))
    for left, (kind, value) in product(DTYPES, SCALARS.items()):
        found[f"{left}[2].mul_({kind})"] = outcome(ones(left, 2).mul_, value)
    for left, name in product(DTYPES, ("sum", "mean", "amax")):
        found[f"{name}({left}[2])"] = outcome(getattr(library, name), ones(left, 2))
    return found
