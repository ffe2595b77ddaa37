"""The facula package defines no objects: its names are those of its sibling packages, under PyTorch's names."""

import math
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import facula
from facula_errors.testing import raises

SIBLINGS = ("facula_storage", "facula_allocator", "facula_autograd", "facula_cpu", "facula_tensor")
SIBLINGS_LATE = {"OutOfMemoryError", "vmap"}  # loaded on first access
OWN = {"load", "save", *" ".join(facula._LAZILY.values()).split()} - SIBLINGS_LATE


def home(value):
    """Return the package that made an object; dtypes and devices are instances, so their class decides."""
    module = getattr(value, "__module__", None) or type(value).__module__
    return module.partition(".")[0]


NUMBERS = ["e", "inf", "nan", "pi"]
OBJECTS = [name for name in facula.__all__ if name not in NUMBERS and not isinstance(getattr(facula, name), ModuleType)]


@pytest.mark.parametrize("name", OBJECTS)
def test_each_name_is_defined_in_a_sibling(name):
    assert (home(getattr(facula, name)) in SIBLINGS) is (name not in OWN)


@pytest.mark.parametrize("name", NUMBERS)
def test_constants_are_those_of_math(name):
    assert getattr(facula, name) is getattr(math, name) and name in facula.__all__


def test_dtypes_have_pytorchs_names():
    assert [str(facula.ones(1, dtype=dtype).dtype) for dtype in (facula.float32, facula.bool)] == [
        "facula.float32",
        "facula.bool",
    ]


def test_training_learns_a_line():
    """Check forward, backward and an update using only facula's names."""
    facula.manual_seed(1)
    inputs = facula.randn(32, 2)
    wanted = inputs @ facula.tensor([[3.0], [-1.0]])
    weight = facula.zeros(2, 1, requires_grad=True)
    for _ in range(200):
        error = inputs @ weight - wanted
        (error * error).mean().backward()
        with facula.no_grad():
            weight -= 0.1 * weight.grad
            weight.grad = None
    assert weight.flatten().tolist() == pytest.approx([3.0, -1.0], abs=1e-4)


HIDING = """
import sys

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "HIDDEN":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Finder)
"""
HIDDEN = [
    ("facula_tensor", "import facula", "facula"),
    ("facula_allocator", "import facula; facula.ones(2)", "facula_cpu"),
    ("facula_nn", "import facula.nn as nn", "facula.nn"),
    ("facula_nn", "import facula; facula.nn.Linear", "facula.nn"),
    ("facula_nn", "import facula.nn.functional as F", "facula.nn"),
    ("facula_optim", "from facula.optim import SGD", "facula.optim"),
    ("facula_optim", "import facula; facula.optim.lr_scheduler", "facula.optim"),
    ("facula_distributions", "import facula; facula.distributions.Normal", "facula.distributions"),
    ("facula_data", "from facula.utils.data import DataLoader", "facula.utils.data"),
    ("facula_data", "import facula; facula.utils", "facula.utils.data"),
    ("facula_data", "import facula; facula.distributed", "facula.distributed"),
    ("facula_data", "from facula.distributed.fsdp.wrap import wrap", "facula.distributed"),
    ("facula_checkpoint", "import facula; facula.save(1, 'x')", "facula.save"),
    ("facula_checkpoint", "import facula; facula.load('x')", "facula.load"),
]
WITHOUT_GROUPS = """
import facula
import facula.distributed as dist

assert not dist.is_available() and not hasattr(dist, "init_process_group")
try:
    dist.all_reduce
except AttributeError as error:
    assert "the package facula-distributed is missing; install it" in str(error), error
"""
WITHOUT_CUDA = """
import facula
cuda = facula.cuda
assert not cuda.is_available() and cuda.device_count() == 0 and not facula.backends.cuda.is_built()
assert facula.version.cuda is None and facula.accelerator.current_accelerator() is None
cuda.manual_seed_all(1), cuda.empty_cache()
for needs_a_device in (cuda.Stream, cuda.Event, cuda.current_device, cuda.synchronize, cuda.nvtx.range_pop):
    try:
        needs_a_device()
    except RuntimeError as error:
        assert "there is no CUDA device, since the package facula-cuda is not installed" in str(error), error
        remedy = "pip install ./packages/cuda in facula's source tree; call it only where cuda.is_available()"
        assert remedy in str(error), error
    else:
        raise AssertionError(needs_a_device)
"""


