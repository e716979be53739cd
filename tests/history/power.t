#!/bin/sh
# What is on the disk when power fails: the image of a mounted file system is
# copied after prof-thin, and mounted. The parts of a day are there, or their sum:
# whole, once, and prof-thin goes on. Only root can mount.
# Slow: it waits for the journal.
. "${srcdir:-.}/tests/lib/tap.sh"

name='power fails'
[ "$(id -u)" -eq 0 ] || skip_rest "$name" 'only root can mount a file system'
[ -z "${sanitized:-}" ] || skip_rest "$name" 'sanitizers change no order of writes'
need_tools "$name" mkfs.ext4 mount umount
mkdir disk cut
truncate -s 48M image
mkfs.ext4 -q -F image
if ! mount -o loop,commit=1 image disk 2>.err; then
	skip_rest "$name" "$(head -n 1 .err)"
fi
trap 'umount disk cut 2>/dev/null; rm -rf "$scratch"' EXIT

echo 'main;work 20' | prof-import -o in.pb.gz
# day: an archive of a day that is over, 9 profiles.
day() {
	for hour in 10 11 12; do
		mkdir -p "disk/$1/2020-01-01/$hour"
		for i in 1 2 3; do
			cp in.pb.gz "disk/$1/2020-01-01/$hour/$i.pb.gz"
		done
	done
	sync
}
# fails: power fails now. cut/ is what a machine finds that starts again.
fails() {
	cp image image.cut
	mount -o loop image.cut cut
}
for wait in 0 0.2 1 3; do
	day "a$wait"
	prof-thin -q "disk/a$wait"
	sleep $wait
	fails
	check "$wait s after prof-thin" 0 \
		"find cut/a$wait -name '*.pb.gz' ! -path '*/.*' -exec prof-merge {} + |
			prof-text -q --folded
		prof-thin -q cut/a$wait
		find cut/a$wait -name '*.pb.gz' -exec prof-merge {} + |
			prof-text -q --folded" <<'END'
main;work 180
main;work 180
END
	umount cut
done

plan
