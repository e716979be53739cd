/*
 * attach.h - record a program that has started its session itself; see
 * libsample/start.c, which runs prof-record --session for that.
 */
#ifndef ATTACH_H
#define ATTACH_H

struct cli;

/*
 * Record until the program at the other end of descriptor 3 says that it is
 * done, or ends; the memory is descriptor 4. Writes the output of cli, also in
 * between when asked to. Returns the exit status. Dies.
 */
int attach_run(struct cli *cli);

#endif
