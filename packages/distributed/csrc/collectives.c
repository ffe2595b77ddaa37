/* Collectives: copies and reductions between the stages of all ranks. Notes [Meeting] and [Stages] in shm.h. */
#include "internal.h"

#include <sched.h>
#include <string.h>

enum {
    STAGE = 1 << 20,   /* bytes of a half, shared by the parts of a call */
    WINDOW = 1 << 19,   /* bytes of a tensor that all ranks reduce in a round */
    SMALL = 8192,      /* each rank reduces a whole tensor of at most so many bytes itself: one meeting instead of two */
    LINE = 64,
};
enum { STAGING, FIRST_MEETING, LATE_MEETING, READING, WORKING, NEXT_MEETING, LEAVING };   /* steps of `run` */
static const uint64_t NOWHERE = UINT64_MAX;

static uint64_t lower(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t up(uint64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

static uint32_t parts_of(const Call *call, uint32_t size) { return call->is_spread ? size : 1; }

/* Bytes of a part per round: the same on all ranks. */
static uint64_t chunk_of(const Call *call, uint32_t size) { return STAGE / parts_of(call, size) / LINE * LINE; }

static uint64_t longest_part(const Call *call, uint32_t size) {
    uint64_t longest = 0;
    for (uint32_t k = 0; k < parts_of(call, size); k++)
        if (call->send_bytes[k] > longest) longest = call->send_bytes[k];
    return longest;
}

/* Bytes before the parts of an uneven call: the lengths of its parts, sent and received. */
static uint64_t head_bytes(const Call *call, uint32_t size) {
    return call->is_uneven ? up(2 * size * sizeof(uint64_t)) : 0;
}

static uint64_t stride_of(const Call *call, uint32_t size) {
    return up(lower(longest_part(call, size), chunk_of(call, size)));
}

/* Bytes of a slice of a full window: slices of all rounds have the same places in a stage. */
static uint64_t slice_of(const Call *call, uint32_t size) {
    return up((lower(call->send_bytes[0], WINDOW) + size - 1) / size);
}

size_t stage_bytes(const Call *call, uint32_t size) {
    if (call->kind == ALL_REDUCE) return 2 * size * slice_of(call, size);
    return 2 * (head_bytes(call, size) + parts_of(call, size) * stride_of(call, size));
}

/* Meetings --------------------------------------------------------------------------------------------------------- */

static void arrive(Member *member) {
    Seat *seat = member->seats[member->me];
    STORE(&seat->phase, ++member->phase);
    if (LOAD(&seat->waiting)) futex_wake(&seat->phase);
}

static int is_behind(Seat *seat, uint32_t phase) { return (int32_t)(LOAD(&seat->phase) - phase) < 0; }

/* Waits until all ranks have arrived. Returns AGAIN after a limited time. */
static int meet(Member *member, Call *call) {
    for (uint32_t step = 1; step < member->size; step++) {
        uint32_t k = (member->me + step) % member->size;
        Seat *seat = member->seats[k];
        if (!is_behind(seat, member->phase)) continue;
        if (member->is_polled) {
            call->other = (int32_t)k;
            return AGAIN;
        }
        double begun = seconds();
        for (uint32_t spin = 0; is_behind(seat, member->phase) && spin < member->spins; spin++) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
            if (spin % 64 == 63) sched_yield();   /* the other rank may wait for this processor */
        }
        if (is_behind(seat, member->phase)) {
            uint32_t phase = LOAD(&seat->phase);
            __atomic_fetch_add(&seat->waiting, 1, __ATOMIC_SEQ_CST);
            if (is_behind(seat, member->phase)) futex_wait(&seat->phase, phase);
            __atomic_fetch_sub(&seat->waiting, 1, __ATOMIC_SEQ_CST);
        }
        double waited = seconds() - begun;
        call->waited += waited;
        if (call->totals) call->totals->waits[k] += waited;
        call->other = (int32_t)k;
        if (is_behind(seat, member->phase)) return AGAIN;
    }
    return DONE;
}

/* Records ---------------------------------------------------------------------------------------------------------- */

static Record *record_of(Member *member, uint32_t rank) {
    return &member->seats[rank]->records[member->number % RECORDS];
}

static void write_record(Member *member, Call *call) {
    Seat *seat = member->seats[member->me];
    member->number++;
    Record *record = record_of(member, member->me);
    record->number = 0;   /* incomplete */
    record->signature = call->signature;
    record->begun = seconds(), record->ended = 0, record->waited = 0;
    record->tensor = call->tensor;
    for (uint32_t half = 0; half < 2; half++)
        record->halves[(half + member->half) & 1] = member->stage + half * (member->capacity / 2);
    record->stride = call->kind == ALL_REDUCE ? 0 : stride_of(call, member->size);
    record->longest = longest_part(call, member->size);
    memcpy(record->where, call->where, sizeof record->where);
    STORE(&record->number, member->number);
    STORE(&seat->number, member->number);
}

static char *stage_of(Member *member, uint32_t rank, uint32_t round) {
    return member->arenas[rank] + record_of(member, rank)->halves[round & 1];
}

static int compare_records(Member *member, Call *call) {
    Record *own = record_of(member, member->me);
    call->rounds = 1;
    uint64_t chunk = call->kind == ALL_REDUCE ? WINDOW : chunk_of(call, member->size);
    for (uint32_t k = 0; k < member->size; k++) {
        Record *record = record_of(member, k);
        call->other = (int32_t)k;
        if (record->number != own->number || memcmp(&record->signature, &own->signature, sizeof(Signature)))
            return MISMATCH;
        uint64_t rounds = (record->longest + chunk - 1) / chunk;
        if (rounds > call->rounds) call->rounds = rounds;
    }
    if (!call->is_uneven) return DONE;
    for (uint32_t to = 0; to < member->size; to++) {   /* each rank compares all, so that all fail together */
        const uint64_t *received = (const uint64_t *)stage_of(member, to, 0) + member->size;
        for (uint32_t from = 0; from < member->size; from++) {
            call->other = (int32_t)(from * member->size + to);
            if (((const uint64_t *)stage_of(member, from, 0))[to] != received[from]) return LENGTHS;
        }
    }
    return DONE;
}

/* Copies and reductions of parts -------------------------------------------------------------------------------------- */

static void stage_parts(Member *member, Call *call) {
    uint64_t chunk = chunk_of(call, member->size), stride = stride_of(call, member->size), at = call->round * chunk;
    char *stage = stage_of(member, member->me, call->round);
    if (call->is_uneven && !call->round) {
        memcpy(stage, call->send_bytes, member->size * sizeof(uint64_t));
        memcpy(stage + member->size * sizeof(uint64_t), call->receive_bytes, member->size * sizeof(uint64_t));
    }
    stage += head_bytes(call, member->size);
    for (uint32_t k = 0; k < parts_of(call, member->size); k++)
        if ((!call->is_spread || k != member->me) && call->send_bytes[k] > at)
            memcpy(stage + k * stride, call->send[k] + at, lower(chunk, call->send_bytes[k] - at));
}

static void read_parts(Member *member, Call *call) {
    uint64_t chunk = chunk_of(call, member->size), at = call->round * chunk;
    char *sources[member->size];
    for (uint32_t k = 0; k < member->size; k++) {
        if (k == member->me)
            sources[k] = call->send[call->is_spread ? k : 0] + at;
        else
            sources[k] = stage_of(member, k, call->round) + head_bytes(call, member->size) +
                         (call->is_spread ? member->me * record_of(member, k)->stride : 0);
    }
    if (call->kind == REDUCE) {
        if (call->receive_bytes[0] <= at) return;
        char *target = call->receive[0] + at;
        reduce(call->signature.dtype, call->signature.reduction, member->size, sources, 1, &target,
               lower(chunk, call->receive_bytes[0] - at) / item_bytes(call->signature.dtype));
        return;
    }
    for (uint32_t step = 0; step < member->size; step++) {
        uint32_t k = (member->me + step) % member->size;
        if (call->receive_bytes[k] > at)
            memmove(call->receive[k] + at, sources[k], lower(chunk, call->receive_bytes[k] - at));
    }
}

void copy_pieces(const Piece *pieces, uint64_t count, char **blocks, char **targets) {
    for (const Piece *piece = pieces; piece < pieces + count; piece++)
        memcpy(targets[piece->target] + piece->to, blocks[piece->rank] + piece->from, piece->bytes);
}

/* Reads the blocks of all ranks. Note [Pieces]. */
static void read_pieces(Member *member, Call *call) {
    char *blocks[member->size], *sources[member->size];
    for (uint32_t k = 0; k < member->size; k++) blocks[k] = member->arenas[k] + record_of(member, k)->tensor;
    if (call->kind == COPY) {
        copy_pieces(call->pieces, call->count, blocks, call->targets);
        return;
    }
    for (const Piece *piece = call->pieces; piece < call->pieces + call->count; piece++) {
        char *target = call->targets[piece->target] + piece->to;
        for (uint32_t k = 0; k < member->size; k++) sources[k] = blocks[k] + piece->from;
        reduce(call->signature.dtype, call->signature.reduction, member->size, sources, 1, &target,
               piece->bytes / item_bytes(call->signature.dtype));
    }
}

/* Reductions of all ranks: rank k reduces the k-th slice, and the others copy it from the rank's stage ------------------- */

typedef struct {
    char *tensor;   /* the window of a round, in the rank's own memory */
    uint64_t bytes, step;   /* of the window, and of a slice */
} Window;

static Window window_of(Member *member, Call *call, uint32_t round, uint64_t limit) {
    uint64_t at = round * limit, bytes = lower(limit, call->send_bytes[0] - at);
    return (Window){call->send[0] + at, bytes, up((bytes + member->size - 1) / member->size)};
}

static uint64_t slice_start(Window window, uint32_t rank) { return lower(rank * window.step, window.bytes); }

static uint64_t slice_bytes(Window window, uint32_t rank) {
    return slice_start(window, rank + 1) - slice_start(window, rank);
}

static int is_small(const Call *call) { return call->send_bytes[0] <= SMALL; }

static void stage_slices(Member *member, Call *call, uint32_t round) {
    Window window = window_of(member, call, round, WINDOW);
    char *stage = stage_of(member, member->me, round);
    for (uint32_t step = 1; step < member->size; step++) {
        uint32_t k = (member->me + step) % member->size;
        memcpy(stage + k * slice_of(call, member->size), window.tensor + slice_start(window, k), slice_bytes(window, k));
    }
}

static void reduce_small(Member *member, Call *call) {
    char *sources[member->size];
    for (uint32_t k = 0; k < member->size; k++)
        sources[k] = k == member->me ? call->send[0] : stage_of(member, k, 0);
    reduce(call->signature.dtype, call->signature.reduction, member->size, sources, 1, call->send,
           call->send_bytes[0] / item_bytes(call->signature.dtype));
}

static void reduce_slice(Member *member, Call *call, uint32_t round) {
    Window window = window_of(member, call, round, WINDOW);
    uint64_t place = member->me * slice_of(call, member->size);
    char *own = window.tensor + slice_start(window, member->me), *sources[member->size];
    for (uint32_t k = 0; k < member->size; k++) sources[k] = k == member->me ? own : stage_of(member, k, round) + place;
    char *targets[2] = {own, stage_of(member, member->me, round) + place};
    reduce(call->signature.dtype, call->signature.reduction, member->size, sources, 2, targets,
           slice_bytes(window, member->me) / item_bytes(call->signature.dtype));
}

static void gather_slices(Member *member, Call *call, uint32_t round) {
    Window window = window_of(member, call, round, WINDOW);
    for (uint32_t step = 1; step < member->size; step++) {
        uint32_t k = (member->me + step) % member->size;
        memcpy(window.tensor + slice_start(window, k), stage_of(member, k, round) + k * slice_of(call, member->size),
               slice_bytes(window, k));
    }
}

/* All tensors are in shared memory: rank k reduces the k-th slice and writes it to all. */
static void reduce_in_place(Member *member, Call *call) {
    Window window = window_of(member, call, 0, call->send_bytes[0]);
    char *tensors[member->size];
    for (uint32_t k = 0; k < member->size; k++)
        tensors[k] = member->arenas[k] + record_of(member, k)->tensor + slice_start(window, member->me);
    reduce(call->signature.dtype, call->signature.reduction, member->size, tensors, member->size, tensors,
           slice_bytes(window, member->me) / item_bytes(call->signature.dtype));
}

static uint32_t count_in_arenas(Member *member) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < member->size; k++) count += record_of(member, k)->tensor != NOWHERE;
    return count;
}

