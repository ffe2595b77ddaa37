"""Helpers for tests of PyTorch's files."""

import io
import pickletools
import zipfile

import facula


def again(value, **how):
    """Save a value and return the result of loading it."""
    file = io.BytesIO()
    facula.save(value, file)
    file.seek(0)
    return facula.load(file, **how)


def globals_of(value):
    """Return the global names in the pickle of a value's file."""
    file = io.BytesIO()
    facula.save(value, file)
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        opcodes = list(pickletools.genops(archive.read("archive/data.pkl")))
    return {argument for opcode, argument, _ in opcodes if opcode.name == "GLOBAL"}
