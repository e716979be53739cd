# Completion for bash: every command lists its own options.
_profpipe()
{
	local cur=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$("$1" --list-options 2>/dev/null | cut -f1)" -- "$cur")
	fi
}
complete -o default -F _profpipe prof-record prof-fetch prof-import prof-symbolize \
	prof-merge prof-diff prof-filter prof-gate prof-text prof-list prof-dot prof-flame
