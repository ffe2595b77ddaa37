"""Untrusted pickles: names in a file are neither imported nor called, and invalid contents are rejected."""

import io
import re
import sys

import pytest
from pickle_testing import (
    FILES,
    FLOATS,
    MARK,
    archive,
    call,
    glob,
    legacy,
    loaded,
    put,
    raw,
    storage,
    tensor,
)

from facula_checkpoint import CheckpointError, load
from facula_checkpoint._pytorch import opcodes
from facula_checkpoint._pytorch.tensor_globals import DEVICES
from facula_errors.testing import raises

NAMES = """os system; posix system; builtins eval; builtins exec; builtins __import__; builtins getattr; builtins open;
subprocess Popen; sys exit; this s; torch load; torch.hub load; torch.serialization load; torch.storage _load_from_bytes
; runpy run_path; pickle loads; _pickle loads; codecs decode; numpy load; numpy._core.multiarray fromfile;
facula_checkpoint load; collections OrderedDict.fromkeys; collections namedtuple; functools reduce; operator attrgetter;
builtins type; builtins object; torch._utils _rebuild; torch.jit load; importlib import_module; ctypes CDLL;
pathlib Path.write_text; _io FileIO; zoneinfo ZoneInfo._unpickle; copyreg _reconstructor; __main__ Net"""


@pytest.mark.parametrize("name", [name.strip() for name in NAMES.split(";")])
@pytest.mark.parametrize("make", [archive, legacy])
def test_nothing_is_imported_or_called(name, make, capfd):
    before = set(sys.modules)
    module, _, last = name.partition(" ")
    for value in (
        call(name, "echo called"),
        put(module) + put(last) + b"\x93" + put(("echo called",)) + b"R",
        glob(name) + b")\x81",
        glob(name) + b")\x81" + put({"x": 1}) + b"b",
        glob(name) + b")" + put({}) + b"\x92",
        glob(name) + put({"x": 1}) + b"b",
    ):
        with pytest.raises(CheckpointError):
            loaded(make(value))
    assert "called" not in "".join(capfd.readouterr())
    assert not {one for one in set(sys.modules) - before if not one.startswith("facula")} & {module, "this", "ctypes"}


def test_the_message_names_the_class():
    with raises(CheckpointError, "<BytesIO>", "uses 'pkg.Class', which is not among the classes and functions"):
        loaded(archive(call("pkg Class")))


