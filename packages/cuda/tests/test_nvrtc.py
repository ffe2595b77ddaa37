"""All kernels compile for GPUs: `nox -s nvrtc` compiles each for three architectures, other sessions a sample for one.

A kernel that spills registers to memory fails, unless `SPILLING` has a reason. This needs NVRTC and no GPU.
"""

import re

import pytest
from kernel_samples import modules_of
from test_planners import SAMPLES

from facula_cuda._compile import nvrtc
from facula_cuda._generate import generate
from facula_cuda._planners import products
from facula_cuda._planners.arrays import reductions
from facula_cuda._planners.dimensions import MANY
from facula_cuda._planners.launches import headers
from facula_cuda._planners.layers import rows
from facula_cuda.check._forms import complex_forms, forms
from facula_errors import MissingPackageError

ARCHITECTURES = ("sm_80", "sm_90", "sm_100")
TOGETHER, PARTS = 40, 60  # sources of one compilation, for which headers are read once, and compilations
#: Kernels that may spill, as a pattern of their names, and why.
SPILLING = {
    "standard_gamma_grad_.*": "its calls of other functions save 12 bytes of registers",
    "adafactor_.*": "divisions of float64 are calls that save up to 24 bytes of registers",
    "expm1_.*": "of complex numbers, whose calls of other functions save 8 bytes of registers",
    r"\w+_(whole|pieces|joined)": "reductions: the division of indices above 2^31 is a call that saves up to 16 bytes",
    r"(cum|logcum)\w+": "the division of line numbers above 2^31 is a call that saves up to 40 bytes",
    r"\w+_slices_\w+": "the kernel that adds slices saves registers around 64-bit divisions",
    r"rms_norm_\w+|softmax_grad_bfloat16": "on sm_80 they save up to 40 bytes around divisions",
    r"(hypot|floor_divide)_\w+|cross_entropy_grad_float64_\w+": "on sm_100 they save up to 16 bytes around divisions",
    r"batch_norm_\w+_factors_\w+|rmsprop_step_\w+": "on sm_100 they save up to 24 bytes around square roots",
    r"permutation_of_order_\w+|median_dim_u?int64_short_\w+": "on sm_100 they save up to 88 bytes around divisions",
    r"attention_grad_\w+": "on sm_80 it saves up to 32 bytes, so that more blocks run at a time",
}

try:
    nvrtc.version()
except MissingPackageError:
    pytest.skip("nvidia-cuda-nvrtc is not installed", allow_module_level=True)


def sources():
    """Return the text of all kernels, sorted by the headers that they include."""
    found = [kernels.source for kernels in (*forms().values(), *complex_forms().values())]
    found += [
        reductions.source_of(operator, code, output)[0]
        for operator in reductions.STATES
        for code in reductions.CODES
        for output in reductions.CODES
        if reductions.has_kernel(operator, code, output)
    ]
    found += [rows.source_of(operator, code)[0] for operator in rows.KERNELS for code in reductions.FLOATS]
    found += [products.source_of(code, biased)[0] for code in products.DTYPES for biased in (False, True)]
    found += [reductions.source_of("max_dim", 9, 9, MANY)[0], rows.source_of("softmax", 9, MANY)[0]]
    found += [products.source_of(9, True, MANY)[0], generate("where", (1, 9, 9), (9,), MANY).source]
    return sorted([*found, *modules_of(SAMPLES)])


def check(chosen, architecture):
    """Compile sources, and check that each kernel is there and keeps its values in registers."""
    options = (*nvrtc.OPTIONS, "--ptxas-options=-v")
    compiled = nvrtc.compile_cubin("\n".join(chosen), headers(), architecture, options)
    found = nvrtc.resources(compiled.log)
    wanted = [name for source in chosen for name in re.findall(r"^(?:SYNC_)?KERNEL\((\w+),", source, re.MULTILINE)]
    assert set(wanted) <= set(found)
    spilling = {
        name: used
        for name, used in found.items()
        if used.spilled and not any(re.fullmatch(pattern, name) for pattern in SPILLING)
    }
    assert not spilling, f"for {architecture}: {spilling}"
    return found


def test_a_sample_compiles():
    every = sources()
    assert check(every[:: len(every) // TOGETHER], "sm_90")


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_all_kernels_compile(architecture, part):
    every = sources()
    assert len(every) <= TOGETHER * PARTS
    chosen = every[part * TOGETHER : (part + 1) * TOGETHER]
    assert not chosen or check(chosen, architecture)
