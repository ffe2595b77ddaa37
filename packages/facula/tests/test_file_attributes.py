"""Attributes of objects in files: protocol attributes of NumPy and Python, and names of methods, are refused."""

import argparse
import collections
import io
import types
import zipfile
from decimal import Decimal

import numpy as np
import pytest

import facula
import facula.nn as nn
from facula._pickles.attributes import written
from facula_checkpoint import CheckpointError
from facula_errors.testing import raises


class Options:
    pass


class Net(nn.Module):
    def forward(self, x):
        return x


class Restored(Net):
    def __setstate__(self, state):
        super().__setstate__(state)


def tagged(value):
    value.tag_of_a_test = {"shape": (1,), "typestr": "|u1", "data": (4096, True), "version": 3}
    return value


def schedule():
    optimizer = facula.optim.SGD(nn.Linear(1, 1).parameters())
    return facula.optim.lr_scheduler.StepLR(optimizer, 1)


def with_buffer():
    module = nn.Module()
    module.register_buffer("tag_of_a_test", facula.ones(2))
    return module


OBJECTS = {
    "Tensor": (lambda: tagged(facula.ones(2)), "numpy"),
    "Parameter": (lambda: tagged(nn.Parameter(facula.ones(2))), "numpy"),
    "Buffer": (lambda: tagged(nn.Buffer(facula.ones(2))), "data"),
    "Linear": (lambda: tagged(nn.Linear(1, 1)), "forward"),
    "module of the program": (lambda: tagged(Net()), "forward"),
    "module with __setstate__": (lambda: tagged(Restored()), "forward"),
    "names of buffers": (with_buffer, "forward"),
    "StepLR": (lambda: tagged(schedule()), "step"),
    "TensorDataset": (lambda: tagged(facula.utils.data.TensorDataset(facula.ones(2))), None),
    "Normal": (lambda: tagged(facula.distributions.Normal(0.0, 1.0)), "sample"),
    "Namespace": (lambda: tagged(argparse.Namespace()), "_get_kwargs"),
    "SimpleNamespace": (lambda: tagged(types.SimpleNamespace()), None),
    "OrderedDict": (lambda: tagged(collections.OrderedDict()), "items"),
    "object of the program": (lambda: tagged(Options()), None),
}  # fmt: skip
PROTOCOLS = ("__array_interface__", "__array_struct__", "__class__", "__dict__", "__dlpack__", "__torch_function__")


def text(name):
    return b"X" + len(name).to_bytes(4, "little") + name.encode()


def renamed(value, name):
    """Return a value's file with one attribute renamed."""
    file, changed = io.BytesIO(), io.BytesIO()
    facula.save(value, file)
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(changed, "w") as other:
        for member in archive.namelist():
            data = archive.read(member)
            assert text("tag_of_a_test") in data or not member.endswith(".pkl")
            other.writestr(member, data.replace(text("tag_of_a_test"), text(name)))
    changed.seek(0)
    return changed


@pytest.mark.parametrize("kind", OBJECTS)
def test_files_set_no_array_protocol_and_no_method(kind):
    make, method = OBJECTS[kind]
    with facula.serialization.safe_globals([Net, Restored, Options]):
        assert facula.load(renamed(make(), "another")).another is not None
        for name in (*PROTOCOLS, *filter(None, [method])):
            with raises(CheckpointError, "<BytesIO>", f"sets the attribute '{name}' of a", "which files may not set"):
                facula.load(renamed(make(), name))


@pytest.mark.parametrize(
    "make",
    [lambda: facula.ones(2), lambda: nn.Linear(1, 1), schedule, argparse.Namespace, collections.OrderedDict, Net],
)
def test_attributes_that_load_refuses_are_not_saved(make):
    value = make()
    value.__array_interface__ = {}
    with raises(TypeError, "save", "delete", value="the attribute '__array_interface__' of a"):
        facula.save(value, io.BytesIO())


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_attributes_of_pytorchs_modules_only(dims):
    for name, transposed in (("Conv", False), ("ConvTranspose", True), ("LazyConvTranspose", True)):
        module = getattr(nn, f"{name}{dims}d")(*[2][: name[0] != "L"], 2, 3, padding=1)
        state = written(module, {})
        assert state == {"transposed": transposed, "_reversed_padding_repeated_twice": (1,) * 2 * dims}


@pytest.mark.parametrize("mode", ["triangular", "triangular2", "exp_range"])
def test_schedule_methods_that_pytorch_saves(mode):
    optimizer = facula.optim.SGD([facula.ones(1, requires_grad=True)], lr=0.1)
    cyclic = facula.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1, mode=mode, gamma=0.5, cycle_momentum=False)
    assert cyclic.scale_mode == ("iterations" if mode == "exp_range" else "cycle")
    method = written(cyclic, {})["_scale_fn_ref"]
    assert getattr(method, "func", method).name == f"_{mode}_scale_fn"
    file = io.BytesIO()
    facula.save([cyclic, method], file)
    file.seek(0)
    found, again = facula.load(file)
    assert "_scale_fn_ref" not in vars(found) and found.get_lr() == cyclic.get_lr()
    assert getattr(again, "func", again).owner is type(cyclic)
    with raises(NotImplementedError, f"CyclicLR._{mode}_scale_fn", "only PyTorch has it"):
        again(1)


def test_classes_and_initializers_round_trip():
    kept = [facula.Size, facula.dtype, facula.device, facula.layout, facula.memory_format, nn.init.normal_, Decimal]
    file = io.BytesIO()
    facula.save(kept, file)
    with zipfile.ZipFile(file) as archive:
        data = archive.read("archive/data.pkl")
    assert b"facula" not in data and b"ctorch.nn.init\nnormal_\n" in data and b"ctorch\ndtype\n" in data
    file.seek(0)
    assert facula.load(file) == kept


def test_the_array_interface_comes_from_the_tensor():
    found = facula.load(renamed(tagged(facula.ones(2)), "array_interface"))
    assert np.asarray(found).tolist() == [1.0, 1.0]
