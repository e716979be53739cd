/* array.c - see array.h. */
#include "config.h"

#include "array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 32 /* elements */

int
array_grow(void *array, size_t *cap, size_t want, size_t size)
{
	size_t room = *cap <= SIZE_MAX / 2 ? *cap * 2 : want;
	void *old, *grown;

	if (room < want)
		room = want;
	if (room < FIRST)
		room = FIRST;
	/* The type of the pointer is unknown. */
	memcpy(&old, array, sizeof(old));
	grown = reallocarray(old, room, size);
	if (!grown)
		return -1;
	memcpy(array, &grown, sizeof(grown));
	*cap = room;
	return 0;
}
