"""Names of PyTorch's torch, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import accelerator as accelerator
from . import amp as amp
from . import autograd as autograd
from . import backends as backends
from . import compiler as compiler
from . import cpu as cpu
from . import cuda as cuda
from . import distributed as distributed
from . import distributions as distributions
from . import errors as errors
from . import export as export
from . import fft as fft
from . import func as func
from . import functional as functional
from . import futures as futures
from . import fx as fx
from . import hub as hub
from . import jit as jit
from . import library as library
from . import linalg as linalg
from . import masked as masked
from . import mps as mps
from . import mtia as mtia
from . import multiprocessing as multiprocessing
from . import nested as nested
from . import nn as nn
from . import onnx as onnx
from . import ops as ops
from . import optim as optim
from . import overrides as overrides
from . import package as package
from . import profiler as profiler
from . import quasirandom as quasirandom
from . import random as random
from . import return_types as return_types
from . import serialization as serialization
from . import sparse as sparse
from . import special as special
from . import storage as storage
from . import testing as testing
from . import torch_version as torch_version
from . import types as types
from . import utils as utils
from . import version as version
from . import xpu as xpu
from builtins import float as _own_float
from builtins import int as _own_int
from builtins import max as _own_max
from builtins import min as _own_min
from builtins import sum as _own_sum
from facula._functions.rare import device_module as _own_device_module
from facula._functions.rare import kl_div as kl_div
from facula._functions.rare import sym_ite as sym_ite
from facula._functions.rare import sym_not as sym_not
from facula._functions.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from facula._functions.settings import compiled_with_cxx11_abi as compiled_with_cxx11_abi
from facula._functions.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
from facula._functions.settings import get_float32_matmul_precision as get_float32_matmul_precision
from facula._functions.settings import get_num_interop_threads as get_num_interop_threads
from facula._functions.settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
from facula._functions.settings import is_vulkan_available as is_vulkan_available
from facula._functions.settings import is_warn_always_enabled as is_warn_always_enabled
from facula._functions.settings import set_default_tensor_type as set_default_tensor_type
from facula._functions.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from facula._functions.settings import set_float32_matmul_precision as set_float32_matmul_precision
from facula._functions.settings import set_flush_denormal as set_flush_denormal
from facula._functions.settings import set_num_interop_threads as set_num_interop_threads
from facula._functions.settings import set_warn_always as set_warn_always
from facula._functions.settings import use_deterministic_algorithms as use_deterministic_algorithms
from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula._pickles.saving import load as load
from facula._pickles.saving import save as save
from facula.amp.autocast_mode import autocast as autocast
from facula.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
from facula.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from facula.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from facula.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from facula.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from facula.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from facula.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
from facula.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from facula.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from facula.amp.grad_scaler import GradScaler as GradScaler
from facula.compiler import compile as compile
from facula.cuda import OutOfMemoryError as OutOfMemoryError
from facula.func import vmap as vmap
from facula.jit import capture as capture
from facula_autograd import enable_grad as enable_grad
from facula_autograd import inference_mode as inference_mode
from facula_autograd import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from facula_autograd import is_anomaly_enabled as is_anomaly_enabled
from facula_autograd import is_grad_enabled as is_grad_enabled
from facula_autograd import is_inference_mode_enabled as is_inference_mode_enabled
from facula_autograd import no_grad as no_grad
from facula_autograd import set_grad_enabled as set_grad_enabled
from facula_cpu import get_num_threads as get_num_threads
from facula_cpu import set_num_threads as set_num_threads
from facula_jit import cond as cond
from facula_jit import scan as scan
from facula_jit import while_loop as while_loop
from facula_storage import DType as _own_DType
from facula_storage import Device as _own_Device
from facula_storage import bfloat16 as bfloat16
from facula_storage import bool_ as _own_bool_
from facula_storage import complex128 as _own_complex128
from facula_storage import complex128 as complex128
from facula_storage import complex64 as _own_complex64
from facula_storage import complex64 as complex64
from facula_storage import float16 as _own_float16
from facula_storage import float16 as float16
from facula_storage import float32 as _own_float32
from facula_storage import float32 as float32
from facula_storage import float64 as _own_float64
from facula_storage import float64 as float64
from facula_storage import float8_e4m3fn as float8_e4m3fn
from facula_storage import float8_e4m3fnuz as float8_e4m3fnuz
from facula_storage import float8_e5m2 as float8_e5m2
from facula_storage import float8_e5m2fnuz as float8_e5m2fnuz
from facula_storage import float8_e8m0fnu as float8_e8m0fnu
from facula_storage import int16 as _own_int16
from facula_storage import int16 as int16
from facula_storage import int32 as _own_int32
from facula_storage import int32 as int32
from facula_storage import int64 as _own_int64
from facula_storage import int64 as int64
from facula_storage import int8 as int8
from facula_storage import uint16 as uint16
from facula_storage import uint32 as uint32
from facula_storage import uint64 as uint64
from facula_storage import uint8 as uint8
from facula_tensor import BFloat16Tensor as BFloat16Tensor
from facula_tensor import BoolTensor as BoolTensor
from facula_tensor import ByteTensor as ByteTensor
from facula_tensor import CharTensor as CharTensor
from facula_tensor import DoubleTensor as DoubleTensor
from facula_tensor import FloatTensor as FloatTensor
from facula_tensor import Generator as Generator
from facula_tensor import HalfTensor as HalfTensor
from facula_tensor import IntTensor as IntTensor
from facula_tensor import LongTensor as LongTensor
from facula_tensor import Parameter as Parameter
from facula_tensor import ShortTensor as ShortTensor
from facula_tensor import Size as Size
from facula_tensor import Tensor as Tensor
from facula_tensor import Tensor as _own_Tensor
from facula_tensor import TypedStorage as TypedStorage
from facula_tensor import UntypedStorage as UntypedStorage
from facula_tensor import abs as abs
from facula_tensor import abs_ as abs_
from facula_tensor import absolute as absolute
from facula_tensor import acos as acos
from facula_tensor import acos_ as acos_
from facula_tensor import acosh as acosh
from facula_tensor import acosh_ as acosh_
from facula_tensor import adaptive_avg_pool1d as adaptive_avg_pool1d
from facula_tensor import adaptive_max_pool1d as adaptive_max_pool1d
from facula_tensor import add as add
from facula_tensor import addbmm as addbmm
from facula_tensor import addcdiv as addcdiv
from facula_tensor import addcmul as addcmul
from facula_tensor import addmm as addmm
from facula_tensor import addmv as addmv
from facula_tensor import addmv_ as addmv_
from facula_tensor import addr as addr
from facula_tensor import adjoint as adjoint
from facula_tensor import alias_copy as alias_copy
from facula_tensor import all as all
from facula_tensor import allclose as allclose
from facula_tensor import amax as amax
from facula_tensor import amin as amin
from facula_tensor import aminmax as aminmax
from facula_tensor import angle as angle
from facula_tensor import any as any
from facula_tensor import arange as arange
from facula_tensor import arccos as arccos
from facula_tensor import arccos_ as arccos_
from facula_tensor import arccosh as arccosh
from facula_tensor import arccosh_ as arccosh_
from facula_tensor import arcsin as arcsin
from facula_tensor import arcsin_ as arcsin_
from facula_tensor import arcsinh as arcsinh
from facula_tensor import arcsinh_ as arcsinh_
from facula_tensor import arctan as arctan
from facula_tensor import arctan2 as arctan2
from facula_tensor import arctan_ as arctan_
from facula_tensor import arctanh as arctanh
from facula_tensor import arctanh_ as arctanh_
from facula_tensor import argmax as argmax
from facula_tensor import argmin as argmin
from facula_tensor import argsort as argsort
from facula_tensor import argwhere as argwhere
from facula_tensor import as_strided as as_strided
from facula_tensor import as_strided_ as as_strided_
from facula_tensor import as_strided_copy as as_strided_copy
from facula_tensor import as_strided_scatter as as_strided_scatter
from facula_tensor import as_tensor as as_tensor
from facula_tensor import asarray as asarray
from facula_tensor import asin as asin
from facula_tensor import asin_ as asin_
from facula_tensor import asinh as asinh
from facula_tensor import asinh_ as asinh_
from facula_tensor import atan as atan
from facula_tensor import atan2 as atan2
from facula_tensor import atan_ as atan_
from facula_tensor import atanh as atanh
from facula_tensor import atanh_ as atanh_
from facula_tensor import atleast_1d as atleast_1d
from facula_tensor import atleast_2d as atleast_2d
from facula_tensor import atleast_3d as atleast_3d
from facula_tensor import avg_pool1d as avg_pool1d
from facula_tensor import baddbmm as baddbmm
from facula_tensor import bernoulli as bernoulli
from facula_tensor import bilinear as bilinear
from facula_tensor import bincount as bincount
from facula_tensor import binomial as binomial
from facula_tensor import bitwise_and as bitwise_and
from facula_tensor import bitwise_left_shift as bitwise_left_shift
from facula_tensor import bitwise_not as bitwise_not
from facula_tensor import bitwise_or as bitwise_or
from facula_tensor import bitwise_right_shift as bitwise_right_shift
from facula_tensor import bitwise_xor as bitwise_xor
from facula_tensor import block_diag as block_diag
from facula_tensor import bmm as bmm
from facula_tensor import broadcast_shapes as broadcast_shapes
from facula_tensor import broadcast_tensors as broadcast_tensors
from facula_tensor import broadcast_to as broadcast_to
from facula_tensor import bucketize as bucketize
from facula_tensor import can_cast as can_cast
from facula_tensor import cartesian_prod as cartesian_prod
from facula_tensor import cat as cat
from facula_tensor import cdist as cdist
from facula_tensor import ceil as ceil
from facula_tensor import ceil_ as ceil_
from facula_tensor import celu as celu
from facula_tensor import celu_ as celu_
from facula_tensor import chain_matmul as chain_matmul
from facula_tensor import channel_shuffle as channel_shuffle
from facula_tensor import channels_last as channels_last
from facula_tensor import channels_last_3d as channels_last_3d
from facula_tensor import cholesky as cholesky
from facula_tensor import cholesky_inverse as cholesky_inverse
from facula_tensor import cholesky_solve as cholesky_solve
from facula_tensor import chunk as chunk
from facula_tensor import clamp as clamp
from facula_tensor import clamp_ as clamp_
from facula_tensor import clamp_max as clamp_max
from facula_tensor import clamp_max_ as clamp_max_
from facula_tensor import clamp_min as clamp_min
from facula_tensor import clamp_min_ as clamp_min_
from facula_tensor import clip as clip
from facula_tensor import clip_ as clip_
from facula_tensor import clone as clone
from facula_tensor import column_stack as column_stack
from facula_tensor import combinations as combinations
from facula_tensor import complex as complex
from facula_tensor import concat as concat
from facula_tensor import concatenate as concatenate
from facula_tensor import conj as conj
from facula_tensor import conj_physical as conj_physical
from facula_tensor import conj_physical_ as conj_physical_
from facula_tensor import constant_pad_nd as constant_pad_nd
from facula_tensor import contiguous_format as contiguous_format
from facula_tensor import conv1d as conv1d
from facula_tensor import conv2d as conv2d
from facula_tensor import conv3d as conv3d
from facula_tensor import conv_transpose1d as conv_transpose1d
from facula_tensor import conv_transpose2d as conv_transpose2d
from facula_tensor import conv_transpose3d as conv_transpose3d
from facula_tensor import copysign as copysign
from facula_tensor import corrcoef as corrcoef
from facula_tensor import cos as cos
from facula_tensor import cos_ as cos_
from facula_tensor import cosh as cosh
from facula_tensor import cosh_ as cosh_
from facula_tensor import cosine_similarity as cosine_similarity
from facula_tensor import count_nonzero as count_nonzero
from facula_tensor import cov as cov
from facula_tensor import cross as cross
from facula_tensor import cummax as cummax
from facula_tensor import cummin as cummin
from facula_tensor import cumprod as cumprod
from facula_tensor import cumsum as cumsum
from facula_tensor import cumulative_trapezoid as cumulative_trapezoid
from facula_tensor import default_generator as default_generator
from facula_tensor import deg2rad as deg2rad
from facula_tensor import deg2rad_ as deg2rad_
from facula_tensor import det as det
from facula_tensor import detach_ as detach_
from facula_tensor import detach_copy as detach_copy
from facula_tensor import diag as diag
from facula_tensor import diag_embed as diag_embed
from facula_tensor import diagflat as diagflat
from facula_tensor import diagonal as diagonal
from facula_tensor import diagonal_copy as diagonal_copy
from facula_tensor import diagonal_scatter as diagonal_scatter
from facula_tensor import diff as diff
from facula_tensor import digamma as digamma
from facula_tensor import dist as dist
from facula_tensor import div as div
from facula_tensor import divide as divide
from facula_tensor import dot as dot
from facula_tensor import dsplit as dsplit
from facula_tensor import dstack as dstack
from facula_tensor import einsum as einsum
from facula_tensor import empty as empty
from facula_tensor import empty_like as empty_like
from facula_tensor import empty_permuted as empty_permuted
from facula_tensor import empty_strided as empty_strided
from facula_tensor import eq as eq
from facula_tensor import equal as equal
from facula_tensor import erf as erf
from facula_tensor import erf_ as erf_
from facula_tensor import erfc as erfc
from facula_tensor import erfc_ as erfc_
from facula_tensor import erfinv as erfinv
from facula_tensor import exp as exp
from facula_tensor import exp2 as exp2
from facula_tensor import exp2_ as exp2_
from facula_tensor import exp_ as exp_
from facula_tensor import expand_copy as expand_copy
from facula_tensor import expm1 as expm1
from facula_tensor import expm1_ as expm1_
from facula_tensor import eye as eye
from facula_tensor import fill as fill
from facula_tensor import fill_ as fill_
from facula_tensor import finfo as finfo
from facula_tensor import fix as fix
from facula_tensor import fix_ as fix_
from facula_tensor import flatten as flatten
from facula_tensor import flip as flip
from facula_tensor import fliplr as fliplr
from facula_tensor import flipud as flipud
from facula_tensor import float_power as float_power
from facula_tensor import floor as floor
from facula_tensor import floor_ as floor_
from facula_tensor import floor_divide as floor_divide
from facula_tensor import fmax as fmax
from facula_tensor import fmin as fmin
from facula_tensor import fmod as fmod
from facula_tensor import frac as frac
from facula_tensor import frac_ as frac_
from facula_tensor import frexp as frexp
from facula_tensor import from_dlpack as from_dlpack
from facula_tensor import from_file as from_file
from facula_tensor import from_numpy as from_numpy
from facula_tensor import frombuffer as frombuffer
from facula_tensor import full as full
from facula_tensor import full_like as full_like
from facula_tensor import fuse as fuse
from facula_tensor import gather as gather
from facula_tensor import gcd as gcd
from facula_tensor import gcd_ as gcd_
from facula_tensor import ge as ge
from facula_tensor import ger as ger
from facula_tensor import get_default_device as get_default_device
from facula_tensor import get_default_dtype as get_default_dtype
from facula_tensor import get_device as get_device
from facula_tensor import get_printoptions as get_printoptions
from facula_tensor import get_rng_state as get_rng_state
from facula_tensor import gradient as gradient
from facula_tensor import greater as greater
from facula_tensor import greater_equal as greater_equal
from facula_tensor import gt as gt
from facula_tensor import hardshrink as hardshrink
from facula_tensor import heaviside as heaviside
from facula_tensor import histc as histc
from facula_tensor import histogram as histogram
from facula_tensor import histogramdd as histogramdd
from facula_tensor import hsplit as hsplit
from facula_tensor import hstack as hstack
from facula_tensor import hypot as hypot
from facula_tensor import i0 as i0
from facula_tensor import i0_ as i0_
from facula_tensor import iinfo as iinfo
from facula_tensor import imag as imag
from facula_tensor import index_add as index_add
from facula_tensor import index_copy as index_copy
from facula_tensor import index_fill as index_fill
from facula_tensor import index_put as index_put
from facula_tensor import index_put_ as index_put_
from facula_tensor import index_reduce as index_reduce
from facula_tensor import index_select as index_select
from facula_tensor import initial_seed as initial_seed
from facula_tensor import inner as inner
from facula_tensor import inverse as inverse
from facula_tensor import is_complex as is_complex
from facula_tensor import is_conj as is_conj
from facula_tensor import is_floating_point as is_floating_point
from facula_tensor import is_inference as is_inference
from facula_tensor import is_neg as is_neg
from facula_tensor import is_nonzero as is_nonzero
from facula_tensor import is_same_size as is_same_size
from facula_tensor import is_signed as is_signed
from facula_tensor import is_storage as is_storage
from facula_tensor import is_tensor as is_tensor
from facula_tensor import isclose as isclose
from facula_tensor import isfinite as isfinite
from facula_tensor import isin as isin
from facula_tensor import isinf as isinf
from facula_tensor import isnan as isnan
from facula_tensor import isneginf as isneginf
from facula_tensor import isposinf as isposinf
from facula_tensor import isreal as isreal
from facula_tensor import kron as kron
from facula_tensor import kthvalue as kthvalue
from facula_tensor import layout as layout
from facula_tensor import lcm as lcm
from facula_tensor import lcm_ as lcm_
from facula_tensor import ldexp as ldexp
from facula_tensor import ldexp_ as ldexp_
from facula_tensor import le as le
from facula_tensor import lerp as lerp
from facula_tensor import less as less
from facula_tensor import less_equal as less_equal
from facula_tensor import lgamma as lgamma
from facula_tensor import linspace as linspace
from facula_tensor import log as log
from facula_tensor import log10 as log10
from facula_tensor import log10_ as log10_
from facula_tensor import log1p as log1p
from facula_tensor import log1p_ as log1p_
from facula_tensor import log2 as log2
from facula_tensor import log2_ as log2_
from facula_tensor import log_ as log_
from facula_tensor import log_softmax as log_softmax
from facula_tensor import logaddexp as logaddexp
from facula_tensor import logaddexp2 as logaddexp2
from facula_tensor import logcumsumexp as logcumsumexp
from facula_tensor import logdet as logdet
from facula_tensor import logical_and as logical_and
from facula_tensor import logical_not as logical_not
from facula_tensor import logical_or as logical_or
from facula_tensor import logical_xor as logical_xor
from facula_tensor import logit as logit
from facula_tensor import logit_ as logit_
from facula_tensor import logspace as logspace
from facula_tensor import logsumexp as logsumexp
from facula_tensor import lt as lt
from facula_tensor import lu as lu
from facula_tensor import lu_solve as lu_solve
from facula_tensor import lu_unpack as lu_unpack
from facula_tensor import manual_seed as manual_seed
from facula_tensor import masked_fill as masked_fill
from facula_tensor import masked_scatter as masked_scatter
from facula_tensor import masked_select as masked_select
from facula_tensor import matmul as matmul
from facula_tensor import matrix_exp as matrix_exp
from facula_tensor import matrix_power as matrix_power
from facula_tensor import max as max
from facula_tensor import max_pool1d as max_pool1d
from facula_tensor import max_pool1d_with_indices as max_pool1d_with_indices
from facula_tensor import max_pool2d as max_pool2d
from facula_tensor import max_pool3d as max_pool3d
from facula_tensor import maximum as maximum
from facula_tensor import mean as mean
from facula_tensor import median as median
from facula_tensor import memory_format as memory_format
from facula_tensor import meshgrid as meshgrid
from facula_tensor import min as min
from facula_tensor import minimum as minimum
from facula_tensor import mm as _own_mm
from facula_tensor import mm as mm
from facula_tensor import mode as mode
from facula_tensor import moveaxis as moveaxis
from facula_tensor import movedim as movedim
from facula_tensor import msort as msort
from facula_tensor import mul as mul
from facula_tensor import multinomial as multinomial
from facula_tensor import multiply as multiply
from facula_tensor import mv as mv
from facula_tensor import mvlgamma as mvlgamma
from facula_tensor import nan_to_num as nan_to_num
from facula_tensor import nan_to_num_ as nan_to_num_
from facula_tensor import nanmean as nanmean
from facula_tensor import nanmedian as nanmedian
from facula_tensor import nanquantile as nanquantile
from facula_tensor import nansum as nansum
from facula_tensor import narrow as narrow
from facula_tensor import narrow_copy as narrow_copy
from facula_tensor import ne as ne
from facula_tensor import neg as neg
from facula_tensor import neg_ as neg_
from facula_tensor import negative as negative
from facula_tensor import negative_ as negative_
from facula_tensor import nextafter as nextafter
from facula_tensor import nonzero as nonzero
from facula_tensor import nonzero_static as nonzero_static
from facula_tensor import norm as norm
from facula_tensor import normal as normal
from facula_tensor import not_equal as not_equal
from facula_tensor import numel as numel
from facula_tensor import ones as ones
from facula_tensor import ones_like as ones_like
from facula_tensor import outer as outer
from facula_tensor import pairwise_distance as pairwise_distance
from facula_tensor import pdist as pdist
from facula_tensor import permute as permute
from facula_tensor import permute_copy as permute_copy
from facula_tensor import pinverse as pinverse
from facula_tensor import pixel_shuffle as pixel_shuffle
from facula_tensor import pixel_unshuffle as pixel_unshuffle
from facula_tensor import poisson as poisson
from facula_tensor import polar as polar
from facula_tensor import polygamma as polygamma
from facula_tensor import positive as positive
from facula_tensor import pow as pow
from facula_tensor import prelu as prelu
from facula_tensor import preserve_format as preserve_format
from facula_tensor import printoptions as printoptions
from facula_tensor import prod as prod
from facula_tensor import promote_types as promote_types
from facula_tensor import put as put
from facula_tensor import qr as qr
from facula_tensor import quantile as quantile
from facula_tensor import rad2deg as rad2deg
from facula_tensor import rad2deg_ as rad2deg_
from facula_tensor import rand as rand
from facula_tensor import rand_like as rand_like
from facula_tensor import randint as randint
from facula_tensor import randint_like as randint_like
from facula_tensor import randn as randn
from facula_tensor import randn_like as randn_like
from facula_tensor import randperm as randperm
from facula_tensor import range as range
from facula_tensor import ravel as ravel
from facula_tensor import real as real
from facula_tensor import reciprocal as reciprocal
from facula_tensor import reciprocal_ as reciprocal_
from facula_tensor import relu as relu
from facula_tensor import relu_ as relu_
from facula_tensor import remainder as remainder
from facula_tensor import renorm as renorm
from facula_tensor import repeat_interleave as repeat_interleave
from facula_tensor import reshape as reshape
from facula_tensor import resize_as_ as resize_as_
from facula_tensor import resolve_conj as resolve_conj
from facula_tensor import resolve_neg as resolve_neg
from facula_tensor import result_type as result_type
from facula_tensor import roll as roll
from facula_tensor import rot90 as rot90
from facula_tensor import round as round
from facula_tensor import round_ as round_
from facula_tensor import row_stack as row_stack
from facula_tensor import rrelu as rrelu
from facula_tensor import rrelu_ as rrelu_
from facula_tensor import rsqrt as rsqrt
from facula_tensor import rsqrt_ as rsqrt_
from facula_tensor import rsub as rsub
from facula_tensor import scalar_tensor as scalar_tensor
from facula_tensor import scatter as scatter
from facula_tensor import scatter_add as scatter_add
from facula_tensor import scatter_reduce as scatter_reduce
from facula_tensor import searchsorted as searchsorted
from facula_tensor import seed as seed
from facula_tensor import select as select
from facula_tensor import select_copy as select_copy
from facula_tensor import select_scatter as select_scatter
from facula_tensor import selu as selu
from facula_tensor import selu_ as selu_
from facula_tensor import set_default_device as set_default_device
from facula_tensor import set_default_dtype as set_default_dtype
from facula_tensor import set_printoptions as set_printoptions
from facula_tensor import set_rng_state as set_rng_state
from facula_tensor import sgn as sgn
from facula_tensor import sigmoid as sigmoid
from facula_tensor import sigmoid_ as sigmoid_
from facula_tensor import sign as sign
from facula_tensor import signbit as signbit
from facula_tensor import sin as sin
from facula_tensor import sin_ as sin_
from facula_tensor import sinc as sinc
from facula_tensor import sinc_ as sinc_
from facula_tensor import sinh as sinh
from facula_tensor import sinh_ as sinh_
from facula_tensor import slice_copy as slice_copy
from facula_tensor import slice_scatter as slice_scatter
from facula_tensor import slogdet as slogdet
from facula_tensor import softmax as softmax
from facula_tensor import sort as sort
from facula_tensor import sparse_bsc as sparse_bsc
from facula_tensor import sparse_bsr as sparse_bsr
from facula_tensor import sparse_coo as sparse_coo
from facula_tensor import sparse_csc as sparse_csc
from facula_tensor import sparse_csr as sparse_csr
from facula_tensor import split as split
from facula_tensor import split_copy as split_copy
from facula_tensor import split_with_sizes as split_with_sizes
from facula_tensor import split_with_sizes_copy as split_with_sizes_copy
from facula_tensor import sqrt as sqrt
from facula_tensor import sqrt_ as sqrt_
from facula_tensor import square as square
from facula_tensor import square_ as square_
from facula_tensor import squeeze as squeeze
from facula_tensor import squeeze_copy as squeeze_copy
from facula_tensor import stack as stack
from facula_tensor import std as std
from facula_tensor import std_mean as std_mean
from facula_tensor import strided as strided
from facula_tensor import sub as sub
from facula_tensor import subtract as subtract
from facula_tensor import sum as sum
from facula_tensor import svd as svd
from facula_tensor import swapaxes as swapaxes
from facula_tensor import swapdims as swapdims
from facula_tensor import t as t
from facula_tensor import t_copy as t_copy
from facula_tensor import take as take
from facula_tensor import take_along_dim as take_along_dim
from facula_tensor import tan as tan
from facula_tensor import tan_ as tan_
from facula_tensor import tanh as tanh
from facula_tensor import tanh_ as tanh_
from facula_tensor import tensor as tensor
from facula_tensor import tensor_split as tensor_split
from facula_tensor import tensordot as tensordot
from facula_tensor import threshold as threshold
from facula_tensor import threshold_ as threshold_
from facula_tensor import tile as tile
from facula_tensor import to_dlpack as to_dlpack
from facula_tensor import topk as topk
from facula_tensor import trace as trace
from facula_tensor import transpose as transpose
from facula_tensor import transpose_copy as transpose_copy
from facula_tensor import trapezoid as trapezoid
from facula_tensor import trapz as trapz
from facula_tensor import triangular_solve as triangular_solve
from facula_tensor import tril as tril
from facula_tensor import tril_indices as tril_indices
from facula_tensor import triu as triu
from facula_tensor import triu_indices as triu_indices
from facula_tensor import true_divide as true_divide
from facula_tensor import trunc as trunc
from facula_tensor import trunc_ as trunc_
from facula_tensor import typename as typename
from facula_tensor import unbind as unbind
from facula_tensor import unbind_copy as unbind_copy
from facula_tensor import unflatten as unflatten
from facula_tensor import unfold_copy as unfold_copy
from facula_tensor import unique as unique
from facula_tensor import unique_consecutive as unique_consecutive
from facula_tensor import unravel_index as unravel_index
from facula_tensor import unsafe_chunk as unsafe_chunk
from facula_tensor import unsafe_split as unsafe_split
from facula_tensor import unsafe_split_with_sizes as unsafe_split_with_sizes
from facula_tensor import unsqueeze as unsqueeze
from facula_tensor import unsqueeze_copy as unsqueeze_copy
from facula_tensor import vander as vander
from facula_tensor import var as var
from facula_tensor import var_mean as var_mean
from facula_tensor import vdot as vdot
from facula_tensor import view_as_complex as view_as_complex
from facula_tensor import view_as_real as view_as_real
from facula_tensor import view_copy as view_copy
from facula_tensor import vsplit as vsplit
from facula_tensor import vstack as vstack
from facula_tensor import where as where
from facula_tensor import xlogy as xlogy
from facula_tensor import xlogy_ as xlogy_
from facula_tensor import zero_ as zero_
from facula_tensor import zeros as zeros
from facula_tensor import zeros_like as zeros_like
from facula_tensor.lowrank import pca_lowrank as pca_lowrank
from facula_tensor.lowrank import svd_lowrank as svd_lowrank
from facula_tensor.windowed import bartlett_window as bartlett_window
from facula_tensor.windowed import blackman_window as blackman_window
from facula_tensor.windowed import hamming_window as hamming_window
from facula_tensor.windowed import hann_window as hann_window
from facula_tensor.windowed import istft as istft
from facula_tensor.windowed import kaiser_window as kaiser_window
from facula_tensor.windowed import stft as stft
from math import e as e
from math import inf as inf
from math import nan as nan
from math import pi as pi

bool = _own_bool_
cdouble = _own_complex128
cfloat = _own_complex64
device = _own_Device
double = _own_float64
dtype = _own_DType
float = _own_float32
half = _own_float16
int = _own_int32
long = _own_int64
short = _own_int16
sparse_bsc_tensor: _Refusal
sparse_bsr_tensor: _Refusal
sparse_compressed_tensor: _Refusal
sparse_coo_tensor: _Refusal
sparse_csc_tensor: _Refusal
sparse_csr_tensor: _Refusal
detach = _own_Tensor.detach
dsmm = _own_mm
spmm = _own_mm
get_device_module = _own_device_module
sym_float = _own_float
sym_int = _own_int
sym_max = _own_max
sym_min = _own_min
sym_sum = _own_sum
SymBool: _Kind
SymFloat: _Kind
SymInt: _Kind
Event: _Kind
Stream: _Kind
AliasDb: _Kind
AnyType: _Kind
Argument: _Kind
ArgumentSpec: _Kind
AwaitType: _Kind
Block: _Kind
BoolType: _Kind
CallStack: _Kind
ClassType: _Kind
Code: _Kind
CompilationUnit: _Kind
CompleteArgumentSpec: _Kind
ComplexType: _Kind
ConcreteModuleType: _Kind
DeviceObjType: _Kind
DictType: _Kind
EnumType: _Kind
FloatType: _Kind
FunctionSchema: _Kind
FutureType: _Kind
Graph: _Kind
IntType: _Kind
InterfaceType: _Kind
ListType: _Kind
Node: _Kind
NoneType: _Kind
NumberType: _Kind
OptionalType: _Kind
PyObjectType: _Kind
RRefType: _Kind
ScriptClass: _Kind
ScriptDict: _Kind
ScriptFunction: _Kind
ScriptList: _Kind
ScriptMethod: _Kind
ScriptModule: _Kind
ScriptObject: _Kind
StringType: _Kind
SymBoolType: _Kind
SymIntType: _Kind
TensorType: _Kind
TracingState: _Kind
TupleType: _Kind
Type: _Kind
UnionType: _Kind
Use: _Kind
Value: _Kind
complex32: _Kind
chalf: _Kind
PyTorchFileReader: _Kind
PyTorchFileWriter: _Kind

__version__: str
