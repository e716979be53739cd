/*
 * interrupt.h - Ctrl-C in "prof-record X | prof-symbolize | prof-text". The
 * terminal sends SIGINT to all of them. The recorded program ends, and
 * prof-record writes the profile so far; its readers must not die before.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/*
 * Make the first SIGINT of the terminal not end this process until fd, a pipe
 * or a socket, was read. A second one does, and so does a SIGINT sent by
 * another process. Does nothing if fd is something else, or SIGINT is ignored.
 */
void interrupt_outlive(int fd);

/* fd was read to its end, and is still open; -1 is none. */
void interrupt_allow(int fd);

#endif
