# Completion for fish: every command lists its own options.
for c in prof-record prof-fetch prof-import prof-symbolize prof-merge prof-diff prof-filter prof-gate prof-text prof-list prof-dot prof-flame
	complete -c $c -n 'string match -q -- "-*" (commandline -ct)' \
		-a "($c --list-options 2>/dev/null | string replace -r '^(\S+)\t.*\t' '\$1\t')"
end
