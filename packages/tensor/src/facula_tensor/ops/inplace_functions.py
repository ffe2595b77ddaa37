"""In-place methods as functions: `facula.exp_(x)` is `x.exp_()`, as `facula.exp(x)` is `x.exp()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.tensor import Tensor
from .._dispatch.overrides import overridable_method

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "abs_", "acos_", "acosh_", "addmv_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_", "arctanh_",
    "as_strided_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_", "clamp_min_", "clip_",
    "conj_physical_", "cos_", "cosh_", "deg2rad_", "detach_", "erf_", "erfc_", "exp2_", "exp_", "expm1_", "fill_",
    "fix_", "floor_", "frac_", "gcd_", "i0_", "index_put_", "lcm_", "ldexp_", "log1p_", "log2_", "log10_", "log_",
    "logit_", "nan_to_num_", "neg_", "negative_", "rad2deg_", "reciprocal_", "resize_as_", "round_", "rsqrt_",
    "sigmoid_", "sin_", "sinc_", "sinh_", "sqrt_", "square_", "tan_", "tanh_", "trunc_", "xlogy_", "zero_",
]  # fmt: skip

abs_: Callable[..., Tensor] = overridable_method(Tensor.abs_)
acos_: Callable[..., Tensor] = overridable_method(Tensor.acos_)
acosh_: Callable[..., Tensor] = overridable_method(Tensor.acosh_)
addmv_: Callable[..., Tensor] = overridable_method(Tensor.addmv_)
arccos_: Callable[..., Tensor] = overridable_method(Tensor.arccos_)
arccosh_: Callable[..., Tensor] = overridable_method(Tensor.arccosh_)
arcsin_: Callable[..., Tensor] = overridable_method(Tensor.arcsin_)
arcsinh_: Callable[..., Tensor] = overridable_method(Tensor.arcsinh_)
arctan_: Callable[..., Tensor] = overridable_method(Tensor.arctan_)
arctanh_: Callable[..., Tensor] = overridable_method(Tensor.arctanh_)
as_strided_: Callable[..., Tensor] = overridable_method(Tensor.as_strided_)
asin_: Callable[..., Tensor] = overridable_method(Tensor.asin_)
asinh_: Callable[..., Tensor] = overridable_method(Tensor.asinh_)
atan_: Callable[..., Tensor] = overridable_method(Tensor.atan_)
atanh_: Callable[..., Tensor] = overridable_method(Tensor.atanh_)
ceil_: Callable[..., Tensor] = overridable_method(Tensor.ceil_)
clamp_: Callable[..., Tensor] = overridable_method(Tensor.clamp_)
clamp_max_: Callable[..., Tensor] = overridable_method(Tensor.clamp_max_)
clamp_min_: Callable[..., Tensor] = overridable_method(Tensor.clamp_min_)
clip_: Callable[..., Tensor] = overridable_method(Tensor.clip_)
conj_physical_: Callable[..., Tensor] = overridable_method(Tensor.conj_physical_)
cos_: Callable[..., Tensor] = overridable_method(Tensor.cos_)
cosh_: Callable[..., Tensor] = overridable_method(Tensor.cosh_)
deg2rad_: Callable[..., Tensor] = overridable_method(Tensor.deg2rad_)
detach_: Callable[..., Tensor] = overridable_method(Tensor.detach_)
erf_: Callable[..., Tensor] = overridable_method(Tensor.erf_)
erfc_: Callable[..., Tensor] = overridable_method(Tensor.erfc_)
exp2_: Callable[..., Tensor] = overridable_method(Tensor.exp2_)
exp_: Callable[..., Tensor] = overridable_method(Tensor.exp_)
expm1_: Callable[..., Tensor] = overridable_method(Tensor.expm1_)
fill_: Callable[..., Tensor] = overridable_method(Tensor.fill_)
fix_: Callable[..., Tensor] = overridable_method(Tensor.fix_)
floor_: Callable[..., Tensor] = overridable_method(Tensor.floor_)
frac_: Callable[..., Tensor] = overridable_method(Tensor.frac_)
gcd_: Callable[..., Tensor] = overridable_method(Tensor.gcd_)
i0_: Callable[..., Tensor] = overridable_method(Tensor.i0_)
index_put_: Callable[..., Tensor] = overridable_method(Tensor.index_put_)
lcm_: Callable[..., Tensor] = overridable_method(Tensor.lcm_)
ldexp_: Callable[..., Tensor] = overridable_method(Tensor.ldexp_)
log1p_: Callable[..., Tensor] = overridable_method(Tensor.log1p_)
log2_: Callable[..., Tensor] = overridable_method(Tensor.log2_)
log10_: Callable[..., Tensor] = overridable_method(Tensor.log10_)
log_: Callable[..., Tensor] = overridable_method(Tensor.log_)
logit_: Callable[..., Tensor] = overridable_method(Tensor.logit_)
nan_to_num_: Callable[..., Tensor] = overridable_method(Tensor.nan_to_num_)
neg_: Callable[..., Tensor] = overridable_method(Tensor.neg_)
negative_: Callable[..., Tensor] = overridable_method(Tensor.negative_)
rad2deg_: Callable[..., Tensor] = overridable_method(Tensor.rad2deg_)
reciprocal_: Callable[..., Tensor] = overridable_method(Tensor.reciprocal_)
resize_as_: Callable[..., Tensor] = overridable_method(Tensor.resize_as_)
round_: Callable[..., Tensor] = overridable_method(Tensor.round_)
rsqrt_: Callable[..., Tensor] = overridable_method(Tensor.rsqrt_)
sigmoid_: Callable[..., Tensor] = overridable_method(Tensor.sigmoid_)
sin_: Callable[..., Tensor] = overridable_method(Tensor.sin_)
sinc_: Callable[..., Tensor] = overridable_method(Tensor.sinc_)
sinh_: Callable[..., Tensor] = overridable_method(Tensor.sinh_)
sqrt_: Callable[..., Tensor] = overridable_method(Tensor.sqrt_)
square_: Callable[..., Tensor] = overridable_method(Tensor.square_)
tan_: Callable[..., Tensor] = overridable_method(Tensor.tan_)
tanh_: Callable[..., Tensor] = overridable_method(Tensor.tanh_)
trunc_: Callable[..., Tensor] = overridable_method(Tensor.trunc_)
xlogy_: Callable[..., Tensor] = overridable_method(Tensor.xlogy_)
zero_: Callable[..., Tensor] = overridable_method(Tensor.zero_)
