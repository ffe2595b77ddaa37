/* Programs in files: the parts of such a file.

   archive.c    the zip around it: members, checksums, writing a changed copy
   tensors.c    the positions of tensors in tensors.safetensors
   section.c    the tables of a program, each number checked
   portable.c   the structs of plans */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "facula_run.h"

/* Writes a message, like printf, and returns -1. */
int refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A member of a zip: the position of its bytes in the file. */
struct member {
    char name[256];
    int64_t start, bytes;
    int64_t header, entry; /* of its local header and of its entry in the directory, for its checksum */
    uint32_t checksum;
};

struct archive {
    int file;
    int64_t bytes, count;
    struct member *members;
};

int archive_open(struct archive *archive, const char *path, char *error);
void archive_close(struct archive *archive);
const struct member *archive_find(const struct archive *archive, const char *name);
/* All bytes of a member, in new memory of 64-byte alignment with a trailing 0; NULL with a message. */
char *archive_read(const struct archive *archive, const struct member *member, char *error);
/* Write a copy of the file with other bytes (of the same number) for some members. */
int archive_copy(const struct archive *archive, const char *path, int count, const struct member *const *members,
                 const char *const *bytes, char *error);

/* The position of a tensor's bytes in a safetensors file in memory. */
struct tensor_place {
    const char *name; /* in the file */
    int64_t name_length, start, length;
};

/* All tensors of such a file by name, in new memory, which the caller frees; return their number, or -1 with a
   message. */
int64_t list_tensors(const char *safetensors, int64_t bytes, struct tensor_place **places, char *error);
/* One of them; NULL with a message if there is none of that name. */
const struct tensor_place *find_tensor(const struct tensor_place *places, int64_t count, const char *name, char *error);

/* The tables of a program (see Note [Programs in files] in facula_cpu): rows of int64. */
enum table { TEXT, BLOCKS, TENSORS, KERNELS, DATA, PARTS, POINTERS, LAUNCHES, ARGUMENTS, ARRAYS, EXTENTS, NUMBERS, USES,
             GENERATORS, TABLES };
enum block_kind { TEMPORARY, OWN, TENSOR };
enum argument_kind { PLAIN, ADDRESS, CELL };
enum { OLDEST_SECTION = 1, SECTION_VERSION = 2 };

struct block_row { int64_t kind, place, bytes; };                   /* place: in the arena, or a tensor's number */
struct tensor_row { int64_t name, bytes, changed; };
struct kernel_row { int64_t name, signature; };                     /* offsets in the text */
struct part_row { int64_t kind, data, bytes, first, pointers; };    /* kind: a name; data: its offset there */
struct pointer_row { int64_t offset, to_part, target; };
/* A kernel below 0 is a jump over `workspace` rows from the next one, forward or backward, depending on the float32 at
   its argument. */
enum { JUMP = -1, JUMP_AT_ZERO = -2 };
struct launch_row { int64_t kernel, part, first, arguments, workspace_at, workspace, name; };
struct argument_row { int64_t kind, value, target, extent; };       /* of an address: offset, block, bytes */
struct array_row { int64_t output, name, dtype, ndim, first, block, offset; };
struct number_row { int64_t name; double value; int64_t first, uses; };
struct use_row { int64_t argument; double base, factor; };          /* argument = base + factor * value */
struct generator_row { int64_t key, offset, follows, count, next_key, next_offset; };

struct section {
    char *bytes; /* the whole section; NULL for none */
    int64_t length, arena;
    int64_t count[TABLES];
    const char *text;
    const struct block_row *blocks;
    const struct tensor_row *tensors;
    const struct kernel_row *kernels;
    const char *data;
    const struct part_row *parts;
    const struct pointer_row *pointers;
    const struct launch_row *launches;
    const struct argument_row *arguments;
    const struct array_row *arrays;
    const int64_t *extents;
    struct number_row *numbers;
    const struct use_row *uses;
    struct generator_row *generators;
};

/* Reads a section, whose memory it takes over, and performs all checks that need no other data. */
int section_read(struct section *section, char *bytes, int64_t length, char *error);
/* The bytes of an element; 0 for an unknown dtype. */
int64_t itemsize_of(int64_t dtype);
