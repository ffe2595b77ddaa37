/* The parts of plans that do not depend on layouts. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

enum { FACULA_REGULAR_WINDOWS, FACULA_EVEN_WINDOWS, FACULA_NO_WINDOWS };

/* From it, a row of the kernel table of the kind FACULA_SHAPE fills in plans for layouts, given as outputs, then
   inputs, then parameters that depend on shapes: see `rebind` of facula_storage. Each family of operators reads some of the fields. */
struct facula_form {
    const void *part;  /* the row of the kernel table that the kernel calls, or that completes the plan */
    const void *cast, *round; /* transposing copies: as in the plan */
    const void *finish;       /* row norms: as in the plan */
    int64_t cost;      /* of an element, in picoseconds */
    int64_t itemsize;  /* bytes of an element of the first input; indexing: of the array */
    int64_t dtype;     /* lines, indexing: the code of that dtype */
    uint64_t dims;     /* reductions: bit mask of dimensions; batch norm: `narrow` of the plan */
    int64_t dim;       /* softmax, lines, indexing: the dimension; shallow convolutions, group norm: the groups; row norms: the
                          number of dimensions */
    int64_t option;    /* lines, indexing: `option`, `skip` or `mode` of the plan; pooling: the divisor, or 0;
                          transposing copies: the cost of converting an element; shallow convolutions, batch norm: the kind;
                          triangles: the diagonal */
    int32_t keepdim;   /* reductions; row norms: rows are groups of channels */
    int32_t results;   /* reductions: 1, values; 2, indices; lines, pooling: the number of results */
    int32_t valuesize; /* reductions, row norms: bytes of a value, or of a mean */
    int32_t short_row; /* reductions: rows of fewer elements are reduced by column */
    int32_t vectors;   /* reductions: the reducer reads adjacent elements of short rows as vectors */
    int32_t ordered;   /* reductions: pieces of a single dimension are the same for every layout of the operand; pooling:
                          each window is searched */
    int32_t root;      /* reductions: as in the plan, like `number`; row norms: `by_length`, with `centred` in `flag` */
    double number;     /* shallow convolutions: the least part of vectors' lanes that must be used */
    double epsilon;    /* shallow convolutions: as in the plan, like `pooled` etc. in `flag`, `backwards` and `root` */
    int32_t a_turned, b_turned; /* products: the last two dimensions of a, or of b, are exchanged */
    int64_t sizes[4];           /* lines, transposing copies: bytes of an element of each operand, inputs first;
                                   shallow convolutions: the most bytes of a band, the most channels */
    int32_t flag;               /* lines, indexing: `flag` or `accumulate` of the plan; pooling: padding counts;
                                   transposing copies: dtypes differ; triangles: the upper one */
    int32_t backwards;          /* lines: from the last element to the first; pooling: a gradient */
    int32_t shorter;            /* lines: the operand whose lines begin at the last element but one, or -1 */
    int32_t together;           /* lines: those that are processed together if their elements are adjacent; pooling: planes */
    int32_t negative;           /* indexing: negative indices count from the end */
    int32_t fresh;              /* indexing: the array is zeroed first */
    int32_t array, index, values; /* indexing: their places among the layouts */
    int64_t value[2];             /* inset: the element elsewhere */
    int64_t geometry[8];          /* pooling, shallow convolutions: kernel (or 0), stride, padding and dilation, each of rows
                                     and columns, or 0 */
    int32_t windows;              /* pooling: the kind of windows, above */
    int32_t arrays;               /* pooling, norms: the number of results and operands */
};
