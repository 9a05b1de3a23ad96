"use strict";
/* The page of neso view. `data` has texts as the compiler gave them; which of their lines belong to which line of the
 * source is read off the locations that they carry. */
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);

function element(kind, attributes, text) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* ---- which line of the source a line of a stage comes from: 0 where none is known ---- */

const same = path => path === data.path || data.path.endsWith("/" + path) || path.endsWith("/" + data.path);

/* #loc7 = loc("file":3:4), loc("name"(#loc7)), loc(callsite(#loc1 at #loc2)). */
function linesOfMlir(rows) {
  const bodies = new Map(), known = new Map();
  for (const row of rows) {
    const m = /^(#loc\d*) = loc\((.*)\)\s*$/.exec(row);
    if (m) bodies.set(m[1], m[2]);
  }
  function lineOf(body, depth) {
    const place = /"((?:[^"\\]|\\.)*)":(\d+):\d+/.exec(body);
    if (place && same(place[1])) return +place[2];
    let found = 0;
    for (const name of body.match(/#loc\d*/g) || []) {
      if (!known.has(name) && depth < 40) known.set(name, bodies.has(name) ? lineOf(bodies.get(name), depth + 1) : 0);
      found = found || known.get(name) || 0;
    }
    return found;
  }
  return rows.map(row => {
    const at = row.lastIndexOf(" loc(");
    return at < 0 || row.startsWith("#loc") ? 0 : lineOf(row.slice(at + 5), 0);
  });
}

/* !dbg !7, and !7 = !DILocation(line: 3, scope: !5, inlinedAt: !9). */
function linesOfLlir(rows) {
  const nodes = new Map();
  for (const row of rows) {
    const m = /^(!\d+) = (?:distinct )?(!DI\w+)\((.*)\)\s*$/.exec(row);
    if (m) nodes.set(m[1], { kind: m[2], text: m[3] });
  }
  const field = (text, name) => (new RegExp("(?:^|, )" + name + ": (\"[^\"]*\"|[^,]+)").exec(text) || [])[1];
  function fileOf(id, depth) {
    const node = nodes.get(id);
    if (!node || depth > 40) return "";
    if (node.kind === "!DIFile") {
      const name = (field(node.text, "filename") || "").replace(/"/g, "");
      const folder = (field(node.text, "directory") || "").replace(/"/g, "");
      return name.startsWith("/") || !folder ? name : folder + "/" + name;
    }
    const file = field(node.text, "file");
    return file ? fileOf(file, depth + 1) : fileOf(field(node.text, "scope"), depth + 1);
  }
  const known = new Map();
  function lineOf(id, depth) {
    if (known.has(id)) return known.get(id);
    const node = nodes.get(id);
    let line = 0;
    if (node && node.kind === "!DILocation" && depth < 40) {
      const inlined = field(node.text, "inlinedAt");
      line = same(fileOf(field(node.text, "scope"), 0)) ? +field(node.text, "line") : 0;
      if (!line && inlined) line = lineOf(inlined.replace("distinct ", ""), depth + 1);
    }
    known.set(id, line);
    return line;
  }
  return rows.map(row => {
    const m = /!dbg (!\d+)/.exec(row);
    return m && !row.startsWith("define") ? lineOf(m[1], 0) : 0;
  });
}

/* .loc FILE LINE COLUMN[, function_name LABEL, inlined_at FILE LINE COLUMN]: for what follows. */
function linesOfPtx(rows) {
  const files = new Map();
  for (const row of rows) {
    const m = /^\s*\.file\s+(\d+)\s+"([^"]*)"/.exec(row);
    if (m) files.set(m[1], m[2]);
  }
  let now = 0;
  return rows.map(row => {
    const m = /^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?/.exec(row);
    if (m) {
      const own = same(files.get(m[1]) || ""), outer = m[3] && same(files.get(m[3]) || "");
      now = own ? +m[2] : outer ? +m[4] : now;
      return now;
    }
    if (/^\s*\}/.test(row)) now = 0;
    return /^\s+(@|[a-z{])/.test(row) ? now : 0;
  });
}

/* //## File "path", line 7 inlined at "path", line 9: before the instructions of a place a row for it and one for
 * each of its callers. The innermost place in this file is theirs. */
