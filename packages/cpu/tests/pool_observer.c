/* An observer of the pool's jobs that keeps its last events. */
#include <stdatomic.h>
#include <stdint.h>

enum { SIZE = 1 << 16 };
typedef struct {
    int64_t kind, worker, start, end, job;
} Event;
Event events[SIZE];
_Atomic int64_t count;
_Atomic int closed;          /* set while no observer may be called */
_Atomic int64_t late_calls;  /* calls that came nevertheless */

void observe(int64_t kind, int64_t worker, int64_t start, int64_t end, int64_t job)
{
    late_calls += closed;
    events[count++ % SIZE] = (Event){kind, worker, start, end, job};
}
