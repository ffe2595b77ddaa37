"""Real files of the supported formats, made with the standard library only."""

import gzip
import io
import pickle
import struct
import tarfile

import numpy as np

CODES = {"uint8": 8, "int8": 9, "int16": 11, "int32": 12, "float32": 13, "float64": 14}


def idx_bytes(array):
    """An array in the IDX format, written from its specification."""
    header = struct.pack(f">BBBB{array.ndim}I", 0, 0, CODES[array.dtype.name], array.ndim, *array.shape)
    return header + array.astype(array.dtype.newbyteorder(">")).tobytes()


def write_mnist(folder, count=12, compressed=False, seed=0):
    """Write the four files; return images and labels of the training part."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    made = {}
    for part in ("t10k", "train"):
        pictures = rng.integers(0, 256, (count, 28, 28)).astype(np.uint8)
        labels = (np.arange(count) % 10).astype(np.uint8)
        for name, array in ((f"{part}-images-idx3-ubyte", pictures), (f"{part}-labels-idx1-ubyte", labels)):
            data = idx_bytes(array)
            (folder / (name + ".gz" * compressed)).write_bytes(gzip.compress(data) if compressed else data)
        made[part] = (pictures, labels)
    return made["train"]


def write_cifar10(folder, each=4, binary=False):
    """Write all batches; return images (samples, 3072) and labels of the training part."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    pictures, labels = [], []
    for number, name in enumerate([*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]):
        data = rng.integers(0, 256, (each, 3072)).astype(np.uint8)
        label = [(number + n) % 10 for n in range(each)]
        if binary:
            records = np.concatenate([np.array(label, np.uint8)[:, None], data], axis=1)
            (folder / f"{name}.bin").write_bytes(records.tobytes())
        else:
            content = {"batch_label": name, "labels": label, "data": data, "filenames": ["x.png"] * each}
            (folder / name).write_bytes(pickle.dumps(content, protocol=2))
        if number < 5:
            pictures.append(data)
            labels += label
    names = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
    if binary:
        (folder / "batches.meta.txt").write_text("\n".join(names) + "\n\n")
    else:
        (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": names}, protocol=2))
    return np.concatenate(pictures), labels


def tar_bytes(members, mode="w", **options):
    """An archive of (name, data) pairs."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode, **options) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return stream.getvalue()


def ppm(pixels):
    """An image (height, width, 3) in a format that one line can write."""
    height, width, _ = pixels.shape
    return f"P6 {width} {height} 255\n".encode() + pixels.tobytes()
