"""Structures of saved objects that are invalid or too large: rejected with the reason."""

from __future__ import annotations

import json

import numpy as np
import pytest
import safetensors.numpy
from checkpoint_testing import entry, file_bytes, tensor, to_parts

from facula_checkpoint import CheckpointError, load, load_file, save
from facula_errors.testing import raises


def described_by(structure):
    """A file with one tensor `w` and any structure."""
    text = structure if isinstance(structure, str) else json.dumps(structure)
    return file_bytes({"__metadata__": {"facula.structure": text}, "w": entry("F32", (2,), (0, 8))}, bytes(8))


def rooted(root):
    return {"version": 1, "root": root}


W = {"tensor": "w"}


@pytest.mark.parametrize(
    ("structure", "message"),
    [
        ("{", "its structure is not valid"),
        ("[1]", "it has no version"),
        ("{}", "it has no version"),
        ({"version": 2, "root": W}, "version 2, this package reads 1; update it"),
        ({"version": True, "root": W}, "version True"),
        ({"version": 1}, "not a version and a root"),
        ('{"version": 1, "version": 1, "root": 1}', "the name 'version' occurs twice"),
        (rooted([W, {"float": "1"}]), "'float' with '1' is unknown"),
        (rooted([W, {"array": 1}]), "'array' with 1"),
        (rooted([W, {"array": ["w", "object"]}]), "'array' with"),
        (rooted([W, {"array": ["w", ""]}]), "'array' with"),
        (rooted([W, {"array": [["w"], "uint16"]}]), "'array' with"),
        (rooted([{"array": ["w", "uint32"]}]), "tensor 'w' is float32, of which no array of uint32 can be made"),
        (rooted([W, {"array": "v"}]), "names 1 tensor(s) that the file lacks (v)"),
        (rooted([{"dict": [[{"array": "w"}, 1]]}]), "the tensor 'w' as a key"),
        (rooted([W, {"tensor": "v"}]), "names 1 tensor(s) that the file lacks (v)"),
        (rooted([]), "1 of the file are not in it (w): another program changed the file"),
        (rooted([W, {}]), "an object has 0 members"),
        (rooted([W, {"tuple": [], "list": []}]), "an object has 2 members"),
        (rooted([W, {"set": []}]), "'set' with"),
        (rooted([W, {"tuple": 1}]), "'tuple' with 1"),
        (rooted([W, {"int": "zz"}]), "'int' with 'zz'"),
        (rooted([W, {"complex": [1.0]}]), "'complex' with"),
        (rooted([W, {"complex": [W, W]}]), "'complex' with"),
        (rooted([W, {"dict": {"a": 1}}]), "not a list of pairs"),
        (rooted([W, {"dict": [["a"]]}]), "not a list of pairs"),
        (rooted([W, {"dict": [["a", 1], ["a", 2]]}]), "the key 'a' twice"),
        (rooted([W, {"dict": [[1, 1], [True, 2]]}]), "the key True twice"),
        (rooted([W, {"dict": [[[1], 1]]}]), "the key [1]; expected str"),
        (rooted({"dict": [[W, 1]]}), "the tensor 'w' as a key"),
        (rooted([W, json.loads("[" * 150 + "]" * 150)]), "nested more than 100"),
        ('{"version": 1, "root": ' + "[" * 100_000, "nested too deeply"),
        ('{"version": 1, "root": ' + "9" * 5000 + "}", "its structure is not valid"),
        ('{"version": 1, "root": NaN}', "NaN is not a JSON number"),
    ],
)
def test_hostile_structures_are_refused_and_no_tensor_made(path, structure, message):
    path.write_bytes(described_by(structure))
    with raises(CheckpointError, ".../model.safetensors", message) as caught:
        load(path, from_parts=lambda parts: pytest.fail("a tensor was made"))
    assert caught.value.path == str(path)
    assert list(load_file(path)) == ["w"]


def test_additions_of_another_program_are_not_dropped_silently(path):
    save({"a": tensor([1.0])}, path, to_parts=to_parts)
    with safetensors.safe_open(path, framework="np") as opened:
        texts = opened.metadata()
    safetensors.numpy.save_file({"a": np.ones(1), "b": np.ones(1)}, path, texts)
    with raises(CheckpointError, ".../model.safetensors", "not in it (b)", "load_file"):
        load(path)


@pytest.mark.parametrize(("member", "most"), [("[],", "1,000,000 containers"), ("1,", "10,000,000 values")])
def test_an_object_of_too_many_parts_is_rejected_before_building(member, most, tmp_path):
    many = int(most.split()[0].replace(",", "")) + 1
    structure = f'{{"version":1,"root":[{(member * (many + 1))[:-1]}]}}'
    path = tmp_path / "many"
    path.write_bytes(file_bytes({"__metadata__": {"facula.structure": structure}}))
    with raises(CheckpointError, ".../many", "it is large", f"expected at most {most}"):
        load(path)


def test_brackets_in_text_are_not_containers(tmp_path):
    text = '[{"\\' * 600_000
    save([text, "b"], tmp_path / "text")
    assert load(tmp_path / "text") == [text, "b"]


def test_too_many_containers_are_not_saved(tmp_path):
    with raises(ValueError, "save", "expected an object of at most 1,000,000 containers"):
        save([[] for _ in range(1_000_001)], tmp_path / "many")
    assert list(tmp_path.iterdir()) == []


def test_a_tensor_of_a_dtype_that_numpy_lacks_cannot_be_an_array(path):
    header = {
        "__metadata__": {"facula.structure": json.dumps(rooted({"array": "w"}))},
        "w": entry("BF16", (4,), (0, 8)),
    }
    path.write_bytes(file_bytes(header, bytes(8)))
    with raises(
        CheckpointError, ".../model.safetensors", "tensor 'w' is bfloat16, of which no array of NumPy can be made"
    ):
        load(path)


@pytest.mark.parametrize(("unsigned", "signed"), [("uint16", "I16"), ("uint32", "I32"), ("uint64", "I64")])
def test_unsigned_arrays_of_older_files(path, unsigned, signed):
    """Their tensors are signed, and the structure names the unsigned dtype."""
    values = np.array([1, 0], unsigned) - np.array(2, unsigned)
    header = {
        "__metadata__": {"facula.structure": json.dumps(rooted({"array": ["w", unsigned]}))},
        "w": entry(signed, (2,), (0, values.nbytes)),
    }
    path.write_bytes(file_bytes(header, values.tobytes()))
    loaded = load(path)
    assert loaded.dtype == values.dtype and loaded.tolist() == values.tolist()
