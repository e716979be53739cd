/* stats.c - see stats.h. */
#include "config.h"

#include "stats.h"

#ifdef HAVE_GSL
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#define LIKE_NORMAL 1e7 /* degrees of freedom */

static double
t_upper(double t, double df)
{
	return df < LIKE_NORMAL ? gsl_cdf_tdist_Q(t, df)
				: gsl_cdf_ugaussian_Q(t);
}

static double
t_quantile(double upper, double df)
{
	return df < LIKE_NORMAL ? gsl_cdf_tdist_Qinv(upper, df)
				: gsl_cdf_ugaussian_Qinv(upper);
}

/* By the incomplete beta function: the library's own takes 32-bit counts. */
static double
binomial_upper(double k, double n, double p)
{
	if (k <= 0)
		return 1;
	if (k > n)
		return 0;
	return gsl_cdf_beta_P(p, k, n - k + 1);
}

const struct gate_dist *
stats_dist(void)
{
	static const struct gate_dist dist = { t_upper, t_quantile,
					       binomial_upper };

	/* Else it aborts; what it returns then is the best it could do. */
	gsl_set_error_handler_off();
	return &dist;
}

#else

const struct gate_dist *
stats_dist(void)
{
	return NULL;
}

#endif
