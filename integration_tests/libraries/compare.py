"""Compare PyTorch's results with facula's: `python compare.py FOLDER NAME...`. Exits with 1 if any differ.

Reads FOLDER/NAME.torch.npz and FOLDER/NAME.facula.npz, and prints each difference and a table.
"""

import sys
from pathlib import Path

import numpy as np

# Relative to a result's largest number. Models in float64 compute parts in float32: losses, norms, some attention.
TOLERANCE = {"float64": 1e-6, "float32": 1e-5, "float16": 1e-3}
# The smallest scale of a result: if terms cancel (gradients of keys' biases), only rounding errors remain.
SMALLEST = 0.1
COLUMNS = ("library", "results", "equal", "different")


def difference(one, other):
    """Describe the difference between two arrays, or return None if they are equal."""
    if one is None or other is None:
        return f"only {'facula' if one is None else 'PyTorch'} has it"
    if one.shape != other.shape or one.dtype != other.dtype:
        return f"{one.dtype} {one.shape} and {other.dtype} {other.shape}"
    if one.dtype.kind in "fc":
        size = np.abs(one[np.isfinite(one)]).max(initial=0.0)
        tolerance = TOLERANCE[one.real.dtype.name] * max(size, SMALLEST)
        if not np.allclose(one, other, rtol=0, atol=tolerance, equal_nan=True):
            return f"{np.abs(one - other).max():.3g} apart, at a size of {size:.3g}"
    elif not (one == other).all():
        return f"{(one != other).sum()} of {one.size} are not equal"
    return None


def compare(folder, name):
    """Return a row of the table, and the differences, a line each."""
    files = {side: folder / f"{name}.{side}.npz" for side in ("torch", "facula")}
    stopped = [f"the program stopped with {side}" for side, file in files.items() if not file.exists()]
    if stopped:
        return (name, 0, 0, "stopped"), stopped
    expected, found = (dict(np.load(file)) for file in files.values())
    names = sorted(expected.keys() | found.keys())
    lines = {one: difference(expected.get(one), found.get(one)) for one in names}
    different = [f"{one}: {line}" for one, line in lines.items() if line]
    return (name, len(names), len(names) - len(different), len(different)), different


def main(folder, *names):
    rows = [COLUMNS]
    for name in names:
        row, lines = compare(Path(folder), name)
        rows.append(row)
        for line in lines:
            print(f"{name}: {line}")
    for row in rows:
        print(f"{row[0]:<14}" + "".join(f"{one:>12}" for one in row[1:]))
    return any(row[3] for row in rows[1:])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
