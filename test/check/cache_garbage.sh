# Files that are no entries of the cache are refused: random bytes, repeated ones, and some thousand mutations of an entry
# whose checksums were put right again.
target=fuzz_cache limit=2 bytes=4000000 libs='-lcrypto -lzstd'
. test/fuzz/replay.sh
: >"$TMP/text"
replay "nothing"
head -c 8000000 /dev/urandom >"$TMP/text"
replay "random bytes"
head -c 8000000 /dev/zero >"$TMP/text"
replay "null bytes"
for unit in 'NESOENTR' 'aN' '\N' 'a'; do
	fill "$unit"
done
timeout 200 "$TMP/fuzz" -m 20000 || { echo "mutations"; exit 1; }