ORDERED = call("collections OrderedDict")
DTYPE = call("numpy dtype", "f4", False, True)
BIG = "its pickle has .* in the shape of a tensor"
SUBSTITUTES = {
    "a class is no instance": (glob("collections OrderedDict") + put({"x": 1}) + b"b", "sets the state of <"),
    "a list has no state": (b"]" + put({"x": 1}) + b"b", "sets the state of a list"),
    "a value is no function": (put(1) + b")R", "calls 1, which is not a class or function"),
    "a made object is no function": (ORDERED + b")R", "calls a .*, which is not a class or function"),
    "a dtype is no function": (glob("torch float32") + b")R", "not a class or function"),
    "arguments are a tuple": (glob("builtins set") + b"]R", "expected a tuple of arguments"),
    "methods of classes": (
        call("collections OrderedDict", {}) + put({"items": 1}) + b"b",
        "sets the attribute 'items'",
    ),
    "the class of an object": (call("argparse Namespace") + put({"__class__": 1}) + b"b", "attribute '__class__'"),
    "attributes that are no text": (call("types SimpleNamespace") + put({1: 1}) + b"b", "sets the attribute 1"),
    "factories": (call("collections defaultdict", glob("torch._utils _rebuild_tensor_v2")), "a defaultdict that calls"),
    "factories of values": (call("collections defaultdict", 3), "a defaultdict that calls 3"),
    "members of a number": (call("builtins set", 3), "has 3 for members"),
    "partial functions of ours": (call("functools partial", glob("torch._utils _rebuild_tensor_v2")), "partial"),
    "partial functions of values": (call("functools partial", 3), "a partial function of 3"),
    "nested slices": (call("builtins slice", call("builtins slice", 1)), "a slice for an end"),
    "large fractions": (call("fractions Fraction", "1e999999999"), "for a part of a fraction"),
    "numbers that are none": (call("decimal Decimal", "x" * 2000), "for a decimal number"),
    "dates that are none": (call("datetime datetime", raw(b"\xff" * 10)), "ValueError"),
    "short dates": (call("datetime date", raw(b"\x07")), "for a date"),
    "zones by name": (call("datetime datetime", raw(bytes(10)), "Europe/Berlin"), "for a time zone"),
    "paths of no text": (call("pathlib PosixPath", 3), "a part of a path"),
    "other encodings": (call("_codecs encode", "x", "rot13"), "encodes something other than bytes"),
    "complex of text": (call("builtins complex", "1", 1.0), "for a real part"),
    "bytes of a number": (call("builtins bytes", 1 << 40), "an argument of"),
    "byte arrays of a number": (call("builtins bytearray", 1 << 40), "an argument of"),
    "deques inside deques": (
        glob("collections deque") + b"q\x000" + b"h\x00)R" * 1_002 + b"a" * 1_001,
        "more than 1,000 deques and defaultdicts in each other",
    ),
    "deques that are filled in their deque": (
        MARK + glob("collections deque") + b"q\x00" + b"h\x00)Rq\x01h\x00)Rq\x02ah\x02h\x00)Rat",
        "deques and defaultdicts in each other",
    ),
    "deques of deques as arguments": (
        MARK + glob("collections deque") + b"q\x00h\x00)R" + b"q\x01](h\x01e\x85q\x02h\x00h\x02R" * 1_001 + b"t",
        "in each other",
    ),
    "partial functions of partial functions": (
        call("functools partial", call("functools partial", glob("builtins int"))),
        "a partial function of a partial",
    ),
    "large integers": (b"\x8b\x00\x01\0\0" + bytes(255) + b"\1", "an integer of 256 bytes; expected at most 255"),
    "shapes of arrays": (
        call("numpy._core.numeric _frombuffer", raw(b""), DTYPE, ((1 << 2000) - 1,) * 32, "C"),
        "0 bytes for a NumPy array",
    ),
    "deques of numbers": (call("collections deque", 3), "values of a deque"),
    # arrays
    "arrays of objects": (call("numpy dtype", "O8", False, True), "NumPy dtype 'O8'"),
    "arrays of records": (call("numpy dtype", "V8", False, True), "NumPy dtype 'V8'"),
    "dtypes of other things": (call("numpy dtype", [1]), "NumPy dtype a list"),
    "dtypes with fields": (DTYPE + put((3, "<", None, ("a",), {}, -1, -1, 0)) + b"b", "dtype with fields"),
    "arrays of other classes": (
        call("numpy._core.multiarray _reconstruct", glob("builtins list"), (0,)),
        "an array of",
    ),
    "scalars of other sizes": (call("numpy._core.multiarray scalar", DTYPE, raw(b"abc")), "3 bytes for a NumPy array"),
    # tensors
    "no storage": (tensor(stored=put(1)), "makes a tensor of 1; expected a storage"),
    "beyond the storage": (tensor(offset=1), "needs 28 bytes of a storage of 24"),
    "strides beyond the storage": (tensor(stride=(4, 1)), "needs 28 bytes"),
    "negative sizes": (tensor(size=(-1, 3)), BIG),
    "sizes of bools": (tensor(size=(True, 3)), BIG),
    "sizes of floats": (tensor(size=(2.0, 3)), BIG),
    "sizes beyond 64 bits": (tensor(size=(1 << 63, 0)), BIG),
    "products beyond 64 bits": (tensor(size=(1 << 40, 1 << 40), stride=(0, 0)), "too large for 64 bits"),
    "negative strides": (tensor(stride=(-3, 1)), "in the strides of a tensor"),
    "negative offsets": (tensor(offset=-1), "in the offset of a tensor"),
    "too many dimensions": (tensor(size=(1,) * 65, stride=(1,) * 65), "at most 64 integers"),
    "sizes without strides": (tensor(stride=(1,)), "with 1 strides"),
    "requires_grad of 1": (tensor(requires_grad=1), "has 1 for requires_grad"),
    "hooks": (tensor(hooks=ORDERED + put({"a": 1})[1:]), "a tensor with hooks"),
    "conjugated": (tensor(more=({"conj": True},)), r"the mark 'conj'; save x\.resolve_conj"),
    "dtypes of no dtype": (
        call("torch._utils _rebuild_tensor_v3", storage(), 0, (1,), (1,), False, ORDERED, 3),
        "dtype",
    ),
    "unknown dtypes": (glob("torch float4_e2m1fn_x2"), "dtype torch.float4_e2m1fn_x2, which facula does not have"),
    "types of tensors": (
        call("torch._tensor _rebuild_from_type_v2", glob("torch._utils _rebuild_tensor_v2"), 1, (), {}),
        "TypeError",
    ),
    "rebuilding again": (
        call("torch._tensor _rebuild_from_type_v2", glob("torch._tensor _rebuild_from_type_v2"), 1, (), {}),
        "makes a tensor by",
    ),
    "devices without end": (call("torch device", "cuda", 1 << 20), "the device 'cuda', 1048576"),
    "devices of other names": (call("torch device", "../x"), "the device '../x'"),
    "sparse layouts": (call("torch.serialization _get_layout", "torch.sparse_coo"), "layout 'torch.sparse_coo'"),
    # storages
    "missing storages": (tensor(stored=storage(key="1")), "storage '1', which the archive lacks|list of storages"),
    "paths as storages": (tensor(stored=storage(key="../data.pkl")), "which the archive lacks|list of storages"),
    "huge storages": (tensor(stored=storage(count=1 << 50)), "of which the file has 24|should have"),
    "storages without end": (tensor(stored=storage(count=1 << 62)), "of 4611686018427387904 elements"),
    "negative storages": (tensor(stored=storage(count=-1)), "of -1 elements"),
    "storages of no class": (tensor(stored=storage(kind="builtins int")), "not described by class|of the class"),
    "storages of a tensor class": (tensor(stored=storage(kind="torch Tensor")), "not among|of the class"),
    "storages of numbers": (tensor(stored=storage(key=0)), "not described by class"),
    "other persistent ids": (tensor(stored=storage(head="file")), "expected a storage"),
    "views of storages": (tensor(stored=storage(more=(("1", 0, 3),))), "a view of a storage"),
    "quantized storages": (tensor(stored=storage(kind="torch QInt8Storage")), "quantized tensors"),
}


