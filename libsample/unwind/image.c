/* image.c - describe a loaded object for the unwinder. */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "impl.h"

#define ID_BYTES 4096

static void
image_add(struct cfi_image *image, uintptr_t lo, uintptr_t n)
{
	if (image->n_segment < CFI_N_SEGMENT && lo + n > lo)
		image->segment[image->n_segment++] =
			(struct unwind_bounds){ .lo = lo, .hi = lo + n };
}

static bool
image_has(const struct cfi_image *image, uintptr_t lo, size_t n)
{
	for (size_t i = 0; i < image->n_segment; i++)
		if (lo >= image->segment[i].lo && lo < image->segment[i].hi &&
		    image->segment[i].hi - lo >= n)
			return true;
	return false;
}

bool
unwind_image_init(struct cfi_image *image, const struct dl_phdr_info *info)
{
	*image = (struct cfi_image){ .text_lo = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_GNU_EH_FRAME) {
			image->hdr = at;
			image->hdr_bytes = ph->p_memsz;
		}
		if (ph->p_type != PT_LOAD || ph->p_memsz == 0)
			continue;
		if (ph->p_flags & PF_R)
			image_add(image, at, ph->p_memsz);
		if (!(ph->p_flags & PF_X))
			continue;
		if (at < image->text_lo)
			image->text_lo = at;
		if (at + ph->p_memsz > image->text_hi)
			image->text_hi = at + ph->p_memsz;
	}
	return image->text_lo < image->text_hi &&
	       image->text_hi - image->text_lo < UINT32_MAX;
}

static uint64_t
hash_bytes(uint64_t h, uintptr_t at, size_t n)
{
	uint64_t word;

	for (; n >= 8; at += 8, n -= 8) {
		memcpy(&word, (const void *)at, 8);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

uint64_t
unwind_image_id(const struct cfi_image *image, const struct dl_phdr_info *info)
{
	size_t n = image->hdr_bytes < ID_BYTES ? image->hdr_bytes : ID_BYTES;
	struct cfi_image moved = *image; /* its code to 0 */
	uint64_t h;

	for (size_t i = 0; i < moved.n_segment; i++) {
		moved.segment[i].lo -= image->text_lo;
		moved.segment[i].hi -= image->text_lo;
	}
	moved.hdr -= image->text_lo;
	moved.text_lo = 0;
	moved.text_hi -= image->text_lo;
	h = hash_bytes(0, (uintptr_t)&moved, sizeof(moved));

	if (image_has(image, image->hdr, n))
		h = hash_bytes(h, image->hdr, n);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + ph->p_vaddr;

		n = ph->p_memsz < ID_BYTES ? ph->p_memsz : ID_BYTES;
		if (ph->p_type == PT_NOTE && image_has(image, at, n))
			h = hash_bytes(h, at, n);
	}
	return h;
}
