/* What the race needs of statistics: robust, and free of what a few outliers do. */
#ifndef NESO_TUNE_STATS_H
#define NESO_TUNE_STATS_H

#include "base/base.h"

/* Sorts. */
double stats_median(double *values, uint32_t count);
/* The standard deviation that a normal distribution with this median absolute deviation has.
 * Reorders. */
double stats_deviation(double *values, uint32_t count, double median);
/* The point that Student's t with `freedom` degrees exceeds with this probability, 0 < p <= 0.5. */
double stats_student(double p, uint32_t freedom);

typedef struct StatsInterval {
	double middle, half; /* of the median */
} StatsInterval;
/* Of the median of `values`, which exceeds its upper end with probability p; noise below `least` is
 * not believed. Reorders. */
StatsInterval stats_interval(double *values, uint32_t count, double p, double least);

#endif
