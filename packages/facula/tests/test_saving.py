"""save and load: containers of tensors in files, through the public API."""

import io
import math
import os
import subprocess
import sys
from collections import OrderedDict

import numpy
import pytest

import facula
from facula_checkpoint import CheckpointError
from facula_errors.testing import raises


@pytest.fixture
def path(tmp_path):
    return tmp_path / "kept.safetensors"


def test_a_training_run_round_trips(path):
    """Check the state of optimizers and schedules: integer keys, tuples, None, infinities, 0-dimensional tensors."""
    run = {
        "model": OrderedDict(weight=facula.randn(3, 2), steps=facula.tensor(7)),
        "optimizer": {
            "state": {0: {"step": facula.tensor(3.0), "exp_avg": facula.ones(2)}},
            "param_groups": [{"lr": 0.1}],
        },
        "best": -math.inf,
        "betas": (0.9, 0.999),
        "note": None,
    }
    facula.save(run, path)
    again = facula.load(path)
    assert type(again["model"]) is OrderedDict
    assert again["model"]["weight"].tolist() == run["model"]["weight"].tolist()
    assert again["model"]["steps"].item() == 7 and again["model"]["steps"].shape == ()
    assert again["optimizer"]["state"][0]["step"].item() == 3.0
    assert {key: again[key] for key in ("best", "betas", "note")} == {
        key: run[key] for key in ("best", "betas", "note")
    }


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "float32", "float64", "complex128"])
def test_each_dtype_round_trips(path, dtype):
    values = facula.arange(6).reshape(2, 3).to(getattr(facula, dtype))
    facula.save(values.T, path)
    again = facula.load(path)
    assert again.dtype is values.dtype
    assert again.tolist() == values.T.tolist()


def test_parameters_and_results_are_saved_as_tensors(path):
    """Check that they load as tensors without requires_grad, which load_state_dict copies into parameters."""
    weight = facula.Parameter(facula.ones(2))
    facula.save([weight, weight * 2, weight.detach()], path)
    loaded = facula.load(path)
    assert [type(tensor) for tensor in loaded] == [facula.Tensor] * 3
    assert not any(tensor.requires_grad for tensor in loaded)
    assert [tensor.tolist() for tensor in loaded] == [[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]]
    loaded[0].zero_()
    assert loaded[2].tolist() == [0.0, 0.0], "the same memory when it was saved, and again"


def test_a_size_loads_as_a_tuple(path):
    facula.save({"shape": facula.ones(2, 3).shape}, path)
    assert facula.load(path) == {"shape": (2, 3)}


@pytest.mark.parametrize("mmap", [None, True])
def test_loaded_tensors_are_writable(path, mmap):
    facula.save(facula.zeros(3), path)
    loaded = facula.load(path, weights_only=True, mmap=mmap)
    loaded += 1
    assert loaded.tolist() == [1.0, 1.0, 1.0]
    assert facula.load(path, weights_only=False).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("mmap", [None, True])
def test_mapped_tensors_are_read_from_the_file(path, mmap):
    """Check that the file stays mapped as long as a tensor uses it, and is not mapped without mmap=True."""
    facula.save({"w": facula.ones(1 << 16)}, path)
    loaded = facula.load(path, mmap=mmap)
    with open("/proc/self/maps") as maps:
        assert (str(path) in maps.read()) is bool(mmap)
    assert loaded["w"].sum() == 1 << 16
    del loaded
    with open("/proc/self/maps") as maps:
        assert str(path) not in maps.read()


def test_a_safetensors_file_of_another_program(path):
    """Check that a file without facula's description of containers loads as a dict by name."""
    safetensors = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    path.write_bytes(len(safetensors).to_bytes(8, "little") + safetensors + numpy.float32([1, 2]).tobytes())
    assert {name: tensor.tolist() for name, tensor in facula.load(path).items()} == {"w": [1.0, 2.0]}


@pytest.mark.parametrize("location", ["cpu", facula.device("cpu"), {"cuda": "cpu"}, {"cpu": "cpu"}, None])
def test_map_location_to_the_cpu(path, location):
    facula.save(facula.ones(2), path)
    assert facula.load(path, map_location=location).device.type == "cpu"


@pytest.mark.parametrize("name", ["kept.safetensors", "kept.pt"])
@pytest.mark.parametrize("mmap", [False, True])
def test_map_location_moves_tensors(path, name, mmap):
    path = path.with_name(name)
    facula.save([facula.ones(2), facula.ones(3)], path)
    seen = []

    def choose(storage, location):
        seen.append((storage.nbytes(), location))
        return storage.clone().fill_(0) if storage.nbytes() == 8 else None

    for location in ("meta", {"cpu": "meta"}, {facula.device("cpu"): facula.device("meta")}):
        assert facula.load(path, map_location=location, mmap=mmap)[0].device.type == "meta"
    assert [one.tolist() for one in facula.load(path, choose, mmap=mmap)] == [[0.0, 0.0], [1.0, 1.0, 1.0]]
    assert seen == [(8, "cpu"), (12, "cpu")]
    for location, message in (
        (3, "expected map_location to be a device, its name, a dict of these or a function; got int"),
        (lambda storage, location: location, "expected map_location to return a storage of 8 bytes or None; got 'cpu'"),
        ({"cpu": 3}, "expected map_location to have devices as values; got int"),
    ):
        with raises(TypeError, "load", message):
            facula.load(path, map_location=location)


