/* Lists of lanes for __builtin_shuffle. */
#pragma once

/* Lists of an expression X(lane) for all lanes of a vector. */
#define LIST_2(X) X(0), X(1)
#define LIST_4(X) LIST_2(X), X(2), X(3)
#define LIST_8(X) LIST_4(X), X(4), X(5), X(6), X(7)
#define LIST_16(X) LIST_8(X), X(8), X(9), X(10), X(11), X(12), X(13), X(14), X(15)
#define EVEN(lane) 2 * (lane)
#define ODD(lane) 2 * (lane) + 1
