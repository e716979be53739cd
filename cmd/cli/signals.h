/* signals.h - signals that commands live with. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/*
 * Ctrl-C in "prof-record X | prof-symbolize | prof-text": the terminal sends
 * SIGINT to all of them. The recorded program ends, and prof-record writes the
 * profile so far; its readers must not die before.
 *
 * Make the first SIGINT of the terminal not end this process until fd, a pipe
 * or a socket, was read. A second one does, and so does a SIGINT sent by
 * another process. Does nothing if fd is something else, or SIGINT is ignored.
 */
void interrupt_outlive(int fd);

/* fd was read to its end, and is still open; -1 is none. */
void interrupt_allow(int fd);

/*
 * Files may become shorter while they are read: through a mapping, as libelf
 * does it, that ends in SIGBUS. From here on, this prints one line and ends the
 * command with status 2. name is that of the command.
 */
void sigbus_catch(const char *name);

#endif
