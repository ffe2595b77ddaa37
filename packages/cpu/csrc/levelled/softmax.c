/* softmax, log_softmax and their gradients. */
#include "../functions.h"
#include "../kernel.h"
#include "../plans/softmax.h"

/* CHUNK numbers are worked on at a time, in whole vectors of PADDED; DEPTH chunks are added up before the sum is widened. */
enum { CHUNK = 128, PADDED = 16, DEPTH = 32 };

#define S float
#define SUFFIX float32
#define NUMBER float
#define READ(x) (x)
#define WRITE(x) (x)
#define CODE FLOAT32
#define COST 600
#include "../softmax.inc"

#define S double
#define SUFFIX float64
#define NUMBER double
#define READ(x) (x)
#define WRITE(x) (x)
#define CODE FLOAT64
#define COST 6000
#include "../softmax.inc"

#define S uint16_t
#define SUFFIX float16
#define NUMBER float
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#define CODE FLOAT16
#define COST 900
#include "../softmax.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define NUMBER float
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#define CODE BFLOAT16
#define COST 900
#include "../softmax.inc"