def test_process_groups_are_unavailable_without_their_package():
    script = HIDING.replace("HIDDEN", "facula_distributed") + WITHOUT_GROUPS
    subprocess.run([sys.executable, "-c", script], check=True)


def test_programs_run_without_the_package_of_cuda():
    script = HIDING.replace("HIDDEN", "facula_cuda") + WITHOUT_CUDA
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(("module", "statement", "user"), HIDDEN)
def test_the_error_for_a_missing_package_names_what_to_install(module, statement, user, tmp_path):
    script = HIDING.replace("HIDDEN", module) + statement
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    folder = module.removeprefix("facula_")
    expected = f"Error: {user}: the package facula-{folder} is missing; install it"
    assert expected in done.stderr and done.stderr.endswith(f"pip install ./packages/{folder}\n"), done.stderr


LATER = ("nn", "optim", "utils")


@pytest.mark.parametrize("name", LATER)
def test_training_modules_are_loaded_on_first_use(name):
    script = (
        f"import sys, facula; before = 'facula.{name}' in sys.modules; listed = {name!r} in dir(facula); "
        f"module = facula.{name}; import facula.{name}; print(before, listed, module is sys.modules['facula.{name}'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "False True True\n", done.stdout + done.stderr


MODULES = ["nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler"]


@pytest.mark.parametrize("name", MODULES)
def test_modules_export_the_objects_of_their_sibling(name):
    face, sibling = import_module(f"facula.{name}"), import_module(f"facula_{name}")
    assert type(face) is ModuleType and face is not sibling
    assert set(sibling.__all__) <= set(face.__all__)
    objects = [name for name in sibling.__all__ if not isinstance(getattr(sibling, name), ModuleType)]
    assert objects
    assert [name for name in objects if getattr(face, name) is not getattr(sibling, name)] == []


def test_the_usual_imports():
    """Check the usual first lines of PyTorch programs with facula in place of torch."""
    import facula.nn as nn
    import facula.nn.functional as F
    import facula.optim as optim
    from facula.nn.utils import clip_grad_norm_
    from facula.optim.lr_scheduler import StepLR
    from facula.utils.data import DataLoader

    assert nn is facula.nn and F is facula.nn.functional and optim is facula.optim
    assert all(
        map(callable, (clip_grad_norm_, StepLR, DataLoader, nn.Linear, F.cross_entropy, nn.init.xavier_uniform_))
    )
    assert nn.Parameter is facula.Parameter and issubclass(nn.Parameter, facula.Tensor)


def test_an_unknown_name_raises():
    with pytest.raises(AttributeError, match="module 'facula' has no attribute 'tensr'"):
        facula.tensr


def test_autograd_modules_have_pytorchs_paths():
    """Check every way to import them; rarely used modules are loaded lazily."""
    code = """
import sys, facula
assert "facula.autograd.functional" not in sys.modules and "facula_tensor.derivatives" not in sys.modules
from facula.utils.checkpoint import checkpoint
import facula.autograd.functional as functional
from facula.autograd.function import Function, FunctionCtx, once_differentiable
from facula.autograd.graph import Node, saved_tensors_hooks
assert facula.autograd.Function is Function
x = facula.tensor([1.0, 2.0], requires_grad=True)
assert functional.jacobian(lambda x: x * x, x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
checkpoint(lambda x: (x * x).sum(), x).backward()
assert x.grad.tolist() == [2.0, 4.0] and type((x * 2).grad_fn) is Node
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="nothing"):
        facula.autograd.nothing


def test_a_device_whose_package_is_missing():
    """Check that known names make devices, whose use names the alternatives, and that other names are refused."""
    assert facula.device("cuda:1").type == "cuda"
    for move in (facula.ones(2).cuda, facula.nn.Linear(2, 2).cuda, lambda: facula.ones(2).cuda(1)):
        with raises(RuntimeError, "cuda"):  # the message depends on whether facula_cuda is installed
            move()
    with raises(RuntimeError, "to", "no backend for 'xpu' is installed", "published none for 'xpu' yet"):
        facula.ones(2).to("xpu")
    with raises(RuntimeError, "device 'gpu'", "'gpu' is not a known type of device", "known are cpu, cuda"):
        facula.device("gpu")


PLACES = {
    "nn.modules": ["Linear", "Module", "Sequential"],
    "nn.modules.activation": ["ReLU"],
    "nn.modules.batchnorm": ["BatchNorm2d"],
    "nn.modules.container": ["ModuleList", "ParameterDict"],
    "nn.modules.conv": ["Conv2d", "ConvTranspose2d"],
    "nn.modules.dropout": ["Dropout"],
    "nn.modules.flatten": ["Flatten"],
    "nn.modules.instancenorm": ["InstanceNorm2d"],
    "nn.modules.linear": ["Identity"],
    "nn.modules.loss": ["CrossEntropyLoss", "TripletMarginLoss"],
    "nn.modules.module": ["Module"],
    "nn.modules.pooling": ["MaxPool2d", "AdaptiveAvgPool2d"],
    "nn.modules.rnn": ["LSTM", "GRUCell", "RNNBase"],
    "nn.modules.sparse": ["Embedding"],
    "nn.utils.clip_grad": ["clip_grad_norm_"],
    "nn.utils.convert_parameters": ["parameters_to_vector"],
    "nn.parameter": ["Buffer", "Parameter"],
    "optim.optimizer": ["Optimizer"],
    "optim.adadelta": ["Adadelta"],
    "optim.adagrad": ["Adagrad"],
    "optim.adam": ["Adam"],
    "optim.adamax": ["Adamax"],
    "optim.adamw": ["AdamW"],
    "optim.asgd": ["ASGD"],
    "optim.lbfgs": ["LBFGS"],
    "optim.nadam": ["NAdam"],
    "optim.radam": ["RAdam"],
    "optim.rmsprop": ["RMSprop"],
    "optim.rprop": ["Rprop"],
    "optim.sgd": ["SGD"],
    "utils.data.dataloader": ["DataLoader", "default_collate", "get_worker_info"],
    "utils.data.dataset": ["Dataset", "random_split"],
    "utils.data.sampler": ["BatchSampler", "Sampler"],
}


@pytest.mark.parametrize("place", PLACES)
def test_pytorchs_places_hold_the_same_objects(place):
    module = import_module(f"facula.{place}")
    homes = {"nn": "nn.utils" if place.startswith("nn.utils") else "nn", "optim": "optim", "utils": "utils.data"}
    usual = import_module("facula." + homes[place.partition(".")[0]])
    assert set(PLACES[place]) <= set(module.__all__)
    names = set(module.__all__) - {"is_lazy", "NonDynamicallyQuantizableLinear"}  # names that PyTorch has only there
    assert [name for name in names if getattr(module, name) is not getattr(usual, name)] == []


def test_base_classes_and_helpers_have_pytorchs_private_names():
    from facula.nn.modules.batchnorm import _BatchNorm, _NormBase
    from facula.nn.modules.conv import _ConvNd, _ConvTransposeNd
    from facula.nn.modules.dropout import _DropoutNd
    from facula.nn.modules.linear import NonDynamicallyQuantizableLinear
    from facula.nn.modules.loss import _Loss, _WeightedLoss
    from facula.nn.modules.utils import (
        _pair,
        _quadruple,
        _reverse_repeat_tuple,
        _single,
        _triple,
        consume_prefix_in_state_dict_if_present,
    )

    nn = facula.nn
    assert nn.init._calculate_fan_in_and_fan_out(facula.zeros(2, 3, 5)) == (15, 10)
    assert isinstance(nn.BatchNorm2d(1), _BatchNorm) and not isinstance(nn.InstanceNorm1d(1), _BatchNorm)
    assert issubclass(_BatchNorm, _NormBase) and isinstance(nn.InstanceNorm1d(1), _NormBase)
    assert isinstance(nn.Conv3d(1, 1, 1), _ConvNd) and not isinstance(nn.Conv1d(1, 1, 1), _ConvTransposeNd)
    assert isinstance(nn.ConvTranspose1d(1, 1, 1), _ConvTransposeNd) and issubclass(_ConvTransposeNd, _ConvNd)
    assert isinstance(nn.Dropout2d(), _DropoutNd) and isinstance(nn.MSELoss(), _Loss)
    assert isinstance(nn.NLLLoss(), _WeightedLoss) and not isinstance(nn.MSELoss(), _WeightedLoss)
    assert isinstance(nn.MultiheadAttention(2, 1).out_proj, NonDynamicallyQuantizableLinear)
    assert (_single(3), _pair(3), _triple([1, 2, 3]), _quadruple(0)) == ((3,), (3, 3), (1, 2, 3), (0, 0, 0, 0))
    assert _reverse_repeat_tuple((1, 2), 2) == (2, 2, 1, 1)
    state = {"module.weight": 1, "bias": 2}
    consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state.items()) == [("weight", 1), ("bias", 2)]


def test_types_and_older_import_paths():
    from facula._C import _LinAlgError
    from facula.cuda.amp.autocast_mode import autocast
    from facula.cuda.amp.grad_scaler import GradScaler
    from facula.nn.common_types import _size_2_t, _size_any_t
    from facula.optim.optimizer import ParamsT, required
    from facula.types import Device, Number, _size
    from facula.utils import data, dlpack
    from facula.utils.model_zoo import load_url

    assert autocast is facula.cuda.amp.autocast and GradScaler is facula.cuda.amp.GradScaler
    assert _size_2_t == int | tuple[int, int] and _size_any_t == int | tuple[int, ...]
    assert isinstance(1.5, Number) and isinstance("cpu", Device) and isinstance(facula.ones(2).shape, facula.Size)
    assert repr(required) == "<required parameter>" and ParamsT is not None and _size is not None
    assert data.get_worker_info() is None and dlpack.from_dlpack is facula.from_dlpack
    assert load_url is facula.hub.load_state_dict_from_url
    with raises(_LinAlgError, "linalg.cholesky", "cholesky"):
        facula.linalg.cholesky(-facula.eye(2))


def test_rarely_used_modules_are_loaded_lazily():
    code = """
import sys, facula.nn as nn
assert not {"facula.nn.modules", "facula.nn.common_types", "facula.optim.sgd", "facula.types"} & set(sys.modules)
assert nn.modules.module.Module is nn.Module and nn.parameter.Parameter is nn.Parameter
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="nothing"):
        facula.nn.nothing


