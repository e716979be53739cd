/*
 * interrupt.h - Ctrl-C in "prof-record X | prof-symbolize | prof-text". The
 * terminal sends SIGINT to all of them. The program ends, and prof-record
 * writes the profile so far; the commands that read it must not die before.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/*
 * From now on the first SIGINT of the terminal does not end this process, as
 * long as fd, a pipe or a socket, has a writer. A second one does, and so does
 * a SIGINT that another process sends. Does nothing if fd is something else, or
 * SIGINT is ignored.
 */
void interrupt_outlive(int fd);

#endif