@pytest.mark.parametrize("make", [archive, legacy])
@pytest.mark.parametrize("name", SUBSTITUTES)
def test_arguments_are_checked(name, make):
    value, message = SUBSTITUTES[name]
    with raises(CheckpointError, "<BytesIO>") as caught:
        loaded(make(value))
    assert re.search(f"{message}|list of storages differs", str(caught.value))


@pytest.mark.parametrize("kind", sorted(DEVICES))
def test_no_installed_package_is_searched_for_a_device(kind, monkeypatch):
    monkeypatch.setattr("importlib.metadata.entry_points", None)
    assert loaded(archive(call("torch device", kind))).type == kind


def test_bools_are_0_and_1():
    stored = storage(kind="torch BoolStorage", count=24)
    content = archive(tensor(size=(24,), stride=(1,), stored=stored), {"data/0": bytes(23) + b"\2"})
    with raises(CheckpointError, "<BytesIO>", "a bool tensor has a byte 2"):
        loaded(content)


def test_an_array_is_filled_once():
    """Another view may use the memory that would be replaced."""
    state = put((1, (2,), DTYPE, False, raw(FLOATS[:8]))) + b"b"
    array = call("numpy._core.multiarray _reconstruct", glob("numpy ndarray"), (0,), raw(b"b"))
    assert loaded(archive(array + state)).tolist() == [0.0, 1.0]
    with raises(CheckpointError, "<BytesIO>", "the state of a NumPy array twice"):
        loaded(archive(array + state + state))
    for wrong in ((1, (3,)), (1, (-2,)), (1, (1 << 62, 4))):
        state = put((*wrong, DTYPE, False, raw(FLOATS[:8]))) + b"b"
        with raises(CheckpointError, "<BytesIO>", "a NumPy array ... shape"):
            loaded(archive(array + state))


OPCODES = {
    "text": b"I1\n",
    "text of a float": b"F1.0\n",
    "old strings": b"S'x'\n",
    "instances": b"(ios\nsystem\n",
    "objects": b"(c__builtin__\nint\no",
    "extensions": b"\x82\x01",
    "extensions 2": b"\x83\1\0",
    "ids": b"P0\n",
    "buffers": b"\x97",
    "read-only buffers": b"\x98",
    "unknown": b"\xff",
    "protocol 6": b"\x80\6N",
    "protocol 1": b"\x80\1N",
    "no memo": b"h\x07",
    "no mark": b"t",
    "nothing on the stack": b"a",
    "two values": b"NN",
    "a mark": b"N(",
    "nothing": b"",
    "half a pair": b"}(Nu",
    "items of a tuple": b")N" + b"Ns",
    "appending to a dict": b"}Na",
    "adding to a list": b"](N\x90",
    "unhashable keys": b"}]Ns",
    "unhashable members": b"\x8f(]\x90",
    "a negative length": b"\x8b\xff\xff\xff\xff",
    "a long frame": b"\x95" + b"\xff" * 8 + b"N",
    "a name without end": b"cos",
    "names that are no text": b"NN\x93",
    "text that is none": b"X\1\0\0\0\xff",
    "a long name": b"c" + b"a" * 600 + b"\nb\n",
}


