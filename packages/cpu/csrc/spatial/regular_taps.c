/* Matrices of resized and padded dimensions, whose taps follow from a few numbers; see Note [Taps] in resample.inc. */
#include <math.h>
#include <stdlib.h>

#include "runtime/pool.h"
#include "spatial/resample.cdef.h"

/* Rows of an input of `length` elements that stand in for those beyond its ends. */
static int64_t inside(int64_t place, int64_t length)
{
    return place < 0 ? 0 : place < length ? place : length - 1;
}

/* The cubic kernel at distances up to 1, and from 1 to 2; its slope at 1 is -0.75. */
static double near(double t)
{
    return ((-0.75 + 2) * t - (-0.75 + 3)) * t * t + 1;
}

static double far(double t)
{
    return -0.75 * (((t - 5) * t + 8) * t - 4);
}

FACULA_PUBLIC int facula_regular_taps(int kind, const double *numbers, int64_t length, int64_t count, int is_double,
                                      int64_t *starts, int64_t *places, void *weights)
{
    const int taps = kind == FACULA_LINEAR_TAPS ? 2 : kind == FACULA_CUBIC_TAPS ? 4 : 1;
    const double shift = numbers[0], step = numbers[1], offset = numbers[2];
    const int64_t before = (int64_t)shift, first = before < 0 ? -before : 0; /* of padding */
    int64_t kept = length - first + (int64_t)(step < 0 ? step : 0);
    if (kept < 1)
        kept = 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t *place = places + taps * i;
        double by[4] = {1}, at = ((double)i + shift) * step + offset;
        starts[i] = taps * i;
        if (kind == FACULA_NEAREST_TAPS) { /* in single precision, as PyTorch computes them */
            const int64_t nearest = (int64_t)floorf(((float)i + (float)shift) * (float)step);
            *place = nearest < length - 1 ? nearest : length - 1;
        } else if (kind == FACULA_LINEAR_TAPS) {
            at = at > 0 ? at : 0;
            place[0] = inside((int64_t)floor(at), length);
            place[1] = inside(place[0] + 1, length);
            by[1] = place[0] == place[1] ? 0.5 : at - (double)place[0]; /* 0 times an infinity would be NaN */
            by[0] = 1 - by[1];
        } else if (kind == FACULA_CUBIC_TAPS) {
            const double low = floor(at), t = at - low;
            for (int k = 0; k < 4; k++)
                place[k] = inside((int64_t)low + k - 1, length);
            by[0] = far(1 + t), by[1] = near(t), by[2] = near(1 - t), by[3] = far(2 - t);
        } else if (kind == FACULA_REFLECTED_TAPS) {
            *place = length - 1 - llabs(length - 1 - llabs(i - before));
        } else if (kind == FACULA_REPEATED_TAPS) {
            *place = inside(i - before, length);
        } else { /* circular: of the elements that negative padding leaves */
            const int64_t turn = (i - (before > 0 ? before : 0)) % kept;
            *place = first + (turn < 0 ? turn + kept : turn);
        }
        for (int k = 0; k < taps; k++) {
            if (place[k] < 0 || place[k] >= length)
                return -1;
            if (is_double)
                ((double *)weights)[taps * i + k] = by[k];
            else
                ((float *)weights)[taps * i + k] = (float)by[k];
        }
    }
    starts[count] = taps * count;
    return taps;
}
