# Packs and caches signed with a user's Ed25519 key: who has the public key alone takes what is signed and nothing else.
set -e
command -v ptxas >/dev/null || { echo "no ptxas"; exit 77; }
[ -e "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
command -v openssl >/dev/null || { echo "no openssl"; exit 77; }
cd "$TMP"
unset NESO_CACHE_KEY_FILE NESO_CACHE_RO
openssl genpkey -algorithm ed25519 -out private.pem 2>log || { echo "this openssl has no Ed25519"; exit 77; }
openssl pkey -in private.pem -pubout -out public.pem
openssl genpkey -algorithm ed25519 -out other.pem 2>/dev/null
openssl pkey -in other.pem -pubout -out other_public.pem
chmod 600 private.pem other.pem
chmod 644 public.pem other_public.pem # everybody may read them
kernels=$NESO_ROOT/test/aot/kernels.py

compile() { neso compile "$kernels:scale" -s "*fp32:16, *fp32:16, i32, fp32, ${1:-128}" --target sm_80 --emit cubin --stats -o out.cubin 2>log; }
says() { # STATUS TEXT COMMAND...
	status=$1 text=$2
	shift 2
	result=0
	"$@" >out 2>&1 || result=$?
	if [ "$result" != "$status" ] || ! grep -q "$text" out; then
		echo "$*: status $result"
		cat out
		exit 1
	fi
}

# A cache whose entries are signed, and a pack of it.
export TRITON_CACHE_DIR=$TMP/maker
NESO_CACHE_KEY_FILE=$TMP/private.pem compile
NESO_CACHE_KEY_FILE=$TMP/private.pem neso cache pack signed.pack >out
# A pack of a cache without a key: signed when it is packed, or later.
TRITON_CACHE_DIR=$TMP/plain compile
TRITON_CACHE_DIR=$TMP/plain neso cache pack bare.pack >out
TRITON_CACHE_DIR=$TMP/plain neso cache pack --key-file private.pem packed.pack >out
neso cache sign bare.pack later.pack --key-file private.pem >out
cp bare.pack itself.pack
neso cache sign itself.pack --key-file private.pem >out
cmp itself.pack later.pack
cmp itself.pack packed.pack

for pack in signed packed later; do
	says 0 "entries" neso cache check $pack.pack
	says 0 "^[1-9][0-9]* entries, [^;]*$" neso cache check $pack.pack --key-file public.pem
	says 0 "entries" neso cache check $pack.pack --key-file private.pem
	says 1 "refused" neso cache check $pack.pack --key-file other_public.pem
done
cat other_public.pem public.pem >both.pem
says 0 "entries" neso cache check signed.pack --key-file both.pem
says 0 "entries" neso cache check bare.pack
says 1 "^0 entries.*refused" neso cache check bare.pack --key-file public.pem
says 1 '"entries": 0' neso cache check bare.pack --key-file public.pem --json

# Every byte of a signature, of a head and of a table counts.
size=$(wc -c <signed.pack)
for at in 40 60 100 121 150 170 190 230 300 $((size / 2)) $((size - 5)); do
	cp signed.pack bad.pack
	byte=$(od -An -tu1 -j "$at" -N 1 signed.pack)
	# shellcheck disable=SC2059
	printf "\\$(printf %03o $(((byte + 1) % 256)))" | dd of=bad.pack bs=1 seek="$at" conv=notrunc 2>/dev/null
	says 1 "refused\|cannot be" neso cache check bad.pack --key-file public.pem
done
# An HMAC of the public key's bytes is no signature: what checks cannot sign.
cp public.pem secret.bytes && sed -i 1d secret.bytes && chmod 600 secret.bytes
neso cache sign bare.pack mac.pack --key-file secret.bytes >out
says 1 "^0 entries" neso cache check mac.pack --key-file public.pem
says 1 "public keys alone" neso cache sign bare.pack wrong.pack --key-file public.pem
[ ! -e wrong.pack ]
says 1 "public keys alone" neso cache pack wrong.pack --key-file public.pem

# A machine with the public key: it takes what is signed, from a pack, a layer, and its own folder; what it compiles is not kept.
export NESO_CACHE_KEY_FILE=$TMP/public.pem
all() { neso compile "$kernels:scale" -s "*fp32:16, *fp32:16, i32, fp32, ${1:-128}" --target sm_80 --jobs 1; }
export TRITON_CACHE_DIR=$TMP/server
says 1 "^0 entries.*refused" neso cache unpack bare.pack
says 0 "0 compiled, 0 hits\|1 compiled" all
says 0 "entries" neso cache unpack signed.pack
says 0 "0 compiled, 1 hit" all
says 0 "1 compiled, 0 hits" all 256
says 0 "1 compiled, 0 hits.*1 not in the compile cache, .* its key file has more than public keys" all 256 # it is not kept
says 0 "0 compiled, 1 hit" env TRITON_CACHE_DIR="$TMP/none" NESO_CACHE_RO="$TMP/maker" neso compile "$kernels:scale" \
	-s "*fp32:16, *fp32:16, i32, fp32, 128" --target sm_80 --jobs 1
says 0 "1 compiled, 0 hits" env TRITON_CACHE_DIR="$TMP/none" NESO_CACHE_RO="$TMP/plain" neso compile "$kernels:scale" \
	-s "*fp32:16, *fp32:16, i32, fp32, 128" --target sm_80 --jobs 1
# With another key nothing of it is taken; with none that can be read nothing at all.
says 0 "its signature is not that of the key" env NESO_CACHE_KEY_FILE="$TMP/other_public.pem" neso compile "$kernels:scale" \
	-s "*fp32:16, *fp32:16, i32, fp32, 128" --target sm_80 --jobs 1

# Key files that are none.
unset NESO_CACHE_KEY_FILE
head -c 200 /dev/zero >zeros && chmod 600 zeros
chmod 644 other.pem
says 1 "others can read" neso cache sign bare.pack --key-file other.pem
chmod 600 other.pem
openssl genpkey -algorithm x25519 -out x.pem 2>/dev/null && chmod 600 x.pem && says 1 "none of Ed25519" neso cache sign bare.pack --key-file x.pem
printf -- '-----BEGIN PRIVATE KEY-----\n!!!\n-----END PRIVATE KEY-----\n' >broken.pem && chmod 600 broken.pem
says 1 "no PEM" neso cache sign bare.pack --key-file broken.pem
printf -- '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' >certificate.pem && chmod 600 certificate.pem
says 1 "neither PRIVATE KEY nor PUBLIC KEY" neso cache sign bare.pack --key-file certificate.pem
cat private.pem other.pem >two.pem && chmod 600 two.pem
says 1 "two private keys" neso cache sign bare.pack --key-file two.pem
says 1 "not there" neso cache check bare.pack --key-file nowhere
says 2 "key-file" neso cache sign bare.pack
printf 'no pack' >text.pack
says 1 "no pack" neso cache check text.pack
says 1 "no pack" neso cache sign text.pack other.pack --key-file private.pem
[ ! -e other.pack ]
