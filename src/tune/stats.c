/* Medians, their spread, and Student's distribution. */
#include "tune/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x, y;
	x = *(const double *)a;
	y = *(const double *)b;
	return (x > y) - (x < y);
}

double stats_median(double *values, uint32_t count)
{
	ASSERT(count > 0);
	qsort(values, count, sizeof *values, compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double stats_deviation(double *values, uint32_t count, double median)
{
	for (uint32_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - median);
	return 1.4826 *
	       stats_median(values, count); /* 1 / the normal distribution's third quartile */
}

/* The normal distribution's, by Newton's method on erfc: the tail is smooth and convex from the
 * start value on. */
static double normal(double p)
{
	double x = sqrt(-2 * log(2 * p));
	for (int i = 0; i < 60; i++) {
		double tail = erfc(x / sqrt(2)) / 2, density = exp(-x * x / 2) / sqrt(2 * acos(-1));
		double step = (tail - p) / density;
		x += step;
		if (fabs(step) < 1e-12)
			break;
	}
	return x;
}

/* G. W. Hill, Algorithm 396 (CACM 13, 1970), for the quantile of |t| at 2p. */
double stats_student(double p, uint32_t freedom)
{
	ASSERT(p > 0 && p <= 0.5 && freedom > 0);
	double n = freedom, two = 2 * p;
	if (freedom == 1)
		return 1 / tan(two * acos(-1) / 2);
	if (freedom == 2)
		return sqrt(2 / (two * (2 - two)) - 2);
	double a = 1 / (n - 0.5), b = 48 / (a * a);
	double c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
	double d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * acos(-1) / 2) * n;
	double y = pow(d * two, 2 / n);
	if (y > 0.05 + a) {
		double x = -normal(p);
		y = x * x;
		if (freedom < 5)
			c += 0.3 * (n - 4.5) * (x + 0.6);
		c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
		y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
		y = expm1(a * y * y);
	} else {
		y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) *
			     y -
		     1) * (n + 1) /
			    (n + 2) +
		    1 / y;
	}
	return sqrt(n * y);
}

StatsInterval stats_interval(double *values, uint32_t count, double p, double least)
{
	double middle = stats_median(values, count);
	if (count < 2)
		return (StatsInterval){middle, INFINITY};
	double deviation = fmax(stats_deviation(values, count, middle), least);
	/* A median of normal values varies by sqrt(pi / 2) times what their mean does. */
	double error = deviation * sqrt(acos(-1) / 2 / count);
	return (StatsInterval){middle, stats_student(fmin(p, 0.5), count - 1) * error};
}
