/* Collectives of processes on one machine, over shared memory. cffi reads this file, without the preprocessor lines.

Note [The board]
~~~~~~~~~~~~~~~~
The board is one file in memory, which all ranks map, and which the process that watches them maps too. It contains

    Board | Place of each rank | Seat of each rank in each group | Mailbox of each pair of ranks

A rank writes a Record into its seat before it waits in a collective. A watcher can therefore say which rank waits
where, and what the others did last, even after they were killed. Pages of unused groups and mailboxes are not
allocated.

Note [Meeting]
~~~~~~~~~~~~~~
Ranks meet by raising the `phase` of their seats, and wait (futex) until those of all others are as high. `run` posts
a phase once and can be called again to continue to wait: it returns AGAIN several times per second, so that the caller
can handle signals and notice that other ranks have ended. Functions return a status and never raise.

Note [Stages]
~~~~~~~~~~~~~
Tensors are private memory, so each rank copies what others need to a stage, a block of its shared arena, in rounds of
at most STAGE bytes. A stage has two halves for alternating rounds. A half is written again two rounds later; the
meeting of the round between guarantees that all have finished reading it. So a round needs one meeting.

A reduction of all ranks has three steps per round: copy to the stage, reduce a slice, copy the slices of others. Between
two meetings a rank makes the first step of one round, the second of the round before, and the third of the one before
that. The halves suffice, since the first and the third step of two rounds use different slices of a half.

Reductions add the ranks' values in rank order, independently of sizes and timing.

Note [Pieces]
~~~~~~~~~~~~~
Parts of several tensors are gathered or reduced by one call, if each rank has its parts in one block of its arena: ranks
read Pieces of the blocks of others directly, without a stage, and meet again before the blocks may change. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { VERSION = 1, PAGE = 4096, TEXT = 32768, WHERE = 112, DIMENSIONS = 6, RECORDS = 15, LETTERS = 255 };
enum { LOCAL = 256, GROUPS = 512, SEATS = 1024 };   /* groups that only their members create have numbers from LOCAL on;
    group k + GROUPS are the members of group k on this machine, whose records are not reported */
enum { DONE = 0, AGAIN = 1, MISMATCH = 2, LENGTHS = 3 };   /* statuses */
enum { COPY, REDUCE, ALL_REDUCE };
enum { SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, REDUCTIONS };
enum {
    UINT8, INT8, INT16, INT32, INT64, UINT16, UINT32, UINT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64,
    COMPLEX128, BOOL, DTYPES
};

typedef struct {   /* the part of a call that must be the same on all ranks */
    uint32_t operation, dtype, reduction, ndim;
    int64_t root;
    uint64_t shape[6];
} Signature;

typedef struct {
    uint64_t number;   /* of the call in its group, from 1 */
    Signature signature;
    double begun, ended, waited;   /* CLOCK_MONOTONIC; `ended` is 0 during the call */
    uint64_t tensor;   /* offset in the rank's arena, or all ones if the tensor is elsewhere */
    uint64_t halves[2];   /* offsets of the stage of even and odd rounds */
    uint64_t stride, longest;   /* between parts in the stage; bytes of the longest part */
    char where[112];   /* the program's file and line */
} Record;

typedef struct {   /* what a rank tells those on other machines about a call; lengths and a small tensor may follow */
    uint64_t number;   /* as in Record */
    Signature signature;
    uint64_t sent, received;   /* bytes: the longest part to send, and all that the rank will receive */
    uint64_t tensor;   /* where other ranks of the machine find the tensor: an offset in the rank's arena */
    uint64_t stride;   /* to the next rank's packet */
    char where[112];
} Head;

typedef struct {   /* a rank in a group */
    uint32_t phase, waiting, is_member, has_left;
    uint32_t padding[12];
    uint64_t number;   /* of the last record */
    uint64_t reserved[23];
    Record records[15];
} Seat;

typedef struct {   /* a rank: where others find it */
    int32_t pid, arena, stacks;   /* two file descriptors */
    int32_t joined;   /* 0 before init_process_group, 1 in it, 2 after it */
    uint64_t capacity;   /* of the arena */
    uint32_t bell, waiting;   /* raised at each letter to this rank */
    double since;   /* since when it waits for a letter, or for others to connect; 0 if it does not */
    int64_t awaited, awaited_tag;   /* the rank that the letter comes from, -1 for any, and its tag */
    uint32_t awaited_group;
    char where[112];
    char reason[112];   /* why the rank is slow now, as the program says */
} Place;

