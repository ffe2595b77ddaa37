"""Missing names: errors tell names that PyTorch has from misspelt ones; `dir` shows public names."""

import builtins
import copy
import importlib.util
import inspect
import pickle
import re
import subprocess
import sys
from importlib import import_module

import pytest

import facula
from facula_errors.testing import raises
from facula_tensor.extend import table_rows, table_sections

PAGE = "docs/tutorials/coming-from-pytorch.md says what is missing"
PLACES = ["", ".nn", ".nn.functional", ".nn.init", ".nn.utils", ".nn.parameter", ".nn.modules", ".optim",
          ".optim.lr_scheduler", ".optim.optimizer", ".utils", ".utils.data", ".utils.data.dataset",
          ".utils.data.sampler", ".utils.data.dataloader", ".utils.checkpoint", ".autograd", ".autograd.function",
          ".autograd.functional", ".autograd.graph", ".cuda", ".testing"]  # fmt: skip


def listing():
    from facula._lookup.names import LISTING

    return LISTING


MISSING = [
    (place, name)
    for place in PLACES
    for name in sorted(listing().names("torch" + place))[::9]
    if not hasattr(import_module("facula" + place), name)
]


def test_each_of_pytorchs_modules_is_listed():
    assert all(listing().names("torch" + place) for place in PLACES)
    assert {"cumsum", "tensor", "asarray"} <= listing().names("torch")
    assert {"LSTM", "Linear"} <= listing().names("torch.nn")
    assert {"torch.quantization", "torch.nn.qat"} <= listing().names("modules")
    assert len({place for place, _ in MISSING}) > 10


@pytest.mark.parametrize(("place", "name"), MISSING)
def test_errors_name_missing_names_of_pytorch(place, name):
    """Check that attribute access raises AttributeError and an import by name ImportError."""
    module = import_module("facula" + place)
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value).startswith(f"module 'facula{place}' has no attribute {name!r}: PyTorch has torch{place}.")
    assert str(caught.value).endswith(PAGE)
    assert caught.value.name == name and caught.value.obj is module
    assert not hasattr(module, name) and getattr(module, name, 7) == 7
    assert name not in dir(module)


@pytest.mark.parametrize(
    ("place", "name", "said"),
    [
        ("distributed.launcher.api", "Xyz", "facula has none; run python -m facula run --nproc N SCRIPT, or torchrun"),
        ("ao.quantization", "Xyz", "facula has none; quantisation is not there: use float32, "),
        ("_dynamo.exc", "Xyz", "facula has none; http"),
    ],
)
def test_modules_whose_names_are_not_listed(place, name, said):
    """Check that the message is that of the nearest listed parent module."""
    module = import_module(f"facula.{place}")
    with pytest.raises(AttributeError) as caught:
        getattr(module, name)
    assert str(caught.value).startswith(f"module 'facula.{place}' has no attribute '{name}': {said}")
    with pytest.raises(ImportError) as caught:
        exec(f"from facula.{place} import {name}")
    assert str(caught.value).startswith(f"cannot import name '{name}' from 'facula.{place}': {said}")


def test_functions_and_methods_exist_together():
    """Check that, where PyTorch has a name as function and method, facula has both or neither."""
    from facula._lookup.names import TENSORS

    both = listing().names("torch") & TENSORS.names("torch.Tensor")
    different = {name for name in both if hasattr(facula, name) != hasattr(facula.Tensor, name)}
    assert len(both) > 400 and different == {"chalf", "mtia", "xpu"}  # a dtype and two modules


def test_modules_belong_to_facula_after_the_first_import():
    """Check that the sibling's module of the same name, whose errors lack these messages, is not used."""
    names = ("nn.functional", "nn.init", "nn.utils", "optim.lr_scheduler", "nn.modules.conv", "utils.data", "cuda")
    code = "import facula, sys\nfor name in sys.argv[1:]: assert eval(name).__name__ == name, eval(name)"
    subprocess.run([sys.executable, "-c", code, *(f"facula.{name}" for name in names)], check=True)


def test_imports_by_name_raise_the_same_messages():
    with raises(
        ImportError,
        "cannot import name 'LinearCrossEntropyLoss' from 'facula.nn'",
        "PyTorch has torch.nn.LinearCrossEntropyLoss",
    ):
        from facula.nn import LinearCrossEntropyLoss  # noqa: F401
    with pytest.raises(ImportError, match=r"'conv_tbc' from 'facula.nn.functional': .*; use conv1d") as caught:
        from facula.nn.functional import conv_tbc  # noqa: F401
    assert caught.value.name == "facula.nn.functional" and caught.value.path.endswith("functional.py")
    with raises(ImportError, "cannot import name 'quantization' from 'facula'", "quantisation"):
        from facula import quantization  # noqa: F401


