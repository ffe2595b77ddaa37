/* Constants of attention; see Note [Attention] in attention.inc. */
#pragma once

enum formats { NATIVE, HALF, BRAIN, BOOLS };
enum {
    STRIP = 16,     /* adjacent numbers processed together */
    PANEL = 32,     /* columns of the widest panel of any level, to which the planner pads */
    MOST_KEYS = 512 /* maximum number of keys of a tile */
};
