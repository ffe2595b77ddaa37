/* The numbers of a launch of Adafactor's step; a negative `smallest` means the epsilon of the dtype. */
#pragma once

enum {
    ADAFACTOR_RATE,
    ADAFACTOR_DECAY,
    ADAFACTOR_SMALLEST,
    ADAFACTOR_LEAST,
    ADAFACTOR_MOST,
    ADAFACTOR_SHRINK,
    ADAFACTOR_SIGN,
    ADAFACTOR_NUMBERS
};
