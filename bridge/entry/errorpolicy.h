/* errorpolicy.h: what follows a failure. */
#ifndef BRIDGE_ERRORPOLICY_H
#define BRIDGE_ERRORPOLICY_H

/* Say it and end the job, unless the caller reads the status itself. */
void error_policy_apply(int caller_reads_status);

#endif
