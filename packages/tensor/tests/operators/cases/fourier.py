"""Cases of Fourier transforms."""

import numpy as np
from case import COMPLEX, INTEGERS, Case

from facula_tensor import fft

INEXACT = ("float32", "float64", *COMPLEX)
BOTH = ("float64", "complex128")
WHOLE = ("bool", *INTEGERS)


def complex_of(dtype):
    return "complex128" if dtype in BOTH else "complex64"


def real_of(dtype):
    return "float64" if dtype in BOTH else "float32"


def transform(name, *shapes, real=False, more="", **arguments):
    """Make a case of a transform whose arguments are called axis and axes in NumPy. `real`: for real operands only."""
    function, same = getattr(fft, name), getattr(np.fft, name, None)
    axis = "axes" if name[-1] in "n2" else "axis"
    renamed = {axis if key == "dim" else key: value for key, value in arguments.items()}
    from_complex = name.startswith(("irfft", "hfft"))
    return Case(
        f"fft.{name}({more})",
        lambda x, **out: function(x, **arguments, **out),
        lambda x: same(x, **renamed),
        dtypes=(*WHOLE, "float32", "float64") if real else (*WHOLE, *INEXACT),
        result=real_of if from_complex else complex_of,
        shapes=shapes or ((3, 6),),
        gradient=("float64",) if real else BOTH,
        loose=30.0,
        out=True,
    )


FOURIER = [
    transform("fft"),
    transform("fft", (5,), n=3, norm="ortho", more="3, ortho"),
    transform("fft", (2, 3), n=5, dim=0, norm="forward", more="5, 0, forward"),
    transform("ifft"),
    transform("ifft", (3, 4), dim=0, norm="forward", more="0, forward"),
    transform("rfft", real=True),
    transform("rfft", (5,), real=True, norm="ortho", more="odd, ortho"),
    transform("rfft", (2, 5), real=True, n=6, dim=-1, norm="forward", more="6, forward"),
    transform("irfft"),
    transform("irfft", (4,), n=5, norm="forward", more="5, forward"),
    transform("irfft", (3, 2), n=2, dim=0, norm="ortho", more="2, ortho"),
    transform("hfft", (4,)),
    transform("hfft", (4,), n=5, norm="ortho", more="5, ortho"),
    transform("ihfft", (6,), real=True),
    transform("ihfft", (5,), real=True, norm="forward", more="odd, forward"),
    transform("fft2", (2, 3, 4)),
    transform("ifft2", (3, 4), norm="ortho", more="ortho"),
    transform("fftn", (2, 3, 2)),
    transform("fftn", (3, 4), s=(2, 5), dim=(1, 0), norm="forward", more="s, dim, forward"),
    transform("ifftn", (3, 4), dim=(0,), more="dim"),
    transform("rfft2", (2, 3, 4), real=True),
    transform("rfftn", (3, 5), real=True, s=(4, 3), dim=(0, 1), norm="ortho", more="s, ortho"),
    transform("irfft2", (2, 3, 3)),
    transform("irfftn", (3, 4), s=(3, 5), dim=(0, 1), norm="forward", more="s, forward"),
]
