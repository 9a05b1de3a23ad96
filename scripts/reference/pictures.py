"""The pictures of the tutorials, as SVG: text and boxes, drawn for pages of any colour."""

import html
import re
import subprocess

INK, FAINT, PALE = "#333", "#888", "#f4f4f4"
COLOURS = ["#cfe3f7", "#f9dcc4", "#d5edd0", "#ecd5ee"]
STRONG = ["#3b78b5", "#c8702a", "#4d9a3f", "#93529b"]


class Drawing:

    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def box(self, x, y, w, h, fill="none", stroke=INK, dash=False, round=0):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round}" fill="{fill}" stroke="{stroke}"'
                          f'{" stroke-dasharray=" + chr(34) + "4 3" + chr(34) if dash else ""}/>')

    def text(self, x, y, text, size=13, anchor="middle", fill=INK, mono=False, bold=False):
        family = "monospace" if mono else "sans-serif"
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-family="{family}" font-size="{size}" text-anchor="{anchor}" fill="{fill}"{weight}>'
                          f"{html.escape(text)}</text>")

    def arrow(self, x1, y1, x2, y2, colour=INK):
        self.parts.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="1.5" marker-end="url(#head)"/>')

    def svg(self, title):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" '
                f'role="img" aria-label="{html.escape(title)}">\n<title>{html.escape(title)}</title>\n'
                '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>\n'
                f'<rect width="{self.width}" height="{self.height}" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def threads_and_tiles(root, build):
    """The same array: a thread for an element, and a program for a tile."""
    d = Drawing(660, 230)
    for row, (title, note) in enumerate((("CUDA: each thread has one element", "threadIdx.x"), ("tile language: each program has one tile", "tl.arange(0, 8)"))):
        y = 40 + row * 105
        d.text(20, y - 16, title, anchor="start", bold=True)
        for block in range(3):
            x = 20 + block * 210
            for i in range(8):
                beyond = block == 2 and i > 5
                fill = PALE if beyond else COLOURS[block]
                d.box(x + i * 24, y, 24, 28, fill, fill if row else FAINT if beyond else INK)
                if row == 0:
                    d.text(x + i * 24 + 12, y + 19, str(i), 11, fill=FAINT if beyond else INK, mono=True)
            if row == 1:
                d.box(x, y, 192, 28, "none", STRONG[block])
                d.parts[-1] = d.parts[-1].replace("/>", ' stroke-width="3"/>')
                d.text(x + 84, y + 19, note if block < 2 else "mask: at < n", 12, mono=True)
            d.text(x + 96, y + 45, f"{'blockIdx.x' if row == 0 else 'tl.program_id(0)'} = {block}", 12, fill=STRONG[block], mono=True)
    d.text(330, 222, "what is grey lies behind the end of the array", 12, fill=FAINT)
    return d.svg("Threads of CUDA, tiles of programs")


def reduction(root, build):
    """A row's maximum: shared memory and barriers, or one call."""
    d = Drawing(660, 210)
    d.text(20, 22, "one row of x, a tile of the program", anchor="start", bold=True)
    values = [3, 1, 4, 1, 5, 9, 2, 6]
    for i, v in enumerate(values):
        d.box(20 + i * 44, 34, 44, 30, COLOURS[0])
        d.text(42 + i * 44, 54, str(v), mono=True)
    for i in range(8):
        d.arrow(42 + i * 44, 66, 150 + i * 12.5, 104, FAINT)
    d.box(132, 106, 130, 30, COLOURS[1], round=4)
    d.text(197, 126, "tl.max(x, axis=0)", 12, mono=True)
    d.arrow(197, 138, 197, 164)
    d.box(175, 166, 44, 30, COLOURS[2])
    d.text(197, 186, "9", mono=True)
    d.text(232, 186, "a scalar, known to all of the program", 12, anchor="start", fill=FAINT)
    d.text(420, 46, "The compiler makes of it:", 13, anchor="start", bold=True)
    for i, line in enumerate(("maxima in each thread's registers", "shuffles within a warp", "shared memory between warps,", "with the barriers that it needs")):
        d.text(432, 70 + i * 20, ("" if i == 3 else "· ") + line, 12, anchor="start")
    return d.svg("A reduction of a tile")


