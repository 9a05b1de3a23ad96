# The site of the docs is made without a warning: each page is in its contents, links lead to pages, pictures are there.
set -eu
status=0
sh scripts/site --no-fetch "$TMP/site" >"$TMP/said" 2>&1 || status=$?
[ $status = 0 ] || { cat "$TMP/said"; exit $status; }
for page in docs/*.md docs/reference/*.md README.md; do
	[ -s "$TMP/site/${page%.md}.html" ] || { echo "no page of $page"; exit 1; }
done
grep -q 'id="tile-arange-size"' "$TMP/site/docs/reference/diagnostics.html"
grep -q 'href="reference/diagnostics.html"' "$TMP/site/docs/from-triton.html"
grep -q 'href="docs/from-cuda.html"' "$TMP/site/README.html"
for picture in docs/pictures/*.svg; do
	[ -s "$TMP/site/_images/$(basename "$picture")" ] || { echo "$picture is on no page"; exit 1; }
done
[ -s "$TMP/site/index.html" ] && [ -s "$TMP/site/searchindex.js" ]
