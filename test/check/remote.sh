# neso with a remote cache: a second machine hits through a Redis server and an HTTP server; servers that are away, hang or hold nonsense
# never fail a compilation, and give the same cubin.
set -e
command -v ptxas >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/ptxas" ] || { echo "no ptxas"; exit 77; }
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
[ -f "$NESO_BUILD/libneso-remote.so" ] || { echo "built without hiredis and libcurl"; exit 77; }
python=$(sh scripts/find-python 2>/dev/null) || { echo "no Python to find a free port with"; exit 77; }
redis=$(sh scripts/find-server redis) || { echo "no redis-server"; exit 77; }
nginx=$(sh scripts/find-server nginx) || { echo "no nginx"; exit 77; }

free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
listens() { "$python" -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1" 2>/dev/null; }
wait_for() {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		listens "$1" && return 0
		sleep 0.5
	done
	echo "nobody listens at $1"
	exit 1
}
servers=
trap 'for pid in $servers; do kill -9 $pid 2>/dev/null || :; done' EXIT

redis_port=$(free_port)
ln -s "$redis" "$TMP/redis-server"
"$TMP/redis-server" --port "$redis_port" --bind 127.0.0.1 --save "" --dir "$TMP" --requirepass "pass word" >"$TMP/redis.log" 2>&1 &
redis_pid=$! servers="$servers $!"
http_port=$(free_port)
mkdir "$TMP/dav"
cat >"$TMP/nginx.conf" <<CONF
daemon off; master_process off; pid $TMP/pid; error_log $TMP/error.log;
events {}
http {
  access_log off; client_body_temp_path $TMP/body; proxy_temp_path $TMP/proxy; fastcgi_temp_path $TMP/fastcgi; uwsgi_temp_path $TMP/uwsgi;
  scgi_temp_path $TMP/scgi;
  server { listen 127.0.0.1:$http_port; root $TMP/dav; client_max_body_size 8m; location / { dav_methods PUT DELETE MKCOL; } }
}
CONF
"$nginx" -p "$TMP" -c "$TMP/nginx.conf" >"$TMP/nginx.log" 2>&1 &
servers="$servers $!"
wait_for "$redis_port"
wait_for "$http_port"

cat >"$TMP/k.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def kernel(p, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, mask=i < n) * 3, mask=i < n)
PY
machines=0
# compile SIGNATURE: on a machine of its own; the cubin is to be that of the first time
machine() { machines=$((machines + 1)) TRITON_CACHE_DIR=$TMP/m$machines; export TRITON_CACHE_DIR; }
compile() {
	neso compile "$TMP/k.py:kernel" -s "$1" --target sm_80 --emit cubin -o "$TMP/cubin" 2>"$TMP/err"
	[ -f "$TMP/first$2" ] || cp "$TMP/cubin" "$TMP/first$2"
	cmp "$TMP/cubin" "$TMP/first$2"
}
stat() { neso cache stats --json | tr ',{}' '\n' | sed -n "s/^ *\"$1\": //p"; }
is() { [ "$(stat "$1")" = "$2" ] || { echo "$1 is $(stat "$1"), not $2"; neso cache stats; cat "$TMP/err"; exit 1; }; }
silent() { [ ! -s "$TMP/err" ] || { cat "$TMP/err"; exit 1; }; }
says() { grep -qF -- "$1" "$TMP/err" || { echo "not said: $1"; cat "$TMP/err"; exit 1; }; [ "$(wc -l <"$TMP/err")" -eq 1 ] || { cat "$TMP/err"; exit 1; }; }
a='*fp32:16, i32, 64' b='*fp32:16, i32:16, 64'

both() { # URL
	TRITON_REMOTE_CACHE_BACKEND=$1
	export TRITON_REMOTE_CACHE_BACKEND
	machine
	compile "$a" a
	silent
	is misses 1
	is remote_puts 3 # the variant, the cubin by its PTX, and what finds both without an assembler
	is remote_absent 2
	is remote_errors 0
	machine
	compile "$a" a
	silent
	is remote_hits 1
	is misses 0
	is remote_found 1
	neso cache stats >"$TMP/out"
	grep -q '^hits .*1  (100 %), 1 of them in the remote cache' "$TMP/out"
	grep -q '^remote     1 found, .*; 0 not there; 0 put, 0 bytes; 0 dropped; 0 errors' "$TMP/out"
	compile "$a" a # now it lies here
	is hits 1
	is remote_found 1
	# Another variant with the same PTX: its cubin comes from there, and nothing is assembled.
	compile "$b" b
	is half_hits 1
	is remote_found 2
	machine
	NESO_REMOTE_MODE=write-only compile "$a" a
	is misses 1
	machine
	NESO_REMOTE_MODE=read-only compile "$a" a
	is remote_hits 1
	TRITON_ALWAYS_COMPILE=1 compile "$a" a
	is forced 1
	machine
	TRITON_DISABLE_CACHE=1 compile "$a" a
	is remote_found 0
}
both "http://127.0.0.1:$http_port/team/kernels"
both "redis://:pass%20word@127.0.0.1:$redis_port/1"
# By upstream's names.
export TRITON_REDIS_HOST=127.0.0.1 TRITON_REDIS_PORT="$redis_port" TRITON_REMOTE_CACHE_BACKEND=triton.runtime.cache:RedisRemoteCacheBackend
machine
compile "$a" a
says "the remote cache at triton.runtime.cache:RedisRemoteCacheBackend is not to be had: it says NOAUTH"
is misses 1

# A server that is gone, that hangs, that has nonsense, that is none; a library that is missing.
TRITON_REMOTE_CACHE_BACKEND="redis://me:secret@127.0.0.1:$(free_port)"
machine
compile "$a" a
says "warning: the remote cache at redis://127.0.0.1:"
is misses 1
TRITON_REMOTE_CACHE_BACKEND="redis://:pass%20word@127.0.0.1:$redis_port/1"
machine
kill -STOP "$redis_pid"
NESO_REMOTE_TIMEOUT=200 NESO_REMOTE_FLUSH=100 compile "$a" a
kill -CONT "$redis_pid"
says "it does not answer in time"
is misses 1
for file in "$TMP"/dav/team/kernels/ac/*; do printf nonsense | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null; done
TRITON_REMOTE_CACHE_BACKEND="http://127.0.0.1:$http_port/team/kernels"
machine
compile "$a" a
grep -q "warning: entry variant/.* at http://127.0.0.1:$http_port/team/kernels of the compile cache is damaged: its checksum is wrong" "$TMP/err"
is remote_errors 2
is remote_puts 3
machine
compile "$a" a # healed
silent
is remote_hits 1
TRITON_REMOTE_CACHE_BACKEND=gopher://hole
machine
compile "$a" a
says "its URL begins with none of redis://, rediss://, http://, https://"
TRITON_REMOTE_CACHE_BACKEND="http://127.0.0.1:$http_port/team/kernels"
machine
NESO_REMOTE_PATH=/nowhere compile "$a" a
says "libneso-remote.so, which speaks to it, cannot be loaded"
# Settings that are none.
for wrong in TRITON_REMOTE_CACHE_BACKEND=redis NESO_REMOTE_MODE=both NESO_REMOTE_TIMEOUT=soon TRITON_REDIS_PORT=high NESO_REMOTE_MAX_VALUE=1x; do
	machine
	export "$wrong"
	compile "$a" a
	unset "${wrong%%=*}"
	says "${wrong%%=*} is '${wrong#*=}', which is no "
done
