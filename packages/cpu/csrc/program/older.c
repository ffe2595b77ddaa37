/* The same as runtime/older.c for the program, which does not see the library's hidden functions. */
#include "runtime/older.h"

#ifdef FACULA_OLDER
#include <sys/stat.h>

FACULA_OLDER(int, lstat, "__lxstat@GLIBC_2.2.5", (const char *path, struct stat *status),
             (int version, const char *path, struct stat *status), (1, path, status))

/* The file that starts each program calls this. It is linked in, and has no constructors for the older version to call. */
typedef int main_function(int, char **, char **);
#define START (main_function * main, int count, char **words, void (*before)(void), void (*after)(void), \
               void (*at_exit)(void), void *stack)
FACULA_OLDER(int, __libc_start_main, "__libc_start_main@GLIBC_2.2.5", START, START,
             (main, count, words, before, after, at_exit, stack))
#endif