function linesOfSass(rows) {
  let now = 0, begun = false;
  return rows.map(row => {
    const m = /\/\/## File "([^"]*)", line (\d+)/.exec(row);
    if (m) {
      if (!begun) now = 0;
      begun = true;
      if (!now && same(m[1])) now = +m[2];
      return now;
    }
    begun = false;
    return /\/\*[0-9a-f]{4,}\*\//.test(row) ? now : 0;
  });
}

const readers = { ttir: linesOfMlir, ttgir: linesOfMlir, llir: linesOfLlir, ptx: linesOfPtx, sass: linesOfSass };
const stages = data.stages.map(stage => {
  if (stage.text === null) return { name: stage.name, why: stage.why, rows: [], lines: [] };
  const rows = stage.text.replace(/\n$/, "").split("\n");
  return { name: stage.name, rows, lines: readers[stage.name](rows) };
});

/* ---- source and stages beside each other ---- */

let shown = 0, line = 0;

function drawSource() {
  const linked = new Set(stages.flatMap(stage => stage.lines));
  data.source.replace(/\n$/, "").split("\n").forEach((text, i) => {
    const row = element("div", { class: "row" + (linked.has(i + 1) ? " linked" : ""), "data-n": i + 1, id: "s" + (i + 1) }, text || " ");
    row.onclick = () => choose(i + 1, "source");
    $("source").append(row);
    for (const remark of data.remarks.filter(r => r.line === i + 1 && r.path !== null && same(r.path))) $("source").append(remarkOf(remark));
  });
  for (const remark of data.remarks.filter(r => r.path === null || !same(r.path))) $("source").append(remarkOf(remark));
}

function remarkOf(remark) {
  const mark = { done: "+", missed: "-", fact: " " }[remark.outcome];
  const times = remark.times > 1 ? ` (${remark.times} times)` : "";
  const row = element("div", { class: "remark " + remark.outcome }, `${mark} ${remark.kind} ${remark.rule}: ${remark.text}${times}`);
  if (remark.advice && remark.outcome !== "done") row.append(element("small", {}, remark.advice));
  return row;
}

function drawStage() {
  const stage = stages[shown];
  $("stage").replaceChildren();
  if (!stage.rows.length) $("stage").append(element("p", {}, stage.why || "empty"));
  stage.rows.forEach((text, i) => {
    const from = stage.lines[i];
    const row = element("div", { class: "row" + (from ? " linked" : ""), "data-n": i + 1, "data-from": from }, text || " ");
    row.onclick = () => choose(from, "stage");
    $("stage").append(row);
  });
  for (const button of $("stages").children) button.setAttribute("aria-pressed", button.dataset.stage === stage.name);
  mark("source");
}

/* by: the pane where it was chosen, which stays where it is. */
function mark(by) {
  for (const row of document.querySelectorAll(".row.hot")) row.classList.remove("hot");
  if (!line) return;
  const source = $("s" + line), first = document.querySelectorAll(`#stage [data-from="${line}"]`);
  if (source) source.classList.add("hot");
  first.forEach(row => row.classList.add("hot"));
  if (by !== "source" && source) source.scrollIntoView({ block: "center" });
  if (by !== "stage" && first.length) first[0].scrollIntoView({ block: "center" });
}

function choose(chosen, by) {
  line = chosen === line ? 0 : chosen;
  mark(by);
}

function drawTabs() {
  stages.forEach((stage, i) => {
    const button = element("button", { "data-stage": stage.name, type: "button" }, stage.name.toUpperCase());
    button.onclick = () => {
      shown = i;
      drawStage();
    };
    $("stages").append(button);
  });
}

/* ---- layouts: {register = [[0, 1]], lane = ..., warp = ..., block = ...} -> {dim0 = 2, dim1 = 4} ---- */

function readLinear(text) {
  const [ins, outs] = text.split(" -> ");
  const parts = [...ins.matchAll(/(\w+) = (\[(?:[^\[\]]|\[[^\]]*\])*\])/g)].map(m => ({ name: m[1], bases: JSON.parse(m[2]) }));
  const shape = [...outs.matchAll(/dim\d+ = (\d+)/g)].map(m => +m[1]);
  return { parts, shape };
}

