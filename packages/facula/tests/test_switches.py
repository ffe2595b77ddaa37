"""Global queries and settings of PyTorch: answers as without a GPU, and settings that keep their values."""

import asyncio
import copy
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

import facula
import facula_cpu
from facula import nn
from facula_errors.testing import raises

ANSWERS = {
    "accelerator.is_available": False, "accelerator.device_count": 0, "accelerator.current_accelerator": None,
    "mps.is_available": False, "mps.device_count": 0, "xpu.is_available": False, "xpu.device_count": 0,
    "xpu.is_initialized": False, "cpu.is_available": True, "cpu.device_count": 1, "cpu.current_device": "cpu",
    "cpu.synchronize": None, "backends.cudnn.is_available": False, "backends.cudnn.version": None,
    "backends.mps.is_available": False, "backends.mps.is_built": False,
    "backends.mkl.is_available": False, "backends.mkldnn.is_available": False, "backends.openmp.is_available": False,
    "backends.opt_einsum.is_available": False, "jit.is_scripting": False, "jit.is_tracing": False,
    "compiler.is_compiling": False, "compiler.is_dynamo_compiling": False, "compiler.is_exporting": False,
    "compiler.list_backends": [], "compiler.reset": None, "_dynamo.reset": None, "_dynamo.is_compiling": False,
    "onnx.is_in_onnx_export": False, "distributed.is_available": True, "distributed.is_initialized": False,
    "distributed.is_nccl_available": False, "cuda.get_arch_list": [], "cuda.get_rng_state_all": [],
    "cuda.memory_stats": {}, "cuda.memory_cached": 0, "cuda.max_memory_cached": 0, "cuda.is_tf32_supported": False,
    "is_vulkan_available": False, "backends.kleidiai.is_available": False,
    "backends.cusparselt.is_available": False, "backends.cusparselt.version": None,
    "backends.nnpack.is_available": False, "backends.mha.get_fastpath_enabled": True,
}  # fmt: skip


def named(name):
    value = facula
    for part in name.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("name", ANSWERS)
def test_queries_return_pytorchs_answers_without_a_gpu(name):
    answer = named(name)()
    assert answer == ANSWERS[name] and type(answer) is type(ANSWERS[name])


def test_the_algorithm_of_convolutions_is_checked():
    cpu, before = facula.backends.cpu, facula.backends.cpu.convolution
    x, w = facula.randn(1, 32, 8, 8), facula.randn(32, 32, 3, 3)
    try:
        made = []
        for cpu.convolution in ("direct", "fast"):
            assert cpu.convolution == facula_cpu.get_convolution_algorithm()
            made.append(nn.functional.conv2d(x, w))
        assert 0 < (made[0] - made[1]).abs().max() < 1e-4
        with raises(
            ValueError, "set_convolution_algorithm", "expected algorithm to be one of fast, direct", value="'winograd'"
        ):
            cpu.convolution = "winograd"
        assert cpu.convolution == "fast" and "convolution" in dir(cpu)
    finally:
        cpu.convolution = before


def test_versions_report_no_device_toolkit():
    version = facula.version
    assert version.hip is version.xpu is None and version.debug is False
    assert (version.cuda is not None) is (find_spec("facula_cuda") is not None)
    assert version.__version__ == version.facula == facula.__version__
    listing = Path(facula.__file__).with_name("_pytorch.txt").read_text()
    assert listing.startswith(f"# Public names of PyTorch {version.pytorch}. ")
    assert facula.__version__ in facula.__config__.show() and "threads() : " in facula.__config__.parallel_info()


@pytest.mark.parametrize(
    "name",
    ["accelerator.synchronize", "accelerator.current_device_index", "accelerator.memory_allocated", "mps.synchronize",
     "mps.empty_cache", "mps.Event", "xpu.synchronize", "xpu.Stream", "cuda.graph_pool_handle", "cuda.mem_get_info",
     "cuda.get_rng_state", "cuda.current_stream", "cuda.nvtx.range_push", "cuda.reset_peak_memory_stats"],
)  # fmt: skip
def test_calls_that_need_a_gpu_raise(name):
    module = name.partition(".")[0]
    with raises(RuntimeError, name, "there is no", f"{module}.is_available()"):
        named(name)(*["a range"] * (name == "cuda.nvtx.range_push"))


def test_cuda_blocks_and_tensor_types():
    cuda = facula.cuda
    for block in (cuda.device(0), cuda.stream(None), cuda.device_of(facula.ones(1))):
        with block:
            assert facula.ones(1).device.type == "cpu"
    assert cuda.set_device(-1) is None
    with raises(TypeError, "cuda.FloatTensor", "there is no CUDA device", "use facula.FloatTensor"):
        cuda.FloatTensor(2, 3)
    assert not isinstance(facula.ones(1), cuda.FloatTensor)


