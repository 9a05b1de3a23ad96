/* Frames, errors and bounds of a lowering: where it is, and whether it may go on. */
#include "base/diag/diag.h"
#include "base/stop.h"
#include "front/core.h"

/* ---- a lowering ---- */

void lower_open(FrontLower *low, FrontSession *session, Arena *arena, IrCx *cx, DiagList *diags,
		const FrontOptions *options)
{
	*low = (FrontLower){.arena = arena, .diags = diags, .cx = cx, .options = options, .session = session, .reads = options->reads};
	map_init(&low->globals, arena);
	map_init(&low->instances, arena);
	map_init(&low->told, arena);
	low->poison = val_new(low, VAL_POISON);
	low->none = val_new(low, VAL_NONE);
	Val *b = val_new(low, VAL_BOOL);
	low->false_ = b;
	b = val_new(low, VAL_BOOL);
	b->b = true;
	low->true_ = b;
}

Sym lower_sym(FrontLower *low, Str text)
{
	return intern(&low->session->names, text);
}

void lower_print(FrontLower *low, Str text)
{
	const FrontHost *host = &low->session->host;
	if (host->print && !low->quiet)
		host->print(host->data, text.ptr, text.len);
}

/* ---- frames ---- */

Frame *frame_new(FrontLower *low, FrontFunction *function, Namespace *ns)
{
	CONTRACT(ns || function);
	Frame *frame = ARENA_NEW(low->arena, Frame);
	frame->function = function;
	frame->ns = ns;
	frame->root = low->frame ? low->frame->root : frame;
	map_init(&frame->slot_of, low->arena);
	return frame;
}

uint32_t frame_slot(FrontLower *low, Frame *frame, Sym name)
{
	uint64_t slot;
	if (map_get(&frame->slot_of, map_key(name), &slot))
		return (uint32_t)slot;
	slot = frame->names.len;
	map_put(&frame->slot_of, map_key(name), slot);
	vec_push(low->arena, &frame->names, name);
	vec_push(low->arena, &frame->slots, (Slot){0});
	return (uint32_t)slot;
}

void frame_set(FrontLower *low, Frame *frame, Sym name, const Val *val)
{
	CONTRACT(name);
	uint32_t slot = frame_slot(low, frame, name); /* before the array is looked at: it may move */
	frame->slots.data[slot] = (Slot){.val = val, .at = low->span};
}

const Val *frame_get(const Frame *frame, Sym name)
{
	uint64_t slot;
	return map_get(&frame->slot_of, map_key(name), &slot) ? frame->slots.data[slot].val : NULL;
}

bool frame_is_turned(const Frame *frame, Sym name)
{
	for (uint32_t i = 0; i < frame->turned.len; i++)
		if (frame->turned.data[i] == name)
			return true;
	return false;
}

bool frame_is_subject(Sym name)
{
	return strncmp(name, "%match", 6) == 0;
}

SlotVec frame_save(FrontLower *low, const Frame *frame)
{
	SlotVec copy = {.len = frame->slots.len, .cap = MAX(frame->slots.len, 1u)};
	copy.data = arena_alloc_raw(low->arena, copy.cap * sizeof *copy.data, _Alignof(Slot));
	if (copy.len)
		memcpy(copy.data, frame->slots.data, copy.len * sizeof *copy.data);
	return copy;
}

/* ---- places ---- */

static IrLoc location(FrontLower *low, Span span)
{
	const Source *source = source_get(&low->session->sources, span.file);
	if (!source)
		return low->cx->unknown;
	uint32_t lo = 0, hi = source->line_count;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (source->lines[mid] <= span.start)
			lo = mid;
		else
			hi = mid;
	}
	IrLoc loc =
		ir_loc_file(low->cx, source->path, lo + source->first_line, span.start - source->lines[lo]);
	Sym prefix = low->frame ? low->frame->prefix : NULL;
	return prefix ? ir_loc_name(low->cx, ir_sym(low->cx, prefix), loc) : loc;
}

Span lower_at(FrontLower *low, Span span)
{
	Span old = low->span;
	low->span = span;
	low->b.loc = location(low, span);
	return old;
}

void lower_restore(FrontLower *low, Span old)
{
	if (old.file == low->span.file && old.start == low->span.start) {
		low->span = old;
		return;
	}
	lower_at(low, old);
}

IrLoc lower_named_loc(FrontLower *low, Sym name, Span span)
{
	Sym old = low->frame->prefix;
	low->frame->prefix = name;
	IrLoc loc = location(low, span);
	low->frame->prefix = old;
	return loc;
}

/* ---- errors ---- */

enum { MAX_CHAIN_NOTES = 8 };

