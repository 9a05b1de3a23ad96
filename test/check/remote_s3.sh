# A remote cache in an S3 bucket: requests are signed as AWS documents it, which the server checks; a second machine hits.
set -e
command -v ptxas >/dev/null || { echo "no ptxas"; exit 77; }
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -f "$NESO_BUILD/libneso-remote.so" ] || { echo "built without hiredis and libcurl"; exit 77; }
python=$(sh scripts/find-python 2>/dev/null) || { echo "no Python to serve with"; exit 77; }
servers=
trap 'for pid in $servers; do kill "$pid" 2>/dev/null || :; done' EXIT
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_REGION AWS_DEFAULT_REGION NESO_CACHE_KEY_FILE
serve() { # FOLDER REGION KEY SECRET [TOKEN]
	mkdir "$1"
	"$python" test/check/s3_server.py "$@" 2>"$1.log" &
	servers="$servers $!"
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ ! -e "$1/port" ] || return 0
		sleep 0.2
	done
	cat "$1.log"
	exit 1
}
serve "$TMP/one" eu-west-1 AKIDEXAMPLE 'wJalrXUtn/FEMI+bPx'
serve "$TMP/two" us-east-1 temporary other the-token

machines=0
compile() { # EXPECTED: on a machine of its own
	machines=$((machines + 1))
	TRITON_CACHE_DIR=$TMP/m$machines neso compile test/aot/kernels.py:scale -s "*fp32:16, *fp32:16, i32, fp32, 128" --target sm_80 --jobs 1 >"$TMP/out" 2>"$TMP/err"
	grep -q "$1" "$TMP/out" || { cat "$TMP/out" "$TMP/err"; cat "$TMP"/*/refused 2>/dev/null; exit 1; }
}
# By the URL, with characters that it escapes.
export TRITON_REMOTE_CACHE_BACKEND="s3+http://AKIDEXAMPLE:wJalrXUtn%2FFEMI%2BbPx@127.0.0.1:$(cat "$TMP/one/port")/bucket/some/prefix?region=eu-west-1"
compile "1 compiled"
grep -q "older than 7.88" "$TMP/err" && { echo "libcurl is older than 7.88"; exit 77; }
[ ! -s "$TMP/err.refused" ]
ls "$TMP/one" | grep -q "^bucket_some_prefix_ac_[0-9a-f]\{64\}$" || { ls "$TMP/one"; cat "$TMP/one/refused" "$TMP/err"; exit 1; }
[ ! -e "$TMP/one/refused" ] || { cat "$TMP/one/refused"; exit 1; }
compile "1 hit"
# By the environment, with a session's token.
export AWS_ACCESS_KEY_ID=temporary AWS_SECRET_ACCESS_KEY=other AWS_SESSION_TOKEN=the-token
export TRITON_REMOTE_CACHE_BACKEND="s3+http://127.0.0.1:$(cat "$TMP/two/port")/bucket"
compile "1 compiled"
compile "1 hit"
[ ! -e "$TMP/two/refused" ] || { cat "$TMP/two/refused"; exit 1; }
# Who is not let in compiles, and is told.
AWS_SECRET_ACCESS_KEY=wrong compile "1 compiled"
grep -q "status 403" "$TMP/err" || { cat "$TMP/err"; exit 1; }
[ "$(cat "$TMP/two/refused")" = signature ]
unset AWS_ACCESS_KEY_ID
compile "1 compiled"
grep -q "say who we are" "$TMP/err" || { cat "$TMP/err"; exit 1; }
