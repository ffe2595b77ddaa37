"""In-place methods as functions: `facula.exp_(x)` is `x.exp_()`, as `facula.exp(x)` is `x.exp()`."""

from __future__ import annotations

from ._overrides import asking
from ._tensor import Tensor

__all__ = [
    "abs_", "acos_", "acosh_", "addmv_", "arccos_", "arccosh_", "arcsin_", "arcsinh_", "arctan_", "arctanh_",
    "as_strided_", "asin_", "asinh_", "atan_", "atanh_", "ceil_", "clamp_", "clamp_max_", "clamp_min_", "clip_",
    "cos_", "cosh_", "deg2rad_", "detach_", "erf_", "exp2_", "exp_", "expm1_", "fill_", "fix_", "floor_", "frac_",
    "index_put_", "log1p_", "log2_", "log10_", "log_", "nan_to_num_", "neg_", "negative_", "rad2deg_", "reciprocal_",
    "resize_as_", "round_", "rsqrt_", "sigmoid_", "sin_", "sinh_", "sqrt_", "square_", "tan_", "tanh_",
    "trunc_", "xlogy_", "zero_",
]  # fmt: skip

abs_ = asking(Tensor.abs_)
acos_ = asking(Tensor.acos_)
acosh_ = asking(Tensor.acosh_)
addmv_ = asking(Tensor.addmv_)
arccos_ = asking(Tensor.arccos_)
arccosh_ = asking(Tensor.arccosh_)
arcsin_ = asking(Tensor.arcsin_)
arcsinh_ = asking(Tensor.arcsinh_)
arctan_ = asking(Tensor.arctan_)
arctanh_ = asking(Tensor.arctanh_)
as_strided_ = asking(Tensor.as_strided_)
asin_ = asking(Tensor.asin_)
asinh_ = asking(Tensor.asinh_)
atan_ = asking(Tensor.atan_)
atanh_ = asking(Tensor.atanh_)
ceil_ = asking(Tensor.ceil_)
clamp_ = asking(Tensor.clamp_)
clamp_max_ = asking(Tensor.clamp_max_)
clamp_min_ = asking(Tensor.clamp_min_)
clip_ = asking(Tensor.clip_)
cos_ = asking(Tensor.cos_)
cosh_ = asking(Tensor.cosh_)
deg2rad_ = asking(Tensor.deg2rad_)
detach_ = asking(Tensor.detach_)
erf_ = asking(Tensor.erf_)
exp2_ = asking(Tensor.exp2_)
exp_ = asking(Tensor.exp_)
expm1_ = asking(Tensor.expm1_)
fill_ = asking(Tensor.fill_)
fix_ = asking(Tensor.fix_)
floor_ = asking(Tensor.floor_)
frac_ = asking(Tensor.frac_)
index_put_ = asking(Tensor.index_put_)
log1p_ = asking(Tensor.log1p_)
log2_ = asking(Tensor.log2_)
log10_ = asking(Tensor.log10_)
log_ = asking(Tensor.log_)
nan_to_num_ = asking(Tensor.nan_to_num_)
neg_ = asking(Tensor.neg_)
negative_ = asking(Tensor.negative_)
rad2deg_ = asking(Tensor.rad2deg_)
reciprocal_ = asking(Tensor.reciprocal_)
resize_as_ = asking(Tensor.resize_as_)
round_ = asking(Tensor.round_)
rsqrt_ = asking(Tensor.rsqrt_)
sigmoid_ = asking(Tensor.sigmoid_)
sin_ = asking(Tensor.sin_)
sinh_ = asking(Tensor.sinh_)
sqrt_ = asking(Tensor.sqrt_)
square_ = asking(Tensor.square_)
tan_ = asking(Tensor.tan_)
tanh_ = asking(Tensor.tanh_)
trunc_ = asking(Tensor.trunc_)
xlogy_ = asking(Tensor.xlogy_)
zero_ = asking(Tensor.zero_)