/* Is the place in lib/, where the user has written nothing? */
static bool in_lib(const FrontLower *low, Span span)
{
	const Source *source = source_get(&low->session->sources, span.file);
	return source && strncmp(source->path, "<neso>/", 7) == 0;
}

/* *from: the frame of the place. */
static Span user_span(const FrontLower *low, const Frame **from)
{
	Span at = low->span;
	*from = low->frame;
	while (*from && (*from)->caller && in_lib(low, at)) {
		at = (*from)->call_span.file ? (*from)->call_span : at;
		*from = (*from)->caller;
	}
	return at;
}

Span lower_user_span(const FrontLower *low)
{
	const Frame *from;
	return user_span(low, &from);
}

/* What shows inside lib/ is reported at the call that led there. NULL: it was not taken. */
static Diag *report_at(FrontLower *low, DiagCode code, va_list args)
{
	const Frame *from;
	Span at = user_span(low, &from);
	Diag *d = diag_add_v(low->diags, at, code, args);
	unsigned notes = 0;
	if (d && in_lib(low, low->span) && !in_lib(low, at))
		diag_note(low->diags, d, low->span, "found here");
	for (const Frame *f = from; d && f && f->caller && notes < MAX_CHAIN_NOTES; f = f->caller, notes++) {
		if (!f->call_span.file)
			continue;
		diag_note(low->diags, d, f->call_span, "in the call of '%s' here",
			  f->function ? f->function->ast->name ? f->function->ast->name : "lambda"
				      : "module");
	}
	return d;
}

static void report(FrontLower *low, DiagCode code, va_list args)
{
	low->failed_work = low->failed_work ? low->failed_work : low->work + 1;
	low->reported = report_at(low, code, args);
}

const char *lower_source_text(const FrontLower *low)
{
	enum { LONGEST = 60 };
	const Source *source = source_get(&low->session->sources, low->span.file);
	if (!source || low->span.start >= source->len)
		return "this";
	const char *text = source->text + low->span.start;
	size_t len = strcspn(text, "\r\n"), whole = MIN(low->span.end, source->len) - low->span.start;
	bool cut = len < whole || whole > LONGEST;
	len = MIN(MIN(len, whole), LONGEST);
	while (len && cut && ((unsigned char)text[len] & 0xc0) == 0x80)
		len--;
	return arena_printf(low->arena, "%.*s%s", (int)len, text, cut ? "..." : "");
}

void lower_warning(FrontLower *low, DiagCode code, ...)
{
	if (low->stopped || low->quiet)
		return;
	va_list args;
	va_start(args, code);
	report_at(low, code, args);
	va_end(args);
}

const Val *lower_error(FrontLower *low, DiagCode code, ...)
{
	if (low->stopped)
		return low->poison;
	va_list args;
	va_start(args, code);
	report(low, code, args);
	va_end(args);
	if (diag_full(low->diags))
		low->stopped = true;
	return low->poison;
}

bool lower_extension(FrontLower *low, const char *what)
{
	if (low->options->strict)
		lower_error(low, DIAG_STRICT, what);
	return !low->options->strict;
}

bool lower_extension_words(FrontLower *low, const char *words)
{
	if (low->options->strict)
		lower_error(low, DIAG_STRICT_WORDS, words);
	return !low->options->strict;
}

void lower_note(FrontLower *low, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = arena_vprintf(low->arena, format, args);
	va_end(args);
	diag_note(low->diags, low->reported, (Span){0}, "%s", text);
}

void lower_note_constexpr(FrontLower *low, const Val *v)
{
	const AstParam *param = NULL;
	for (const Frame *f = low->frame; f && f->function; f = f->caller)
		for (uint32_t i = 0; i < f->function->ast->param_count; i++)
			if (frame_get(f, f->function->ast->params[i].name) == v)
				param = &f->function->ast->params[i];
	if (param && param->annotation)
		lower_note(low, "'%s' has another value here than the one it was given: a name of its own "
				"for that keeps it", param->name);
	else if (param)
		lower_note(low, "a parameter that is known when compiling is declared so: %s: tl.constexpr",
			   param->name);
}

void lower_stop(FrontLower *low, DiagCode code, ...)
{
	if (low->stopped)
		return;
	va_list args;
	va_start(args, code);
	report(low, code, args);
	va_end(args);
	low->stopped = true;
}

bool lower_step(FrontLower *low)
{
	if (low->stopped)
		return false;
	uint64_t bound = low->options->max_work ? low->options->max_work : LOWER_MAX_WORK;
	if ((++low->work & 255) == 0)
		stop_point();
	if (low->work > bound)
		lower_stop(low, DIAG_LIMIT_WORK, (unsigned long long)bound);
	return !low->stopped;
}
