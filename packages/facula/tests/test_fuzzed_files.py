"""Randomly changed files raise CheckpointError or load; they neither crash nor run code.

FACULA_FUZZ sets the number of files; `nox -s fuzz` tries 500,000.
"""

import argparse
import decimal
import fractions
import functools
import io
import os
import pathlib
import random
import struct
import sys
import time
import types
import zipfile
from collections import Counter, OrderedDict, defaultdict, deque
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import facula
import facula.nn as nn
from facula_checkpoint import CheckpointError

FILES = Path(__file__).with_name("pytorch_files")
COUNT = int(os.environ.get("FACULA_FUZZ", "5000"))
SEED = 1
SECONDS = 20  # of CPU time that one file may take
# Possible contents of a pickle: calls of dangerous functions, opcodes, numbers and names.
SNIPPETS = [
    b"cos\nsystem\n(X\x04\x00\x00\x00trueotR.", b"cbuiltins\neval\nX\x01\x00\x00\x001\x85R", b"cbuiltins\ngetattr\n",
    b"c__builtin__\nexec\n", b"csubprocess\nPopen\n", b"\x8c\x02os\x8c\x06system\x93", b"ctorch\nload\n", b"cthis\ns\n",
    b"ctorch._utils\n_rebuild_tensor_v2\n", b"ctorch.nn.modules.linear\nLinear\n", b"ctorch.optim.adam\nAdam\n",
    b"cnumpy._core.multiarray\n_reconstruct\n", b"cnumpy\ndtype\n", b"cfunctools\npartial\n", b"ctorch\nBoolStorage\n",
    b"ctorch\nDoubleStorage\n", b"ctorch\nfloat64\n", b"ccollections\nOrderedDict\n", b"c__builtin__\nset\n",
    b"R", b"b", b"\x81", b"Q", b"(", b"t", b"0", b"2", b"q\x00", b"h\x00", b"h\x01", b")", b"]", b"}", b"u", b"s", b"e",
    b"a", b"N", b"\x88", b"K\xff", b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", b"J\xff\xff\xff\xff", b"\x85", b"\x92",
    b"X\x01\x00\x00\x00a", b"G\x7f\xf0\x00\x00\x00\x00\x00\x00", b"\x8f", b"\x90", b"\x91", b"\x94", b"\x00" * 8,
]  # fmt: skip


def kept():
    """Return objects of every loadable kind, in files of both formats."""
    model = nn.Sequential(nn.Conv1d(1, 2, 2), nn.BatchNorm1d(2), nn.LSTM(3, 2), nn.TransformerEncoderLayer(4, 2, 4))
    optimizer = facula.optim.Adam(model.parameters())
    whole = facula.arange(6.0).reshape(2, 3)
    weight = nn.Parameter(facula.ones(2))
    weight.tag = 1
    yield [model, optimizer, facula.optim.lr_scheduler.StepLR(optimizer, 2)]
    yield {"w": whole, "t": whole.T, "r": whole[1], "p": weight, "b": facula.tensor([True, False]), "s": {1, (2, "x")}}
    yield [np.arange(6).reshape(2, 3), np.float32(1), np.eye(2, dtype=">f4"), facula.float16, facula.device("cpu")]
    yield [facula.Size([1]), datetime(2020, 1, 2, tzinfo=UTC), Path("/a"), argparse.Namespace(a=1), Counter("aab")]
    yield [defaultdict(list, a=[1]), deque([1], 3), functools.partial(nn.functional.relu, 1), 1 << 70, slice(1, 2)]
    yield [decimal.Decimal("1.5"), fractions.Fraction(1, 3), 1j, b"\xff", bytearray(b"x"), range(3), OrderedDict(a=1)]
    data, d = facula.utils.data, facula.distributions
    points = data.TensorDataset(facula.arange(3))
    yield [
        data.DataLoader(points, 2, True, num_workers=1, multiprocessing_context="spawn"),
        facula.amp.GradScaler("cpu"),
    ]
    yield [data.WeightedRandomSampler([1.0, 2.0], 3, generator=facula.Generator()), data.SubsetRandomSampler([2, 1])]
    yield [
        d.Beta(1.0, 2.0),
        d.Gumbel(0.0, 1.0),
        d.Chi2(facula.ones(2)),
        d.Multinomial(3, facula.ones(2)),
        d.transforms.PowerTransform(2.0).inv,
        d.constraints.independent(d.constraints.positive, 1),
    ]
    yield [nn.utils.spectral_norm(nn.Linear(2, 2)), nn.utils.prune.identity(nn.Linear(1, 1), "weight")]
    yield [nn.Buffer(facula.ones(1)), whole.untyped_storage(), facula.empty(2, device="meta"), facula.Generator()]


def seeds():
    found = [path.read_bytes() for path in sorted(FILES.iterdir())]
    for value in kept():
        file = io.BytesIO()
        facula.save(value, file)
        found.append(file.getvalue())
    return found


