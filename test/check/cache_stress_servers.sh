# Many processes on one compile cache with a server behind it, Redis and then nginx, that is killed and started again meanwhile and whose values
# are damaged (test/stress). STRESS_SECONDS, _PROCESSES and _KEYS make it longer.
set -u
command -v cache_stress >/dev/null || { echo "cache_stress is not built"; exit 77; }
[ -f "$NESO_BUILD/libneso-remote.so" ] || { echo "built without remote caches"; exit 77; }
redis=$(sh scripts/find-server redis) && ln -s "$redis" "$TMP/redis-server"
nginx=$(sh scripts/find-server nginx)
[ -n "$redis$nginx" ] || { echo "neither redis-server nor nginx"; exit 77; }
seconds=${STRESS_SECONDS:-2} processes=${STRESS_PROCESSES:-8} keys=${STRESS_KEYS:-20}
export NESO_REMOTE_CONNECT_TIMEOUT=300 NESO_REMOTE_TIMEOUT=1000 NESO_REMOTE_FLUSH=300 NESO_REMOTE_PATH="$NESO_BUILD"
port=$((20000 + $$ % 20000))

serve() { # in the background, its number in $server
	case $kind in
	redis) "$TMP/redis-server" --port $port --bind 127.0.0.1 --save '' --dir "$TMP" >/dev/null 2>&1 & ;;
	http) "$nginx" -p "$TMP" -c "$TMP/nginx.conf" >/dev/null 2>&1 & ;;
	esac
	server=$!
}
damage() {
	if [ "$kind" = redis ]; then
		name=$(redis-cli -p $port randomkey 2>/dev/null)
		[ -z "$name" ] || redis-cli -p $port setrange "$name" 200 damaged >/dev/null 2>&1
	else
		file=$(find "$TMP/dav" -type f 2>/dev/null | awk -v seed=$turn 'BEGIN { srand(seed) } rand() * ++n < 1 { f = $0 } END { print f }')
		[ -z "$file" ] || printf damaged | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
	fi
}
stress() { # URL
	mkdir "$TMP/$kind"
	TRITON_REMOTE_CACHE_BACKEND=$1 cache_stress --processes "$processes" --keys "$keys" --seconds "$seconds" "$TMP/$kind" >"$TMP/out" 2>&1 &
	stress=$!
	turn=0
	serve
	while kill -0 $stress 2>/dev/null; do
		turn=$((turn + 1))
		sleep 0.1
		damage
		if [ $((turn % 6)) -eq 0 ]; then
			kill -9 $server
			wait $server 2>/dev/null
			sleep 0.2
			serve
		fi
	done
	wait $stress
	status=$?
	kill -9 $server
	wait $server 2>/dev/null
	echo "$1, killed $((turn / 6)) times:"
	cat "$TMP/out"
	[ $status -eq 0 ] || exit 1
}
if [ -n "$redis" ] && command -v redis-cli >/dev/null; then
	kind=redis
	stress "redis://127.0.0.1:$port"
fi
if [ -n "$nginx" ]; then
	kind=http port=$((port + 1))
	mkdir "$TMP/dav"
	cat >"$TMP/nginx.conf" <<END
daemon off; master_process off; pid $TMP/pid; error_log $TMP/error.log;
events {}
http {
 access_log off; client_body_temp_path $TMP/body; proxy_temp_path $TMP/proxy; fastcgi_temp_path $TMP/fastcgi;
 uwsgi_temp_path $TMP/uwsgi; scgi_temp_path $TMP/scgi; client_max_body_size 8m;
 server { listen 127.0.0.1:$port; root $TMP/dav; location / { dav_methods PUT DELETE MKCOL; create_full_put_path on; } }
}
END
	stress "http://127.0.0.1:$port/"
fi
exit 0
