"""Recognition of other file formats by their first bytes, if the header is not a valid safetensors header."""

from __future__ import annotations

_CONVERT = (
    "load it with the program that wrote it and save it with safetensors (for PyTorch: safetensors.torch.save_file)"
)
_KINDS = (
    (b"PK\x03\x04", "a zip archive, perhaps a checkpoint of PyTorch's", "read it with facula_checkpoint.load"),
    (b"PK\x05\x06", "an empty zip archive", _CONVERT),
    (b"\x93NUMPY", "a NumPy .npy file", _CONVERT),
    (b"\x89HDF\r\n", "an HDF5 file, such as Keras writes", _CONVERT),
    (b"GGUF", "a GGUF file", _CONVERT),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "fetch the file with `git lfs pull`"),
    (b"<", "an HTML or XML page", "look at what was downloaded"),
    (b"{", "JSON without the eight bytes of length before it", "look for the .safetensors file it belongs to"),
)
_PYTORCH_TAR = (b"sys_info\0", b"pickle\0", b"storages\0", b"tensors\0")  # members of such archives
_PICKLE_PROTOCOLS = b"\x02\x03\x04\x05"


def beginning_of_text(start: bytes) -> str:
    """Return the first words of a text file that begins with `start`, or "" for other files.

    The eight bytes of length of a safetensors file are never text: the header would be too long.

    >>> beginning_of_text(b"This is not a model.")
    'This is not a model.'
    """
    words = start[:40].decode(errors="ignore")  # the last character may be cut
    if len(start) < 8 or not start[:8].isascii():
        return ""
    return " ".join(words.split()) if all([letter.isprintable() or letter.isspace() for letter in words]) else ""


def recognized_format(start: bytes) -> str:
    """Return ``"this looks like ...: do ..."`` for a file that begins with `start`, or "".

    >>> recognized_format(b"GGUF....")
    'this looks like a GGUF file: load it with the program that wrote it and save it with safetensors (for PyTorch: ...'
    """
    if len(start) > 1 and start[0] == 0x80 and start[1] in _PICKLE_PROTOCOLS:
        return "this looks like a pickle, perhaps an old checkpoint of PyTorch's: read it with facula_checkpoint.load"
    for magic, kind, remedy in _KINDS:
        if start.startswith(magic):
            return f"this looks like {kind}: {remedy}"
    if start.startswith(_PYTORCH_TAR):
        return "this is a tar archive of PyTorch 0.1: load it with PyTorch, and save it with torch.save"
    if start[257:262] == b"ustar":
        return "this looks like a tar archive: unpack it, or load and save it with PyTorch if PyTorch 0.1 wrote it"
    return ""
