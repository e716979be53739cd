#!/bin/sh
# Completion in real shells, which load it by the name of the command from the
# folders of make install.
. "${srcdir:-.}/tests/lib/tap.sh"

make -s -C "$bin" install-dist_bashcompletionDATA install-dist_fishcompletionDATA \
	install-dist_zshcompletionDATA DESTDIR="$scratch/to" datadir=/share >log 2>&1 &&
	make -s -C "$bin" install-data-hook DESTDIR="$scratch/to" datadir=/share >>log 2>&1 || {
	not_ok 'completion is installed' <log
	plan
	exit 1
}
share=$scratch/to/share
# prof lists the commands beside it: those that are programs, and scripts.
mkdir tools
for c in $commands; do
	ln -s "$(command -v "$c")" tools/
done
ln -s "$src/cmd/prof" tools/
PATH=$scratch/tools:$PATH
export share PATH

for c in prof $commands; do
	[ -r "$share/bash-completion/completions/$c" ] &&
		[ -r "$share/fish/vendor_completions.d/$c.fish" ] || echo "$c"
done >missing
if [ -s missing ]; then
	not_ok 'bash and fish have a file for each command' <missing
else
	ok 'bash and fish have a file for each command'
fi

cat >want <<'END'
prof-text --nodec: --nodecount
prof-flame --min-: --min-width
prof sym: symbolize
prof-thin --dry: --dry-run
prof text --nodec: --nodecount
prof run --cl: --clock
prof help te: text
END

# NAME: what the shell completed is in file have.
same() {
	if cmp -s want have; then
		ok "$1"
	else
		diff want have | not_ok "$1"
	fi
}

loader=/usr/share/bash-completion/bash_completion
if have bash && [ -r $loader ]; then
	cat >complete.bash <<'END'
. "$1"
# It takes a path with blanks apart.
BASH_COMPLETION_USER_DIR=to/share/bash-completion
while IFS=: read -r line _; do
	read -ra COMP_WORDS <<<"$line"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_completion_loader "$COMP_WORDS" # 124: loaded, try again
	how=$(complete -p "$COMP_WORDS")
	how=${how##*-F }
	COMPREPLY=()
	${how%% *} "$COMP_WORDS" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
	echo "$line: ${COMPREPLY[*]}"
done
END
	bash --norc complete.bash $loader <want >have 2>err
	same 'bash'
else
	skip 'bash' 'no bash-completion'
fi

if have fish; then
	while IFS=: read -r line _; do
		echo "$line: $(fish --no-config -c '
			set -g fish_complete_path $share/fish/vendor_completions.d
			complete -C $argv[1]' "$line" 2>err | cut -f1)"
	done <want >have
	fish --no-config -c 'set -g fish_complete_path $share/fish/vendor_completions.d
		complete -C "prof no-such -"' >>have 2>&1
	same 'fish'
else
	skip 'fish' 'no fish'
fi

# zsh completes in an editor only: on a terminal, line by line.
if have zsh && zsh -fc 'zmodload zsh/zpty' 2>/dev/null; then
	cat >complete.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1= ; fpath=($share/zsh/site-functions $fpath)'
zpty -w z 'autoload compinit; compinit -u -d dump; LISTMAX=0'
zpty -w z 'show() { print -r -- $BUFFER >>got; BUFFER=; }'
zpty -w z 'zle -N show; bindkey "^X" show; touch ready'
for i in {1..400}; do
	[[ -e ready ]] && break
	sleep 0.05
done
[[ -e ready ]] || exit 3
: >got
n=0
while IFS=: read -r line _; do
	n=$((n + 1))
	zpty -w -n z "$line"$'\t\C-X'
	for i in {1..200}; do
		(($(wc -l <got) >= n)) && break
		zpty -r -t z ignored # a full terminal would stop it
		sleep 0.05
	done
	print -r -- "$line: ${$(sed -n ${n}p got)[(w)-1]}"
done
zpty -d z
END
	echo 'prof-text --output=complete.z: --output=complete.zsh' >>want
	zsh -f complete.zsh <want >have 2>err
	if [ $? -eq 3 ]; then
		skip 'zsh' 'it did not start on a terminal of its own in 20 seconds'
	else
		same 'zsh'
	fi
else
	skip 'zsh' 'no zsh'
fi
plan
