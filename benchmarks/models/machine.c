/* Bounds of this machine: machine THREADS prints the GFLOP/s of fused multiply-adds of float32 in registers, and the
   GB/s of reads of an array that exceeds all caches, both with all threads at once; the best of some rounds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
#define CHAINS 12 /* independent sums: enough to hide the latency, and few enough for 16 registers */
#define REPEATS 4000000L
#define FLOATS (48L << 20) /* for each thread */
#define ROUNDS 7

typedef float vector __attribute__((vector_size(WIDTH)));
static pthread_barrier_t barrier;
static float results[256];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

#define CALLED_EACH_TIME __attribute__((noipa)) /* though the result is always the same */
CALLED_EACH_TIME static float multiply_add(void) {
  vector sums[CHAINS], a = (vector){} + 0.999f, b = (vector){} + 0.5f;
  float total = 0;
#pragma GCC unroll 12
  for (int i = 0; i < CHAINS; i++) sums[i] = (vector){} + (float)i; /* equal sums would be computed once */
  for (long k = 0; k < REPEATS; k++) {
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++) sums[i] = sums[i] * a + b;
  }
#pragma GCC unroll 12
  for (int i = 0; i < CHAINS; i++) total += sums[i][0];
  return total;
}

CALLED_EACH_TIME static float read_all(const vector *array) {
  vector sums[CHAINS] = {0};
  long count = FLOATS * 4 / WIDTH;
  for (long k = 0; k + CHAINS <= count; k += CHAINS)
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++) sums[i] += array[k + i];
#pragma GCC unroll 12
  for (int i = 1; i < CHAINS; i++) sums[0] += sums[i];
  return sums[0][0];
}

static void *work(void *number) {
  vector *array = aligned_alloc(WIDTH, FLOATS * 4);
  for (long k = 0; k < FLOATS * 4 / WIDTH; k++) array[k] = (vector){} + 1.0f;
  for (int round = 0; round < ROUNDS; round++)
    for (int kind = 0; kind < 2; kind++) {
      pthread_barrier_wait(&barrier);
      results[(long)number] += kind ? read_all(array) : multiply_add();
      pthread_barrier_wait(&barrier);
    }
  free(array);
  return NULL;
}

int main(int argc, char **argv) {
  long threads = argc > 1 ? atol(argv[1]) : 1;
  pthread_t ids[256];
  double best[2] = {0, 0};
  if (threads < 1 || threads > 256) return 1;
  double amounts[2] = {threads * 2.0 * CHAINS * (WIDTH / 4) * REPEATS, threads * 4.0 * FLOATS};
  pthread_barrier_init(&barrier, NULL, threads + 1);
  for (long i = 0; i < threads; i++) pthread_create(&ids[i], NULL, work, (void *)i);
  for (int round = 0; round < ROUNDS; round++)
    for (int kind = 0; kind < 2; kind++) {
      double start = now(); /* before any thread can begin */
      pthread_barrier_wait(&barrier);
      pthread_barrier_wait(&barrier);
      double rate = amounts[kind] / (now() - start) / 1e9;
      if (rate > best[kind]) best[kind] = rate;
    }
  for (long i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  printf("%.1f %.1f\n", best[0], best[1]);
  return 0;
}
