/* A process that ends with the one that started it. */
#include "shm.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The versions of glibc 2.28, with which wheels run. AddressSanitizer has functions without versions. */
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_detach, pthread_detach@GLIBC_2.2.5");
__asm__(".symver pthread_sigmask, pthread_sigmask@GLIBC_2.2.5");
#endif

typedef struct {
    int life, output;
    size_t bytes;
    char line[];
} End;

static void *wait_for_end(void *argument) {
    End *end = argument;
    char byte;
    while (read(end->life, &byte, 1) < 0 && errno == EINTR) {}
    if (write(end->output, end->line, end->bytes) < 0) {}   /* its reader may have ended */
    if (getpgrp() == getpid()) kill(0, SIGKILL);   /* with the processes that it started */
    _exit(1);
}

/* Note [The end of the launcher]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   The launcher has the only writing end of a pipe, and never writes, so a read returns when the launcher has ended, for
   any reason. It happens in a thread of C, which needs no GIL: a rank may be in C code that never returns. A stopped
   process runs no thread, so the kernel continues it when its parent ends. */
int end_with(int life, int output, const char *line) {
    size_t bytes = strlen(line);
    End *end = malloc(sizeof(End) + bytes);
    if (!end) return ENOMEM;
    end->life = life, end->output = output, end->bytes = bytes;
    memcpy(end->line, line, bytes);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    pthread_t thread;
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);   /* signals are for the program's threads */
    int error = pthread_create(&thread, NULL, wait_for_end, end);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    if (error) {
        free(end);
        return error;
    }
    pthread_detach(thread);
    return 0;
}
