/* stats.c - see stats.h. */
#include "config.h"

#include "stats.h"

#ifdef HAVE_GSL
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

const struct gate_dist *
stats_dist(void)
{
	static const struct gate_dist dist = { gsl_cdf_tdist_Q,
					       gsl_cdf_tdist_Qinv,
					       gsl_cdf_fdist_Q,
					       gsl_cdf_beta_P };

	/* The default handler aborts. Without one, functions return their best
	 * result. */
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
