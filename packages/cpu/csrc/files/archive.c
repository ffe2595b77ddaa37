/* The zip around a program: uncompressed members, found by the directory at the file's end.

   All positions and lengths in a file are checked against the file's own length before they are used. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/files.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "files are read as little-endian machines have them in memory"
#endif

enum { END = 22, LOCATOR = 20, LONG_END = 56, ENTRY = 46, LOCAL = 30, MOST_COMMENT = 65535, MOST_MEMBERS = 1000 };
static const uint32_t LONG_END_MARK = 0x06064b50, LOCATOR_MARK = 0x07064b50, ABSENT = 0xffffffff;
static const uint32_t END_MARK = 0x06054b50, ENTRY_MARK = 0x02014b50, LOCAL_MARK = 0x04034b50;

int refuse(char *error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(error, FACULA_ERROR, format, values);
    va_end(values);
    return -1;
}

static uint32_t u16(const char *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t u32(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static int64_t i64(const char *at)
{
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The checksum of zips (CRC-32), eight bytes at a time. */
static uint32_t checksum(const char *bytes, int64_t count)
{
    uint32_t table[8][256], crc = 0xffffffff;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
        table[0][i] = value;
    }
    for (int i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
    for (; count >= 8; count -= 8, bytes += 8) {
        const uint32_t low = u32(bytes) ^ crc, high = u32(bytes + 4);
        crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
              table[3][high & 255] ^ table[2][high >> 8 & 255] ^ table[1][high >> 16 & 255] ^ table[0][high >> 24];
    }
    for (; count > 0; count--, bytes++)
        crc = crc >> 8 ^ table[0][(crc ^ (uint8_t)*bytes) & 255];
    return ~crc;
}