/* For each element, by row and column of the last two dims: the input numbers of its first holder. */
function holders(linear) {
  const bits = linear.parts.flatMap(part => part.bases.map((base, i) => ({ part: part.name, bit: 1 << i, base })));
  const rank = linear.shape.length, width = rank ? linear.shape[rank - 1] : 1;
  const at = new Map();
  let copies = 0;
  for (let n = 0; n < 2 ** bits.length; n++) {
    const where = new Array(rank).fill(0), input = {};
    bits.forEach((b, i) => {
      if (!(n >> i & 1)) return;
      input[b.part] = (input[b.part] || 0) | b.bit;
      b.base.forEach((v, d) => where[d] ^= v);
    });
    if (where.slice(0, -2).some(v => v)) continue;
    const key = (rank > 1 ? where[rank - 2] : 0) * width + (rank ? where[rank - 1] : 0);
    if (at.has(key)) copies++;
    else at.set(key, input);
  }
  return { at, copies, rows: rank > 1 ? linear.shape[rank - 2] : 1, columns: width };
}

const MOST = 64; /* rows and columns that are drawn */
const BANKS = 32, BANK_BYTES = 4;
const colour = (n, of) => `hsl(${Math.round(n * 360 / Math.max(of, 1))} 70% ${80 - n % 2 * 8}%)`;

function grid(held, cell) {
  const table = element("table", { class: "grid" });
  const columns = Math.min(held.columns, MOST);
  const head = element("tr");
  head.append(element("th"));
  for (let c = 0; c < columns; c++) head.append(element("th", {}, c));
  table.append(head);
  for (let r = 0; r < Math.min(held.rows, MOST); r++) {
    const row = element("tr");
    row.append(element("th", {}, r));
    for (let c = 0; c < columns; c++) {
      const { text, title, fill } = cell(held.at.get(r * held.columns + c) || {}, r, c);
      row.append(element("td", { title, style: `background: ${fill}` }, text));
    }
    table.append(row);
  }
  return table;
}

function drawRegisters(linear, into) {
  const held = holders(linear);
  const warps = 2 ** (linear.parts.find(p => p.name === "warp") || { bases: [] }).bases.length;
  into.append(element("p", {}, `A colour for each warp of ${warps}; lane:register in the cells` +
    (held.copies ? `; ${held.copies} further copies of elements are held elsewhere` : "")));
  into.append(grid(held, (h, r, c) => ({
    text: `${h.lane || 0}:${h.register || 0}`,
    title: `[${r}, ${c}]: warp ${h.warp || 0}, lane ${h.lane || 0}, register ${h.register || 0}` + (h.block ? `, CTA ${h.block}` : ""),
    fill: colour(h.warp || 0, warps),
  })));
}

function drawShared(linear, bytes, into) {
  const held = holders(linear);
  const bankOf = h => Math.floor((h.offset || 0) * bytes / BANK_BYTES) % BANKS;
  into.append(element("p", {}, "The bank of each element: a colour and a number for each of 32 banks of 4 bytes"));
  into.append(grid(held, (h, r, c) => ({
    text: bankOf(h),
    title: `[${r}, ${c}]: byte ${(h.offset || 0) * bytes}, bank ${bankOf(h)}`,
    fill: colour(bankOf(h), BANKS),
  })));
  into.append(element("p", {}, "Bank by bank: a row for each 128 bytes of shared memory, the element that each bank begins with"));
  into.append(bankTable(held, bytes));
}

function bankTable(held, bytes) {
  const words = new Map();
  let most = 0;
  for (const [key, h] of held.at) {
    const byte = (h.offset || 0) * bytes, word = Math.floor(byte / BANK_BYTES);
    most = Math.max(most, word);
    if (!words.has(word) || words.get(word).byte > byte) words.set(word, { byte, row: Math.floor(key / held.columns), column: key % held.columns });
  }
  const table = element("table", { class: "grid banks" }), head = element("tr");
  head.append(element("th", {}, "byte"));
  for (let b = 0; b < BANKS; b++) head.append(element("th", {}, b));
  table.append(head);
  for (let r = 0; r <= Math.min(Math.floor(most / BANKS), MOST - 1); r++) {
    const row = element("tr");
    row.append(element("th", {}, r * BANKS * BANK_BYTES));
    for (let b = 0; b < BANKS; b++) {
      const w = words.get(r * BANKS + b);
      row.append(element("td", { style: `background: ${w ? colour(w.row % 32, 32) : "transparent"}` }, w ? `${w.row},${w.column}` : ""));
    }
    table.append(row);
  }
  return table;
}

