# Completion for bash, which loads it by the name of a command: each command has
# a link to this file. Every command lists its own options.
_profpipe()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command=$1 words=

	COMPREPLY=()
	if [[ ${command##*/} == prof ]]; then
		if ((COMP_CWORD == 1)) || [[ $COMP_CWORD -eq 2 && ${COMP_WORDS[1]} == help ]]; then
			words=$("$command" 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p')
		fi
		command=prof-${COMP_WORDS[1]/%run/record}
	fi
	if [[ $cur == -* && $COMP_CWORD -gt 0 && -z $words ]]; then
		words=$("$command" --list-options 2>/dev/null | cut -f1)
	fi
	if [[ -n $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}
complete -o default -F _profpipe "${BASH_SOURCE[0]##*/}"
