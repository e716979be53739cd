/* machine.c - see machine.h. */
#include "config.h"

#include "machine.h"

#include <string.h>

static const struct machine *const machines[] = { &machine_own,
						  &machine_foreign };
enum { N_MACHINE = sizeof(machines) / sizeof(*machines) };

const struct machine *
machine_of_elf(uint16_t elf)
{
	for (size_t i = 0; i < N_MACHINE; i++)
		if (machines[i]->elf == elf)
			return machines[i];
	return NULL;
}

const struct machine *
machine_of_name(const char *name)
{
	for (size_t i = 0; i < N_MACHINE; i++)
		if (!strcmp(machines[i]->name, name))
			return machines[i];
	return NULL;
}
