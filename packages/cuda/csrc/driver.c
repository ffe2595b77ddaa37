/* The table of driver functions: closed at first, then filled from a library. */

#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int closed = DRIVER_NOT_INITIALIZED;
static char cause[1024];

#define CLOSED(name, parameters) \
    static int closed_##name parameters \
    { \
        return closed; \
    }
DRIVER_FUNCTIONS(CLOSED)

#define MEMBER(name, parameters) .name = closed_##name,
static const struct driver closed_driver = {DRIVER_FUNCTIONS(MEMBER)};
struct driver driver = {DRIVER_FUNCTIONS(MEMBER)};

static const struct {
    const char *name;
    size_t offset;
} functions[] = {
#define ROW(name, parameters) {#name, offsetof(struct driver, name)},
    DRIVER_FUNCTIONS(ROW)
};

int facula_cuda_open(const char *path)
{
    struct driver filled;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    size_t used = 0;
    if (!library) {
        const char *message = dlerror();
        snprintf(cause, sizeof cause, "%s", message ? message : path);
        return 1;
    }
    cause[0] = '\0';
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        memcpy((char *)&filled + functions[i].offset, &found, sizeof found);
        if (!found && used < sizeof cause)
            used += (size_t)snprintf(cause + used, sizeof cause - used, "%s%s", used ? ", " : "", functions[i].name);
    }
    if (used) {
        dlclose(library);
        return 2;
    }
    driver = filled;
    return 0;
}

const char *facula_cuda_open_error(void)
{
    return cause;
}

void facula_cuda_close(int code)
{
    closed = code;
    driver = closed_driver;
}
