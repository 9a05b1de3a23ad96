# The page of neso view in a real browser: it runs without errors, lines are linked both ways, layouts and pipelines are
# drawn with the right numbers.
set -eu
[ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }
python=$(command -v python3) || { echo "no Python to read the page"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "no Chromium is installed"; exit 77; }
signature='*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,128,64,8'
neso view examples/python/stages.py:matmul_kernel -s "$signature" -o "$TMP/m.html" >/dev/null
neso view examples/vector_add.py --target sim:sm_86 -o "$TMP/add.html" >/dev/null
dom() { # FILE#PLACE OUT: the page as it is after its script
	HOME=$TMP timeout 300 "$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
		--user-data-dir="$TMP/profile" --enable-logging=stderr --virtual-time-budget=10000 --dump-dom "file://$TMP/$1" \
		>"$TMP/$2" 2>"$TMP/$2.log" || { echo "the browser does not start"; tail -n 3 "$TMP/$2.log"; exit 77; }
	if grep -q 'CONSOLE' "$TMP/$2.log"; then grep CONSOLE "$TMP/$2.log"; exit 1; fi
}
dom 'm.html#L57' ttgir.dom
dom 'm.html#ptx:L57' ptx.dom
dom 'm.html#llir:L57' llir.dom
dom 'm.html#ttir:L57' ttir.dom
dom add.html add.dom
neso view examples/python/stages.py:matmul_kernel -s "$signature" --target sm_80 -o "$TMP/m80.html" >/dev/null
dom m80.html m80.dom
neso view test/why/rotation.py:chain --num-warps 8 --num-stages 2 -o "$TMP/late.html" >/dev/null \
	--signature "*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,128,128,128"
dom late.html late.dom
# SASS as in view.sh.
printf '#!/bin/sh\n[ "$1" = --version ] && echo "release 13.5, V13.5.37" || cat "$(dirname "$0")/inlined.sass"\n' >"$TMP/nvdisasm"
chmod +x "$TMP/nvdisasm"
cp test/check/view/inlined.py test/check/view/inlined.sass "$TMP"
TRITON_PTXAS_PATH=$NESO_BUILD/test/mutate_assembler TRITON_NVDISASM_PATH=$TMP/nvdisasm \
	neso view "$TMP/inlined.py:rows" --signature "*fp32:16,*fp32:16,i32,1024" -o "$TMP/inlined.html" >/dev/null
dom 'inlined.html#sass:L15' sass.dom
"$python" - "$TMP" <<'PY'
import sys
from html.parser import HTMLParser


class Node:

    def __init__(self, tag, attributes, parent):
        self.tag, self.a, self.parent, self.children, self.text = tag, dict(attributes), parent, [], ""

    def all(self, tag=None, word=None, **attributes):
        for child in self.children:
            wanted = (not tag or child.tag == tag) and (not word or word in child.a.get("class", "").split())
            if wanted and all(child.a.get(k.replace("_", "-")) == v for k, v in attributes.items()):
                yield child
            yield from child.all(tag, word, **attributes)

    def whole(self):
        return self.text + "".join(c.whole() for c in self.children)


class Reader(HTMLParser):

    def __init__(self, text):
        super().__init__()
        self.now = self.root = Node("", (), None)
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, attributes, self.now)
        self.now.children.append(node)
        if tag not in ("meta", "link", "br", "hr", "img"):
            self.now = node

    def handle_endtag(self, tag):
        at = self.now
        while at.parent and at.tag != tag:
            at = at.parent
        self.now = at.parent or at

    def handle_data(self, data):
        self.now.text += data


def read(name):
    root = Reader(open(f"{sys.argv[1]}/{name}.dom", encoding="utf-8").read()).root
    assert next(root.all("body")).a.get("data-ready") == "yes", f"{name}: the script did not come to its end"
    return root


# Line 57 is the product: chosen by the address, it and all that was made of it is marked.
for stage, word in (("ttgir", "warp_group_dot"), ("ttir", "tt.dot"), ("llir", "wgmma"), ("ptx", "wgmma.mma_async")):
    root = read(stage)
    assert [b.whole() for b in root.all("button", aria_pressed="true")] == [stage.upper()]
    hot = [n for n in root.all("div", "hot")]
    source = [n for n in hot if n.a.get("id", "").startswith("s")]
    made = [n for n in hot if "data-from" in n.a]
    assert [n.a["id"] for n in source] == ["s57"] and "tl.dot" in source[0].whole(), (stage, source)
    assert made and any(word in n.whole() for n in made), stage
    assert all(n.a["data-from"] == "57" for n in made)
    assert next(root.all("div", id="stage")).whole().count(word) > 0
    # and others lead to other lines
    assert len({n.a["data-from"] for n in root.all("div", "linked") if "data-from" in n.a}) > 10, stage
