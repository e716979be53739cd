# prof-fetch over TLS, from openssl's server, with a certificate authority made
# here.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/fetch.sh"

need_curl servers
if ! have openssl; then
	skip_rest 'https' 'no openssl'
fi

# authority NAME / certificate NAME AUTHORITY SUBJECT ALT-NAMES: NAME.pem and
# NAME.key.
new_key() {
	openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
}
authority() {
	new_key "$1" &&
		openssl req -x509 -new -key "$1.key" -days 2 -subj "/CN=$1" \
			-out "$1.pem"
}
certificate() {
	new_key "$1" &&
		openssl req -new -key "$1.key" -subj "/CN=$3" -out "$1.csr" &&
		echo "subjectAltName=$4" >"$1.ext" &&
		openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" \
			-CAcreateserial -days 2 -extfile "$1.ext" -out "$1.pem"
}
{
	authority ca && authority stranger &&
		certificate server ca localhost DNS:localhost,IP:127.0.0.1 &&
		certificate other ca other.test DNS:other.test &&
		certificate client ca prober DNS:prober &&
		certificate fake stranger prober DNS:prober
} 2>openssl.err || {
	not_ok 'certificates are made' <openssl.err
	plan
	exit
}

want=good-gperf-heap.txt
cp "$data/$want" page
prof-fetch page | decode >want

# https CERTIFICATE [OPTION...]: a server that shows it; sets $port.
n=0
https() {
	n=$((n + 1))
	cert=$1
	shift
	openssl s_server -accept 127.0.0.1:0 -cert "$cert.pem" \
		-key "$cert.key" -WWW -naccept 1000 "$@" >tls.$n 2>&1 &
	servers="$servers $!"
	port=
	while [ -z "$port" ] && kill -0 $! 2>/dev/null; do
		sleep 0.05
		port=$(sed -n 's/^ACCEPT.*:\([0-9][0-9]*\) *.*/\1/p' tls.$n |
			head -1)
	done
}
https server
tls=127.0.0.1:$port
https other
other=127.0.0.1:$port
https server -Verify 1 -CAfile ca.pem -verify_return_error
strict=127.0.0.1:$port
offer go
go=127.0.0.1:$port
export want tls other strict go

check_err 'a certificate that nobody vouches for' 2 \
	'prof-fetch https://$tls/page' 'certificate'
check 'https+insecure does not ask' 0 \
	'prof-fetch https+insecure://$tls/page | decode | cmp - want' <<'END'
END
check 'and is remembered, for prof-symbolize' 0 '
	prof-fetch https+insecure://$tls/page | gzip -dc |
		grep -ao "# source: https.insecure://$tls/page " | sed "s/$tls/TLS/"' <<'END'
# source: https+insecure://TLS/page 
END
check '--tls-ca trusts' 0 \
	'prof-fetch --tls-ca=ca.pem https://$tls/page | decode | cmp - want' <<'END'
END
check "pprof's spelling" 0 \
	'prof-fetch --tls_ca ca.pem https://$tls/page | decode | cmp - want' <<'END'
END
check_err '--tls-ca trusts nobody else' 2 \
	'prof-fetch --tls-ca=stranger.pem https://$tls/page' 'certificate'
check_err 'a certificate of another host' 2 \
	'prof-fetch --tls-ca=ca.pem https://$other/page' \
	'no alternative certificate subject name matches'
check 'https+insecure does not mind' 0 \
	'prof-fetch https+insecure://$other/page | decode | cmp - want' <<'END'
END
check_err 'a server that wants a certificate' 2 \
	'prof-fetch --tls-ca=ca.pem https://$strict/page' 'prof-fetch: https://127'
check 'gets it' 0 '
	prof-fetch --tls-cert=client.pem --tls-key=client.key --tls-ca=ca.pem \
		https://$strict/page | decode | cmp - want
	prof-fetch --tls_cert=client.pem --tls_key=client.key \
		https+insecure://$strict/page | decode | cmp - want' <<'END'
END
check_err 'but not from a stranger' 2 \
	'prof-fetch --tls-cert=fake.pem --tls-key=fake.key --tls-ca=ca.pem \
		https://$strict/page' 'prof-fetch: https://127'
check_err 'a key of another certificate' 2 \
	'prof-fetch --tls-cert=client.pem --tls-key=fake.key --tls-ca=ca.pem \
		https://$strict/page' 'fake.key'
for o in cert key ca; do
	check_err "no such file: --tls-$o" 2 \
		"prof-fetch --tls-cert=client.pem --tls-key=client.key \
			--tls-ca=ca.pem --tls-$o=none.pem https://\$strict/page" \
		'none.pem'
done
check_err 'a certificate without a key' 2 \
	'prof-fetch --tls-cert=client.pem https://$tls/page' \
	'--tls-cert and --tls-key are given together'
check_err 'plain HTTP, spoken to TLS' 2 'prof-fetch http://$tls/page' \
	'prof-fetch: http://127'
check_err 'TLS, spoken to plain HTTP' 2 \
	'prof-fetch --timeout=1 https://$go/file/x' 'timed out after 1 s'
if [ -n "$long" ]; then
	check_err 'TLS, spoken to plain HTTP: a minute at most' 2 \
		'prof-fetch https://$go/file/x' 'SSL'
fi
check 'a redirection to TLS is followed' 0 \
	'prof-fetch --tls-ca=ca.pem $go/goto/https://$tls/page | decode | cmp - want' <<'END'
END
check_err 'and its certificate is looked at' 2 \
	'prof-fetch $go/goto/https://$tls/page' 'certificate'
check 'each source its own way' 3 '
	prof-fetch https://$tls/page https+insecure://$tls/page $go/file/$want \
		-o out 2>err
	s=$?; sed "s/.*https:/https:/; s/$tls/TLS/; s/: SSL.*//" err; exit $s' <<'END'
https://TLS/page
END
plan
