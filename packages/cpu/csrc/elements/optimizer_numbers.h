/* The numbers of a launch, by optimizer, for the files that implement a step and its `finish`.

   All steps use d = sign * gradient + decay * p; `shrink` multiplies p (decoupled decay). */
#pragma once
#include <math.h>

/* buffer = keep * buffer + take * d. p decreases by rate times the buffer, with `ahead` (Nesterov) by rate times (d +
   ahead * buffer), or without a buffer by rate times d. */
enum { SGD_RATE, SGD_DECAY, SGD_SIGN, SGD_KEEP, SGD_TAKE, SGD_AHEAD };

/* mean and square are the running means of d and d * d with factors `first` and `second`. p is multiplied by `shrink`
   (AdamW's decay) and decreases by rate * mean / (sqrt(square) + epsilon), with bias-corrected means. */
enum { ADAM_RATE, ADAM_FIRST, ADAM_SECOND, ADAM_EPSILON, ADAM_DECAY, ADAM_SHRINK, ADAM_SIGN };

/* square: the running mean of d * d with factor `share`. p decreases by rate * d / (sqrt(square) + epsilon). If
   centred, the square of the running mean of d is subtracted from `square`. With a buffer: buffer = keep * buffer +
   the quotient, and p decreases by rate * buffer. */
enum { RMSPROP_RATE, RMSPROP_SHARE, RMSPROP_EPSILON, RMSPROP_DECAY, RMSPROP_SIGN, RMSPROP_KEEP };

/* change = d * sqrt(delta + epsilon) / sqrt(square + epsilon), with running means of change * change and of d * d. */
enum { ADADELTA_RATE, ADADELTA_SHARE, ADADELTA_EPSILON, ADADELTA_DECAY, ADADELTA_SIGN };

/* sum += d * d; p decreases by rate / (1 + (step - 1) * slower) * d / (sqrt(sum) + epsilon). */
enum { ADAGRAD_RATE, ADAGRAD_SLOWER, ADAGRAD_EPSILON, ADAGRAD_DECAY, ADAGRAD_SIGN };

/* mean as in Adam; greatest = max(second * greatest, |d| + epsilon); p decreases by rate * unbiased mean / greatest. */
enum { ADAMAX_RATE, ADAMAX_FIRST, ADAMAX_SECOND, ADAMAX_EPSILON, ADAMAX_DECAY, ADAMAX_SIGN };

/* Adam's moments; the factor of the mean grows with each step by `warming`. */
enum { NADAM_RATE, NADAM_FIRST, NADAM_SECOND, NADAM_EPSILON, NADAM_DECAY, NADAM_SHRINK, NADAM_SIGN, NADAM_WARMING };

/* Dozat 2016: the weight of the mean in the step with this number. */
static inline double nadam_factor(const double *numbers, double count)
{
    return numbers[NADAM_FIRST] * (1 - 0.5 * pow(0.96, count * numbers[NADAM_WARMING]));
}

/* Adam's moments. The second is used, times the rectification of the variance, from the first step for which the
   rectification is defined. */
enum { RADAM_RATE, RADAM_FIRST, RADAM_SECOND, RADAM_EPSILON, RADAM_DECAY, RADAM_SHRINK, RADAM_SIGN };

/* p = p * (1 - lambda * eta) - eta * d; average += mu * (p - average). Then eta and mu get the values of the next
   step: rate / (1 + lambda * rate * step) ^ power and 1 / max(1, step - start). */
enum { ASGD_RATE, ASGD_LAMBDA, ASGD_POWER, ASGD_START, ASGD_DECAY, ASGD_SIGN };

/* A step size is multiplied by `grow` if the gradient kept its sign and by `cut` if the sign changed, within limits.
   p changes by the step size against the gradient's sign, unless the sign changed. */
enum { RPROP_CUT, RPROP_GROW, RPROP_LEAST, RPROP_MOST, RPROP_SIGN };
