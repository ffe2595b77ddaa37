/* Functions of which glibc has versions newer than 2.28. A test of the wheels names those that are missing here. */
#include "runtime/older.h"

#ifdef FACULA_OLDER
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>

#define OF_ONE(type, name) FACULA_OLDER(type, name, #name "@GLIBC_2.2.5", (type x), (type x), (x))
#define OF_TWO(type, name) FACULA_OLDER(type, name, #name "@GLIBC_2.2.5", (type x, type y), (type x, type y), (x, y))
OF_ONE(double, exp)
OF_ONE(double, exp2)
OF_ONE(double, log)
OF_TWO(double, hypot)
OF_TWO(float, hypotf)
OF_TWO(double, pow)

#define STARTED (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
FACULA_OLDER(int, pthread_create, "pthread_create@GLIBC_2.2.5", STARTED, STARTED, (thread, attributes, run, argument))
#define MASKED (int how, const sigset_t *set, sigset_t *former)
FACULA_OLDER(int, pthread_sigmask, "pthread_sigmask@GLIBC_2.2.5", MASKED, MASKED, (how, set, former))

/* 1 is the version of the struct, the only one on x86-64. */
FACULA_OLDER(int, stat, "__xstat@GLIBC_2.2.5", (const char *path, struct stat *status),
             (int version, const char *path, struct stat *status), (1, path, status))
FACULA_OLDER(int, fstat, "__fxstat@GLIBC_2.2.5", (int file, struct stat *status),
             (int version, int file, struct stat *status), (1, file, status))
#endif
