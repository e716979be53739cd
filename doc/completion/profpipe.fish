# Completion for fish, which loads it by the name of a command: each command has
# a link to this file. Every command lists its own options.
function __profpipe_options
	set -l words (commandline -opc)
	set -l command $words[1]
	if test (path basename $command) = prof
		set command prof-$words[2]
	end
	$command --list-options 2>/dev/null | string replace -r '^(\S+)\t.*\t' '$1\t'
end
function __profpipe_commands
	prof 2>/dev/null | string replace -rf '^  ([a-z-]+) +(.*)' '$1\t$2'
end
set -l c (path basename -- (status filename) | string replace -r '\.fish$' '')
complete -c $c -n 'string match -q -- "-*" (commandline -ct)' -a '(__profpipe_options)'
if test $c = prof
	complete -c prof -f -n 'test (count (commandline -opc)) -eq 1' -a '(__profpipe_commands)'
end
