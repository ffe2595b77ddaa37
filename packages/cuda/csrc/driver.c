/* The table of driver functions: closed at first, then filled from a library. */

#define _GNU_SOURCE
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "loading.h"
#include "table.h"

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

static const struct table_entry functions[] = {
#define ROW(name, parameters) {#name, offsetof(struct driver, name)},
    DRIVER_FUNCTIONS(ROW)
};

int load_table(const char *path, const struct table_entry *entries, size_t count, void *table, size_t nbytes)
{
    void *filled[256], *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    size_t used = 0;
    if (!library) {
        const char *message = dlerror();
        snprintf(cause, sizeof cause, "%s", message ? message : path);
        return 1;
    }
    cause[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, entries[i].name);
        memcpy((char *)filled + entries[i].offset, &found, sizeof found);
        if (!found && used < sizeof cause)
            used += (size_t)snprintf(cause + used, sizeof cause - used, "%s%s", used ? ", " : "", entries[i].name);
    }
    if (used) {
        dlclose(library);
        return 2;
    }
    memcpy(table, filled, nbytes);
    return 0;
}

int facula_cuda_open(const char *path)
{
    _Static_assert(sizeof driver <= 256 * sizeof(void *), "load_table has room for 256 functions");
    return load_table(path, functions, sizeof functions / sizeof *functions, &driver, sizeof driver);
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