class Unknown:
    pass


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [Unknown()]}, "the object['a'][0] is a ... Unknown; expected a tensor, dict"),
        ([numpy.array([None])], "the object[0] is a NumPy array of dtype 'object'"),
    ],
)
def test_a_refused_save_keeps_the_old_file(path, value, message):
    facula.save(1, path)
    with raises(TypeError, "save", message):
        facula.save(value, path)
    assert facula.load(path) == 1


def test_open_files_hold_several_saves(path):
    """Check successive saves in an open file and in memory."""
    with open(path, "wb") as file:
        facula.save({"w": facula.ones(2)}, file)
        facula.save([1, 2], file)
    for opened in (open(path, "rb"), io.BytesIO(path.read_bytes())):
        with opened as file:
            assert facula.load(file)["w"].tolist() == [1.0, 1.0]
            assert facula.load(file, map_location="cpu") == [1, 2]
    with raises(ValueError, "load", "expected f to be a path, as mmap=True maps it", value="BytesIO"):
        facula.load(io.BytesIO(), mmap=True)


@pytest.mark.parametrize("name", [str, os.fsencode, os.fspath, lambda path: path])
def test_str_bytes_and_path_objects(path, name):
    facula.save(3, name(path))
    assert facula.load(name(path)) == facula.load(path) == 3


@pytest.mark.parametrize(
    ("name", "operation", "mode"), [("save", lambda f: facula.save(1, f), "wb"), ("load", facula.load, "rb")]
)
def test_objects_that_are_no_file_are_refused(name, operation, mode):
    with raises(TypeError, name, f"a path or a file opened with mode '{mode}'", value="int"):
        operation(1)
    with raises(TypeError, name, "open in text mode"):
        operation(io.StringIO())


@pytest.mark.parametrize("mmap", [None, True])
def test_arrays_and_numbers_keep_their_types(path, mmap):
    tensor = facula.arange(3.0)
    run = {
        "tensor": tensor,
        "array": numpy.arange(3, dtype="u2")[::-1],
        "same": tensor.numpy(),
        "best": numpy.float32(0.5),
    }
    facula.save(run, path)
    again = facula.load(path, mmap=mmap)
    assert type(again["tensor"]) is facula.Tensor and type(again["array"]) is numpy.ndarray
    assert again["array"].dtype == numpy.uint16 and again["array"].tolist() == [2, 1, 0]
    again["same"][0] = 7.0
    assert again["tensor"].tolist() == [7.0, 1.0, 2.0], "one memory, as it was"
    assert type(again["best"]) is float and again["best"] == 0.5


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        (b"", "it has 0 bytes"),
        (b"\x80\x02pickle...", "a pickle that torch.save did not write"),
        (b"PK\x03\x04" + b"\0" * 60, "its zip directory is missing: the file is truncated"),
    ],
)
def test_errors_for_other_files_name_the_file_and_the_reason(path, contents, reason):
    path.write_bytes(contents)
    with raises(CheckpointError, ".../kept.safetensors", reason) as caught:
        facula.load(path)
    assert str(path) in str(caught.value)


def test_a_truncated_file_is_refused(path):
    facula.save({"a": facula.ones(100), "b": facula.ones(100)}, path)
    whole = path.read_bytes()
    for length in (4, 20, len(whole) - 1):
        path.write_bytes(whole[:length])
        with raises(CheckpointError, ".../kept.safetensors", "kept.safetensors"):
            facula.load(path)


def test_a_full_disk_keeps_the_old_file(path):
    """Simulate the full disk by a limit on the size of files."""
    facula.save(facula.ones(4), path)
    script = (
        "import resource, signal, sys, facula\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n    facula.save(facula.ones(10000), sys.argv[1])\n"
        "except OSError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    assert "the old file is as it was" in done.stdout and "kept.safetensors" in done.stdout, done.stdout + done.stderr
    assert facula.load(path).tolist() == [1.0] * 4
    assert os.listdir(path.parent) == [path.name]


def test_the_state_of_schedules_round_trips(path):
    def schedules():
        optimizer = facula.optim.SGD([facula.ones(1, requires_grad=True)], lr=1.0)
        kinds = facula.optim.lr_scheduler
        yield optimizer, kinds.MultiStepLR(optimizer, [2, 2, 4])
        yield optimizer, kinds.LambdaLR(optimizer, [float])

    for (first, made), (second, again) in zip(schedules(), schedules(), strict=True):
        first.step()
        made.step()
        facula.save({"schedule": made.state_dict(), "optimizer": first.state_dict()}, path)
        kept = facula.load(path)
        again.load_state_dict(kept["schedule"])
        second.load_state_dict(kept["optimizer"])
        for _ in range(5):
            assert again.get_last_lr() == made.get_last_lr()
            for part in (first, second, made, again):
                part.step()
