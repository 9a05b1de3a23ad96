# neso view: the page has the source, all stages, remarks, layouts and figures, and asks nothing of the network.
# (view_browser.sh looks at it in a browser.)
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
python=$(command -v python3) || { echo "no Python to read the page"; exit 77; }
signature='*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,128,64,8'
[ "$(NESO_PERSIST=0 neso view examples/python/stages.py:matmul_kernel -s "$signature" -o "$TMP/m.html")" = "$TMP/m.html" ]
neso view examples/python/stages.py:matmul_kernel -s "$signature" --target sm_80 -o "$TMP/m80.html"
neso view examples/softmax.py -o - >"$TMP/softmax.html" # a signature that is guessed
neso view examples/vector_add.py --target sim:sm_86 -o "$TMP/sim.html" # without an assembler
printf 'import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef odd(x):\n    """</script><script>alert("é")</script>"""\n    tl.store(x, 1.0)\n' >"$TMP/odd.py"
neso view "$TMP/odd.py" -o "$TMP/odd.html"
# SASS, by a stand-in for the assembler and one for the disassembler, which shows what nvdisasm 13.5 printed of this kernel.
cat >"$TMP/nvdisasm" <<'END'
#!/bin/sh
[ "$1" = --version ] && { echo "Cuda compilation tools, release 13.5, V13.5.37"; exit; }
[ "$1 $2" = "-c -gi" ] && [ -s "$3" ] && exec cat "$(dirname "$0")/inlined.sass"
exit 1
END
chmod +x "$TMP/nvdisasm"
cp test/check/view/inlined.py test/check/view/inlined.sass "$TMP"
TRITON_PTXAS_PATH=$NESO_BUILD/test/mutate_assembler TRITON_NVDISASM_PATH=$TMP/nvdisasm \
	neso view "$TMP/inlined.py:rows" --signature "*fp32:16,*fp32:16,i32,1024" -o "$TMP/inlined.html"
"$python" - "$TMP" <<'PY'
import json
import re
import sys


def read(name):
    page = open(f"{sys.argv[1]}/{name}.html", encoding="utf-8").read()
    assert page.count("<script") == 2 and page.count("</script>") == 2, name
    assert not re.search(r'(src|href)="(?!#)', page) and "@import" not in page and "url(" not in page, name
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|importScripts)\b", page), name
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))


m = read("m")
source = open("examples/python/stages.py", encoding="utf-8").read()
assert m["title"] == "matmul_kernel" and m["source"] == source and m["warps"] == 4
stages = {s["name"]: s for s in m["stages"]}
assert list(stages) == ["ttir", "ttgir", "llir", "ptx", "sass"]
for name, word in (("ttir", "tt.dot"), ("ttgir", "ttng.warp_group_dot"), ("llir", "wgmma"), ("ptx", ".loc")):
    assert word in stages[name]["text"], name
assert (stages["sass"]["text"] is None) == bool(stages["sass"]["why"])
rules = {(r["kind"], r["rule"]) for r in m["remarks"]}
assert {("loop", "pipelined"), ("load", "tensor-map"), ("dot", "wgmma")} <= rules, rules
loop = next(r for r in m["remarks"] if r["rule"] == "pipelined")
assert source.split("\n")[loop["line"] - 1].lstrip().startswith("for k in range") and loop["figures"]["stages"] == 3
layouts = {(x["name"], x["type"]): x for x in m["layouts"]}
assert len(layouts) == len(m["layouts"])
shared = [x for x in m["layouts"] if x["shared"]]
assert any(x["type"] == "128x64xf16" and x["linear"].endswith("{dim0 = 128, dim1 = 64}") for x in shared), shared
assert all(x["linear"].startswith("{offset = ") and x["bytes"] in (2, 8) for x in shared)
assert any(x["type"] == "128x128xf32" and x["linear"].startswith("{register = ") and x["bytes"] == 4 for x in m["layouts"])
assert any(r["rule"] == "mma" for r in read("m80")["remarks"])
assert read("softmax")["title"] == "softmax_kernel"
sim = {s["name"]: s for s in read("sim")["stages"]}
assert sim["llir"]["text"] and "sim:sm_86" in read("sim")["facts"]
assert "alert" in read("odd")["source"]
sass = {s["name"]: s for s in read("inlined")["stages"]}["sass"]
assert sass["text"] == open("test/check/view/inlined.sass").read(), sass
PY
got=0
neso view "$TMP/odd.py" --target interp -o "$TMP/none.html" 2>"$TMP/err" || got=$?
[ $got -eq 1 ] && [ ! -e "$TMP/none.html" ] || { echo "a page for the interpreter: $got"; cat "$TMP/err"; exit 1; }
got=0
neso view 2>/dev/null || got=$?
[ $got -eq 2 ]
