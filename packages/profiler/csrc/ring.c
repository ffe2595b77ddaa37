/* The memory of the records: anonymous, or mapped from a file, which a killed program leaves behind. */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The function of glibc 2.28, with which wheels run; 1 is the only version of the struct. */
#if defined(__GLIBC__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
__asm__(".symver older_stat, __xstat@GLIBC_2.2.5");
extern int older_stat(int version, const char *path, struct stat *found);
#define stat(path, found) older_stat(1, path, found)
#endif

/* A new file of `bytes` bytes, or -1 with errno set. An earlier file of this name keeps its contents as long as another
   recording has it mapped. All blocks are reserved: writing to a mapped file on a full disk kills the program. */
static int new_file(const char *path, size_t bytes)
{
    struct stat found;
    if (!stat(path, &found) && !S_ISREG(found.st_mode)) {
        errno = EEXIST;
        return -1;
    }
    if (unlink(path) && errno != ENOENT)
        return -1;
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0)
        return -1;
    int code;
    while ((code = posix_fallocate(file, 0, (off_t)bytes)) == EINTR)
        ;
    if (code) {
        unlink(path);
        close(file);
        errno = code;
        return -1;
    }
    return file;
}

int ring_open(Ring *ring, int64_t capacity, const char *path)
{
    const size_t bytes = HEADER_BYTES + (size_t)capacity * sizeof(Event);
    int file = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (path) {
        file = new_file(path, bytes);
        if (file < 0)
            return errno;
        flags = MAP_SHARED;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    const int code = errno;
    if (file >= 0)
        close(file);
    if (memory == MAP_FAILED)
        return code;
    struct timespec utc;
    clock_gettime(CLOCK_REALTIME, &utc);
    *ring = (Ring){.header = memory, .events = (Event *)((char *)memory + HEADER_BYTES), .bytes = bytes,
                   .is_file = path != NULL, .capacity = capacity, .began = now(),
                   .began_utc = (int64_t)utc.tv_sec * 1000000000 + utc.tv_nsec};
    memcpy(ring->header->magic, "facula-trace 1\n", 16);
    ring->header->capacity = capacity;
    ring->header->began = ring->began;
    ring->header->began_utc = ring->began_utc;
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