root = read("ttgir")
remarks = [n.whole() for n in root.all("div", "remark")]
assert any(r.startswith("+ dot wgmma") for r in remarks) and any("loop pipelined" in r for r in remarks), remarks
# Under its line: the remark of the loop follows the row of line 54.
rows = next(root.all("div", id="source")).children
at = next(i for i, n in enumerate(rows) if n.a.get("id") == "s54")
assert "loop pipelined" in rows[at + 1].whole()
# The first layout is that of shared memory: bank of [r, c] is (64 r + 8 (c / 8 xor r mod 8) + c mod 8) * 2 / 4 mod 32.
options = [o.whole() for o in root.all("option")]
assert any("128x128xf32" in o for o in options) and "shared memory" in options[0], options
tables = list(root.all("table", "grid"))
assert len(tables) == 2 and "banks" in tables[1].a["class"]
cells = [[td.whole() for td in tr.all("td")] for tr in tables[0].all("tr")][1:]
assert len(cells) == 64 and len(cells[0]) == 64
for r in range(64):
    for c in range(64):
        assert int(cells[r][c]) == (64 * r + 8 * (c // 8 ^ r % 8) + c % 8) * 2 // 4 % 32, (r, c, cells[r][c])
banks = [[td.whole() for td in tr.all("td")] for tr in tables[1].all("tr")][1:]
assert banks[0][:2] == ["0,0", "0,2"] and banks[1][0] == "1,8", banks[:2]
# The loop: two copies that are two iterations ahead, a product, what an iteration is to take.
loop = next(root.all("div", "loop"))
assert loop.a["data-line"] == "54" and "3 stages" in loop.whole()
chart = next(loop.all("svg", "chart"))
texts = [t.whole() for t in chart.all("text")]
assert texts.count("prologue") == 2 and "line 55: copy, 2 ahead" in texts and "line 57: product" in texts, texts
x = {}
for box, label in zip(chart.all("rect"), (t for t in chart.all("text", "inside"))):
    x.setdefault(label.whole(), []).append(float(box.a["x"]))
assert x["tile 0"][2] - x["tile 0"][0] == x["tile 1"][2] - x["tile 1"][0] > 0  # copied before it is multiplied
bars = next(loop.all("svg", "bars")).whole()
assert bars.count("512 cycles") == 2 and "tensor cores" in bars, bars  # 8 wgmma of n = 128 at n / 2; 2 * 16384 / 64
bars = next(next(read("m80").all("div", "loop")).all("svg", "bars")).whole()
# Loads: as above. Written and read, of A and B: (32 + 64 + 32 + 64) wavefronts of each of 4 warps. 128 mma.sync of a
# warp, 16 * 8 * 16 products each, 1024 a cycle.
assert "512 cycles" in bars and "768 cycles" in bars and "1024 cycles" in bars, bars
# A product an iteration late: the second one of tile 0 begins where the first one of tile 1 does; the model's figures.
loop = next(read("late").all("div", "loop"))
chart = next(loop.all("svg", "chart"))
x = {}
for box, label in zip(chart.all("rect"), chart.all("text", "inside")):
    x.setdefault(label.whole(), []).append(float(box.a["x"]))
assert [t.whole() for t in chart.all("text")].count("line 18: product") == 1
assert len(x["tile 0"]) == 4 and x["tile 0"][3] == x["tile 1"][2] > x["tile 0"][2], x
assert "2048 cycles" in next(loop.all("svg", "bars")).whole() and "an SM of its own: 2611 cycles" in loop.whole()
# Instructions of a helper, of a helper's helper in another file, of a file that no line of this one called.
rows = {n.whole(): n.a.get("data-from") for n in next(read("sass").all("div", id="stage")).children}
at = lambda word: next(line for text, line in rows.items() if word in text and "*/" in text)
assert [at(w) for w in ("LDC R1", "LDG.E R11", "HFMA2", "S2UR", "LDG.E R10", "UMOV", "STG.E")] == ["12", "14", "8", "15", "14", "0", "16"], rows
assert all("15" == n.a["data-from"] for n in read("sass").all("div", "hot") if "data-from" in n.a)
root = read("add")
assert "No loop is pipelined" in next(root.all("section", id="pipeline")).whole()
cells = [td.whole() for td in next(root.all("table", "grid")).all("td")]
assert "0:0" in cells and any(c.startswith("1:") for c in cells)
PY