def mutated(data, draw):
    """Return the bytes with one to four changes."""
    made = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        at = draw.randrange(len(made)) if made else 0
        kind = draw.randrange(8)
        if kind == 0 and made:
            made[at] ^= 1 << draw.randrange(8)
        elif kind == 1 and made:
            made[at] = draw.randrange(256)
        elif kind == 2:
            made[at:at] = draw.choice(SNIPPETS)
        elif kind == 3:
            snippet = draw.choice(SNIPPETS)
            made[at : at + len(snippet)] = snippet
        elif kind == 4:
            del made[at : at + draw.choice((1, 2, 8, 40))]
        elif kind == 5:
            made[at:at] = made[at : at + draw.randrange(1, 60)]
        elif kind == 6 and len(made) > 8:
            made[at : at + 4] = struct.pack(
                "<I", draw.choice((0, 1, 255, 0xFFFFFFFF, 0x7FFFFFFF, draw.randrange(1 << 32)))
            )
        elif kind == 7 and draw.random() < 0.1:
            del made[at:]
    return bytes(made)


class Mutations:
    """Randomly changed files: changes in an archive's pickle, which is packed again, or at any position."""

    def __init__(self):
        self.draw = random.Random(SEED)
        self.files = []
        for data in seeds():
            members = {}
            if data[:2] == b"PK":
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    members = {name: archive.read(name) for name in archive.namelist()}
            self.files.append((data, members))
        self.weights = [1 / len(data) for data, _ in self.files]  # the number of changed bytes is similar in each file

    def __next__(self):
        draw = self.draw
        ((data, members),) = draw.choices(self.files, self.weights)
        if not members or draw.random() < 0.25:
            return mutated(data, draw)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", draw.choice((zipfile.ZIP_STORED,) * 9 + (zipfile.ZIP_DEFLATED,))) as archive:
            for name, content in members.items():
                changed = name.endswith("/data.pkl") or draw.random() < 0.02
                archive.writestr(name, mutated(content, draw) if changed else content)
        return file.getvalue()


def touch(value, depth=0):
    """Read every element of the tensors in a value."""
    if isinstance(value, nn.Module):
        value = vars(value)
    if isinstance(value, facula.optim.Optimizer):
        value = value.param_groups
    if isinstance(value, facula.Tensor) and not isinstance(value, nn.UninitializedParameter):
        if value.device.type == "cpu" and value.numel() < 1 << 16 and value.dtype is not facula.bool:
            value.detach().double().sum() if not value.is_complex() else value.detach().sum()
    elif isinstance(value, np.ndarray):
        value.sum()
    elif isinstance(value, (facula.UntypedStorage, facula.TypedStorage)):
        value.tolist()
    elif depth < 8 and isinstance(value, dict):
        for key, one in list(value.items())[:1000]:
            touch(key, depth + 1)
            touch(one, depth + 1)
    elif depth < 8 and isinstance(value, (list, tuple, set, frozenset, deque)):
        for one in list(value)[:1000]:
            touch(one, depth + 1)


FORBIDDEN = ("os.", "subprocess.", "ctypes.", "socket.", "exec", "compile", "shutil.", "pickle.", "builtins.input")
watching = []


def watch(event, arguments):
    """Audit hook that reports events that run code while a file is loaded."""
    if watching and (event.startswith(FORBIDDEN) or (event == "import" and arguments[0] not in sys.modules)):
        watching.append((event, str(arguments)[:200]))


@pytest.mark.parametrize("how", ["memory", "mapped"])
def test_no_changed_file_crashes_or_runs_code(how, tmp_path):
    mutations, outcomes, slowest = Mutations(), Counter(), 0.0
    for data, _ in mutations.files:
        touch(facula.load(io.BytesIO(data)))  # imports the modules that such files need
    other = tmp_path / "other.safetensors"  # a changed file may be mistaken for this format
    facula.save([facula.ones(2), np.ones(2)], other)
    touch(facula.load(other, mmap=True))
    assert pathlib and types  # imported before the hook is installed
    for number in range(COUNT if how == "memory" else COUNT // 20):
        content = next(mutations)
        path = tmp_path / "changed.pt"
        if how == "mapped":
            path.write_bytes(content)
        start = time.process_time()
        watching[:] = ["on"]
        try:
            value = facula.load(path, mmap=True) if how == "mapped" else facula.load(io.BytesIO(content))
        except CheckpointError:
            value = None
            outcomes["refused"] += 1
        else:
            outcomes["loaded"] += 1
        finally:
            seen = watching[1:]
            watching.clear()
        seen = [one for one in seen if "facula" not in one[1]]
        assert not seen, f"file {number}: {seen}"
        touch(value)
        slowest = max(slowest, time.process_time() - start)
        assert slowest < SECONDS, f"file {number} took {slowest} seconds"
    assert outcomes["refused"] > 10 and outcomes["loaded"] > 10, outcomes


def test_the_audit_hook_reports_running_code():
    watching[:] = ["on"]
    try:
        eval("1")
        os.system("true")
    finally:
        seen = watching[1:]
        watching.clear()
    assert {"compile", "exec", "os.system"} <= {event for event, _ in seen}


sys.addaudithook(watch)
