"""Compare two files of results: `python compare.py EXPECTED.npz FOUND.npz`. Ends with 1 where they differ."""

import sys

import numpy as np

TOLERANCE = {"float64": 1e-5, "float32": 1e-3}  # of the largest number of a result
# The share of bytes that may be one apart: PyTorch resizes images of bytes with weights of 16 bits.
ROUNDED_OTHERWISE = 0.01


def differences(expected, found):
    """What differs, a line each."""
    lines = [f"only in one: {name}" for name in sorted(expected.keys() ^ found.keys())]
    for name in sorted(expected.keys() & found.keys()):
        one, other = expected[name], found[name]
        if one.shape != other.shape or one.dtype != other.dtype:
            lines.append(f"{name}: {one.dtype} {one.shape} and {other.dtype} {other.shape}")
        elif one.dtype.kind in "fc":
            size = np.abs(one[np.isfinite(one)]).max(initial=0)
            tolerance = TOLERANCE.get(one.dtype.name, 1e-3)
            if not np.allclose(one, other, rtol=0, atol=tolerance * (size + 1e-2), equal_nan=True):
                lines.append(f"{name}: {np.abs(one - other).max():.3g} apart, at a size of {size:.3g}")
        elif one.dtype == np.uint8 and np.abs(one.astype(int) - other).max(initial=0) == 1:
            if (one != other).mean() > ROUNDED_OTHERWISE:
                lines.append(f"{name}: {(one != other).sum()} of {one.size} are one apart")
        elif not (one == other).all():
            lines.append(f"{name}: {(one != other).sum()} of {one.size} are not equal")
    return lines


if __name__ == "__main__":
    files = [dict(np.load(name)) for name in sys.argv[1:3]]
    lines = differences(*files)
    print("\n".join(lines) or f"{len(files[0])} results are equal")
    sys.exit(bool(lines))
