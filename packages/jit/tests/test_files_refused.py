"""Untrusted files are refused as a whole, with a reason, before any of their contents run."""

import json
import os
import re
import struct
import subprocess
import sys
import zipfile

import pytest
from flow_programs import signed
from jit_files import changed
from jit_toys import called, same, saved, step_of
from test_files_control_flow import deciding

from facula_errors.testing import raises
from facula_jit import GraphFileError, SaveError, capture, load, save
from facula_jit._files.contracts import ROWS
from facula_tensor import Parameter, cat, ones, randn, tensor
from facula_tensor.functional import batch_norm, conv2d, cross_entropy, dropout, layer_norm, linear, max_pool2d
from facula_tensor.linalg import inv_ex

HERE = os.path.dirname(__file__)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return a file with many kinds of launches."""
    weight, scale = Parameter(randn(3, 8)), Parameter(randn(8))

    def function(x, classes):
        taken = cat([x[:, 2:], x.flip(0)[:, :2]], 1)
        scores = linear(layer_norm(dropout(taken, 0.1), (8,), scale, None), weight)
        return cross_entropy(scores, classes), scores.max(1)[0], scores[tensor([0, 1])]

    captured = capture(function)
    captured(randn(4, 8), tensor([0, 1, 2, 0]))
    place = tmp_path_factory.mktemp("files") / "graph.facula"
    save(captured, place)
    return place


def launch_of(graph, operator):
    """Return the first launch of an operator, and its plan."""
    return next((launch, graph["plans"][launch["plan"]]) for launch in graph["graphs"][0]["graph"]["launches"]
                if graph["plans"][launch["plan"]]["operator"] == operator)  # fmt: skip


def setting(operator, what, place, value):
    def change(graph):
        launch, plan = launch_of(graph, operator)
        (launch if what == "arguments" else plan)[what][place] = value

    return change


def by_name(operator):
    """Replace `linear` by another operator."""
    return lambda graph: launch_of(graph, "linear")[1].update(operator=operator)


def in_graph(name, value):
    return lambda graph: graph["graphs"][0]["graph"].update({name: value})


CHANGES = {
    "a later format": (lambda graph: graph.update(format=3), "format 3.*formats up to 2; update facula-jit"),
    "no format": (lambda graph: graph.pop("format"), "lacks some of format"),
    "a later operator": (
        lambda graph: graph["operators"].update(linear=2),
        "'linear' has version 2.*update facula-jit",
    ),
    "an unknown operator": (by_name("execve"), "'execve' is not permitted in files"),
    "a kernel that is no operator": (by_name("pack_b"), "'pack_b' is not permitted"),
    "another operator": (by_name("matmul"), "matmul"),
    "a wider output": (
        setting("linear", "outputs", 0, ["float32", [4, 300], None]),
        "linear: layouts or parameters do not fit",
    ),
    "longer rows": (
        setting("linear", "inputs", 0, ["float32", [400, 8], None]),
        "linear: layouts or parameters do not fit",
    ),
    "a large stride": (setting("linear", "inputs", 0, ["float32", [4, 8], [1 << 40, 1]]), "outside of block"),
    "a negative stride": (setting("linear", "inputs", 0, ["float32", [4, 8], [-8, 1]]), "a stride is -8"),
    "a layout beyond 62 bits": (
        setting("linear", "inputs", 0, ["float32", [1 << 40, 1 << 40], None]),
        "does not fit into 62",
    ),
    "another dtype": (setting("linear", "inputs", 0, ["float64", [4, 8], None]), "linear"),
    "an unknown dtype": (setting("linear", "inputs", 0, ["float128", [4, 8], None]), "'float128' is not a dtype"),
    "a dimension that is none": (setting("max_dim", "parameters", 0, 7), "max_dim: layouts or parameters"),
    "more dimensions than there are": (setting("layer_norm", "parameters", 0, 3), "layer_norm: layouts or parameters"),
    "another count": (setting("linear", "arguments", 0, 1 << 40), "linear is launched with 1099511627776; expected 12"),
    "an address as a number": (setting("linear", "arguments", 1, 140000000000), "an address of linear is 140000000000"),
    "an offset outside": (setting("linear", "arguments", 1, [0, 1 << 30]), "an address is outside of block 0"),
    "an offset before": (setting("linear", "arguments", 1, [0, -4]), "an offset is -4"),
    "an offset between elements": (setting("linear", "arguments", 4, [9, 2]), "block"),
    "no such block": (setting("linear", "arguments", 1, [9999, 0]), "a block is 9999"),
    "fewer arguments": (
        lambda graph: launch_of(graph, "linear")[0]["arguments"].pop(),
        "arguments of linear .* a list of 5",
    ),
    "more parts than there are": (setting("cat", "arguments", 2, 3), "cat is launched with 3; expected 2"),
    "larger parts": (setting("cat", "arguments", 4, 1 << 20), "cat is launched with 1048576"),
    "a text for a number": (setting("layer_norm", "arguments", -1, "1e-5"), "'1e-5' is no number"),
    "a float for an integer": (setting("cross_entropy", "arguments", -2, 0.5), "expected an integer of 64 bits"),
    "a seed where there is none": (setting("layer_norm", "arguments", -1, {"cell": [0, 0]}), "random number's place"),
    "a generator that is not there": (
        setting("dropout", "arguments", -1, {"cell": [9, 0]}),
        "a generator's number is 9",
    ),
    "nested parameters": (setting("max_dim", "parameters", 0, [[[[[[[[0]]]]]]]]), "nested too deeply"),
    "no launches": (in_graph("launches", []), "boundary|result that is never written"),
    "no blocks": (in_graph("blocks", []), "a block is"),
    "no tensors": (lambda graph: graph.update(tensors=[]), "a tensor is"),
    "a boundary elsewhere": (in_graph("boundary", 0), r"a pass is \d+; expected an integer from 0 to 0"),
    "no output": (lambda graph: graph["graphs"][0]["graph"]["outputs"].append(0), "where the graph has a output"),
    "a result outside": (
        in_graph("result", {"output": [0, ["float32", [100], None], 0, False, -1]}),
        "outside of block",
    ),
    "a view outside": (
        in_graph("result", {"view": [0, ["float32", [4, 8], None], 4, False, -1, True]}),
        "outside of an argument",
    ),
    "a class among results": (in_graph("result", {"named": ["os", {"value": 1}]}), "a result is 'os'"),
    "skipped launches outside": (in_graph("skips", [[0, 1000, 0, 0]]), "how many launches to skip is 1000"),
    "memory that is not there": (lambda graph: graph["memory"].pop(), "memory|no graph uses"),
    "memory of another size": (lambda graph: graph["memory"][0].update(bytes=1 << 30), "bytes; expected 1073741824"),
    "a tensor outside": (lambda graph: graph["tensors"][0].update(offset=64), "outside of its memory"),
    "a tensor twice": (lambda graph: graph["tensors"].append(graph["tensors"][0]), "is duplicated"),
    "a name that is no name": (lambda graph: graph["tensors"][0].update(name=7), "a tensor 7"),
    "no graph": (lambda graph: graph.update(graphs=[]), "no graph"),
    "NaN": (lambda graph: graph.update(format=float("nan")), "NaN is not a JSON number"),
    "a list for an object": (lambda graph: graph["graphs"].__setitem__(0, []), "a graph lacks"),
    "a size without sense": (in_graph("boundary", {"$n": ["x", 0]}), "does not compute a number"),
}


INSTRUCTIONS = {
    "of another dtype": ["float8", [0]],
    "of no value": ["float16", []],
    "of two values": ["float16", [0, 0]],
    "of a value that comes later": ["float16", [99]],
}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_a_changed_rounding_is_refused(name, tmp_path):
    save(_halves(), tmp_path / "graph.facula")

    def change(graph):
        (plan,) = graph["plans"]
        assert plan["operator"]["instructions"][0] == ["float16", [0]]
        plan["operator"]["instructions"][0] = INSTRUCTIONS[name]

    with raises(GraphFileError, ".../changed.facula", "fused: layouts or parameters do not fit"):
        load(changed(tmp_path / "graph.facula", tmp_path, change))


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_graph_is_refused_by_name(name, path, tmp_path):
    change, said = CHANGES[name]
    with raises(GraphFileError, ".../changed.facula") as caught:
        load(changed(path, tmp_path, change))
    assert re.search(said, str(caught.value))
    assert str(caught.value).startswith(str(tmp_path))


def test_the_undamaged_file_loads(path, tmp_path):
    loaded = load(changed(path, tmp_path, lambda graph: None))
    loaded(randn(4, 8), tensor([0, 1, 2, 0]))[0].backward()


@pytest.mark.parametrize("name", ["cpu", "meta", "cuda:-1", "cuda:99999", "Cuda", "os.system", "", 3, None, ["cuda"]])
def test_a_file_names_a_device(name, path, tmp_path):
    with raises(GraphFileError, ".../changed.facula", "its device is"):
        load(changed(path, tmp_path, lambda graph: graph.update(device=name)), map_location="cpu")


def test_a_device_that_is_not_there_is_named(path, tmp_path):
    elsewhere = changed(path, tmp_path, lambda graph: graph.update(device="xpu:0"))
    with raises(RuntimeError, "load", "saved on 'xpu:0'", "map_location='cpu'"):
        load(elsewhere)
    moved = load(elsewhere, map_location={"xpu:0": "cpu"})
    moved(randn(4, 8), tensor([0, 1, 2, 0]))[0].backward()


def test_bools_are_bools(tmp_path):
    """Bytes of floats are never used as bools, which kernels assume to be 0 or 1."""
    captured = capture(lambda x: (x > 0).sum())
    captured(randn(8))
    save(captured, tmp_path / "graph.facula")

    def change(graph):
        blocks = graph["graphs"][0]["graph"]["blocks"]
        place = next(k for k, block in enumerate(blocks) if block.get("temporary", [""])[0] == "bool")
        blocks[place]["temporary"] = ["uint8", [8], None]

    with raises(GraphFileError, ".../changed.facula", "has elements of uint8, and is accessed as bool"):
        load(changed(tmp_path / "graph.facula", tmp_path, change))


def test_windows_stay_in_their_planes(tmp_path):
    captured = capture(lambda x: (max_pool2d(x, 2), conv2d(x, x[:1, :, :2, :2])))
    captured(randn(1, 1, 6, 6))
    save(captured, tmp_path / "graph.facula")
    for operator, parameters in (
        ("max_pool2d_values", [[[2, 2], [2, 2], [4, 4], [1, 1]], [3, 3]]),
        ("max_pool2d_values", [[[2, 2], [200, 2], [0, 0], [1, 1]], [3, 3]]),
        ("conv2d", [[1, 1], [0, 0], [4, 4], 1, [5, 5]]),
        ("conv2d", [[1, 1], [0, 0], [1, 1], 0, [5, 5]]),
        ("conv2d", [[1, 1], [0, 0], [1, 1], 1, [5, 5], {"name": "slow"}]),
    ):
        with raises(GraphFileError, ".../changed.facula", f"{operator}: layouts or parameters do not fit"):
            load(
                changed(
                    tmp_path / "graph.facula",
                    tmp_path,
                    lambda graph: launch_of(graph, operator)[1].update(parameters=parameters),
                )
            )


def test_steps_of_convolutions_fit(tmp_path):
    weight, mean, variance = randn(4, 1, 3, 3), randn(4), ones(4)
    captured = capture(lambda x: batch_norm(conv2d(x, weight), mean, variance))
    for _ in range(3):
        captured(randn(1, 1, 6, 6))
    save(captured, tmp_path / "graph.facula")
    norm, relu = {"name": "batch_norm"}, {"name": "relu"}

    def with_steps(*steps):
        def change(graph):
            launch = launch_of(graph, "conv2d_then")[1]
            launch["parameters"] = [*launch["parameters"][:5], list(steps)]

        return changed(tmp_path / "graph.facula", tmp_path, change)

    for steps in ((), (relu,), ([norm, -1.0],), ([norm, 1],), ([relu, 1e-5],), ([norm],), (relu, [norm, 1e-5])):
        with raises(GraphFileError, ".../changed.facula", "conv2d_then: layouts or parameters do not fit"):
            load(with_steps(*steps))
    load(with_steps([norm, 1e-5], relu))


# ------------------------------------------------------------------------------------------------------------ archives
def _archive(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)


def test_archives_are_validated_first(path, tmp_path):
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    written = tmp_path / "archive"
    for name in ("../outside", "/etc/passwd", "run/../x.bin", "run/x.py", "graph.json/", "C:\\x"):
        _archive(written, [*members, (name, b"")])
        with raises(GraphFileError, ".../archive", "which graph files do not contain"):
            load(written)
    with pytest.warns(UserWarning, match="Duplicate name"):
        _archive(written, [*members, members[0]])
    with raises(GraphFileError, ".../archive", "two members 'graph.json'"):
        load(written)
    _archive(written, members, zipfile.ZIP_DEFLATED)
    with raises(GraphFileError, ".../archive", "compressed or encrypted"):
        load(written)
    _archive(written, members[:1])
    with raises(GraphFileError, ".../archive", "no member 'tensors.safetensors'"):
        load(written)
    _archive(written, [*members, *[(f"run/{k}.bin", b"") for k in range(1000)]])
    with raises(GraphFileError, ".../archive", "1002 members"):
        load(written)


def test_a_member_that_says_it_is_larger(path, tmp_path):
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[directory + 20 : directory + 28] = struct.pack("<II", 1 << 31, 1 << 31)  # sizes, uncompressed and compressed
    (tmp_path / "large").write_bytes(data)
    with raises(GraphFileError, ".../large", "larger than the file"):
        load(tmp_path / "large")


def test_every_truncation_is_refused(path, tmp_path):
    data = path.read_bytes()
    for length in {*range(0, len(data), max(len(data) // 40, 1)), len(data) - 1}:
        (tmp_path / "short").write_bytes(data[:length])
        with pytest.raises(GraphFileError):
            load(tmp_path / "short")


def test_damaged_files_never_crash(path, tmp_path):
    """Mutated graphs, flipped bits and truncated files are refused or run, in a separate process that must
    terminate.
    """
    save(_step(), tmp_path / "step.facula")
    save(_halves(), tmp_path / "halves.facula")
    jumping = capture(deciding, passes=())
    jumping(*signed(0))
    save(jumping, tmp_path / "jumps.facula")
    (tmp_path / "graph.facula").write_bytes(path.read_bytes())
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, "jit_fuzz.py"), str(tmp_path), "0", "450"],
        capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["refused"] > 150 and not [outcome for outcome in found if outcome.startswith("raised")], found


def _halves():
    """Return a graph with one program that first rounds to float16."""
    captured = capture(lambda x: x.half() * 2)
    for _ in range(3):
        captured(randn(4))
    return captured


def _step():
    step, _ = step_of()
    captured = capture(step)
    captured(randn(4, 6), randn(4, 6))
    return captured


def test_accepted_plans_stay_inside_their_layouts():
    """Mutated requests run on memory with guards around it, in a separate process."""
    done = subprocess.run(
        [sys.executable, os.path.join(HERE, "jit_contracts.py"), "0", "1600"],
        capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert min(json.loads(done.stdout).values()) > 200


def test_captures_that_cannot_be_saved(tmp_path, monkeypatch):
    path = tmp_path / "graph"
    with raises(SaveError, "save", "there is no capture yet"):
        save(capture(lambda x: x), path)
    with raises(TypeError, "save", "expected a captured function or its graph", value="function"):
        save(lambda x: x, path)
    captured = called(inv_ex, ones(2, 2) + tensor([[1.0, 0.0], [0.0, 2.0]]))
    with monkeypatch.context() as without, raises(SaveError, "save", "this; the operator inv_ex has no contract"):
        without.delitem(ROWS, "inv_ex")
        save(captured, path)
    marker = object()
    captured = capture(lambda x, y: x + 1)
    captured(ones(2), marker)
    with raises(SaveError, "save", "an argument is an object"):
        save(captured, path)
    x = ones(2)
    captured = capture(lambda x, y: x + y)
    captured(x, x)
    with raises(SaveError, "save", "two arguments share their memory"):
        save(captured, path)
    with raises(OSError, "save", "there is no folder"):
        save(called(lambda x: x + 1, ones(2)), tmp_path / "nowhere" / "graph")
    with raises(OSError, "load", "No such file"):
        load(tmp_path / "nowhere")
    assert not os.listdir(tmp_path)


def test_pieces_and_graphs_from_elsewhere(tmp_path):
    seen = []

    def function(x):
        y = (x * 2).tanh()
        seen.append(y.sum().item())
        return y + 1

    captured = capture(function, on_break="split")
    for _ in range(3):
        captured(ones(3))
    with raises(SaveError, "save", "save the pieces separately: save(captured.graph(number), path)", "0 to 1"):
        save(captured, tmp_path / "graph")
    assert same(saved(captured.graph(0), tmp_path)(ones(3))[0], (ones(3) * 2).tanh())
    weight = ones(3).requires_grad_()
    captured = capture(lambda loss: (loss.backward(), weight.grad.clone())[1])
    inner = capture(lambda x: (x * weight).sum())
    for _ in range(4):
        weight.grad = None
        captured(inner(ones(3)))
    with raises(SaveError, "save", "the graph of another capture"):
        save(captured, tmp_path / "graph")


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text").write_text("no zip")
    with raises(GraphFileError, ".../text", "not a graph"):
        load(tmp_path / "text")
