#!/bin/sh
# prof-fetch s3://: objects and lists of a stub that checks signatures.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/pages.sh"

name='objects of S3'
need_curl "$name"
grep -q 'define HAVE_NETTLE 1' "$bin/config.h" || skip_rest "$name" 'this build has no nettle'
have python3 || skip_rest "$name" 'no python3'
. "$src/tests/lib/fetch.sh"

mkdir bucket
n=20 page=7
[ -z "$long" ] || n=2500 page=1000
i=0
while [ $i -lt $n ]; do
	i=$((i + 1))
	printf '# cpu nanoseconds\nmain;f%s %s\n' $((i % 7)) $i | mkprof - \
		>"bucket/day|$i.pb.gz"
done
for name in one.pb.gz 'a b+c=d%25&e?f#g.pb.gz' 'x||y|..|~z.pb.gz' 'é.pb.gz'; do
	cp "bucket/day|1.pb.gz" "bucket/$name"
done

# stub [PAGE]: serve the bucket; $endpoint
stub() {
	serve "python3 '$src/tests/fetch/s3d.py' bucket '$scratch/log' $1" &&
		endpoint=http://127.0.0.1:$port
}
unset AWS_REGION AWS_SESSION_TOKEN AWS_PROFILE AWS_DEFAULT_REGION
export AWS_ACCESS_KEY_ID=AKIDTEST AWS_SECRET_ACCESS_KEY=s3cr3t/+key
stub $page || exit 99
export AWS_ENDPOINT_URL="$endpoint"

zcat <bucket/one.pb.gz >one
prof-merge bucket/day* | zcat >day

check 'an object is like a file' 0 \
	'prof-fetch s3://b/one.pb.gz | zcat | cmp - one' </dev/null
check 'keys are encoded' 0 '
	for key in "a b+c=d%25&e?f#g.pb.gz" x//y/../~z.pb.gz é.pb.gz; do
		prof-fetch "s3://b/$key" | zcat | cmp - one || exit
	done' </dev/null
check 'a prefix is all that begins with it, over several pages' 0 '
	: >log
	prof-fetch s3://b/day/ | zcat | cmp - day
	[ $(grep -c list-type log) -ge 3 ] || cat log' </dev/null
shown prof-fetch.1 | grep s3: >examples
cp 'bucket/one.pb.gz' 'bucket/2026-11-20|one.pb.gz'
check 'the example of the manual page' 0 '
	[ -s examples ] && sh -e ./examples && zcat day.pb.gz | cmp - one' </dev/null
check 'a bucket, a file and an object' 0 '
	prof-fetch s3://b S3://b/one.pb.gz bucket/one.pb.gz | zcat >have
	prof-merge bucket/*.gz bucket/one.pb.gz bucket/one.pb.gz | zcat | cmp - have' \
	</dev/null
check 'an archive gets the files of objects' 0 '
	prof-fetch -o "out/%h-%t.pb.gz" s3://b/one.pb.gz 2>&1
	find out -name "*.gz" | grep -c .' <<'END'
1
END
check 'a token is signed' 0 '
	AWS_SESSION_TOKEN=t0ken== prof-fetch s3://b/one.pb.gz | zcat | cmp - one' \
	</dev/null
check 'a region' 0 '
	AWS_REGION=eu-west-3 prof-fetch s3://b/one.pb.gz | zcat | cmp - one' \
	</dev/null
check_err 'a deadline is for all pages of a list' 2 'prof-fetch --deadline=2 s3://slow/' \
	'prof-fetch: s3://slow/: not done after 2 s (--deadline)'
check_err 'a path in the endpoint; the code of an error' 2 '
	AWS_ENDPOINT_URL=$AWS_ENDPOINT_URL/x/ prof-fetch s3://b/one.pb.gz' \
	'prof-fetch: s3://b/one.pb.gz: server response: 404 Not Found - NoSuchKey'
# A request that was given up may be answered, and logged, at any time.
check 'that path was asked for' 0 'grep "GET /x/" log' <<'END'
GET /x/b/one.pb.gz 404
END

# fails NAME COMMAND LINE: COMMAND exits 2 with that line, in which nothing is
# secret, and without a file.
fails() {
	check_err "$1" 2 "$2 -o failed" "prof-fetch: $3"
	if grep -e s3cr3t -e AKID -e t0ken .err; then
		not_ok "$1: no secret is shown" <.err
	else
		ok "$1: no secret is shown"
	fi
}
one='prof-fetch s3://b/one.pb.gz'
fails 'a wrong secret' "AWS_SECRET_ACCESS_KEY=s3cr3t $one" \
	's3://b/one.pb.gz: server response: 403 Forbidden - SignatureDoesNotMatch'
fails 'a wrong id' "AWS_ACCESS_KEY_ID=AKIDX $one" \
	's3://b/one.pb.gz: server response: 403 Forbidden - InvalidAccessKeyId'
fails 'a wrong token' "AWS_SESSION_TOKEN=t0ken $one" \
	's3://b/one.pb.gz: server response: 403 Forbidden - InvalidToken'
fails 'a list that is refused' 'AWS_SECRET_ACCESS_KEY=s3cr3t prof-fetch s3://b/day/' \
	's3://b/day/: server response: 403 Forbidden - SignatureDoesNotMatch'
fails 'no secret' "AWS_SECRET_ACCESS_KEY= $one" \
	's3://b/one.pb.gz: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set'
fails 'a redirection is not followed' 'prof-fetch s3://moved/one.pb.gz' \
	's3://moved/one.pb.gz: server response: 301 Moved Permanently'
fails 'a list that is cut' 'prof-fetch s3://cut/day/' \
	"s3://cut/day/: the server's list of objects is malformed or cut short"
fails 'a page that is no list' 'prof-fetch s3://page/' \
	"s3://page/: the server's list of objects is malformed or cut short"
fails 'an empty prefix' 'prof-fetch s3://b/night/' \
	's3://b/night/: no object there'
fails 'no bucket' 'prof-fetch s3:///key' 's3:///key: s3 URL without a bucket'
fails 'a bucket that would be another host' 'prof-fetch s3://b@h:1/key' \
	's3://b@h:1/key: s3 URL without a bucket'
fails 'a region that would be another host' "AWS_REGION=x/y $one" \
	's3://b/one.pb.gz: AWS_REGION is not the name of a region'
fails 'an endpoint with a password' "AWS_ENDPOINT_URL=http://u:s3cr3t@h:1 $one" \
	's3://b/one.pb.gz: AWS_ENDPOINT_URL is not the URL of a server'
check 'one object of two is not there: status 3' 3 '
	prof-fetch s3://b/one.pb.gz s3://b/none -o two.pb.gz 2>err
	status=$?
	cat err
	zcat <two.pb.gz | cmp - one || exit
	exit $status' <<'END'
prof-fetch: s3://b/none: server response: 404 Not Found - NoSuchKey
END
check 'a file of such a name is a file' 0 '
	mkdir -p s3:/b
	cp bucket/one.pb.gz s3:/b/file
	env -u AWS_SECRET_ACCESS_KEY prof-fetch s3://b/file | zcat | cmp - one' \
	</dev/null
check_err 'profiles cannot have requests signed: other commands refuse s3' 2 '
	prof-symbolize --server=s3://b/x one' "unsupported protocol 's3'"
plan
