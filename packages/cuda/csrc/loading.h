/* The functions of <dlfcn.h> in the versions of glibc 2.28, with which wheels run. */
#ifndef FACULA_LOADING_H
#define FACULA_LOADING_H
#include <dlfcn.h>

#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) /* which has them without versions */
__asm__(".symver dlclose, dlclose@GLIBC_2.2.5");
__asm__(".symver dlerror, dlerror@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
#endif
#endif