typedef struct {
    uint32_t version, world, groups, local, broken;   /* the numbers of groups of both kinds */
    int32_t failed;   /* the rank that the text is about */
    char text[32768];
} Board;

typedef struct {   /* the first part of a message, before its elements */
    Signature signature;
    char where[112];
} Envelope;

typedef struct {
    uint32_t posted;   /* the message's number, or 0 if the letter is free */
    uint32_t group;
    int64_t tag;
    uint64_t offset, bytes;
} Letter;

typedef struct {
    uint64_t count, padding[3];
    Letter letters[255];
} Mailbox;

typedef struct {   /* a group as this rank sees it */
    uint32_t size, me, phase, spins, half;
    uint32_t is_polled;   /* return AGAIN at once: the other ranks are threads that take turns */
    uint64_t number, stage, capacity;   /* the stage's offset in the own arena, and its bytes */
    Seat **seats;
    char **arenas;
} Member;

typedef struct {   /* what the calls of a collective at one line of the program cost so far */
    uint64_t calls, bytes;
    double seconds, waited;   /* in calls; of it, until other ranks arrived */
    double blocked;   /* until operations in the background ended, which other rows count */
    double *waits;   /* `waited` by rank in the group */
} Totals;

typedef struct {   /* bytes of the block of a rank (to copy), or of each rank (to reduce), and their place in a target */
    uint32_t rank, target;
    uint64_t from, to, bytes;
} Piece;

typedef struct {
    Signature signature;
    char where[112];
    Totals *totals;   /* may be NULL */
    uint32_t kind;
    uint32_t is_spread;   /* whether send[k] goes to rank k; otherwise send[0] goes to all */
    uint32_t is_uneven;   /* whether lengths differ, so that they are compared */
    char **send, **receive;
    uint64_t *send_bytes, *receive_bytes;
    uint64_t tensor;   /* as in Record */
    const Piece *pieces;   /* of the block at `tensor`, instead of `send` and `receive`; NULL otherwise */
    char **targets;
    uint64_t count;   /* of the pieces */
    uint32_t step, round;   /* state of `run`, 0 at first */
    uint64_t rounds;
    int32_t other;   /* the awaited rank, or the one that differs */
    double waited;
} Call;

size_t board_bytes(uint32_t world);
size_t seat_offset(uint32_t world, uint32_t group, uint32_t rank);
size_t place_offset(uint32_t rank);
size_t mailbox_offset(uint32_t world, uint32_t from, uint32_t to);
void break_board(char *board);
uint32_t add_local_group(char *board);   /* returns its number, which is GROUPS if there are too many */

size_t stage_bytes(const Call *call, uint32_t size);   /* that `run` needs */
int run(Member *member, Call *call);
void copy_pieces(const Piece *pieces, uint64_t count, char **blocks, char **targets);
/* Other engines, which have no stages, write the records of a call with these. */
void begin_record(Member *member, Call *call);
void end_record(Member *member, Call *call);

/* Returns NULL if the mailbox is full. */
Letter *post_letter(char *board, uint32_t from, uint32_t to, uint32_t group, int64_t tag, uint64_t offset,
                    uint64_t bytes);
Letter *find_letter(char *board, uint32_t from, uint32_t to, uint32_t group, int64_t tag);
uint32_t read_bell(char *board, uint32_t rank);
void wait_for_bell(char *board, uint32_t rank, uint32_t seen);
void take_letter(Letter *letter, void *to, const char *from, size_t bytes);
int is_posted(const Letter *letter);

/* Lets this process end when `life`, a pipe without writes, is closed, after printing a line to `output`. Returns
   an errno. Note [The end of the launcher] in life.c. */
int end_with(int life, int output, const char *line);

int reduce(uint32_t dtype, uint32_t reduction, uint32_t sources, char **from, uint32_t targets, char **to, size_t count);
/* Continues a reduction. `before` is the result of the former sources, or NULL. The result is final if `divisor`, the
number of all sources, is not 0; otherwise it has elements of `sum_bytes`, and there is one target. */
int continue_reduction(uint32_t dtype, uint32_t reduction, const char *before, uint32_t sources, char **from,
                       uint32_t divisor, uint32_t targets, char **to, size_t count);
size_t item_bytes(uint32_t dtype);
size_t sum_bytes(uint32_t dtype);   /* of an element of an unfinished reduction: float16 is added as float */
