# neso check: all diagnostics of all kernels, guessed signatures, JSON, the exit status; neso lsp: the same to an editor.
set -eu
cat >"$TMP/good.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def pick(a, b, n):
    tl.store(tl.where(n > 1, a, b), 1.0)


@triton.jit
def flag(x_ptr, n, KIND: tl.constexpr, DTYPE: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    if KIND == "relu":
        tl.store(x_ptr + i, i.to(DTYPE), mask=i < n)
    tl.static_print("not on standard output")


@triton.jit
def product(a, b, c, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@triton.jit
def wide(x, B: tl.constexpr):
    tl.static_assert(B >= 128)
    tl.store(x + tl.arange(0, B), 0.0)
PY
cat >"$TMP/bad.py" <<'PY'
import triton
import triton.language as tl


@triton.jit
def helper(x):
    return x + undefined


@triton.jit
def first(x, y, n, B: tl.constexpr):
    é = "ü𝄞"; i = tl.arange(0, B) + missing
    tl.store(y + tl.arange(0, B), helper(n))
    tl.store(y + tl.arange(0, B), tl.laod(x))


@triton.jit
def second(x, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B))
    v * 2
    tl.store(x + tl.arange(0, B), v, mask=tl.arange(0, B) < n)
PY
cat >"$TMP/alone.py" <<'PY'
import triton


@triton.jit
def alone(x):
    return x + undefined


@triton.jit
def nothing(x):
    pass
PY
printf 'def f(:\n' >"$TMP/syntax.py"
check() { # STATUS ARGUMENT...
	want=$1 got=0
	shift
	neso check "$@" >"$TMP/out" 2>"$TMP/err" || got=$?
	[ "$got" -eq "$want" ] || { echo "status $got, not $want: $*"; cat "$TMP/out" "$TMP/err"; exit 1; }
}
says() { # FILE TEXT...
	file=$1
	shift
	for text; do
		grep -qF -- "$text" "$file" || { echo "no '$text' in:"; cat "$file"; exit 1; }
	done
}
check 0 "$TMP/good.py"
says "$TMP/out" 'pick(*fp32, *fp32, i32): good' 'product(*fp32, *fp32, *fp32, 16): good' 'wide(*fp32, 128): good' '4 kernels, 0 errors'
[ ! -s "$TMP/err" ]
check 1 "$TMP/bad.py" "$TMP/good.py"
says "$TMP/err" "bad.py:12:37: error: name 'missing' is not defined" "bad.py:7:16: error: name 'undefined'" "no attribute 'laod'; did you mean 'load'" \
	'bad.py:20:5: warning: the result of `v * 2` is not used'
says "$TMP/out" ': first(' ', 16): faulty' 'second(*fp32, i32, 16): good' '6 kernels, 3 errors, 1 warning'
check 0 "$TMP/alone.py"
says "$TMP/out" 'alone.py:5: alone: not checked: it returns a value, and no kernel of the file calls it' '1 kernel, 0 errors'
check 0 "$TMP/alone.py" --json
says "$TMP/out" '{"name": "alone", "line": 5, "status": "not checked"}' '"kernels": 1,'
check 1 "$TMP/alone.py:alone"
says "$TMP/err" "alone.py:6:16: error: name 'undefined'"
neso list "$TMP/alone.py" | grep -q 'alone(x).*# line 5, returns a value' || { echo "not listed so"; neso list "$TMP/alone.py"; exit 1; }
check 0 "$TMP/bad.py:second" -q
[ ! -s "$TMP/out" ]
check 1 "$TMP/bad.py:second" --strict
check 1 "$TMP/bad.py:secund"
says "$TMP/err" "secund" "second"
check 1 "$TMP/bad.py:second" -s '*fp32,fp32,16,3'
check 2 "$TMP/bad.py" -s '*fp32'
check 2
check 1 "$TMP/syntax.py"
says "$TMP/err" 'syntax.py:1:6: error'
check 1 "$TMP/missing.py"
python=$(command -v python3) || exit 0
check 1 "$TMP/bad.py" "$TMP/good.py" "$TMP/syntax.py" --json
[ ! -s "$TMP/err" ]
"$python" - "$TMP/out" <<'PY'
import json
import sys

said = json.load(open(sys.argv[1]))
bad, good, syntax = said["files"]
assert (said["kernels"], said["errors"], said["warnings"]) == (6, 4, 1), said
assert [k["name"] for k in bad["kernels"]] == ["first", "second"]
assert {d["code"] for d in bad["kernels"][0]["diagnostics"]} == {"NAME_UNKNOWN", "ATTRIBUTE_NEAR"}
assert [(d["line"], d["column"]) for d in bad["kernels"][0]["diagnostics"]] == [(12, 37), (7, 16), (14, 38)]
assert bad["kernels"][1]["status"] == "ok" and bad["kernels"][1]["guessed"] and bad["kernels"][1]["line"] == 18
assert syntax["diagnostics"][0]["severity"] == "error" and not syntax["kernels"]
PY
cat >"$TMP/client.py" <<'PY'
"""An editor: opens, saves and closes files, and holds what is published against what is wrong with them."""
import json
import subprocess
import sys

folder = sys.argv[1]
server = subprocess.Popen(["neso", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
uri = f"file://{folder}/b%61d.py"
text = open(f"{folder}/bad.py", encoding="utf-8").read()


def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive():
    length = 0
    while (line := server.stdout.readline()) not in (b"\r\n", b""):
        name, value = line.split(b":")
        length = int(value) if name == b"Content-Length" else length
    return json.loads(server.stdout.read(length))


def published(**params):
    send(method="textDocument/" + params.pop("what"), params={"textDocument": {"uri": uri, **params.pop("document", {})}, **params})
    got = receive()
    assert got["method"] == "textDocument/publishDiagnostics" and got["params"]["uri"] == uri, got
    return got["params"]["diagnostics"]


send(id=1, method="initialize", params={"capabilities": {}})
answer = receive()
assert answer["id"] == 1 and answer["result"]["capabilities"]["textDocumentSync"]["openClose"], answer
send(method="initialized", params={})
found = published(what="didOpen", document={"text": text, "languageId": "python", "version": 1})
assert [(d["range"]["start"]["line"], d["severity"]) for d in found] == [(11, 1), (6, 1), (13, 1), (19, 2)], found
line = text.split("\n")[11]
start, end = (found[0]["range"][side]["character"] for side in ("start", "end"))
assert line.encode("utf-16-le")[2 * start:2 * end].decode("utf-16-le") == "missing", (start, end)
assert found[0]["source"] == "neso" and found[0]["code"] == "NAME_UNKNOWN"
mended = text.replace("+ missing", "").replace("+ undefined", "").replace("laod(x)", "load(x)").replace("    v * 2\n", "")
assert published(what="didSave", text=mended) == []
assert len(published(what="didSave")) == 4  # read from the file
assert published(what="didClose") == []
send(id="a", method="textDocument/hover", params={})
answer = receive()
assert answer["id"] == "a" and answer["error"]["code"] == -32601, answer
server.stdin.write(b"Content-Length: 4\r\n\r\n{{{{")
server.stdin.flush()
assert receive()["error"]["code"] == -32700
send(id=2, method="shutdown")
assert receive() == {"jsonrpc": "2.0", "id": 2, "result": None}
send(method="exit")
assert server.wait(20) == 0
assert subprocess.run(["neso", "lsp"], stdin=subprocess.DEVNULL).returncode == 1  # without a shutdown
PY
"$python" "$TMP/client.py" "$TMP"
