/*
 * entry.c - read the entries of an object's .eh_frame or .debug_frame, and the
 * table of functions in .eh_frame_hdr. The format is the Linux Standard Base's,
 * over DWARF 5 section 6.4.
 *
 * Nothing outside of image->segment is read, for any input. All functions may
 * run in a signal handler.
 */
#include "config.h"

#include "row.h"

/* The segment from addr on; bad if addr is in no segment. */
static struct in
in_open(const struct cfi_image *image, uintptr_t addr)
{
	for (size_t i = 0; i < image->n_segment; i++) {
		const struct unwind_bounds *s = &image->segment[i];

		if (addr >= s->lo && addr < s->hi)
			return (struct in){ (const uint8_t *)addr,
					    (const uint8_t *)s->hi, false };
	}
	return (struct in){ NULL, NULL, true };
}

uintptr_t
unwind_entry_open(const struct cfi_image *image, uintptr_t addr, struct in *in)
{
	uint64_t n;

	*in = in_open(image, addr);
	n = in_fixed(in, 4);
	if (n == 0xffffffff)
		n = in_fixed(in, 8);
	if (in->bad || n == 0 || n > in_left(in)) {
		in->bad = true;
		return 0;
	}
	in->end = in->p + n;
	return (uintptr_t)in->end;
}

/* Parse the augmentation string together with its data. */
static void
parse_augmentation(struct in *in, const char *aug, struct row_cie *cie)
{
	struct in data;
	uint64_t n;

	cie->fde_encoding = PE_absptr;
	if (aug[0] != 'z') {
		in->bad |= aug[0] != '\0';
		return;
	}
	cie->has_augmentation = true;
	n = in_uleb(in);
	data = *in;
	in_skip(in, n);
	data.end = in->p;
	for (aug++; *aug; aug++) {
		switch (*aug) {
		case 'R':
			cie->fde_encoding = in_byte(&data);
			break;
		case 'P':
			in_encoded(&data, in_byte(&data) & PE_form, 0);
			break;
		case 'L':
			in_byte(&data);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* aarch64: the other key signs return addresses */
		case 'G': /* aarch64: memory is tagged */
			break;
		default:
			/* Its data could be skipped, but its meaning is
			 * unknown. */
			in->bad = true;
		}
	}
	in->bad |= data.bad || cie->fde_encoding & PE_indirect;
}

void
unwind_entry_cie(const struct cfi_image *image, struct row_sink *to,
		 uintptr_t addr, struct row_cie *cie)
{
	struct in in;
	const char *aug;
	uint8_t version;

	*cie = (struct row_cie){ .addr = addr, .absolute = image->absolute };
	unwind_entry_open(image, addr, &in);
	if (in_fixed(&in, 4) != unwind_entry_cie_id(image))
		in.bad = true;
	version = in_byte(&in);
	aug = (const char *)in.p;
	while (in_byte(&in) != 0)
		;
	if (in.bad || (version != 1 && version != 3 && version != 4))
		return;
	if (version == 4 && (in_byte(&in) != 8 || in_byte(&in) != 0))
		return;
	cie->code_align = in_uleb(&in);
	cie->data_align = in_sleb(&in);
	if ((version == 1 ? in_byte(&in) : in_uleb(&in)) != DW_RA || in.bad)
		return;
	parse_augmentation(&in, aug, cie);
	if (!in.bad)
		unwind_row_run(to, cie, &in, &cie->initial, NULL);
	cie->good = !in.bad;
}

uintptr_t
unwind_entry_cie_of(const struct cfi_image *image, uintptr_t addr)
{
	struct in in;
	uintptr_t at;
	uint64_t delta;

	unwind_entry_open(image, addr, &in);
	at = (uintptr_t)in.p;
	delta = in_fixed(&in, 4);
	if (in.bad || delta == unwind_entry_cie_id(image) ||
	    (!image->is_debug && delta > at))
		return 0;
	return image->is_debug ? image->section + delta : at - delta;
}

bool
unwind_entry_fde(const struct cfi_image *image, uintptr_t addr,
		 const struct row_cie *cie, struct row_fde *fde)
{
	struct in *in = &fde->in;
	uintptr_t n;

	unwind_entry_open(image, addr, in);
	in_fixed(in, 4); /* its CIE */
	fde->cie = cie;
	fde->lo = in_code(in, cie->fde_encoding, image->absolute);
	n = in_encoded(in, cie->fde_encoding & PE_form, 0);
	if (cie->has_augmentation)
		in_skip(in, in_uleb(in));
	fde->hi = fde->lo + n;
	return !in->bad && n > 0 && fde->hi > fde->lo &&
	       fde->lo >= image->text_lo && fde->hi <= image->text_hi;
}

uintptr_t
unwind_entry_hdr(const struct cfi_image *image, struct cfi_search *t)
{
	struct in in = in_open(image, image->hdr);
	uint8_t version, eh_enc, count_enc, table_enc;
	uintptr_t eh_frame, n;

	*t = (struct cfi_search){ NULL, 0 };
	if (!in.bad && image->hdr_bytes < in_left(&in))
		in.end = in.p + image->hdr_bytes;
	version = in_byte(&in);
	eh_enc = in_byte(&in);
	count_enc = in_byte(&in);
	table_enc = in_byte(&in);
	if (in.bad || version != 1 || eh_enc == PE_omit || eh_enc & PE_indirect)
		return 0;
	eh_frame = in_encoded(&in, eh_enc, image->hdr);
	if ((eh_enc & PE_base) == PE_absptr)
		eh_frame += image->absolute;
	if (in.bad)
		return 0;
	if (count_enc == PE_omit || table_enc != (PE_datarel | PE_sdata4))
		return eh_frame;
	n = in_encoded(&in, count_enc, image->hdr);
	if (in.bad || n > in_left(&in) / 8)
		return eh_frame;
	*t = (struct cfi_search){ in.p, n };
	return eh_frame;
}
