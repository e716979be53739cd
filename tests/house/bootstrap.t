#!/bin/sh
# bootstrap with missing packages: its messages and the commands that it runs.
# What configure refuses.
# In a separate folder, with our own apt-get, id and dpkg-query.
. "${srcdir:-.}/tests/lib/tap.sh"

have bash || skip_rest 'bootstrap' 'no bash'
mkdir tree fake
cp "$src/bootstrap" tree
touch tree/configure.ac tree/Makefile.am
touch tree/Makefile.in
cat >tree/configure <<'END'
#!/bin/sh
echo "configured: $*"
printf '#!/bin/sh\necho "status: $*"\n' >config.status
chmod +x config.status
END
for tool in bash sh dirname awk mkdir cat env chmod; do
	ln -s "$(command -v $tool)" fake/$tool
done
# fake NAME COMMAND
fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"fake/$1"
	chmod +x "fake/$1"
}
chmod +x tree/configure
fake node :
fake npm :
fake id 'echo 0'
fake apt-get 'echo "apt-get $*" >>../asked'
fake apt-cache '[ "$2" = parallel ] || echo "$2 | 1 | http://deb.debian.org"'
fake dpkg-query 'echo "gcc installed"'
run='rm -rf tree/build; : >asked; PATH=$PWD/fake fake/bash tree/bootstrap'
# What it says, in short: gcc is there, and so not in the list.
cat >short <<'END'
#!/bin/sh
sed 's/ autoconf .*make g++ .*/ autoconf.../'
END
chmod +x short

check '--no-install names what is missing, and goes on' 0 \
	"$run --no-install --prefix=/x 2>&1 | ./short; cat asked" <<'END'
bootstrap: missing: autoconf...
configured: -q --prefix=/x
END
check '--build-only: nothing for tests' 0 \
	"$run --no-install --build-only 2>&1 | grep -cw 'libelf-dev\|chromium-headless-shell'; rm -rf tree/build" <<'END'
1
END
check 'apt waits for another one, and is asked for what it has' 0 \
	"$run 2>&1 | ./short; grep -cw parallel asked; sed 's/ autoconf .*/ autoconf.../' asked" <<'END'
bootstrap: installing autoconf...
bootstrap: no package parallel here
configured: -q
0
apt-get -qq -o DPkg::Lock::Timeout=600 update
apt-get -qq -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold install -y --no-install-recommends autoconf...
END
check 'a configured tree: again with arguments, or when packages are new' 0 \
	"$run --no-install --prefix=/x 2>&1 | tail -1; run='PATH=\$PWD/fake fake/bash tree/bootstrap'
	eval \$run --no-install 2>&1 | tail -n +2; eval \$run --no-install --prefix=/y 2>&1 | tail -1
	eval \$run 2>&1 | tail -2" <<'END'
configured: -q --prefix=/x
configured: -q --prefix=/y
status: -q --recheck
status: -q
END
fake id 'echo 1000'
check 'no root and no sudo' 0 "$run 2>&1 | ./short; cat asked" <<'END'
bootstrap: no root and no sudo; install these yourself: autoconf...
configured: -q
END
fake sudo 'echo sudo >>../asked; exec "$@"'
check 'sudo' 0 "$run 2>&1 | ./short; sed 's/ .*//' asked" <<'END'
bootstrap: installing autoconf...
bootstrap: no package parallel here
configured: -q
sudo
apt-get
sudo
apt-get
END
rm fake/apt-get
check 'no apt' 0 "$run 2>&1 | ./short" <<'END'
bootstrap: no apt-get; install these yourself: autoconf...
configured: -q
END
fake dpkg-query 'sed -n "/packages=.\$/,/^.\$/p" bootstrap | tr -s " " "\n" |
	sed "s/\$/ installed/"'
ln -s "$(command -v sed)" "$(command -v tr)" fake
check 'all is there: silent' 0 "$run >out 2>&1; cat out" <<'END'
configured: -q
END

# --- configure ---

check_err 'no --disable-shared' 1 '"$src/configure" --disable-shared' 'programs load libsample.so'
for o in --program-prefix=x- --program-suffix=-1 --program-transform-name=s/prof/p/; do
	check_err "no $o" 1 "\"\$src/configure\" $o" 'commands run each other by name'
done
check_err 'an empty --program-prefix changes nothing' 1 \
	'"$src/configure" --program-prefix= --disable-shared' 'programs load libsample.so'
plan