def product(root, build):
    """A tile of C is the sum of products of tiles along K."""
    d = Drawing(620, 330)
    cell = 44
    ax, ay, bx, by = 40, 170, 300, 30

    def grid(x, y, rows, columns, name):
        d.box(x, y, columns * cell, rows * cell * .75, PALE)
        d.text(x - 14, y + rows * cell * .375 + 5, name, 15, bold=True)

    grid(ax, ay, 4, 4, "A")
    grid(bx, by, 4, 4, "B")
    grid(bx, ay, 4, 4, "C")
    h = cell * .75
    for k in range(4):
        d.box(ax + k * cell, ay + h, cell, h, COLOURS[k])
        d.text(ax + k * cell + cell / 2, ay + h + 21, f"k={k}", 11, mono=True)
        d.box(bx + 2 * cell, by + k * h, cell, h, COLOURS[k])
        d.text(bx + 2.5 * cell, by + k * h + 21, f"k={k}", 11, mono=True)
    d.box(bx + 2 * cell, ay + h, cell, h, COLOURS[1], STRONG[1])
    d.text(bx + 2.5 * cell, ay + h + 21, "acc", 12, mono=True, bold=True)
    d.arrow(ax + 4 * cell + 8, ay + 1.5 * h, bx - 26, ay + 1.5 * h)
    d.arrow(bx + 2.5 * cell, by + 4 * h + 6, bx + 2.5 * cell, ay + h - 4)
    d.text(ax, ay + 4 * h + 24, "for k: acc = tl.dot(a, b, acc)", 13, anchor="start", mono=True)
    d.text(bx + 4 * cell + 12, by + 20, "one program:", 12, anchor="start")
    d.text(bx + 4 * cell + 12, by + 38, "one tile of C", 12, anchor="start")
    return d.svg("A product in tiles")


LAYOUT = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>"


def layout(root, build):
    """Who holds which element, as `neso layout` says."""
    said = subprocess.run([str(build / "neso"), "layout", "--type", "8x16xf32", LAYOUT], capture_output=True, text=True, check=True).stdout
    rows = [re.findall(r"w(\d+)\.l(\d+):r(\d+)", line) for line in said.split("\n") if line.startswith("[")]
    d = Drawing(700, 50 + 26 * len(rows) + 44)
    d.text(20, 22, "a tile of 8 x 16, two warps: lane, and which of its registers", anchor="start", bold=True)
    for i, row in enumerate(rows):
        for j, (warp, lane, register) in enumerate(row):
            x, y = 20 + j * 41, 36 + i * 26
            d.box(x, y, 41, 26, COLOURS[int(warp)], FAINT)
            d.text(x + 20, y + 17, f"{lane}:{register}", 11, mono=True)
    for warp in range(2):
        d.box(20 + warp * 110, 36 + 26 * len(rows) + 14, 16, 16, COLOURS[warp], FAINT)
        d.text(42 + warp * 110, 36 + 26 * len(rows) + 27, f"warp {warp}", 12, anchor="start")
    return d.svg("Who holds which element of a tile")


def engines(root, build):
    """One kernel, three places to run."""
    d = Drawing(680, 250)
    for x, y, w, text, fill in ((20, 100, 110, "kernel.py", PALE), (180, 100, 90, "TTIR", COLOURS[0]), (320, 30, 150, "interpreter", COLOURS[2]),
                                (320, 100, 90, "TTGIR", COLOURS[0]), (450, 100, 80, "LLIR", COLOURS[0]), (570, 100, 80, "PTX", COLOURS[0]),
                                (420, 180, 140, "simulator", COLOURS[2]), (570, 180, 80, "GPU", COLOURS[1])):
        d.box(x, y, w, 36, fill, round=5)
        d.text(x + w / 2, y + 23, text, 14)
    for line in ((132, 118, 176, 118), (272, 118, 316, 118), (412, 118, 446, 118), (532, 118, 566, 118), (240, 98, 316, 56), (490, 138, 490, 176), (610, 138, 610, 176)):
        d.arrow(*line)
    d.text(395, 22, "whole tiles, on the CPU, each access checked", 12, fill=FAINT)
    d.text(560, 238, "target sim:sm_90a: warp by warp, on the CPU: races, waits", 11, anchor="end", fill=FAINT, mono=False)
    d.text(480, 53, "target interp", 11, anchor="start", fill=FAINT, mono=True)
    d.text(610, 232, "target cuda", 11, fill=FAINT, mono=True)
    return d.svg("From a kernel to where it runs")
