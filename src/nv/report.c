/* The messages of ptxas (or the driver's compiler): figures go into the cubin; errors, warnings
 * and advice become diagnostics.
 *
 * Lines are "ptxas KIND : text", "ptxas FILE, line N; KIND : text", and what follows "Function
 * properties for NAME". Errors with a line show that line of the PTX, and the source line that its
 * .loc names. Others stay in the log. */
#include "nv/inner.h"

typedef struct Reader {
	Str ptx;
	const char *kernel, *path; /* the kernel's name, and what its PTX is called in messages */
	bool in_kernel;            /* figures are about the kernel */
	bool error;
	NvCubin *cubin;
	DiagList *diags;
} Reader;

typedef struct Said {
	Str kind, text;
	unsigned line; /* of the PTX; 0: none */
} Said;

static Str trim(Str s)
{
	while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
		s.ptr++, s.len--;
	while (s.len && strchr(" \t\r\n", s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* Where `what` begins in s, or s.len. */
static size_t find(Str s, const char *what)
{
	size_t n = strlen(what);
	for (size_t i = 0; i + n <= s.len; i++)
		if (memcmp(s.ptr + i, what, n) == 0)
			return i;
	return s.len;
}

static Str from(Str s, size_t at)
{
	return at < s.len ? (Str){s.ptr + at, s.len - at} : (Str){s.ptr + s.len, 0};
}

/* Length up to the first of the characters. */
static size_t until(Str s, const char *stops)
{
	size_t n = 0;
	while (n < s.len && (!s.ptr[n] || !strchr(stops, s.ptr[n])))
		n++;
	return n;
}

static unsigned number(Str s)
{
	unsigned n = 0;
	for (size_t i = 0; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9' && n < 100000000u; i++)
		n = n * 10 + (unsigned)(s.ptr[i] - '0');
	return n;
}

/* The number before `unit` ("12 bytes spill stores"); false where the unit is not in the line. */
static bool figure(Str line, const char *unit, unsigned *out)
{
	size_t at = find(line, unit);
	if (at == line.len)
		return false;
	size_t end = at;
	while (at > 0 && line.ptr[at - 1] == ' ')
		at--;
	end = at;
	while (at > 0 && line.ptr[at - 1] >= '0' && line.ptr[at - 1] <= '9')
		at--;
	if (at == end)
		return false;
	*out = number((Str){line.ptr + at, end - at});
	return true;
}

static bool next_line(Str *rest, Str *line)
{
	if (!rest->len)
		return false;
	const char *end = memchr(rest->ptr, '\n', rest->len);
	size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
	*line = (Str){rest->ptr, len};
	*rest = from(*rest, len + (end != NULL));
	return true;
}

/* ---- places ---- */

static Str ptx_line(Str ptx, unsigned wanted)
{
	Str line = {0};
	for (unsigned n = 0; n < wanted; n++)
		if (!next_line(&ptx, &line))
			return STR("");
	return line;
}

/* The name of file `wanted` of the line tables: .file 1 "/dir/add.py" */
static Str file_name(Str ptx, unsigned wanted)
{
	Str line;
	while (next_line(&ptx, &line)) {
		Str t = trim(line);
		if (find(t, ".file") != 0)
			continue;
		t = trim(from(t, strlen(".file")));
		size_t quote = find(t, "\"");
		Str name = from(t, quote + 1);
		if (number(t) == wanted && quote < t.len)
			return (Str){name.ptr, find(name, "\"")};
	}
	return STR("");
}

/* The last .loc before a line says which source line it was made for: the file's name, empty where there is none. */
static Str source_of(Str ptx, unsigned wanted, LineCol *at)
{
	Str rest = ptx, line, loc = {0};
	for (unsigned n = 1; n <= wanted && next_line(&rest, &line); n++) {
		Str t = trim(line);
		if (find(t, ".loc") == 0)
			loc = trim(from(t, strlen(".loc")));
		if (find(t, ".entry") != t.len || find(t, ".func") != t.len)
			loc.len = 0;
	}
	if (!loc.len)
		return STR("");
	Str row = trim(from(loc, until(loc, " \t")));
	Str col = trim(from(row, until(row, " \t")));
	*at = (LineCol){number(row), number(col)};
	return file_name(ptx, number(loc));
}

static void note_source(Reader *r, Diag *diag, unsigned wanted)
{
	LineCol at;
	Str name = source_of(r->ptx, wanted, &at);
	if (name.len)
		diag_note_at(r->diags, diag, arena_strndup(r->diags->arena, name.ptr, name.len), at,
			     "this line of the PTX was made for");
}

static void add(Reader *r, DiagCode code, const Said *said)
{
	Arena *arena = r->diags->arena;
	const char *text = arena_strndup(arena, said->text.ptr, said->text.len);
	if (!said->line) {
		diag_add_at(r->diags, r->path, (LineCol){0}, code, text);
		return;
	}
	enum { LONGEST = 400 };
	Str line = ptx_line(r->ptx, said->line);
	LineCol at = {said->line, 1 + (uint32_t)(trim(line).ptr - line.ptr)};
	Diag *diag = diag_add_at(r->diags, r->path, at, code, text);
	if (diag && line.len && line.len <= LONGEST)
		diag->line_text = arena_strndup(arena, line.ptr, line.len);
	note_source(r, diag, said->line);
}

/* ---- lines ---- */

/* "KIND : text" */
static bool split_kind(Str line, Said *said)
{
	static const char *const kinds[] = {"info", "warning", "error", "fatal", "advisory"};
	said->kind = (Str){line.ptr, until(line, " \t:")};
	Str text = trim(from(line, said->kind.len));
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!str_is(said->kind, kinds[i]) || !text.len || text.ptr[0] != ':')
			continue;
		said->text = trim(from(text, 1));
		return true;
	}
	return false;
}

/* "ptxas KIND : text" and "ptxas FILE, line N; KIND : text"; false: a line of another form. */
static bool split(Str line, Said *said)
{
	*said = (Said){0};
	if (find(line, "ptxas ") != 0)
		return false;
	Str rest = trim(from(line, strlen("ptxas ")));
	if (split_kind(rest, said))
		return true;
	Str place = from(rest, find(rest, ", line ") + strlen(", line "));
	said->line = number(place);
	return split_kind(trim(from(place, find(place, ";") + 1)), said);
}

static void read_info(Reader *r, const Said *said)
{
	Str text = said->text;
	unsigned value;
	if (find(text, "Compiling entry function") == 0 || find(text, "Function properties for") == 0) {
		Str quoted = from(text, find(text, "'") + 1);
		Str name = find(text, "'") < text.len ? (Str){quoted.ptr, find(quoted, "'")}
						      : trim(from(text, strlen("Function properties for")));
		r->in_kernel = str_is(name, r->kernel);
	} else if (find(text, "Used ") == 0 && r->in_kernel) {
		if (figure(text, "registers", &value))
			r->cubin->registers = value;
		if (figure(text, "bytes smem", &value))
			r->cubin->shared = value;
	} else if (find(text, "(C75") == 0) {
		add(r, DIAG_PTXAS_ADVICE, said); /* wgmma made serial, waits put in */
	}
}

static void read_line(Reader *r, Str line)
{
	Said said;
	if (!split(line, &said)) {
		if (r->in_kernel && find(line, "bytes stack frame") < line.len) {
			figure(line, "bytes stack frame", &r->cubin->stack);
			figure(line, "bytes spill stores", &r->cubin->spill_stores);
			figure(line, "bytes spill loads", &r->cubin->spill_loads);
		}
		return;
	}
	if (str_is(said.kind, "info")) {
		read_info(r, &said);
	} else if (str_is(said.kind, "warning")) {
		add(r, find(said.text, "(C75") == 0 ? DIAG_PTXAS_ADVICE : DIAG_PTXAS_WARNING, &said);
	} else if (str_is(said.kind, "advisory")) {
		add(r, DIAG_PTXAS_ADVICE, &said);
	} else if (!(r->error && find(said.text, "Ptx assembly aborted") == 0)) {
		r->error = true;
		add(r, DIAG_PTXAS_ERROR, &said);
	}
}

bool nv_report_read(Str said, Str ptx, const char *kernel, NvCubin *cubin, DiagList *diags)
{
	Reader r = {
		.ptx = ptx,
		.kernel = kernel,
		.path = arena_printf(diags->arena, "%s.ptx", kernel),
		.cubin = cubin,
		.diags = diags,
	};
	Str line;
	while (next_line(&said, &line))
		read_line(&r, line);
	return r.error;
}

/* ---- remarks ---- */

/* Advice of how the code could have been better: numbers from C7500 on, and advisories. */
static bool is_advice(const Said *said)
{
	return find(said->text, "(C75") == 0 || str_is(said->kind, "advisory");
}

void nv_report_remarks(Str log, Str ptx, const char *path, LineCol at, RemarkList *out)
{
	Str line;
	while (next_line(&log, &line)) {
		Said said;
		if (!split(line, &said) || !(is_advice(&said) || str_is(said.kind, "warning")))
			continue;
		LineCol place = at;
		Str name = said.line ? source_of(ptx, said.line, &place) : STR("");
		const char *file = name.len ? arena_strndup(out->arena, name.ptr, name.len) : path;
		const char *text = arena_strndup(out->arena, said.text.ptr, said.text.len);
		Remark *r = remark_add_text(out, file, place, is_advice(&said) ? REMARK_PTXAS_LOSS : REMARK_PTXAS_WARNING, text);
		if (said.line)
			remark_figure(r, "ptx_line", said.line);
	}
}
