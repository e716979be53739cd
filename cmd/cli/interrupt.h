/*
 * interrupt.h - Ctrl-C in "prof-record X | prof-symbolize | prof-text". The
 * terminal sends SIGINT to all of them. The program ends, and prof-record
 * writes what there is; those that read it must live to see it.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/*
 * From here on the first SIGINT of the terminal does not end this process, as
 * long as fd, a pipe or a socket, has a writer; a second one does, and so does
 * one that another process sends. Does nothing if fd is something else, or
 * SIGINT is ignored.
 */
void interrupt_outlive(int fd);

#endif
