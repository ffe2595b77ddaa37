"""What tests of PyTorch's files share."""

import io
import pickletools
import zipfile

import facula


def again(value, **how):
    """What is loaded from the file of a value."""
    file = io.BytesIO()
    facula.save(value, file)
    file.seek(0)
    return facula.load(file, **how)


def globals_of(value):
    """The names that are in the file of a value."""
    file = io.BytesIO()
    facula.save(value, file)
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        opcodes = list(pickletools.genops(archive.read("archive/data.pkl")))
    return {argument for opcode, argument, _ in opcodes if opcode.name == "GLOBAL"}