static int read_at(int file, char *into, int64_t count, int64_t at)
{
    while (count > 0) {
        const ssize_t got = pread(file, into, (size_t)count, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        into += got;
        at += got;
        count -= got;
    }
    return 0;
}

/* A number of an entry. If its field is too small for it, it is the next number in the entry's extra field. */
static int64_t long_number(const char *entry, int at, const char **more, const char *end)
{
    if (u32(entry + at) != ABSENT)
        return u32(entry + at);
    if (!*more || end - *more < 8)
        return -1;
    *more += 8;
    return i64(*more - 8);
}

/* The extra field of an entry for large numbers; NULL if it has none. */
static const char *find_long_field(const char *at, const char **end)
{
    for (; *end - at >= 4; at += 4 + u16(at + 2))
        if (u16(at) == 1 && u16(at + 2) <= *end - at - 4) {
            *end = at + 4 + u16(at + 2);
            return at + 4;
        }
    return NULL;
}

/* Parse one entry of the directory, at `at`, with `left` bytes left; return its size in bytes, or -1. */
static int64_t read_entry(const struct archive *archive, const char *at, int64_t left, struct member *member, char *error)
{
    char local[LOCAL];
    if (left < ENTRY || u32(at) != ENTRY_MARK)
        return refuse(error, "the file's directory is damaged");
    const int64_t name = u16(at + 28), total = ENTRY + name + u16(at + 30) + u16(at + 32);
    if (total > left || !name || name >= (int64_t)sizeof member->name)
        return refuse(error, "the file's directory is damaged");
    memcpy(member->name, at + ENTRY, (size_t)name);
    member->name[name] = 0;
    const char *field_end = at + ENTRY + name + u16(at + 30), *more = find_long_field(at + ENTRY + name, &field_end);
    member->checksum = u32(at + 16);
    member->bytes = long_number(at, 24, &more, field_end);
    const int64_t stored = long_number(at, 20, &more, field_end);
    member->header = long_number(at, 42, &more, field_end);
    if (u16(at + 10) || stored != member->bytes || u16(at + 8) & 1)
        return refuse(error, "%s: expected a member that is stored as it is; got a compressed one", member->name);
    if (member->bytes < 0 || member->bytes > archive->bytes)
        return refuse(error, "%s: the file ends before it does", member->name);
    if (member->header < 0 || member->header > archive->bytes - LOCAL || read_at(archive->file, local, LOCAL, member->header) ||
        u32(local) != LOCAL_MARK)
        return refuse(error, "%s: its header is damaged", member->name);
    member->start = member->header + LOCAL + u16(local + 26) + u16(local + 28);
    if (member->start + member->bytes > archive->bytes)
        return refuse(error, "%s: the file ends before it does", member->name);
    return total;
}

/* Find the directory by the record at the file's end: return 0, or -1. */
static int find_directory(const struct archive *archive, const char *tail, int64_t at, int64_t *count, int64_t *bytes,
                          int64_t *start)
{
    char end[LONG_END];
    *count = u16(tail + at + 10);
    *bytes = u32(tail + at + 12);
    *start = u32(tail + at + 16);
    if (*count == 0xffff || *bytes == ABSENT || *start == ABSENT) { /* in large files another end record contains it */
        const int64_t place = at >= LOCATOR && u32(tail + at - LOCATOR) == LOCATOR_MARK ? i64(tail + at - LOCATOR + 8) : -1;
        if (place < 0 || place > archive->bytes - LONG_END || read_at(archive->file, end, LONG_END, place) ||
            u32(end) != LONG_END_MARK)
            return -1;
        *count = i64(end + 32);
        *bytes = i64(end + 40);
        *start = i64(end + 48);
    }
    return *count < 0 || *count > MOST_MEMBERS || *bytes < 0 || *start < 0 || *bytes > archive->bytes ||
                   *start > archive->bytes - *bytes
               ? -1
               : 0;
}

static int read_directory(struct archive *archive, char *error)
{
    struct stat status;
    if (fstat(archive->file, &status) || !S_ISREG(status.st_mode))
        return refuse(error, "it is no file");
    archive->bytes = status.st_size;
    const int64_t tail = archive->bytes < LOCATOR + END + MOST_COMMENT ? archive->bytes : LOCATOR + END + MOST_COMMENT;
    char *end = malloc((size_t)tail + 1), *directory = NULL;
    int result = -1;
    if (!end || read_at(archive->file, end, tail, archive->bytes - tail)) {
        refuse(error, "it cannot be read");
        goto done;
    }
    int64_t at = tail - END;
    while (at >= 0 && u32(end + at) != END_MARK)
        at--;
    if (at < 0) {
        refuse(error, "it is no zip file, or is cut off");
        goto done;
    }
    int64_t count, bytes, start;
    if (find_directory(archive, end, at, &count, &bytes, &start)) {
        refuse(error, "the file's directory is damaged");
        goto done;
    }
    directory = malloc((size_t)bytes + 1);
    archive->members = calloc((size_t)count + 1, sizeof *archive->members);
    if (!directory || !archive->members || read_at(archive->file, directory, bytes, start)) {
        refuse(error, "the file's directory cannot be read");
        goto done;
    }
    for (int64_t place = 0; archive->count < count; archive->count++) {
        struct member *member = &archive->members[archive->count];
        const int64_t taken = read_entry(archive, directory + place, bytes - place, member, error);
        if (taken < 0)
            goto done;
        if (archive_find(archive, member->name)) {
            refuse(error, "it has two members %s", member->name);
            goto done;
        }
        member->entry = start + place;
        place += taken;
    }
    result = 0;
done:
    free(end);
    free(directory);
    return result;
}

int archive_open(struct archive *archive, const char *path, char *error)
{
    *archive = (struct archive){.file = open(path, O_RDONLY | O_CLOEXEC)};
    if (archive->file < 0)
        return refuse(error, "%s", strerror(errno));
    return read_directory(archive, error);
}

void archive_close(struct archive *archive)
{
    if (archive->file >= 0)
        close(archive->file);
    free(archive->members);
    *archive = (struct archive){.file = -1};
}

const struct member *archive_find(const struct archive *archive, const char *name)
{
    for (int64_t i = 0; i < archive->count; i++)
        if (!strcmp(archive->members[i].name, name))
            return &archive->members[i];
    return NULL;
}

char *archive_read(const struct archive *archive, const struct member *member, char *error)
{
    char *bytes = aligned_alloc(64, (size_t)(member->bytes + 64) / 64 * 64);
    if (!bytes) {
        refuse(error, "%s: no memory for %lld bytes", member->name, (long long)member->bytes);
    } else if (read_at(archive->file, bytes, member->bytes, member->start)) {
        refuse(error, "%s: it cannot be read", member->name);
    } else if (checksum(bytes, member->bytes) != member->checksum) {
        refuse(error, "%s: its checksum is wrong: the file is damaged", member->name);
    } else {
        bytes[member->bytes] = 0;
        return bytes;
    }
    free(bytes);
    return NULL;
}

static int write_at(int file, const char *bytes, int64_t count, int64_t at)
{
    while (count > 0) {
        const ssize_t done = pwrite(file, bytes, (size_t)count, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes += done;
        at += done;
        count -= done;
    }
    return 0;
}

static int copy_all(int from, int to, int64_t count)
{
    enum { PIECE = 1 << 20 };
    char *piece = malloc(PIECE);
    int failed = !piece;
    for (int64_t at = 0; !failed && at < count; at += PIECE) {
        const int64_t part = count - at < PIECE ? count - at : PIECE;
        failed = read_at(from, piece, part, at) || write_at(to, piece, part, at);
    }
    free(piece);
    return failed;
}

/* Resolve a path, following links, in new memory, and the mode of the new file: that of an existing file, otherwise of
   the one that is copied. NULL with a message if the path is not that of a writable file. */
static char *find_target(const struct archive *archive, const char *path, mode_t *mode, char *error)
{
    struct stat status;
    char *target = realpath(path, NULL);
    const char *why = NULL;
    if (!target) { /* a new file */
        why = errno != ENOENT || fstat(archive->file, &status) || !(target = strdup(path)) ? strerror(errno) : NULL;
    } else if (stat(target, &status) || access(target, W_OK)) {
        why = strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
        why = S_ISDIR(status.st_mode) ? "expected a path for a file; this is a directory"
                                      : "expected a regular file to replace; this is a device, pipe or socket";
    }
    if (why) {
        refuse(error, "save: %.350s: %s", path, why);
        free(target);
        return NULL;
    }
    *mode = status.st_mode & 0777;
    return target;
}

/* The members' bytes, and their checksums, in a copy of the file. */
static int write_members(const struct archive *archive, int file, int count, const struct member *const *members,
                         const char *const *bytes)
{
    int failed = 0;
    for (int i = 0; !failed && i < count; i++) {
        const uint32_t sum = checksum(bytes[i], members[i]->bytes);
        char flags[2];
        failed = read_at(archive->file, flags, 2, members[i]->header + 6) ||
                 write_at(file, bytes[i], members[i]->bytes, members[i]->start) ||
                 write_at(file, (const char *)&sum, 4, members[i]->entry + 16);
        if (!failed && !(flags[0] & 8)) /* otherwise it follows the member */
            failed = write_at(file, (const char *)&sum, 4, members[i]->header + 14);
    }
    return failed;
}

/* A new file next to the old one replaces it when it is complete; the old one may be the file that is read. */
int archive_copy(const struct archive *archive, const char *path, int count, const struct member *const *members,
                 const char *const *bytes, char *error)
{
    mode_t mode;
    char half[4096], *target = find_target(archive, path, &mode, error);
    if (!target)
        return -1;
    int failed = snprintf(half, sizeof half, "%s.XXXXXX", target) >= (int)sizeof half;
    errno = ENAMETOOLONG;
    const int file = failed ? -1 : mkostemp(half, O_CLOEXEC);
    failed = file < 0;
    if (!failed) {
        failed = fchmod(file, mode) || copy_all(archive->file, file, archive->bytes) ||
                 write_members(archive, file, count, members, bytes) || fsync(file);
        failed |= close(file);
        failed = failed || rename(half, target);
    }
    const int why = errno;
    if (failed && file >= 0)
        unlink(half);
    free(target);
    return failed ? refuse(error, "save: %.350s: %s", path, strerror(why)) : 0;
}
