# Many processes on one compile cache, killed at random, with damaged entries and a disk that fills (test/stress).
set -u
command -v cache_stress >/dev/null || { echo "cache_stress is not built"; exit 77; }
mkdir "$TMP/one" "$TMP/small"
cache_stress --processes 16 --keys 20 --seconds 2 "$TMP/one" || exit 1
# A file system of a megabyte, where one may be mounted.
unshare -rm sh -c "mount -t tmpfs -o size=1m none '$TMP/small' && touch '$TMP/mounted' && cache_stress --processes 8 --keys 200 --seconds 2 --small '$TMP/small'" && exit 0
[ ! -e "$TMP/mounted" ]