def test_errors_name_missing_modules_of_pytorch():
    for name in ("quantization", "quantization.fx", "nn.qat", "utils.mkldnn", "utils.viz"):
        whole = name if name != "quantization.fx" else "quantization"
        with pytest.raises(
            ModuleNotFoundError, match=f"^No module named 'facula.{whole}': PyTorch has torch.{whole}, fac"
        ):
            import_module(f"facula.{name}")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'facula.nonsense'$"):
        import_module("facula.nonsense")
    assert importlib.util.find_spec("facula.quantization") is None
    with raises(AttributeError, "module 'facula.nn' has no attribute 'qat'", "PyTorch has torch.nn.qat"):
        facula.nn.qat
    with raises(AttributeError, "module 'facula.utils' has no attribute 'mkldnn'", "PyTorch has torch.utils"):
        facula.utils.mkldnn


def test_every_module_exists_or_names_an_alternative():
    for name in sorted(listing().names("modules")):
        if importlib.util.find_spec(name.replace("torch", "facula", 1).rpartition(".")[0]) is None:
            continue  # its parent module's message applies
        try:
            import_module(name.replace("torch", "facula", 1))
        except ImportError as error:
            why = listing().missing("modules", name)
            assert why in str(error) and ", facula not yet; " in why and "not yet; http" not in why, name


@pytest.mark.parametrize(
    ("code", "suggestion"),
    [
        ("facula.tensr", "Did you mean: 'tensor'?"),
        ("facula.nn.Lineer", "Did you mean: 'Linear'?"),
        ("facula.nn.functional.crossentropy", "Did you mean: 'cross_entropy'?"),
        ("facula.ones(2).shpae", "Did you mean: 'shape'?"),
        ("facula.nn.Linear(1, 1).wieght", "Did you mean: 'weight'?"),
        ("from facula.nn import Lineer", "did you mean 'Linear'?"),
        ("from facula.nn.functional import CrossEntropy", "did you mean 'cross_entropy'?"),
        ("from facula.utils.data import Dataloader", "did you mean 'DataLoader'?"),
    ],
)
def test_misspelt_names_get_a_suggestion(code, suggestion):
    done = subprocess.run([sys.executable, "-c", f"import facula\n{code}"], capture_output=True, text=True)
    assert done.stderr.rstrip().endswith(suggestion), done.stderr
    assert "PyTorch has" not in done.stderr


def test_suggested_alternatives_exist():
    """Check that every function, method or layer that an alternative names exists."""
    from facula._lookup.names import LISTING, TENSORS

    known = {*dir(facula), *dir(facula.ones(2)), *dir(facula.nn), *dir(facula.nn.functional), *dir(facula.utils.data)}
    known |= {*dir(facula.optim), *dir(facula.cuda), *dir(facula.linalg), *dir(facula.distributed), *dir(builtins)}
    known |= {"numpy", "argsort", "cumsum", "unique", "is_available", "jvp", "grad"}
    for names in (LISTING, TENSORS):
        for place, text in table_sections(names.table).items():
            for kind, missing, use in table_rows(text):
                assert kind == "missing"
                called = set(re.findall(r"(\w+)\(", use)) | set(re.findall(r"\buse ([A-Z]\w+)", use))
                assert use and not use.endswith(".") and called <= known, f"{place}, {missing}: {called - known}"
                there = names.names(place) | (LISTING.names("torch") if names is TENSORS else frozenset())
                modules = {name for name in missing if f"{place}.{name}" in LISTING.names("modules")}
                assert set(missing) - modules <= there, f"{place}: {set(missing) - there}"
                owner = facula.Tensor if names is TENSORS else import_module(place.replace("torch", "facula", 1))
                assert not [name for name in set(missing) - modules if hasattr(owner, name)], f"{place} has {missing}"


TENSOR = facula.ones(2, 3)
NAMES_OF_TENSORS = import_module("facula._lookup.names").TENSORS.names("torch.Tensor")
METHODS = sorted(name for name in NAMES_OF_TENSORS if not hasattr(type(TENSOR), name))


@pytest.mark.parametrize("name", METHODS[::7])
@pytest.mark.parametrize("kind", ["tensor", "Parameter", "subclass", "class"])
def test_errors_name_missing_methods_of_pytorch(kind, name):
    class Own(facula.Tensor):
        pass

    parameter, own = facula.Parameter(TENSOR), TENSOR.as_subclass(Own)
    owner = {"tensor": TENSOR, "Parameter": parameter, "subclass": own, "class": facula.Tensor}[kind]
    with raises(AttributeError, f"... has no attribute '{name}'", f"PyTorch has torch.Tensor.{name}") as caught:
        getattr(owner, name)
    assert str(caught.value).endswith(PAGE)
    assert caught.value.name == name and caught.value.obj is owner
    assert not hasattr(owner, name) and getattr(owner, name, 7) == 7
    assert kind == "class" or name not in dir(owner)


