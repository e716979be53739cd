# pages.sh - sourced after tap.sh: commands of manual pages as a reader sees them.

# written PAGE: what its displayed lines (.Dl) mean to show.
written() {
	sed -n 's/^\.Dl //p' "$src/doc/$1" | sed 's/\\(dq/"/g; s/\\(aq/'"'"'/g; s/\\&//g; s/\\e/\\/g'
}

# shown PAGE: what they show. mdoc(7) takes quotes, and dots at the end of words.
shown() {
	if have mandoc; then
		mandoc -T html "$src/doc/$1" | tr -s '\n ' ' ' | awk '{
			n = split($0, part, "</code></div>")
			for (i = 1; i < n; i++)
				if (sub(/.*<div class="Bd Bd-indent"><code class="Li">/, "", part[i]))
					print part[i]
		}' |
			sed "s/&#x27;/'/g"'; s/&#x00A0;/ /g; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
	else
		written "$1"
	fi
}
