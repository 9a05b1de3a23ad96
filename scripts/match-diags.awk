# Compares the diagnostics of a run with the expectations of a test file.
#
#   awk -v test=PATH -f match-diags.awk PATH STDERR
#
# An expectation is a comment, "#" or "//", then "error: ", "warning: " or "note: ", then a place, then text:
#   COL: text            this line, that column       @+1:COL: text, @-1:COL: text   a line nearby
#   @LINE:COL: text      that line                    @FILE:LINE:COL: text           of a file of that name
#   -: text              no line (of the file as a whole, or of nothing)
# The text must be part of the diagnostic's. Each error and warning wants an expectation and the other way
# round; notes that nobody expects pass. Prints what does not match; exit status 1 when anything was printed.

function add_expectation(severity, rest, line,    place, parts, n, file) {
	file = test
	if (match(rest, /^(-|[0-9]+|@[^ ]*:[0-9]+): /) == 0) {
		print test ":" line ": an expectation wants COL: text, @LINE:COL: text or -: text"
		bad = 1
		return
	}
	place = substr(rest, 1, RLENGTH - 2)
	rest = substr(rest, RLENGTH + 1)
	want_n++
	if (place == "-") {
		place = "-"
	} else if (place ~ /^@/) {
		n = split(substr(place, 2), parts, ":")
		if (n == 3) {
			file = parts[1]
			place = parts[2] ":" parts[3]
		} else {
			if (parts[1] ~ /^[+-]/)
				parts[1] = line + parts[1]
			place = parts[1] ":" parts[2]
		}
	} else {
		place = line ":" place
	}
	want_severity[want_n] = severity
	want_file[want_n] = file
	want_place[want_n] = place
	want_text[want_n] = rest
}

# "a/b.py" names itself and "x/a/b.py".
function same_file(found, wanted) {
	return found == wanted || substr(found, length(found) - length(wanted)) == "/" wanted
}

FILENAME == test && !reading_stderr {
	line = $0
	while (match(line, /(#|\/\/) (error|warning|note): /)) {
		kind = substr(line, RSTART, RLENGTH)
		gsub(/[^a-z]/, "", kind)
		line = substr(line, RSTART + RLENGTH)
		text = line
		if (match(text, / *(#|\/\/) (error|warning|note): /))
			text = substr(text, 1, RSTART - 1)
		sub(/[ \t]+$/, "", text)
		add_expectation(kind, text, FNR)
	}
	next
}

{ reading_stderr = 1 }

# path:LINE:COL: severity: text, path: severity: text, or severity: text
match($0, /^([^ ][^:]*:)?([0-9]+:[0-9]+:)? ?(error|warning|note): /) && !/^    / {
	head = substr($0, 1, RLENGTH - 2)
	text = substr($0, RLENGTH + 1)
	n = split(head, part, ":")
	severity = part[n]
	sub(/^ /, "", severity)
	file = n > 1 ? part[1] : ""
	place = n >= 4 ? part[2] ":" part[3] : "-"
	found = 0
	for (i = 1; i <= want_n && !found; i++)
		if (!want_met[i] && want_severity[i] == severity && want_place[i] == place &&
		    (place == "-" || same_file(file, want_file[i])) && index(text, want_text[i])) {
			want_met[i] = 1
			found = 1
		}
	if (!found && severity != "note") {
		print "unexpected: " $0
		bad = 1
	}
}

END {
	for (i = 1; i <= want_n; i++)
		if (!want_met[i]) {
			print "missing: " want_file[i] ":" want_place[i] ": " want_severity[i] ": " want_text[i]
			bad = 1
		}
	exit bad
}