@pytest.mark.parametrize("name", OPCODES)
def test_other_opcodes_and_damaged_stacks_are_refused(name):
    with raises(CheckpointError, "<BytesIO>", "its pickle"):
        loaded(archive(OPCODES[name]))


def repeated(start, step, count):
    return start + step * count


def alike(count):
    """Different integers with the same hash: dicts and sets of them take quadratic time."""
    return [5 + place * sys.hash_info.modulus for place in range(count)]


def again(called, arguments, count=1000):
    """Repeat the same call with the same arguments."""
    return called + b"q\x01" + arguments + b"q\x02R" + b"h\x01h\x02R" * count + b"t"


NAMES_OF_ATTRIBUTES = {f"a{place}": 0 for place in range(9000)}
TUPLES = repeated(b"Nq\x000", b"h\x00h\x00\x86q\x000", 100) + b"h\x00"  # each contains the previous one twice
BOMBS = {
    "nested marks": MARK * (opcodes.MAX_MARKS + 1),
    "keys that double": b"}" + TUPLES + b"Ns",
    "members that double": b"\x8f(" + TUPLES + b"\x90",
    "frozen sets that double": b"(" + TUPLES + b"\x91",
    "sets of lists of doubles": glob("builtins set") + b"(](" + TUPLES + b"et" + b"R",
    "pairs of doubles": glob("collections OrderedDict") + b"(](" + b"(" + TUPLES + b"NtetR",
    "deep keys": b"}" + repeated(b")", b"\x85", 100_000) + b"Ns",
    "keys that hash alike": b"}(" + b"".join([put(one) + b"N" for one in alike(25_000)]) + b"u",
    "keys that hash alike, one by one": b"}" + b"".join([put(one) + b"Ns" for one in alike(25_000)]),
    "members that hash alike": b"\x8f(" + b"".join(map(put, alike(25_000))) + b"\x90",
    "frozen members that hash alike": b"(" + b"".join(map(put, alike(25_000))) + b"\x91",
    "sets of lists that hash alike": call("builtins set", alike(25_000)),
    "pairs that hash alike": call("collections OrderedDict", [(one, 0) for one in alike(25_000)]),
    "copies": again(glob("builtins set"), put((list(range(2000)),))),
    "copies of texts": again(glob("_codecs encode"), put(("x" * 9000, "latin1"))),
    "paths of many parts": again(glob("pathlib PosixPath"), put(("a",) * 9000)),
    "sets of a few dozen members": again(glob("builtins set"), put((list(range(50)),)), 20_000),
    "numbers of a few hundred digits": again(glob("fractions Fraction"), put((1 << 2000, 3**1200)), 20_000),
    "arrays of the same bytes": again(
        glob("numpy._core.numeric _frombuffer"), put((raw(bytes(9000)), DTYPE, (2250,), "C"))
    ),
    "attributes in a tuple": again(
        glob("torch._utils _rebuild_parameter_with_state"), put((1, False, None, (NAMES_OF_ATTRIBUTES, None)))
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name):
    with raises(CheckpointError, "<BytesIO>") as caught:
        loaded(archive(BOMBS[name]))
    assert re.search("a bomb|nests more than 20000 containers", str(caught.value))


def test_many_keys_are_not_a_bomb():
    numbers = list(range(-20_000, 20_000))
    assert len(loaded(archive(dict.fromkeys(numbers)))) == len(loaded(archive(call("builtins set", numbers)))) == 40_000


def test_many_containers_are_not_a_bomb():
    for kind in ("deque", "defaultdict"):
        assert len(loaded(archive([call(f"collections {kind}")] * 20_000))) == 20_000


def test_deep_containers_do_not_recurse():
    """Neither their creation nor their release recurses."""
    assert type(loaded(archive(repeated(b"N", b"\x85", 300_000)))) is tuple
    assert len(loaded(archive(b"]" * 300_000 + b"a" * 299_999))) == 1


@pytest.mark.parametrize("name", ["values", "legacy", "protocol4"])
def test_every_truncation_is_refused(name):
    whole = (FILES / f"{name}.pt").read_bytes()
    for length in range(len(whole)):
        with pytest.raises(CheckpointError):
            load(io.BytesIO(whole[:length]))
