"""C functions, compiled once, for the tests of custom operators."""

import ctypes
import subprocess

import pytest

import facula_tensor as ft
from facula_tensor import library

SOURCE = r"""
#include <math.h>
#include <stdint.h>

#define LOOP(NAME, T, EXPRESSION)                                                          \
    void NAME(int64_t n, const int64_t *address, const int64_t *step)                      \
    {                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                  \
            T x = *(const T *)(address[0] + i * step[0]);                                  \
            *(T *)(address[1] + i * step[1]) = (T)(EXPRESSION);                            \
        }                                                                                  \
    }
#define LOOP_2(NAME, T, EXPRESSION)                                                        \
    void NAME(int64_t n, const int64_t *address, const int64_t *step)                      \
    {                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                  \
            T x = *(const T *)(address[0] + i * step[0]), y = *(const T *)(address[1] + i * step[1]); \
            *(T *)(address[2] + i * step[2]) = (T)(EXPRESSION);                            \
        }                                                                                  \
    }

LOOP(squash_float, float, x / sqrtf(1 + x * x))
LOOP(squash_double, double, x / sqrt(1 + x * x))
LOOP_2(smooth_float, float, sqrtf(x * x + y * y + 1))
LOOP_2(smooth_double, double, sqrt(x * x + y * y + 1))

/* Cumulative sums along the last dimension. plan: ndim, lengths, of the operand and of the result. */
int64_t cumulate(const void *plan, int64_t *args)
{
    const int64_t *shape = plan, ndim = shape[0], columns = ndim ? shape[ndim] : 1;
    const double *x = (const double *)args[1];
    double *y = (double *)args[2];
    for (int64_t i = 0; i < args[0]; i++)
        y[i] = x[i] + (i % columns ? y[i - 1] : 0);
    return 0;
}
int64_t outer(const void *plan, int64_t *args)
{
    const int64_t *shape = plan, rows = shape[1], columns = shape[3];
    const double *x = (const double *)args[1], *y = (const double *)args[2];
    double *z = (double *)args[3];
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            z[i * columns + j] = x[i] * y[j];
    return 0;
}
int64_t fail(const void *plan, int64_t *args) { return 5; }
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The compiled functions above, loaded with ctypes."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "own.c").write_text(SOURCE)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "own.c", "-o", "own.so", "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "own.so"))


@pytest.fixture
def cumulate(compiled):
    """Cumulative sums along the last dimension, in C. The gradient applies the same function from the other end."""
    op = library.native_op("test::cumulate", {(ft.float64, ft.float64): compiled.cumulate}, inputs=("x",))
    op.register_autograd(lambda ctx, g: op(g.flip(-1)).flip(-1))
    return op
