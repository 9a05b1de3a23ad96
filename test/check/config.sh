# neso config: each setting with its value and where that is from; names that mean nothing are told, with the nearest.
set -eu
says() { grep -qF -- "$1" "$TMP/out" || { echo "not said: $1"; cat "$TMP/out"; exit 1; }; }
TRITON_CACHE_DIR=/some/where NESO_CONSTEXPR_POLICY=generic TRITON_CACHE_DIRR=x neso config >"$TMP/out" 2>"$TMP/err"
says "cache.dir = /some/where  (from TRITON_CACHE_DIR)"
says "runtime.constexpr_policy = generic  (from NESO_CONSTEXPR_POLICY)"
says "    NESO_CONSTEXPR_POLICY: choice, tells variants apart. eager|generic|tiered:"
says "cache.max_size = 5G  (preset)"
says "    TRITON_PTXAS_PATH, NESO_PTXAS: path, tells variants apart."
says "    TRITON_KERNEL_DUMP, TRITON_DUMP_IR: bool. all stages are written"
says "    TRITON_MOCK_PTX_VERSION: text. without effect: ptx_version is an option of launches"
grep -qx "warning: the environment variable TRITON_CACHE_DIRR means nothing here; did you mean TRITON_CACHE_DIR?" "$TMP/err"
TRITON_CACHE_DIR=/some/where neso config --set >"$TMP/out"
says "cache.dir = /some/where"
if grep -q "(preset)" "$TMP/out"; then cat "$TMP/out"; exit 1; fi
neso config --json >"$TMP/json"
python=$(sh scripts/find-python 2>/dev/null) || exit 0
"$python" - "$TMP/json" <<'CHECK'
import json, sys
rows = {r["name"]: r for r in json.load(open(sys.argv[1]))}
assert rows["runtime.debug"]["in_key"] and rows["runtime.debug"]["preset"] == "0"
assert rows["cache.wait"] == {"name": "cache.wait", "type": "int", "variable": "NESO_CACHE_WAIT", "other_variable": None,
                              "preset": "30", "value": "30", "source": None, "in_key": False, "used": True, "python": False,
                              "doc": rows["cache.wait"]["doc"]}, rows["cache.wait"]
CHECK
