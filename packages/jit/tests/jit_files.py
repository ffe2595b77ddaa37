"""Helpers that save captures for facula-run, and run it."""

import ctypes
import json
import os
import subprocess
import zipfile
from pathlib import Path

import numpy as np

import facula_cpu
from facula_jit._replay.portable_program import section
from facula_storage.extend import capacity

PROGRAM = Path(facula_cpu.__file__).with_name("facula-run")


def latest(captured):
    """Return the latest replay of a captured function."""
    return [replay for kind in captured._entries.values() for replay in kind.replays][-1]


def write(path, **captures):
    """Write a file with a program of each capture and all of their tensors, which they may share."""
    known, tensors, sections = {}, {}, {}
    for batch, captured in captures.items():
        replay = latest(captured)
        recording, names = replay.recording, {}
        for number, storage in recording.fixed.items():
            name = known.setdefault(id(storage), f"tensor.{len(known)}")
            names[number] = name, capacity(storage)
            tensors[name] = ctypes.string_at(storage.ptr, capacity(storage))
        sections[batch] = section(replay, names)
    head, body = {}, b""
    for name, data in tensors.items():
        head[name] = {"dtype": "U8", "shape": [len(data)], "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(head).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as file:
        for name, data in sections.items():
            file.writestr(f"run/{name}.bin", data)
        file.writestr("tensors.safetensors", len(text).to_bytes(8, "little") + text + body)
    return path


def run(folder, path, inputs, outputs, *options, **environment):
    """Return the outputs of facula-run for arrays with one entry per step."""
    arguments = [path]
    for number, array in enumerate(inputs):
        np.save(folder / f"x{number}.npy", array)
        arguments += ["--input", folder / f"x{number}.npy"]
    for number in range(outputs):
        arguments += ["--output", folder / f"y{number}.npy"]
    done = subprocess.run(
        [PROGRAM, *map(str, arguments), *map(str, options)], capture_output=True, text=True, timeout=600,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return [np.load(folder / f"y{number}.npy") for number in range(outputs)]


def changed(path, tmp_path, change):
    """Return the file after `change(graph)`."""
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    graph = json.loads(contents["graph.json"])
    change(graph)
    contents["graph.json"] = json.dumps(graph).encode()
    written = tmp_path / "changed.facula"
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return written
