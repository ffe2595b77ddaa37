"""PyTorch names that are not implemented yet: they can be imported and named, and raise when used."""

import inspect
import re
import subprocess
import sys
from functools import reduce
from importlib import import_module

import pytest

import facula
from facula_errors.testing import raises

WHERE = {
    "": ["sparse_coo_tensor", "sparse_csr_tensor"],
    "distributed.fsdp": ["OptimStateKeyType"],
    "distributed.tensor.parallel": ["ColwiseParallel", "parallelize_module"],
    "distributed.optim": ["DistributedOptimizer", "PostLocalSGDOptimizer"],
    "jit": ["ScriptModule", "ScriptFunction", "trace_module"],
    "onnx": ["dynamo_export", "ExportableModule"],
    "hub": ["help", "download_url_to_file", "list"],
    "sparse": ["FloatTensor", "DoubleTensor", "mm"],
    "fx": ["symbolic_trace", "Tracer", "GraphModule"],
    "export": ["export", "load"],
    "profiler": ["ExecutionTraceObserver"],
    "autograd.profiler": ["emit_itt", "emit_nvtx"],
    "_dynamo": ["explain", "register_backend"],
    "distributed.checkpoint": ["load_state_dict", "LoadPlanner"],
    "library": ["register_torch_dispatch", "triton_op"],
    "masked": ["masked_tensor"],
    "nested": ["nested_tensor"],
    "overrides": ["TorchFunctionMode", "get_overridable_functions"],
    "utils.cpp_extension": ["load", "CUDAExtension"],
}


@pytest.mark.parametrize(("place", "name"), [(place, name) for place, names in WHERE.items() for name in names])
def test_use_raises_and_names_the_function(place, name):
    one = getattr(import_module(f"facula.{place}" if place else "facula"), name)
    with raises(NotImplementedError, f"...{name}", "PyTorch has it, facula not yet;") as caught:
        one(1, of="anything")
    assert len(inspect.getinnerframes(caught.value.__traceback__)) == 1  # the traceback ends at the program's line
    for path in re.findall(r"\bfacula(?:\.[A-Za-z]\w*)+", str(caught.value)):  # the remedies exist
        assert reduce(getattr, path.split(".")[1:], facula) is not None
    assert one.__name__ == name and one.__doc__.endswith("NotImplementedError.")
    if isinstance(one, type):
        assert not isinstance(facula.ones(1), one)
        with raises(NotImplementedError, f"...{name}"):
            type("Own", (one,), {"__init__": lambda self, width: None})(3)


def test_export_names_the_files_that_facula_writes():
    with raises(
        NotImplementedError, "export.export", "facula.jit.trace(model, example).save(path)", "facula.onnx.export"
    ):
        facula.export.export(facula.nn.Linear(1, 1), (facula.ones(1, 1),))


def test_usual_imports_succeed():
    code = """
import facula.distributed as dist
import facula.backends.cudnn as cudnn
import facula.multiprocessing as mp
import facula._dynamo.config
from facula.distributed import ReduceOp, init_process_group
from facula.distributed.fsdp import FullyShardedDataParallel as FSDP
from facula.nn.parallel import DataParallel, DistributedDataParallel as DDP
from facula.utils.data import DistributedSampler
from facula.utils.data.distributed import DistributedSampler as Same
from facula.nn.parallel.distributed import DistributedDataParallel
from facula.jit import Final
from facula.autograd import Variable
from facula.autograd.profiler import record_function
assert dist.is_available() and not dist.is_initialized() and Same is DistributedSampler
assert ReduceOp.SUM is dist.ReduceOp.SUM and mp.get_start_method(allow_none=True) is None
cudnn.benchmark = True
import facula
assert facula.backends.cudnn.benchmark and facula.jit.Final is Final
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_facula_loads_none_of_them():
    code = """
import sys, facula
facula.nn.Linear(2, 2)(facula.ones(2)).sum().backward()
for name in ("cuda", "distributed", "jit", "backends", "_functions.settings", "nn.parallel", "multiprocessing",
             "random", "overrides", "return_types", "torch_version", "nested"):
    assert f"facula.{name}" not in sys.modules, name
assert "multiprocessing" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_without_a_stated_reason_are_missing():
    with pytest.raises(AttributeError, match=r"PyTorch has torch\.distributed\.shrink_group, facula not yet"):
        facula.distributed.shrink_group
    with pytest.raises(ImportError, match=r"PyTorch has torch\.jit\.CompilationUnits|cannot import name"):
        from facula.jit import CompilationUnits  # noqa: F401
    with pytest.raises(AttributeError, match=r"'_dispatch'.*PyTorch's inside"):
        facula._C._dispatch
    assert not hasattr(facula._C, "anything")
