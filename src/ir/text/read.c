/* Reading a whole text: alias definitions, then a module, or functions without a module around
 * them. */
#include "ir/text/read_int.h"

static void init(Reader *r, IrCx *cx, const Source *source, DiagList *diags)
{
	*r = (Reader){.cx = cx, .arena = cx->arena, .source = source, .diags = diags};
	r->m = ir_module_new(cx);
	r->end = source->text + source->len;
	map_init(&r->ops, r->arena);
	map_init(&r->values, r->arena);
	map_init(&r->poisoned, r->arena);
	map_init(&r->aliases, r->arena);
	map_init(&r->wanted, r->arena);
	for (int i = 0; i < OP__COUNT; i++)
		map_put(&r->ops, map_key(ir_sym(cx, ir_op_info[i].text)), (uint64_t)i);
}

/* Values without a location of their own get one that brings their name out again. */
static void keep_names(Reader *r)
{
	AsmNames names;
	if (!r->wanted.len)
		return;
	asm_names_init(&names, r->m, r->arena);
	names.wanted = &r->wanted;
	names.cx = r->cx;
	asm_names_assign(&names, r->m->op);
}

IrModule *ir_read(IrCx *cx, const Source *source, DiagList *diags)
{
	Reader r;
	init(&r, cx, source, diags);
	uint32_t errors = diags->errors;
	read_find_aliases(&r);
	read_seek(&r, source->text);
	while (r.tok.kind != TOK_EOF) {
		if (r.tok.kind == TOK_HASH || r.tok.kind == TOK_BANG) {
			read_alias_definition(&r);
			continue;
		}
		read_ops_until_close(&r, ir_module_block(r.m));
		if (read_is(&r, '}')) {
			read_expected(&r, "an operation");
			read_next(&r);
		}
	}
	for (uint32_t i = 0; i < r.forwards.len; i++)
		READ_FAIL(&r, r.forwards.data[i].ref.span, DIAG_IR_VALUE, r.forwards.data[i].ref.name);
	if (r.failed || diags->errors != errors)
		return NULL;
	if (!r.have_module)
		r.m->op->loc = ir_loc_file(cx, source->path, 1, 0);
	keep_names(&r);
	return r.m;
}
