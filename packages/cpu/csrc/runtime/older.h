/* Wheels run with glibc 2.28 and newer, but on newer systems the linker chooses versions of functions that 2.28 lacks.
   FACULA_OLDER defines a hidden function of the same name for the files of a library. It calls an older version. */
#ifndef FACULA_OLDER_H
#define FACULA_OLDER_H
#include <limits.h> /* defines __GLIBC__ where that is the C library */

/* AddressSanitizer has some of these functions without versions; the linker writes damaged files if both are used. */
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#if __GLIBC_PREREQ(2, 33) /* before, stat is a macro or an inline function */
#define FACULA_OLDER(type, name, version, parameters, older_parameters, arguments) \
    __asm__(".symver older_" #name ", " version);                                  \
    extern type older_##name older_parameters;                                     \
    __attribute__((visibility("hidden"))) type name parameters { return older_##name arguments; }
#endif
#endif
#endif
