#!/bin/sh
# prof-symbolize asking servers: one with all kinds of answers (symbold.c), and
# one of gperftools, whose answers pprof gets, too.
. "${srcdir:-.}/tests/lib/tap.sh"

need_curl 'remote symbols'
. "$src/tests/lib/serve.sh"

mkdir served
printf '0x401100\n0x401200\n' |
	addrs make 0x400000 0x500000 0 /gone/app ab12 >served/app
printf '0x7f001200\n0x7f001300\n' |
	addrs make 0x7f000000 0x7f100000 0 /gone/app ab12 >served/moved
printf '0x10\n' | addrs make 0 0x1000 0 '' >served/nameless
seq 1 10000 | awk '{ printf "0x%x\n", 4194304 + $1 * 16 }' |
	addrs make 0x400000 0x500000 0 /gone/app ab12 >served/many
serve 'symbold served log'
touch log

# get HOW NAME: a profile NAME.pb of /HOW/NAME, and a new log.
get() {
	prof-fetch -z0 "127.0.0.1:$port/$1/$2/pprof/heap" -o "$2.pb"
	: >log
}

# names FILE [OPTION...]: what its addresses are called then.
names() {
	names_file=$1
	shift
	prof-symbolize --symbolize=remote "$@" "$names_file" | addrs print
}

get ok app
cat >names <<'END'
names() {
	names_file=$1
	shift
	prof-symbolize --symbolize=remote "$@" "$names_file" | addrs print
}
END
check 'the server of the profile is asked' 0 '. ./names; names app.pb; cat log' <<'END'
0x401100 f_401100 :0
0x401200 f_401200 :0
GET /ok/app/pprof/symbol 
POST /ok/app/pprof/symbol 0x401100+0x401200
END
: >log
prof-symbolize --search-path=none app.pb >local.pb 2>local.err
check 'nobody is asked without a word' 0 'cat log; addrs print <local.pb;
	prof-symbolize --symbolize=none app.pb | cmp - app.pb; cat log' <<'END'
0x401100
0x401200
END
check 'twice is once' 0 '. ./names; prof-symbolize -z0 --symbolize=remote app.pb >sym.pb
	: >log
	prof-symbolize -z0 --symbolize=remote sym.pb | cmp - sym.pb; cat log' <<'END'
END
check 'locations with lines are not asked for, even by force' 0 '
	prof-symbolize -z0 --symbolize=remote --force sym.pb | cmp - sym.pb; cat log' <<'END'
END

# web1 is here.
mkdir web
cat >web/prof-fetch <<END
exec "$bin/prof-fetch" "127.0.0.1:$port/ok/app/\${1#*/}"
END
chmod +x web/prof-fetch
check 'the example of the manual page' 0 'PATH=$PWD/web:$PATH
	prof-fetch web1:80/pprof/heap | prof-symbolize --symbolize=remote | prof-text |
	awk "/ f_/ { print \$NF }"' <<'END'
f_401100
f_401200
END

get ok moved
check 'a sum asks in the terms of one source' 0 '. ./names
	names app.pb moved.pb; grep POST log' <<'END'
0x401100 f_401100 :0
0x401200 f_401200 :0
0x401300 f_401300 :0
POST /ok/app/pprof/symbol 0x401100+0x401200+0x401300
END
: >log
check 'a sum without the first: addresses are moved' 0 '. ./names
	prof-merge served/app moved.pb >sum.pb; names sum.pb; grep POST log' <<'END'
0x401100 f_7f001100 :0
0x401200 f_7f001200 :0
0x401300 f_7f001300 :0
POST /ok/moved/pprof/symbol 0x7f001100+0x7f001200+0x7f001300
END
get ok nameless
check 'a mapping without name or build-id' 0 '. ./names; names nameless.pb' <<'END'
0x10 f_10 :0
END
get ok many
check 'many addresses are many questions' 0 '. ./names; names many.pb |
	awk "\$2 != \"f_\" substr(\$1, 3)"; grep -c POST log;
	awk "/POST/ { n += split(\$3, a, \"+\") } END { print n }" log' <<'END'
3
10000
END
prof-symbolize --symbolize=local:remote --search-path=none app.pb 2>err |
	addrs print >out
check 'local, and remote for what is left' 0 'cat out' <<'END'
0x401100 f_401100 :0
0x401200 f_401200 :0
END
check '--server: whoever the profile came from' 0 '. ./names
	names served/app --server=127.0.0.1:'"$port"'/ok/x/pprof/heap
	prof-symbolize --server=http://127.0.0.1:'"$port"'/ok/x/pprof/profile served/app | addrs names' <<'END'