static int is_in_place(Member *member, const Call *call) {
    return call->kind == ALL_REDUCE && !is_small(call) && count_in_arenas(member) == member->size;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static void stage(Member *member, Call *call) {
    if (call->kind != ALL_REDUCE)
        stage_parts(member, call);
    else if (is_small(call))
        memcpy(stage_of(member, member->me, 0), call->send[0], call->send_bytes[0]);
    else
        stage_slices(member, call, 0);
}

static int finish_round(Member *member, Call *call) {
    member->half ^= 1;
    call->step = STAGING;
    return ++call->round < call->rounds;
}

/* The work between two meetings: of three rounds, so that a round needs one meeting. `call->round` is the last one.
Returns 0 after the end. */
static int work(Member *member, Call *call) {
    uint64_t round = call->round;
    if (round >= 2) gather_slices(member, call, round - 2);
    if (round <= call->rounds) reduce_slice(member, call, round - 1);
    if (round < call->rounds) stage_slices(member, call, round);
    return round <= call->rounds;
}

static uint64_t call_bytes(const Call *call, uint32_t size) {
    uint64_t sent = 0, received = 0;
    for (uint32_t k = 0; k < parts_of(call, size); k++) sent += call->send_bytes[k];
    for (uint32_t k = 0; k < size; k++) received += call->receive_bytes[k];
    for (uint64_t k = 0; k < (call->pieces ? call->count : 0); k++) received += call->pieces[k].bytes;
    return sent > received ? sent : received;
}

static void add_totals(Totals *totals, const Record *record, uint64_t bytes) {
    totals->calls++;
    totals->bytes += bytes;
    totals->seconds += record->ended - record->begun;
    totals->waited += record->waited;
}

/* Runs a collective, or continues one for which the last call returned AGAIN. */
int run(Member *member, Call *call) {
    int status, is_large = call->kind == ALL_REDUCE && !is_small(call), is_direct = is_large && call->tensor != NOWHERE;
    for (;;) switch (call->step) {
            case STAGING:
                if (!call->round) {
                    call->rounds = 1;
                    write_record(member, call);
                }
                if (!is_direct) stage(member, call);
                arrive(member);
                call->step = FIRST_MEETING;
                break;
            case FIRST_MEETING:
                if ((status = meet(member, call))) return status;
                call->step = is_large ? WORKING : READING;
                if (call->round) break;
                if ((status = compare_records(member, call))) {
                    member->half ^= 1;
                    record_of(member, member->me)->ended = seconds();
                    return status;
                }
                if (is_large) call->round = 1;
                if (call->pieces) {
                    read_pieces(member, call);
                    arrive(member);
                    call->step = LEAVING;
                } else if (is_in_place(member, call)) {
                    reduce_in_place(member, call);
                    arrive(member);
                    call->step = LEAVING;
                } else if (is_large && count_in_arenas(member)) {
                    if (is_direct) stage(member, call);   /* not before, as other tensors could be shared, too */
                    arrive(member);
                    call->step = LATE_MEETING;
                }
                break;
            case LATE_MEETING:
                if ((status = meet(member, call))) return status;
                call->step = WORKING;
                break;
            case WORKING:
                if (work(member, call)) {
                    arrive(member);
                    call->step = NEXT_MEETING;
                    break;
                }
                member->half ^= call->rounds & 1;
                goto done;
            case NEXT_MEETING:
                if ((status = meet(member, call))) return status;
                call->round++;
                call->step = WORKING;
                break;
            case READING:
                if (call->kind == ALL_REDUCE)
                    reduce_small(member, call);
                else
                    read_parts(member, call);
                if (finish_round(member, call)) break;
                goto done;
            default:   /* LEAVING */
                if ((status = meet(member, call))) return status;
                member->half ^= 1;
                goto done;
        }
done:
    end_record(member, call);
    return DONE;
}

void begin_record(Member *member, Call *call) {
    write_record(member, call);
    arrive(member);
}

void end_record(Member *member, Call *call) {
    Record *record = record_of(member, member->me);
    record->waited = call->waited, record->ended = seconds();
    if (call->totals) add_totals(call->totals, record, call_bytes(call, member->size));
}
