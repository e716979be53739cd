/*
 * interrupt.h - Ctrl-C in "prof-record X | prof-symbolize | prof-text". The
 * terminal sends SIGINT to all of them. The recorded program ends, and
 * prof-record writes the profile so far; its readers must not die before.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/*
 * Make the first SIGINT of the terminal not end this process while fd, a pipe
 * or a socket, has a writer. A second one does, and so does a SIGINT sent by
 * another process. Does nothing if fd is something else, or SIGINT is ignored.
 */
void interrupt_outlive(int fd);

#endif