function drawLayouts() {
  const choice = element("select", { id: "layout" }), into = element("div", { class: "scroll", id: "drawn" });
  data.layouts.forEach((layout, i) => choice.append(element("option", { value: i }, `${layout.name} ${layout.type}${layout.shared ? " (shared memory)" : ""}`)));
  function draw() {
    const layout = data.layouts[choice.value];
    into.replaceChildren();
    if (!layout) return;
    const linear = readLinear(layout.linear);
    into.append(element("p", {}, layout.linear));
    if (linear.shape.slice(-2).some(n => n > MOST)) into.append(element("p", {}, `The first ${MOST} rows and columns`));
    if (layout.shared) drawShared(linear, layout.bytes, into);
    else drawRegisters(linear, into);
  }
  choice.onchange = draw;
  $("layouts").append(data.layouts.length ? choice : element("p", {}, "No tile has a layout"), into);
  draw();
}

/* ---- the pipeline of a loop ---- */

function svg(kind, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* Lines of the loop that begins at a line: those that are indented further. */
function bodyOf(first) {
  const rows = data.source.split("\n"), depth = text => text.length - text.trimStart().length;
  let last = first;
  while (last < rows.length && (!rows[last].trim() || depth(rows[last]) > depth(rows[first - 1]))) last++;
  return { first, last };
}

/* Products of 16-bit elements that the tensor cores of an SM add up in a cycle by mma.sync (NVIDIA's white papers of the
 * GA100, the GA102 and the AD102); an instruction has 32 bytes of K, whatever the type. */
const productsOf = { sm_80: 1024, sm_86: 512, sm_89: 512 };

/* What the compiler's model says of an iteration, in cycles of an SM: 64 bytes a cycle from the second-level cache, 128
 * of shared memory, N / 2 for a wgmma of m64nN; what threads compute where the plan of the loop has counted it. */
function cycles(loop, remarks) {
  const found = remarks.find(r => r.kind === "loop" && r.rule !== "cycles" && r.figures.tensor_cycles !== undefined);
  /* What is done ahead stands before the loop, too, once for each stage but the last. */
  const stages = loop.figures.stages;
  const each = r => r.kind === "memory" && r.times % stages === 0 ? r.times / stages : r.kind === "load" ? 1 : r.times;
  const sum = (kind, of) => remarks.filter(r => r.kind === kind).reduce((n, r) => n + of(r.figures) * each(r), 0);
  const rows = [
    { unit: "global memory (L2)", cycles: sum("load", f => (f.bytes || 0) / 64) },
    { unit: "shared memory", cycles: (sum("memory", f => f.wavefronts || 0) + sum("conversion", f => f.wavefronts || 0)) * data.warps },
  ];
  const rate = productsOf[data.target.replace("sim:", "")];
  const products = sum("dot", f => f.asynchronous !== undefined ? f.instructions * f.n / 2 * data.warps / 4 :
    f.m && rate ? f.instructions * data.warps * f.m * f.n * 16 / rate : 0);
  if (found) rows.push({ unit: "tensor cores", cycles: found.figures.tensor_cycles },
    { unit: "special functions", cycles: found.figures.special_cycles }, { unit: "issue", cycles: found.figures.issue_cycles });
  else if (products) rows.push({ unit: "tensor cores", cycles: products });
  return { rows, whole: found ? found.figures.cycles : undefined };
}

function drawChart(loop, remarks) {
  const turns = 6, width = 90, height = 24, left = 170, top = 24;
  const loads = remarks.filter(r => r.kind === "load" && r.outcome === "done" && r.figures.ahead !== undefined);
  /* A product stands in the loop, and before or behind it once more: one row for its line. Those that are done an
   * iteration late are the last ones. */
  const dots = [...new Set(remarks.filter(r => r.kind === "dot").map(r => r.line))].sort((a, b) => a - b);
  const rotated = remarks.find(r => r.rule === "rotated"), pending = loop.figures.pending || 0;
  const isLate = i => rotated !== undefined && i >= dots.length - rotated.figures.late;
  const isLong = l => remarks.some(r => r.kind === "dot" && r.line === l && r.figures.asynchronous) && (pending || rotated);
  const ahead = Math.max(0, ...loads.map(r => r.figures.ahead));
  const slots = turns + ahead;
  const units = loads.map(r => ({ name: `line ${r.line}: copy, ${r.figures.ahead} ahead`, shift: -r.figures.ahead, fill: "#90caf9" }))
    .concat(dots.map((l, i) => ({ name: `line ${l}: product`, shift: isLate(i) ? 1 : 0, fill: "#a5d6a7", long: isLong(l) })));
  if (!dots.length) units.push({ name: "computing", shift: 0, fill: "#a5d6a7" });
  const chart = svg("svg", { width: left + slots * width + 10, height: top + units.length * (height + 6) + 10, class: "chart", role: "img" });
  for (let t = 0; t < slots; t++) {
    const n = t - ahead;
    chart.append(svg("text", { x: left + t * width + 4, y: 14 }, n < 0 ? "prologue" : `iteration ${n}`));
    chart.append(svg("line", { x1: left + t * width, x2: left + t * width, y1: 18, y2: top + units.length * (height + 6), stroke: "#8884" }));
  }
  units.forEach((unit, u) => {
    const y = top + u * (height + 6);
    chart.append(svg("text", { x: 0, y: y + 16 }, unit.name));
    for (let k = 0; k < turns; k++) {
      const t = k + ahead + unit.shift;
      if (t >= slots) continue;
      const span = unit.shift < 0 ? -unit.shift : unit.long ? 1.4 : 1;
      const box = { x: left + t * width + 2, y: y + (unit.shift < 0 ? k % 2 * 3 : 0), width: Math.min(span, slots - t) * width - 4, height: height - 4 };
      chart.append(svg("rect", { ...box, rx: 3, fill: unit.fill, "fill-opacity": unit.shift < 0 ? .6 : 1, stroke: "#0006" }));
      chart.append(svg("text", { x: box.x + 6, y: y + 15, class: "inside" }, `tile ${k}`));
    }
  });
  return chart;
}

function drawModel(model) {
  const table = element("div", { class: "model" }), most = Math.max(1, ...model.rows.map(r => r.cycles));
  const slowest = model.rows.reduce((a, b) => b.cycles > a.cycles ? b : a);
  table.append(element("p", {}, "What the model expects of an iteration of a program that has an SM of its own" +
    (model.whole !== undefined ? `: ${model.whole} cycles` : slowest.cycles ? `: at least ${Math.round(slowest.cycles)} cycles, for ${slowest.unit}` : "")));
  const chart = svg("svg", { width: 700, height: model.rows.length * 22 + 6, class: "bars", role: "img" });
  model.rows.forEach((row, i) => {
    chart.append(svg("text", { x: 0, y: i * 22 + 15 }, row.unit));
    chart.append(svg("rect", { x: 170, y: i * 22 + 3, width: Math.max(1, row.cycles / most * 400), height: 16, fill: row === slowest ? "#ffab91" : "#b0bec5" }));
    chart.append(svg("text", { x: 178 + row.cycles / most * 400, y: i * 22 + 15 }, `${Math.round(row.cycles)} cycles`));
  });
  table.append(chart);
  return table;
}

function drawPipelines() {
  const loops = data.remarks.filter(r => r.kind === "loop" && r.rule === "pipelined" && r.path !== null && same(r.path));
  for (const loop of loops) {
    const body = bodyOf(loop.line);
    const inside = data.remarks.filter(r => r.path !== null && same(r.path) && r.line >= body.first && r.line <= body.last);
    const part = element("div", { class: "loop", "data-line": loop.line });
    part.append(element("h3", {}, `Line ${loop.line}: ${loop.text}`));
    const scroll = element("div", { class: "scroll" });
    scroll.append(drawChart(loop, inside));
    part.append(scroll, drawModel(cycles(loop, inside)));
    $("pipeline").append(part);
  }
  if (!loops.length) {
    const said = data.remarks.filter(r => r.kind === "loop").map(r => `line ${r.line}: ${r.rule}: ${r.text}`);
    $("pipeline").append(element("p", {}, "No loop is pipelined" + (said.length ? ": " + said.join("; ") : "")));
  }
}

$("title").textContent = data.title;
$("facts").textContent = data.facts;
$("path").textContent = data.path;
drawTabs();
drawSource();
const first = stages.findIndex(stage => stage.name === "ttgir" && stage.rows.length);
shown = Math.max(first, 0);
drawStage();
drawPipelines();
drawLayouts();
/* page.html#L57, page.html#ptx:L57 */
function followHash() {
  const m = /^#(?:(\w+):)?L(\d+)$/.exec(location.hash);
  if (!m) return;
  const wanted = stages.findIndex(stage => stage.name === m[1]);
  shown = wanted < 0 ? shown : wanted;
  drawStage();
  line = +m[2];
  mark("");
}
window.onhashchange = followHash;
followHash();
document.body.dataset.ready = "yes";
