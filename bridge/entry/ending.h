/* ending.h: the end of the program, of the job, and children of fork. */
#ifndef BRIDGE_ENDING_H
#define BRIDGE_ENDING_H

void ending_start(int begins);              /* our start of Python begins, or is over */
void ending_at_exit(void);                  /* Python is ours: it ends with the program */
int ending_is_ours(void);                   /* 0 where the host is a Python program itself */
int ending_refuse_child(const char* entry); /* a call in a child of fork */
void ending_end_job(void);                  /* MPI_Abort or exit(1); returns never, hangs never */

#endif