0x401100 f_401100 :0
0x401200 f_401200 :0
f_401100
f_401200
END
check_err '--server: no URL' 2 'prof-symbolize --server=x app.pb' \
	'--server: not a URL'

# fails HOW WHY [OPTION...]: the warning; no name, and no harm.
fails() {
	fails_how=$1 fails_why=$2
	shift 2
	get "$fails_how" app
	prof-symbolize --symbolize=remote "$@" app.pb >out.pb 2>err
	fails_status=$?
	if [ $fails_status = 0 ] && grep -qF -- "$fails_why" err &&
		[ "$(grep -c "127.0.0.1:$port" err)" = 1 ] &&
		[ "$(addrs print <out.pb | tr '\n' ' ')" = '0x401100 0x401200 ' ]; then
		ok "a server that fails: $fails_how"
	else
		{
			echo "status $fails_status, wanted: $fails_why"
			cat err
			addrs print <out.pb
		} >why
		not_ok "a server that fails: $fails_how" <why
	fi
}
fails none 'the server has no symbols'
fails html 'not the answer of a symbol server'
fails refuse 'server response: 405 Method Not Allowed'
fails hang 'imed out' --timeout=2
fails cut 'with 999'
fails endless 'the answer is too long'

get noise app
check 'noise is no name' 0 '. ./names; names app.pb' <<'END'
0x401100
0x401200
END
for how in noget move; do
	get $how app
	check "a server that is willing: $how" 0 '. ./names; names app.pb;
		grep POST log | tail -1 | cut -d" " -f3' <<'END'
0x401100 f_401100 :0
0x401200 f_401200 :0
0x401100+0x401200
END
done
get more app
check 'what was not asked for is ignored' 0 '. ./names; names app.pb' <<'END'
0x401100 f_401100<0x7> :0
0x401200 f_401200<0x7> :0
END
get ok app
kill $servers
wait 2>/dev/null
servers=
prof-symbolize --symbolize=remote app.pb 2>err >out.pb
check 'a server that is gone' 0 'grep -c "pprof/symbol: .*onnect" err;
	addrs print <out.pb; prof-symbolize -q --symbolize=remote app.pb |
	addrs print' <<'END'
1
0x401100
0x401200
0x401100
0x401200
END

# --- as pprof

name='a gperftools server: as go tool pprof -raw'
if ! have go; then
	skip "$name" 'no go'
elif "${CXX:-c++}" -O1 -g -rdynamic -o gperfserver "$src/tests/programs/gperfserver.cc" \
	-Wl,--no-as-needed -ltcmalloc_and_profiler -pthread -ldl 2>err &&
	serve 'env CPUPROFILE_FREQUENCY=250 TCMALLOC_SAMPLE_PARAMETER=4096 ./gperfserver gperf.prof'; then
	prof-fetch --seconds=1 "127.0.0.1:$port" -o live.pb.gz 2>err
	# The names of addresses; mappings and samples are numbered by age.
	part() {
		sed -n '/^Locations/,/^Mappings/p' |
			awk '/0x/ { print $2, $4 }' | sort
	}
	for page in saved/pprof/profile pprof/growth; do
		go tool pprof -raw -symbolize=remote \
			"http://127.0.0.1:$port/$page" 2>err | part >theirs
		# pprof removes a frame that it takes for the signal handler's.
		prof-fetch --strip-handler "127.0.0.1:$port/$page" |
			prof-symbolize --symbolize=remote 2>>err |
			prof-text --raw | part >ours
		if grep -q ' [a-z]' theirs && cmp -s ours theirs; then
			ok "$name: $page"
		else
			{ diff theirs ours; cat err; } | head -40 >why
			not_ok "$name: $page" <why
		fi
	done
else
	skip "$name" "no gperftools: $(head -1 err)"
fi
exec 9>&-
printf '# cpu nanoseconds\n@mapping 0x400000 0x500000 0 /bin/app\n@comment # source: https+insecure://127.0.0.1:1/pprof/heap 400000=file:/bin/app\n[1]0x401000 1\n' |
	mkprof >insecure.pb
check 'a profile does not switch checks off' 0 'prof-symbolize --symbolize=remote insecure.pb 2>&1 >out |
	grep -o "its certificate is checked"' <<'END'
its certificate is checked
END

plan
