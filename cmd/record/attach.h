/*
 * attach.h - record a program that has started its own session;
 * libsample/start.c runs prof-record --session for it.
 */
#ifndef ATTACH_H
#define ATTACH_H

struct cli;

/*
 * Record until the program at the other end of descriptor 3 asks to stop, or
 * ends; the memory is descriptor 4. Writes the output of cli, also before the
 * end on request. Returns the exit status. Dies.
 */
int attach_run(struct cli *cli);

#endif