def test_settings_keep_their_values():
    cudnn, cuda, mkldnn = facula.backends.cudnn, facula.backends.cuda, facula.backends.mkldnn
    assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic, cudnn.allow_tf32) == (True, False, False, True)
    with cudnn.flags(enabled=True, benchmark=True, deterministic=True):
        assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (True, True, True)
    assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (True, False, False)
    assert cudnn.set_flags(_benchmark=True) == (True, False, None, False, True)
    assert cudnn.benchmark
    cudnn.benchmark = False
    assert cuda.matmul.allow_tf32 is False
    cuda.matmul.allow_tf32 = True
    assert facula.get_float32_matmul_precision() == "high"
    facula.set_float32_matmul_precision("highest")
    assert cuda.matmul.allow_tf32 is False
    with cuda.sdp_kernel(enable_math=False):
        assert not cuda.math_sdp_enabled() and cuda.flash_sdp_enabled() and cuda.mem_efficient_sdp_enabled()
    assert cuda.math_sdp_enabled() and cuda.cudnn_sdp_enabled()
    with mkldnn.flags(enabled=False):
        assert not mkldnn.enabled
    assert mkldnn.enabled
    facula._dynamo.config.suppress_errors = True
    facula._dynamo.config.suppress_errors = False


def test_determinism_and_precision_settings_keep_their_values():
    assert facula.get_deterministic_debug_mode() == 0
    facula.use_deterministic_algorithms(True, warn_only=True)
    assert facula.are_deterministic_algorithms_enabled() and facula.is_deterministic_algorithms_warn_only_enabled()
    assert facula.get_deterministic_debug_mode() == 1
    for mode, level in (("error", 2), (1, 1), ("default", 0)):
        facula.set_deterministic_debug_mode(mode)
        assert facula.get_deterministic_debug_mode() == level
    with raises(RuntimeError, "set_deterministic_debug_mode", "expected 0, 1, 2 or one of", value="'x'"):
        facula.set_deterministic_debug_mode("x")
    with raises(TypeError, "use_deterministic_algorithms", "expected mode to be True or False", value="int 1"):
        facula.use_deterministic_algorithms(1)
    assert facula.get_float32_matmul_precision() == "highest"
    facula.set_float32_matmul_precision("medium")
    assert facula.get_float32_matmul_precision() == "medium"
    facula.set_float32_matmul_precision("highest")
    with raises(ValueError, "set_float32_matmul_precision", "expected one of highest, high, medium", value="'low'"):
        facula.set_float32_matmul_precision("low")
    facula.set_num_interop_threads(2)
    assert facula.get_num_interop_threads() == 2 and facula.set_flush_denormal(True) is False
    with raises(RuntimeError, "set_num_interop_threads", "expected a positive number", value=0):
        facula.set_num_interop_threads(0)


def test_compiled_functions_are_captured():
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    compiled = facula.compile(model, mode="reduce-overhead")
    assert isinstance(compiled, nn.Module) and compiled._orig_mod is model
    assert list(compiled.state_dict()) == ["_orig_mod." + name for name in model.state_dict()]
    for is_training in (True, False, True):
        compiled.train(is_training)
        for number in range(4):
            x, found = facula.ones(3, 2) * number, []
            for one in (model, compiled):
                facula.manual_seed(number)
                model.zero_grad()
                y = one(x)
                y.sum().backward()
                found.append((y.tolist(), model[0].weight.grad.tolist()))
            assert found[0] == found[1] and model.training is is_training
    assert "replayed" in compiled.report()

    @facula.compile(fullgraph=True, dynamic=False)
    def double(x):
        return x * 2 if x.sum() > 0 else x

    @facula.compile
    def triple(x):
        return x * 3 + 1

    with raises(facula.jit.CaptureError, "capture", "bool reads elements"):
        double(facula.ones(2))
    assert [triple(facula.ones(2) * n).tolist() for n in range(3)] == [[n * 3.0 + 1] * 2 for n in range(3)]
    for rounds in (True, False):  # 2 ** -12 is lost when added to 1 in float16
        chained = facula.compile(lambda x: x + 1 - 1, options={"emulate_precision_casts": rounds})
        found = [chained(facula.full((2,), 2.0**-12, dtype=facula.float16)).tolist() for _ in range(4)]
        assert found[-1] == [0.0 if rounds else 2.0**-12] * 2
    same = copy.deepcopy(compiled)
    assert same._orig_mod is not model and same(x).shape == (3, 2)
    for eager in ({"backend": "eager"}, {"disable": True}):
        assert facula.compile(model, **eager) is model and facula.compile(**eager)(model) is model


