/*
 * sigbus.h - files that become shorter while they are read. Reading through a
 * mapping, as libelf does, then ends in SIGBUS.
 */
#ifndef CLI_SIGBUS_H
#define CLI_SIGBUS_H

/* From here on, this prints one line and ends the command with status 2. name
 * is that of the command. */
void sigbus_catch(const char *name);

#endif
