/* Programs that were captured in Python and saved (`facula.jit.save(..., run=True)`), run from C without Python.

       char error[FACULA_ERROR];
       struct facula_model *model = facula_model_load("model.facula", 1, error);
       if (!model) { fprintf(stderr, "%s\n", error); return 1; }
       const struct facula_array *x = facula_model_inputs(model, NULL), *y = facula_model_outputs(model, NULL);
       fill(x->data);
       if (facula_model_run(model, error)) { fprintf(stderr, "%s\n", error); return 1; }
       use(y->data);
       facula_model_free(model);

   Build with `gcc serve.c -I FOLDER/include -L FOLDER -lfacula_kernels.1 -Wl,-rpath,FOLDER`, where FOLDER is the output
   of `facula-run --where`. The library is the single file libfacula_kernels.1.so; it only requires the C library.

   A loaded model has its own memory, and the functions have no other state. Several threads may use different models at
   the same time, but only one thread at a time may use a model. The kernels share one thread pool (FACULA_NUM_THREADS,
   else one thread per core), and use the best instruction set of the processor (FACULA_CPU_LEVEL forces a lower one).

   Conditions and loops of tensors (cond, while_loop) run as in Python. Loops are not bounded: a run whose loop never
   ends does not return, and no function stops it. Ctrl-C ends the program, unless it handles SIGINT itself; a program
   that must continue runs such models in a separate process.

   Damaged and unsuitable files are refused with a message, including malicious ones: all memory accesses of a run are
   checked when a file is loaded, and are within the model's own memory. An untrusted program may still run for a long
   time, allocate much memory, and return wrong results. */
#ifndef FACULA_RUN_H
#define FACULA_RUN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that a message takes at most. */
#define FACULA_ERROR 512

/* Codes of dtypes. A bool is a byte, a bfloat16 two; complex numbers are two floats or doubles. */
enum facula_dtype {
    FACULA_BOOL = 1, FACULA_UINT8, FACULA_INT8, FACULA_INT16, FACULA_INT32, FACULA_INT64, FACULA_FLOAT16,
    FACULA_BFLOAT16, FACULA_FLOAT32, FACULA_FLOAT64, FACULA_COMPLEX64, FACULA_COMPLEX128
};

/* A tensor of a model. `data` stays where it is as long as the model. Strides are in bytes; those of inputs and outputs are
   mostly the ones of C order. */
struct facula_array {
    const char *name;
    void *data;
    enum facula_dtype dtype;
    int ndim;
    int is_number; /* one of the numbers that come after the inputs */
    const int64_t *shape, *strides;
};

struct facula_model;

/* Loads the program of a file. A file may have programs for several sizes of a batch: `batch` is the length of the first
   input's first dimension, or 0 for the first program of the file. NULL, with a message in `error`, where that fails. */
struct facula_model *facula_model_load(const char *path, int64_t batch, char error[FACULA_ERROR]);

/* The mode that modules were in when a program was captured: FACULA_ANY_MODE for a program without modules, or with modules
   of both modes. */
enum facula_mode { FACULA_ANY_MODE, FACULA_TRAINING, FACULA_EVALUATION };

/* A program of a file, before it is loaded: its inputs and numbers, whose `data` may not be used. */
struct facula_signature {
    const struct facula_array *inputs;
    int64_t count;
    enum facula_mode mode;
};

/* How well a program fits: more is better, 0 or less is not at all; after INT_MAX no other program is read. */
typedef int (*facula_score)(const struct facula_signature *program, void *context);

/* Loads the program that `score` gives the most, and of several alike the first: programs are for calls of different
   shapes, dtypes or modes. NULL, with a message in `error`, where that fails; the message is `none` where no program has a
   score above 0. */
struct facula_model *facula_model_choose(const char *path, facula_score score, void *context, const char *none,
                                         char error[FACULA_ERROR]);

/* How many threads the kernels of this process use from the next load on, from 1 to 256. */
void facula_set_threads(int count);

/* The inputs of a run: fill `data` first. Inputs are in the order of the captured function's arguments and have their
   names (a tensor in a list or dict: the argument's name, a dot, its position or key). They are followed by the numbers
   that may change from run to run, such as learning rates (float64 without dimensions, initialized to the saved
   values). `count`, unless NULL, receives the number of all. */
const struct facula_array *facula_model_inputs(const struct facula_model *model, int64_t *count);

/* Does once what the function did: reads inputs, makes outputs, changes parameters and states of optimizers and of random
   generators. 0, or -1 with a message in `error`: an index out of range, for instance; what came before it is done. */
int facula_model_run(struct facula_model *model, char error[FACULA_ERROR]);

/* The outputs of a run; the next run overwrites them. */
const struct facula_array *facula_model_outputs(const struct facula_model *model, int64_t *count);

/* Gives all memory back; NULL is allowed. */
void facula_model_free(struct facula_model *model);

/* Writes the file that the model came from to `path`, with tensors, numbers and generators as they are now. That file
   must still exist at its path. 0, or -1 with a message. */
int facula_model_save(const struct facula_model *model, const char *path, char error[FACULA_ERROR]);

#ifdef __cplusplus
}
#endif
#endif
