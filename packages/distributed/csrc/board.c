/* The layout of the board, and messages between two ranks. Note [The board] in shm.h. */
#include "internal.h"

#include <string.h>

_Static_assert(sizeof(Seat) == PAGE && sizeof(Mailbox) == 2 * PAGE && sizeof(Board) <= 10 * PAGE, "sizes of pages");

size_t place_offset(uint32_t rank) { return 10 * PAGE + (size_t)rank * PAGE; }

size_t seat_offset(uint32_t world, uint32_t group, uint32_t rank) {
    return place_offset(world) + ((size_t)group * world + rank) * sizeof(Seat);
}

size_t mailbox_offset(uint32_t world, uint32_t from, uint32_t to) {
    return seat_offset(world, SEATS, 0) + ((size_t)from * world + to) * sizeof(Mailbox);
}

size_t board_bytes(uint32_t world) { return mailbox_offset(world, world, 0); }

static Place *place_of(char *board, uint32_t rank) { return (Place *)(board + place_offset(rank)); }

static Mailbox *mailbox_of(char *board, uint32_t from, uint32_t to) {
    return (Mailbox *)(board + mailbox_offset(((Board *)board)->world, from, to));
}

static void wake_groups(char *board, uint32_t rank, uint32_t start, uint32_t end) {
    for (uint32_t group = start; group < end; group++)
        futex_wake(&((Seat *)(board + seat_offset(((Board *)board)->world, group, rank)))->phase);
}

void break_board(char *board) {
    Board *head = (Board *)board;
    STORE(&head->broken, 1);
    for (uint32_t rank = 0; rank < head->world; rank++) {
        futex_wake(&place_of(board, rank)->bell);
        wake_groups(board, rank, 0, LOAD(&head->groups));
        wake_groups(board, rank, LOCAL, LOCAL + LOAD(&head->local));
    }
}

uint32_t add_local_group(char *board) {
    uint32_t *local = &((Board *)board)->local, count = LOAD(local);
    while (count < GROUPS - LOCAL)
        if (__atomic_compare_exchange_n(local, &count, count + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return LOCAL + count;
    return GROUPS;
}

static uint32_t number_of(uint64_t count) { return (uint32_t)(count % UINT32_MAX) + 1; }

Letter *post_letter(char *board, uint32_t from, uint32_t to, uint32_t group, int64_t tag, uint64_t offset,
                    uint64_t bytes) {
    Mailbox *box = mailbox_of(board, from, to);
    Letter *letter = NULL;   /* a free one, even if some older letters are unread */
    for (uint32_t i = 0; i < LETTERS && !letter; i++) {
        Letter *next = &box->letters[(box->count + i) % LETTERS];
        if (!LOAD(&next->posted)) letter = next;
    }
    if (!letter) return NULL;
    letter->group = group, letter->tag = tag, letter->offset = offset, letter->bytes = bytes;
    STORE(&letter->posted, number_of(box->count));
    STORE(&box->count, box->count + 1);
    Place *place = place_of(board, to);
    __atomic_fetch_add(&place->bell, 1, __ATOMIC_SEQ_CST);
    if (LOAD(&place->waiting)) futex_wake(&place->bell);
    return letter;
}

/* Returns the oldest letter with this group and tag, or NULL. Letters of others may be taken and posted at the same time. */
Letter *find_letter(char *board, uint32_t from, uint32_t to, uint32_t group, int64_t tag) {
    Mailbox *box = mailbox_of(board, from, to);
    const uint32_t now = number_of(LOAD(&box->count));
    Letter *oldest = NULL;
    int32_t age = 0;
    for (uint32_t i = 0; i < LETTERS; i++) {
        Letter *letter = &box->letters[i];
        const uint32_t posted = LOAD(&letter->posted);
        if (!posted || letter->group != group || letter->tag != tag || LOAD(&letter->posted) != posted) continue;
        const int32_t since = (int32_t)(now - posted);
        if (!oldest || since > age) oldest = letter, age = since;
    }
    return oldest;
}

uint32_t read_bell(char *board, uint32_t rank) { return LOAD(&place_of(board, rank)->bell); }

void wait_for_bell(char *board, uint32_t rank, uint32_t seen) {
    Place *place = place_of(board, rank);
    __atomic_fetch_add(&place->waiting, 1, __ATOMIC_SEQ_CST);
    if (LOAD(&place->bell) == seen && !LOAD(&((Board *)board)->broken)) futex_wait(&place->bell, seen);
    __atomic_fetch_sub(&place->waiting, 1, __ATOMIC_SEQ_CST);
}

void take_letter(Letter *letter, void *to, const char *from, size_t bytes) {
    memcpy(to, from, bytes);
    STORE(&letter->posted, 0);
}

int is_posted(const Letter *letter) { return LOAD(&letter->posted) != 0; }
