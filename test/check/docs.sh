# Files that the READMEs of src/ and the pages about the structure name are there, and so are the targets of their links.
set -eu
bad=0
for page in src/*/README.md docs/architecture.md docs/adding.md; do
	folder=$(dirname "$page")
	for name in $(grep -oE '`[a-z_0-9/]+\.(c|h|def|sh|py)`' "$page" | tr -d '`' | sort -u); do
		[ -e "$folder/$name" ] || [ -e "src/$name" ] || [ -e "$name" ] || [ -n "$(find src test python lib scripts -path "*/$name" | head -n 1)" ] ||
			{ echo "$page names $name, which is not there"; bad=1; }
	done
	for link in $(grep -oE '\]\([^)#]+' "$page" | sed 's/](//' | grep -v ':' | sort -u); do
		[ -e "$folder/$link" ] || { echo "$page links to $link, which is not there"; bad=1; }
	done
done
# The site's contents have each page.
for page in docs/*.md docs/reference/*.md; do
	name=${page#docs/}
	[ "$name" = index.md ] || grep -qx "${name%.md}" docs/index.md || { echo "docs/index.md lacks $name"; bad=1; }
done
for page in src/*/README.md; do
	grep -qx "../${page%.md}" docs/index.md || { echo "docs/index.md lacks $page"; bad=1; }
done
# Each folder says in its README what it is for, on at most a screen.
for folder in src/*/; do
	[ -f "$folder/README.md" ] || { echo "$folder has no README.md"; bad=1; continue; }
	[ "$(wc -l <"$folder/README.md")" -le 45 ] || { echo "$folder/README.md is longer than a screen"; bad=1; }
done
exit $bad
