/* The memory of the records: anonymous, or mapped from a file, which a killed program leaves behind. */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_open(Ring *ring, int64_t capacity, const char *path)
{
    const size_t bytes = HEADER_BYTES + (size_t)capacity * sizeof(Event);
    int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (path) {
        file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (file < 0)
            return errno;
        if (ftruncate(file, (off_t)bytes)) { /* a sparse file: records take space once they are written */
            const int code = errno;
            close(file);
            return code;
        }
        flags = MAP_SHARED;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    const int code = errno;
    if (file >= 0)
        close(file);
    if (memory == MAP_FAILED)
        return code;
    *ring = (Ring){memory, (Event *)((char *)memory + HEADER_BYTES), bytes, path != NULL};
    struct timespec utc;
    clock_gettime(CLOCK_REALTIME, &utc);
    memcpy(ring->header->magic, "facula-trace 1\n", 16);
    ring->header->capacity = capacity;
    ring->header->began = now();
    ring->header->began_utc = (int64_t)utc.tv_sec * 1000000000 + utc.tv_nsec;
    ring->header->process = getpid();
    return 0;
}

void ring_close(Ring *ring)
{
    if (ring->header)
        munmap(ring->header, ring->bytes);
    ring->header = NULL;
    ring->events = NULL;
}
