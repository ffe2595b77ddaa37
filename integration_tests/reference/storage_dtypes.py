"""Values of float8, uint16, uint32 and uint64, and operators on them, for any library.

Conversions cover every float16 and bfloat16 number; the answer is a digest of the bits. Omitted are operators that
PyTorch lacks on the CPU but has elsewhere or in other versions (`add` of unsigned integers, `mul` of float8).
"""

from __future__ import annotations

from hashlib import sha256

FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float8_e4m3fnuz", "float8_e5m2fnuz"]
UNSIGNED = ["uint16", "uint32", "uint64"]
HALVES = ["float16", "bfloat16"]
EXPRESSIONS = """
x; x[::2]; x[index]; x[mask]; x.clone(); x.repeat(2); x.roll(1); x.reshape(2, 2).t().contiguous(); x.diag().double()
x.fill_(2); x.zero_().double(); x.copy_(floats); lib.cat([x, x]); lib.stack([x, x]); lib.where(mask, x, x)
lib.where(mask, x, 1); x == x; x != x; x == 2; x == 2.0; x.any(); x.all(); x.bool(); x.isnan(); x.half()
x.bfloat16(); x.int(); x.double().to(dtype); x.to(lib.int8).to(dtype); x.to(lib.complex64).real; x.view(lib.uint8)
x.sum(dtype=lib.float32); x.item(); x[0].item(); x.tolist(); x.element_size(); x.dtype.is_signed; x.type()
x.dtype.is_floating_point; lib.full((2,), 3, dtype=dtype); lib.ones(2, dtype=dtype); lib.tensor([1, 2], dtype=dtype)
lib.full_like(x, 2); x.new_tensor([1, 2]); x.unfold(0, 2, 1); x.expand(2, 4); x.split(2)[0]; x.unbind()[0]
lib.result_type(x, 1); lib.result_type(x, 1.0); lib.promote_types(dtype, lib.float32)
lib.promote_types(dtype, lib.float16); lib.promote_types(dtype, lib.bool); lib.promote_types(dtype, lib.int64)
lib.promote_types(dtype, lib.complex64); lib.promote_types(dtype, lib.float8_e5m2); lib.can_cast(dtype, lib.int64)
lib.can_cast(lib.float32, dtype); floats + x[0]; lib.cat([x, floats]); x < x; x + x; x - x; x + 1; -x; x // x; x % x
x ** 2; x.max(); x.argmax(); x.amax(); x.mean(); x.dot(x); x.clamp(1, 2); x.sign(); x.minimum(x); x.std(); x.add_(1)
"""
OF_UNSIGNED = """
x * x; x * 2; x * 2.5; x / 2; x & x; x | x; x ^ 1; x.sum(); x.prod(); x.sum(0); x.cumsum(0); x.sort()[0]; x.unique()
x.exp().dtype; x.sigmoid().dtype; x + floats; lib.iinfo(dtype).max; lib.iinfo(dtype).bits; lib.finfo(dtype); large
large.double(); large.float(); large.long(); large * large; large == large; large.sort(descending=True)[0]; large ^ 1
large.sum(); lib.from_numpy(x.numpy()); x.requires_grad_(); large.floor(); large.ceil(); large.trunc(); large.round()
large.fix(); x.clone().floor_(); x.clone().round_(); x.frac(); large.signbit()
"""
OF_FLOAT8 = """
lib.finfo(dtype).max; lib.finfo(dtype).min; lib.finfo(dtype).eps; lib.finfo(dtype).tiny; lib.finfo(dtype).resolution
lib.finfo(dtype).bits; lib.iinfo(dtype); x.sum(); x / x; x * 2.0; x.exp(); x.sort(); x.cumsum(0); x.requires_grad_()
x.numpy(); lib.set_default_dtype(dtype); x.requires_grad_().float().requires_grad
"""


def outcome(lib, dtype, expression: str) -> str:
    """Return the value of an expression, with its dtype if it is a tensor, or that it is refused."""
    x = lib.tensor([1.0, 2.0, 4.0, 2.0]).to(dtype)
    names = {"lib": lib, "dtype": dtype, "x": x, "floats": lib.ones(4), "index": lib.tensor([3, 0])}
    names["mask"] = lib.tensor([True, False, True, True])
    names["large"] = lib.tensor([-1, 5, -3, 1 << 40]).to(dtype)
    try:
        value = eval(expression, names)
    except (RuntimeError, TypeError, ValueError, NotImplementedError, OverflowError):
        return "refused"
    if isinstance(value, lib.Tensor):
        shown = value.bool() if value.dtype is lib.bool else value.double()
        return f"{str(value.dtype).rpartition('.')[2]} {shown.tolist()}"
    return str(value).replace(f"{lib.__name__}.", "").replace("torch.", "")


def digest(tensor, bits) -> str:
    """Return a digest of a tensor's bits, viewed as an integer dtype."""
    return sha256(tensor.contiguous().view(bits).numpy().tobytes()).hexdigest()[:32]


def answers(lib) -> dict[str, str]:
    """Return digests of conversions, and outcomes of expressions for each dtype."""
    found = {}
    every = lib.arange(65536).to(lib.uint16)
    for name in FLOAT8:
        dtype = getattr(lib, name)
        for half in HALVES:
            values = every.view(getattr(lib, half))
            by_columns = values.reshape(256, 256).t()
            found[f"{half} to {name}"] = digest(values.to(dtype), lib.uint8)
            found[f"{half} to {name}, transposed"] = digest(by_columns.to(dtype), lib.uint8)
            found[f"float32 of {half} to {name}"] = digest(values.float().to(dtype), lib.uint8)
        codes = lib.arange(256).to(lib.uint8).view(dtype)
        found[f"{name} to float32"] = digest(codes.float(), lib.int32)
        found[f"{name} to float16"] = digest(codes.half(), lib.int16)
    for name in (*FLOAT8, *UNSIGNED):
        listed = EXPRESSIONS + (OF_FLOAT8 if name in FLOAT8 else OF_UNSIGNED)
        for expression in listed.replace("\n", ";").split(";"):
            if expression.strip():
                found[f"{name}: {expression.strip()}"] = outcome(lib, getattr(lib, name), expression.strip())
    return found