def test_missing_methods_do_not_shadow_user_attributes():
    """Check user attributes, properties of subclasses and mixins, `__getattr__`, copies and pickles."""

    class Named(facula.Tensor):
        name = property(lambda self: "own")

    class Mixed:
        @property
        def is_distributed(self):
            return "mixed in"

        def geqrf(self, dim):
            return f"mixed in {dim}"

        sspaddmm = 3

    class Both(facula.Tensor, Mixed):
        pass

    class Answers(facula.Tensor):
        def __getattr__(self, name):
            return f"answered {name}"

    assert TENSOR.as_subclass(Named).name == "own"
    both = TENSOR.as_subclass(Both)
    assert (both.is_distributed, both.geqrf(1), both.sspaddmm) == ("mixed in", "mixed in 1", 3)
    assert TENSOR.as_subclass(Answers).geqrf == "answered geqrf"
    parameter = facula.Parameter(TENSOR)
    parameter.name = "weight"
    assert parameter.name == "weight" and "name" in dir(parameter)
    for again in (copy.copy(parameter), copy.deepcopy(parameter), pickle.loads(pickle.dumps(parameter))):
        assert again.tolist() == TENSOR.tolist() and again.name == "weight"
    shown = dict(inspect.getmembers(TENSOR))
    assert "sum" in shown and "geqrf" not in shown


def test_tensors_define_no_getattr():
    """Check this because `__getattr__` slows down every lookup: missing names are attributes that raise."""
    for cls in (facula.Tensor, facula.Parameter):
        assert not any("__getattr__" in vars(base) or "__getattribute__" in vars(base) for base in cls.__mro__[:-1])
        metaclass = type(cls)
        assert metaclass.__getattribute__ is type.__getattribute__ and metaclass.__call__ is type.__call__
        assert metaclass.__instancecheck__ is type.__instancecheck__ and not hasattr(metaclass, "__getattr__")


def test_dir_of_a_tensor_lists_public_names():
    shown = [name for name in dir(facula.Parameter(TENSOR)) if not name.startswith("_")]
    assert {"sum", "shape", "grad", "backward", "T"} <= set(shown) and shown == sorted(shown)
    undocumented = [name for name in shown if not inspect.getdoc(getattr(facula.Tensor, name))]
    assert not undocumented, undocumented
    assert not {"hooks", "node"} & set(shown)


def test_dir_lists_no_private_names_except_the_programs():
    """Check tensors and modules; Python's dunder names stay."""

    class Net(facula.nn.Module):
        _width = 2

        def __init__(self):
            super().__init__()
            self._inner = facula.nn.Linear(2, 2)
            self.register_forward_hook(lambda *args: None)

        def _helper(self):
            return self

    class Own(facula.Tensor):
        _mark = 1

    library = [TENSOR, facula.Parameter(TENSOR), facula.nn.Linear(2, 2), facula.nn.Sequential(facula.nn.ReLU()),
               facula.nn.ModuleDict(), facula.nn.ParameterDict({"a": facula.Parameter(TENSOR)})]  # fmt: skip
    for one, wanted in [*((one, set()) for one in library), (TENSOR.as_subclass(Own), {"_mark"}),
                        (Net(), {"_width", "_inner", "_helper"})]:  # fmt: skip
        shown = dir(one)
        assert {name for name in shown if name[0] == "_" and not name.startswith("__")} == wanted, type(one)
        assert {"__class__", "__doc__", "__init__", "__dir__"} <= set(shown)
    assert {"forward", "train", "__call__", "weight"} <= set(dir(facula.nn.Linear(2, 2)))


def test_errors_name_missing_methods_of_pytorchs_module():
    layer = facula.nn.Linear(2, 2)
    with raises(AttributeError, "'Linear' object has no attribute 'ipu'", "PyTorch has torch.nn.Module.ipu"):
        layer.ipu
    assert not hasattr(layer, "ipu")
    with pytest.raises(AttributeError, match=r"^'Linear' object has no attribute 'nothing'$"):
        layer.nothing

    class Broken(facula.nn.Module):
        @property
        def ipu(self):
            return self.absent

    with pytest.raises(AttributeError, match=r"^'Broken' object has no attribute 'absent'$"):
        Broken().ipu
