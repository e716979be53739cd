/*
 * cut-file.h - files that become shorter while they are read. Reading through a
 * mapping, as libelf does, then ends in SIGBUS.
 */
#ifndef CLI_CUT_FILE_H
#define CLI_CUT_FILE_H

/* From here on, this prints one line and ends the command with status 2. name
 * is that of the command. */
void cut_file_catch(const char *name);

#endif