def test_a_compiled_module_wraps_the_module():
    """Check that attributes and mode are the module's, and that the wrapper's hooks run around the module."""

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.scale = nn.Parameter(facula.ones(2)), 1.0

        def forward(self, x):
            return x * self.weight * self.scale * (2 if self.training else 1)

    model, seen = Scaled(), []
    compiled = facula.compile(model, backend=None, name="scaled", recompile_limit=4)
    compiled.register_forward_hook(lambda module, given, result: seen.append(module))
    for scale, is_training in ((1.0, True), (3.0, True), (3.0, False), (1.0, True)):
        compiled.scale = scale
        model.train(is_training)
        assert compiled.training is is_training and model.scale == compiled.scale == scale
        for _ in range(3):
            assert compiled(facula.ones(2)).tolist() == [scale * (1 + is_training)] * 2
    compiled.weight = nn.Parameter(facula.zeros(2))
    assert not compiled(facula.ones(2)).any() and list(compiled.state_dict()) == ["_orig_mod.weight"]
    del compiled.scale
    assert not hasattr(model, "scale") and len(seen) == 13 and seen[0] is compiled


def test_generators_and_coroutines_run_eagerly():
    @facula.compile
    def halves(x):
        yield x
        yield x / 2

    @facula.compile(dynamic=True)
    async def doubled(x):
        return x * 2

    assert [one.item() for one in halves(facula.tensor(4.0))] == [4.0, 2.0]
    assert asyncio.run(doubled(facula.tensor(4.0))).item() == 8.0
    with raises(TypeError, "capture", "expected a function that returns its result"):
        facula.compile(fullgraph=True)(halves)


def test_arguments_of_compile_are_checked():
    model = nn.Linear(2, 2)
    with raises(TypeError, "compile", "expected a function or a module", value="int 3"):
        facula.compile(3)
    for wrong in ({"backend": "nonsense"}, {"mode": "fastest"}, {"mode": "default", "options": {}}):
        name, value = next(iter(wrong.items()))
        words = "expected mode or options; got both" if len(wrong) > 1 else f"expected {name} to be ... got {value!r}"
        for given in ((model,), ()):
            with raises(RuntimeError, "compile", words):
                facula.compile(*given, **wrong)
    with raises(RuntimeError, "set_stance", "expected one of"):
        facula.compiler.set_stance("sometimes")


def test_a_module_is_compiled_in_place():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    x = facula.ones(3, 2)
    before = model(x).tolist()
    assert model.compile(mode="default") is None
    assert [model(x).tolist() for _ in range(4)] == [before] * 4
    assert "replayed 3 times" in model.forward.report() and list(model.state_dict()) == ["0.weight", "0.bias"]


def test_compiler_decorators():
    compiler, seen = facula.compiler, []

    @compiler.disable(reason="it counts")
    def counted(x):
        seen.append(compiler.is_compiling())
        return x * 2

    @facula.compile
    def function(x):
        y = counted(x + 1)
        facula._dynamo.graph_break()
        return y * 3 + compiler.is_compiling()

    assert [function(facula.ones(1)).item() for _ in range(5)] == [13.0] + [13.0] * 4 and seen == [True, *[False] * 4]
    assert "counted is marked by compiler.disable (it counts)" in function.report().replace("\n", " ")
    double = facula.compile(lambda x: x * 2 + 1)
    with compiler.set_stance("force_eager"):
        double(facula.ones(1))
    compiler.set_stance("force_eager")(double)(facula.ones(1))
    assert "0 signatures" in double.report()
    double(facula.ones(1)), double(facula.ones(1))
    assert "replayed once" in double.report()
    compiler.reset()
    assert "0 signatures" in double.report()


def test_a_report_at_exit_lists_captured_functions():
    program = "import facula; f = facula.compile(lambda x: x * 2 + 1); f(facula.ones(2)); f(facula.ones(2))"
    for word, said in (("jit", True), ("", False)):
        result = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "FACULA_LOGS": word}, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stderr
        assert ("facula.jit:   (float32 (2,)): 2 launches, replayed once" in result.stderr) is said, result.stderr


