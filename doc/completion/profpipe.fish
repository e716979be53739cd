# Completion for fish, which loads it by the name of a command: each command has
# a link to this file. Every command lists its own options.
function __profpipe_options
	set -l words (commandline -opc)
	set -l command $words[1]
	if test (path basename $command) = prof
		set command prof-(string replace -r '^run$' record -- $words[2])
	end
	command -q $command
	and $command --list-options 2>/dev/null | string replace -r '^(\S+)\t.*\t' '$1\t'
end
function __profpipe_at_command
	set -l words (commandline -opc)
	test (count $words) -eq 1; or test (count $words) -eq 2 -a "$words[2]" = help
end
function __profpipe_commands
	prof 2>/dev/null | string replace -rf '^  ([a-z-]+) +(.*)' '$1\t$2'
end
set -l c (path basename -- (status filename) | string replace -r '\.fish$' '')
complete -c $c -n 'string match -q -- "-*" (commandline -ct)' -a '(__profpipe_options)'
if test $c = prof
	complete -c prof -f -n __profpipe_at_command -a '(__profpipe_commands)'
end
