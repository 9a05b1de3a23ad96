/* Reading regions and their blocks, and recovery after a fault. */
#include "ir/text/read_int.h"

static ReadBlock *find_block(Reader *r, Str text)
{
	Sym name = intern(&r->cx->syms, text);
	for (uint32_t i = 0; i < r->blocks->list.len; i++)
		if (r->blocks->list.data[i].name == name)
			return &r->blocks->list.data[i];
	ReadBlock block = {.name = name, .block = ir_block_new(r->m, NULL), .span = read_tok_span(r)};
	vec_push(r->arena, &r->blocks->list, block);
	return &vec_last(&r->blocks->list);
}

bool read_block_ref(Reader *r, IrBlock **block)
{
	if (r->tok.kind != TOK_BLOCK)
		return read_expected(r, "a block");
	if (!r->blocks) {
		Str text = read_tok_text(r);
		return READ_FAIL(r, read_tok_span(r), DIAG_IR_BLOCK, arena_strndup(r->arena, text.ptr, MIN(text.len, 60u)));
	}
	*block = find_block(r, read_tok_text(r))->block;
	read_next(r);
	return true;
}

static void add_argument(Reader *r, IrBlock *block, ReadArg arg)
{
	IrValue *value = ir_block_arg_add(r->m, block, arg.type, arg.loc ? arg.loc : read_loc_at(r, arg.span));
	if (!arg.loc)
		map_put_ptr(&r->wanted, value, arg.name);
	read_define(r, arg.name, arg.span, &value, 1);
}

/* ^bb1(%x: i32 loc(...)): */
static bool read_label(Reader *r, IrBlock **block)
{
	ReadBlock *found = find_block(r, read_tok_text(r));
	if (found->defined)
		return READ_FAIL(r, read_tok_span(r), DIAG_IR_BLOCK_TWICE, found->name);
	found->defined = true;
	/* An entry block that is still empty is the one that the label names. */
	IrRegion *region = r->blocks->region;
	if (region->first && region->first == region->last && !region->first->first && !region->first->arg_count &&
	    r->blocks->list.len == 1) {
		found->block = region->first;
	} else {
		ir_block_append(region, found->block);
	}
	*block = found->block;
	read_next(r);
	if (read_take(r, '(') && !read_take(r, ')')) {
		do {
			ReadArg arg = {0};
			ReadRef ref;
			if (!read_ref(r, &ref) || !read_expect(r, ':') || !(arg.type = read_type(r)) ||
			    !read_trailing_loc(r, &arg.loc))
				return false;
			arg.name = ref.name;
			arg.span = ref.span;
			add_argument(r, *block, arg);
		} while (read_take(r, ','));
		if (!read_expect(r, ')'))
			return false;
	}
	return read_expect(r, ':');
}

static bool at_line_start(const Reader *r)
{
	const char *p = r->tok.start;
	while (p > r->source->text && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	return p == r->source->text || p[-1] == '\n';
}

/* After a fault: on to what looks like the next op of the same block, or its end. */
static void recover(Reader *r)
{
	uint32_t nested = 0;
	for (; r->tok.kind != TOK_EOF; read_next(r)) {
		if (read_is(r, '{'))
			nested++;
		else if (read_is(r, '}') && nested-- == 0)
			return;
		else if (nested == 0 && at_line_start(r) &&
			 (r->tok.kind == TOK_VALUE || r->tok.kind == TOK_STRING || r->tok.kind == TOK_BLOCK ||
			  r->tok.kind == TOK_HASH ||
			  (r->tok.kind == TOK_ID && memchr(r->tok.start, '.', (size_t)(r->tok.end - r->tok.start)))))
			return;
	}
}

void read_ops_until_close(Reader *r, IrBlock *block)
{
	while (r->tok.kind != TOK_EOF && !read_is(r, '}')) {
		/* Aliases are defined outside of all. */
		if (r->depth == 0 && (r->tok.kind == TOK_HASH || r->tok.kind == TOK_BANG))
			return;
		const char *before = r->tok.start;
		bool ok = r->tok.kind == TOK_BLOCK && r->blocks ? read_label(r, &block) : read_one_op(r, block);
		if (ok)
			continue;
		if (r->tok.start == before)
			read_next(r);
		recover(r);
	}
}

static void check_blocks(Reader *r)
{
	for (uint32_t i = 0; i < r->blocks->list.len; i++) {
		const ReadBlock *b = &r->blocks->list.data[i];
		if (!b->defined)
			READ_FAIL(r, b->span, DIAG_IR_BLOCK, b->name);
	}
}

static void imply_terminator(Reader *r, IrRegion *region, IrOpKind kind)
{
	IrBlock *last = region->last;
	if (kind == OP__COUNT || !last || ir_terminator(last))
		return;
	ir_op_append(last, ir_op_new(r->m, kind, NULL, NULL, 0, NULL, 0, 0));
}

bool read_region(Reader *r, IrRegion *region, const ReadArgs *args, IrOpKind implied)
{
	if (!read_deeper(r))
		return false;
	if (!read_expect(r, '{')) {
		r->depth--;
		return false;
	}
	ReadBlocks blocks = {.outer = r->blocks, .region = region};
	uint32_t mark = r->scope.len;
	r->blocks = &blocks;
	IrBlock *entry = region->first ? region->first : ir_block_new(r->m, region);
	for (uint32_t i = 0; args && i < args->list.len; i++)
		add_argument(r, entry, args->list.data[i]);
	read_ops_until_close(r, entry);
	check_blocks(r);
	imply_terminator(r, region, implied);
	read_close_scope(r, mark);
	r->blocks = blocks.outer;
	r->depth--;
	return read_expect(r, '}');
}