def test_overriding_classes_handle_calls():
    from facula.overrides import (
        handle_torch_function,
        has_torch_function,
        is_tensor_like,
        is_tensor_method_or_property,
        resolve_name,
        wrap_torch_function,
    )

    class Loud(facula.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return (func.__name__, types, args, kwargs) if func is twice else NotImplemented

    class Louder(Loud):
        pass

    class Alike:
        def __torch_function__(self, *arguments):
            return NotImplemented

    @wrap_torch_function(lambda x, y=None: (x, y))
    def twice(x, y=None):
        return x * 2

    plain = facula.ones(2)
    loud, louder = plain.as_subclass(Loud), plain.as_subclass(Louder)
    assert not has_torch_function((plain, facula.Parameter(plain), 3, None)) and has_torch_function([plain, loud])
    assert twice(plain).tolist() == [2, 2]
    assert twice(loud, y=louder) == ("twice", (Louder, Loud), (loud,), {"y": louder})
    assert is_tensor_like(plain) and is_tensor_like(Alike()) and not is_tensor_like([1.0])
    with raises(TypeError, "clone", "no operand's __torch_function__ handles Loud"):
        handle_torch_function(facula.clone, (loud,), loud)
    assert resolve_name(facula.linalg.inv) == "torch.linalg.inv" and resolve_name(print) is None
    assert is_tensor_method_or_property(facula.Tensor.shape.__get__) and not is_tensor_method_or_property(print)


def test_named_results_have_classes():
    x = facula.tensor([[2.0, 1.0], [1.0, 3.0]])
    results = {"max": x.max(0), "sort": x.sort(), "frexp": facula.frexp(x), "linalg_eigh": facula.linalg.eigh(x)}
    for name, result in results.items():
        assert type(result) is getattr(facula.return_types, name)
    assert type(facula.linalg.slogdet(x)) is facula.return_types.linalg_slogdet
    assert {
        name for name in facula.return_types.__all__ if not issubclass(getattr(facula.return_types, name), tuple)
    } == set()


def test_compiler_marks_change_nothing():
    def f(x):
        return x + 1

    jit, compiler, dynamo = facula.jit, facula.compiler, facula._dynamo
    for mark in (jit.ignore, jit.ignore(), jit.ignore(drop=True), jit.unused, jit.export, jit.script_if_tracing,
                 compiler.allow_in_graph,
                 compiler.assume_constant_result, compiler.substitute_in_graph(len), compiler.nested_compile_region,
                 dynamo.allow_in_graph,
                 facula.fx.wrap):  # fmt: skip
        assert mark(f) is f
    assert jit.annotate(int, 3) == 3 and jit.Attribute(1, int).value == 1
    assert jit.isinstance([1], list[int]) and not jit.isinstance(1, (list[int], str))
    dynamo.mark_dynamic(facula.ones(2), 0)
    warnings.filterwarnings("ignore", category=jit.TracerWarning)


def test_names_of_ranges_change_nothing():
    @facula.profiler.record_function("f")
    def f(x):
        return x + 1

    with facula.autograd.profiler.record_function("block"):
        assert f(1) == 2
    assert facula.profiler.ProfilerActivity.CPU is not facula.profiler.ProfilerActivity.CUDA


def test_the_default_device_of_factories():
    facula.set_default_device(None)
    facula.set_default_device(facula.device("cpu"))
    assert facula.get_default_device() is facula.device("cpu")
    with facula.device("cpu") as device:
        assert facula.ones(2).device is device is facula.get_default_device()
    with raises(RuntimeError, "device 'xpu:0'", "no backend for 'xpu' is installed"):
        facula.set_default_device("xpu:0")
    with raises(RuntimeError, "device 'xpu'", "no backend for 'xpu' is installed"), facula.device("xpu"):
        pass
    facula.set_default_device("meta")
    assert facula.ones(2).is_meta and facula.get_default_device() == facula.device("meta")
    facula.set_default_device(None)
    assert not facula.ones(2).is_meta


def test_the_older_setter_of_the_default_dtype():
    for kind, dtype in ((facula.DoubleTensor, facula.float64), ("torch.FloatTensor", facula.float32)):
        with pytest.warns(UserWarning, match="set_default_dtype and set_default_device have taken its place"):
            facula.set_default_tensor_type(kind)
        assert facula.ones(1).dtype is dtype
    with (
        pytest.warns(UserWarning, match="taken its place"),
        raises(TypeError, "set_default_dtype", "expected a floating dtype"),
    ):
        facula.set_default_tensor_type(facula.LongTensor)


def test_type_queries():
    assert facula.typename(facula.ones(1)) == facula.ones(1).type() and facula.typename(3) == "int"
    assert not facula.is_storage(facula.ones(1)) and not facula.is_inference(facula.ones(1))
    with raises(TypeError, "is_inference", "expected a Tensor", value="int"):
        facula.is_inference(3)
