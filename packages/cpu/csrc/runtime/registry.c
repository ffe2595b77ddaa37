/* The kernel table and the choice of the instruction set. Compiled for the baseline, because it runs before the
   choice. */
#include "runtime/kernel.h"

#include <stddef.h>
#include <string.h>

/* Defined by the linker: the first entry of all files, and the end of the last one. */
extern const struct facula_kernel __start_facula_kernels[] __attribute__((visibility("hidden")));
extern const struct facula_kernel __stop_facula_kernels[] __attribute__((visibility("hidden")));

FACULA_PUBLIC const struct facula_kernel *facula_find_kernel(const char *name, const char *signature, int level)
{
    const struct facula_kernel *best = NULL;
    for (const struct facula_kernel *entry = __start_facula_kernels; entry < __stop_facula_kernels; entry++)
        if (entry->level <= level && (!best || entry->level > best->level) && !strcmp(entry->name, name) &&
            !strncmp(entry->signature, signature, sizeof entry->signature))
            best = entry;
    return best;
}

FACULA_PUBLIC const struct facula_kernel *facula_kernel_at(int64_t index)
{
    return index >= 0 && index < __stop_facula_kernels - __start_facula_kernels ? __start_facula_kernels + index : NULL;
}

FACULA_PUBLIC int facula_best_level(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
          __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")))
        return 0;
    if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512vl")))
        return 1;
    return __builtin_cpu_supports("avx512bf16") ? 3 : 2;
#else
    return 0;
#endif
}