def test_cuda_queries_without_a_device():
    cuda = facula.cuda
    assert not cuda.is_available() and not cuda.is_initialized() and not cuda.is_bf16_supported()
    assert cuda.device_count() == 0
    for asked in (cuda.memory_allocated, cuda.max_memory_allocated, cuda.memory_reserved, cuda.max_memory_reserved):
        assert asked() == asked("cuda:0") == 0
    state = facula.get_rng_state()
    for done in (cuda.empty_cache(), cuda.manual_seed(1), cuda.manual_seed_all(2), cuda.seed(), cuda.seed_all()):
        assert done is None
    assert facula.equal(facula.get_rng_state(), state)
    with raises(TypeError, "cuda.manual_seed", "expected seed to be an integer", value="'x'"):
        cuda.manual_seed_all("x")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("current_device", ()), ("set_device", (0,)), ("synchronize", ()), ("get_device_name", (0,)),
     ("get_device_capability", ()), ("get_device_properties", (0,))],
)  # fmt: skip
def test_functions_that_need_a_cuda_device_raise(name, arguments):
    with raises(RuntimeError, f"cuda.{name}", "there is no CUDA device", "is_available"):
        getattr(facula.cuda, name)(*arguments)


def test_objects_frozen_by_the_program_stay_frozen():
    program = "import gc; gc.freeze(); import facula; assert gc.get_freeze_count() > 1000"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("collecting", [True, False])
def test_importing_keeps_the_garbage_collection_settings(collecting):
    change = "" if collecting else "gc.disable();"
    program = f"import gc; {change} import facula, facula.nn, facula.optim; assert gc.isenabled() is {collecting}"
    subprocess.run([sys.executable, "-c", program], check=True)
