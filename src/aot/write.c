/* Header and source as text. */
#include "aot/inner.h"

#include <stdlib.h>

#include "cache/entry/hash.h"

/* ---- prototypes ---- */

static void write_prototype(Text *out, const AotFunction *f)
{
	text_printf(out, "int %s(void *stream, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z", f->name);
	for (uint32_t p = 0; p < f->param_count; p++) {
		const AotParam *param = &f->params[p];
		bool star = param->type && param->type[strlen(param->type) - 1] == '*';
		if (param->kind != AOT_ABSENT)
			text_printf(out, ", %s%s%s", param->type, star ? "" : " ", param->name);
	}
	text_char(out, ')');
}

/* A text of the user's in a comment. */
static void write_plain(Text *out, const char *text)
{
	for (const char *c = text; *c; c++)
		text_char(out,
			  (*c == '*' && c[1] == '/') || (*c == '/' && c[1] == '*') || (unsigned char)*c < ' '
				  ? ' '
				  : *c);
}

static void write_targets(Text *out, const AotFunction *f)
{
	const AotCase *c = &f->cases.data[0];
	for (uint32_t i = 0; i < c->images.len; i++)
		text_printf(out, "%s%s%s", i ? ", " : "", c->images.data[i].ptx ? "PTX of " : "",
			    c->images.data[i].variant->options.gpu->name);
}

static void write_comment(Text *out, const AotFunction *f)
{
	const char *path = f->kernel->info->path, *slash = strrchr(path, '/');
	text_printf(out, "\n/* %s of ", f->kernel->info->qualified_name);
	write_plain(out, slash ? slash + 1 : path);
	text_printf(out, ": %u variant%s; %s; ", f->cases.len, f->cases.len == 1 ? "" : "s", f->options);
	write_targets(out, f);
	for (uint32_t p = 0; p < f->param_count; p++) {
		const AotParam *param = &f->params[p];
		text_printf(out, "\n *\t%s%s ", f->kernel->info->params[p].name,
			    param->kind == AOT_ABSENT ? " =" : ":");
		write_plain(out, param->what ? param->what : "None");
		if (param->kind == AOT_BITS)
			text_str(out, ", as its bits");
	}
	text_str(out, " */\n");
}

/* ---- the header ---- */

static const char header_types[] =
	"#ifndef NESO_AOT_ABI\n"
	"#define NESO_AOT_ABI 1\n"
	"\n"
	"/* What the functions give back: one of these, or a positive number: a CUresult of the driver. */\n"
	"enum {\n"
	"\tNESO_AOT_OK = 0,\n"
	"\tNESO_AOT_NO_DRIVER = -1,  /* libcuda.so.1 cannot be loaded */\n"
	"\tNESO_AOT_OLD_DRIVER = -2, /* it has no entry point that is needed */\n"
	"\tNESO_AOT_NO_CONTEXT = -3, /* no CUDA context is current in the calling thread */\n"
	"\tNESO_AOT_NO_IMAGE = -4,   /* no code for this GPU */\n"
	"\tNESO_AOT_NO_VARIANT = -5, /* nothing was compiled for such arguments */\n"
	"\tNESO_AOT_NO_MAP = -6,     /* no tensor map can be made of the arguments */\n"
	"\tNESO_AOT_NO_MEMORY = -7,\n"
	"\tNESO_AOT_NO_SCRATCH = -8, /* no global memory for the kernel's scratch */\n"
	"\tNESO_AOT_OTHER_ABI = -9,  /* the caller was compiled for another interface */\n"
	"\tNESO_AOT_TOO_LATE = -10,  /* the driver is in use already */\n"
	"\tNESO_AOT_NO_CLUSTERS = -11 /* the driver cannot launch clusters */\n"
	"};\n"
	"\n"
	"/* A tensor descriptor: shape and strides in elements, of as many dims as the kernel's block has; "
	"the last stride is 1.\n"
	" * pad_nan: what lies outside reads as NaN, else as 0. */\n"
	"typedef struct neso_aot_tensor {\n"
	"\tconst void *address;\n"
	"\tint64_t shape[5], strides[5];\n"
	"\tbool pad_nan;\n"
	"} neso_aot_tensor;\n"
	"\n"
	"/* Address of the driver's function of this name, as dlsym gives it, or NULL. */\n"
	"typedef void *neso_aot_symbol_fn(void *data, const char *name);\n"
	"/* Device memory that is the kernel's until its launch in `stream` ends; 0: there is none. */\n"
	"typedef uint64_t neso_aot_scratch_fn(void *data, size_t bytes, size_t align, void *stream);\n"
	"#elif NESO_AOT_ABI != 1\n"
	"#error \"headers of different versions of neso aot in one program\"\n"
	"#endif\n";

static const char header_use[] = "/* Every function may be called from any thread. Kernels are launched in "
				 "the calling thread's current context, and\n"
				 " * loaded into it when they are first launched there. Nothing is printed. "
				 "Pointers are addresses on the device.\n"
				 " * A grid of 0 programs launches nothing. */\n";

/* All but the line that says the hash of this. */
static void write_header_body(const Aot *aot, Text *out)
{
	const char *name = aot->options->name;
	text_str(out, "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n");
	text_str(out, header_types);
	text_str(out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
	text_str(out, header_use);
	for (uint32_t i = 0; i < aot->functions.len; i++) {
		write_comment(out, &aot->functions.data[i]);
		write_prototype(out, &aot->functions.data[i]);
		text_str(out, ";\n");
	}
	text_printf(out,
		    "\n/* Loads all kernels into the current context. abi: NESO_AOT_ABI. */\n"
		    "int %s_load(uint32_t abi);\n"
		    "/* Unloads them from it, when no other thread launches there. To be called before the "
		    "context is destroyed\n"
		    " * where the driver is older than CUDA 12. */\n"
		    "int %s_unload(void);\n"
		    "/* A sentence for what a function gave back. Lives as long as the program. */\n"
		    "const char *%s_error(int status);\n",
		    name, name, name);
	text_printf(out,
		    "/* Where the driver's functions are from, before anything else is called; without it "
		    "libcuda.so.1 is loaded. */\n"
		    "int %s_set_driver(neso_aot_symbol_fn *symbol, void *data);\n"
		    "/* Who gives scratch memory; NULL, and without it: memory is allocated and freed in the "
		    "order of the stream. */\n"
		    "void %s_set_scratch(neso_aot_scratch_fn *scratch, void *data);\n",
		    name, name);
}

static uint64_t hash_of(const Text *text)
{
	CacheDigest digest = cache_hash_of(text->data, text->len);
	uint64_t hash = 0;
	for (int i = 0; i < 8; i++)
		hash = hash << 8 | digest.bytes[i];
	return hash;
}

static void write_file_comment(const Aot *aot, Text *out)
{
	(void)aot;
	text_str(out, "/* Kernels compiled by Neso " NESO_VERSION
		      " (neso aot). Generated: changes are lost. */\n");
}

void aot_header(const Aot *aot, Text *out)
{
	Text body;
	const char *name = aot->options->name;
	text_init(&body, aot->arena);
	write_header_body(aot, &body);
	unsigned long long hash = hash_of(&body);
	write_file_comment(aot, out);
	text_printf(out, "#ifndef NESO_AOT_FILE_%s\n#define NESO_AOT_FILE_%s 0x%llx\n\n", name, name, hash);
	text_str(out, body.data);
	text_printf(out,
		    "\n/* Linking fails where header and source are of different runs. */\n"
		    "extern const char %s_%016llx;\n"
		    "#if defined(__GNUC__)\n"
		    "__attribute__((used)) static const char *const neso_aot_check_%s = &%s_%016llx;\n"
		    "#endif\n",
		    name, hash, name, name, hash);
	text_str(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- functions ---- */

static void write_number(Text *out, int64_t value)
{
	if (value == INT64_MIN)
		text_str(out, "INT64_MIN");
	else
		text_printf(out, value == (int32_t)value && value != INT32_MIN ? "%lld" : "INT64_C(%lld)",
			    (long long)value);
}

static void write_fits(Text *out, const AotParam *param, const AotGuard *g)
{
	const char *and = "";
	uint32_t bits = g->bits - g->is_signed;
	if (param->is_signed && g->is_signed && g->bits < param->bits) {
		text_printf(out, "%s >= INT%u_MIN", param->name, g->bits);
		and = " && ";
	} else if (param->is_signed && !g->is_signed) {
		text_printf(out, "%s >= 0", param->name);
		and = " && ";
	}
	if (bits < param->bits - param->is_signed)
		text_printf(out, "%s%s <= %s%u_MAX", and, param->name, g->is_signed ? "INT" : "UINT",
			    g->bits);
	else if (!*and)
		text_str(out, "true");
}

static void write_guard(Text *out, const AotFunction *f, const AotGuard *g)
{
	const AotParam *param = &f->params[g->param];
	if (g->test == AOT_FITS) {
		write_fits(out, param, g);
	} else if (g->test == AOT_DIVISIBLE && param->kind == AOT_POINTER) {
		text_printf(out, "(uintptr_t)%s %% %lld == 0", param->name, (long long)g->value);
	} else if (g->test == AOT_DIVISIBLE) {
		text_printf(out, "%s %% %lld == 0", param->name, (long long)g->value);
	} else if (param->kind == AOT_BOOL) {
		text_printf(out, g->value ? "%s" : "!%s", param->name);
	} else {
		text_printf(out, "%s == ", param->name);
		write_number(out, g->value);
	}
}

static void write_guards(Text *out, const AotFunction *f)
{
	if (!f->guards.len)
		return;
	text_str(out, "\tuint64_t guards = 0;\n");
	for (uint32_t i = 0; i < f->guards.len; i++) {
		text_str(out, "\tguards |= (uint64_t)(");
		write_guard(out, f, &f->guards.data[i]);
		text_printf(out, ") << %u;\n", i);
	}
}

/* The first case whose guards hold: those that know most come first. */
static void write_choice(Text *out, const AotFunction *f)
{
	bool always = false;
	text_str(out, "\tuint32_t which;\n");
	for (uint32_t i = 0; i < f->cases.len && !always; i++) {
		const AotCase *c = &f->cases.data[i];
		always = c->guards == 0;
		text_str(out, i ? "\telse" : "\t");
		if (!always)
			text_printf(out, "%sif ((guards & 0x%llx) == 0x%llx)", i ? " " : "",
				    (unsigned long long)c->guards, (unsigned long long)c->guards);
		text_printf(out, "%swhich = %u;\n", always && !i ? "" : "\n\t\t", c->number);
	}
	if (!always)
		text_str(out, "\telse\n\t\treturn NESO_AOT_NO_VARIANT;\n");
}

static void write_numbers(Text *out, const AotFunction *f)
{
	for (uint32_t i = 0; i < f->numbers.len; i++) {
		const AotNumber *n = &f->numbers.data[i];
		const AotParam *from = &f->params[n->param];
		static const char *const types[DT__COUNT] = {
			[DT_INT1] = "bool",	  [DT_INT8] = "int8_t",	    [DT_UINT8] = "uint8_t",
			[DT_INT16] = "int16_t",	  [DT_UINT16] = "uint16_t", [DT_INT32] = "int32_t",
			[DT_UINT32] = "uint32_t", [DT_INT64] = "int64_t",   [DT_UINT64] = "uint64_t",
			[DT_FP32] = "float",	  [DT_FP64] = "double",
		};
		if (n->dtype == DT_INT1)
			text_printf(out, "\tbool number_%u = %s != 0;\n", i, from->name);
		else
			text_printf(out, "\t%s number_%u = (%s)%s;\n", types[n->dtype], i, types[n->dtype],
				    from->name);
	}
}

/* The driver takes pointers to values as void *, and reads alone. */
static void write_values(Text *out, const AotFunction *f)
{
	text_str(out, f->value_count ? "\tvoid *const values[] = {" : "\tvoid *const *values = NULL;\n");
	if (!f->value_count)
		return;
	const char *before = "";
	for (uint32_t p = 0; p < f->param_count; p++) {
		const AotParam *param = &f->params[p];
		if (param->kind == AOT_ABSENT)
			continue;
		if (param->kind != AOT_TENSOR) {
			text_printf(out, "%s(void *)&%s", before, param->name);
		} else {
			text_printf(out, "%s(void *)&%s->address", before, param->name);
			for (uint32_t d = 0; d < param->rank; d++)
				text_printf(out, ", (void *)&%s->shape[%u]", param->name, d);
			for (uint32_t d = 0; d < param->rank; d++)
				text_printf(out, ", (void *)&%s->strides[%u]", param->name, d);
			text_printf(out, ", (void *)&%s->pad_nan", param->name);
		}
		before = ",\n\t\t\t\t";
	}
	for (uint32_t i = 0; i < f->numbers.len; i++)
		text_printf(out, "%s(void *)&number_%u", i || *before ? ", " : "", i);
	text_str(out, "};\n");
}

static void write_function(Text *out, const AotFunction *f)
{
	text_char(out, '\n');
	write_prototype(out, f);
	text_str(out, "\n{\n");
	write_numbers(out, f);
	write_values(out, f);
	text_str(out, "\tconst uint32_t grid[3] = {grid_x, grid_y, grid_z};\n");
	write_guards(out, f);
	write_choice(out, f);
	text_str(out, "\treturn nk_launch(which, values, grid, stream);\n}\n");
}

/* ---- the source ---- */

static void write_exports(const Aot *aot, Text *out)
{
	const char *name = aot->options->name;
	text_printf(out,
		    "\nint %s_load(uint32_t abi)\n{\n\treturn nk_load_all(abi);\n}\n"
		    "\nint %s_unload(void)\n{\n\treturn nk_unload_all();\n}\n"
		    "\nconst char *%s_error(int status)\n{\n\treturn nk_error(status);\n}\n",
		    name, name, name);
	text_printf(out,
		    "\nint %s_set_driver(neso_aot_symbol_fn *symbol, void *data)\n{\n\treturn "
		    "nk_use_symbols(symbol, data);\n}\n"
		    "\nvoid %s_set_scratch(neso_aot_scratch_fn *scratch, void "
		    "*data)\n{\n\tnk_use_scratch(scratch, data);\n}\n",
		    name, name);
}

void aot_source(const Aot *aot, const Text *header, Text *out)
{
	static const char mark[] = "/* @TABLES@ */\n";
	const char *name = aot->options->name, *tables = strstr(aot_support, mark);
	const char *line = strstr(header->data, "#define NESO_AOT_FILE_");
	const char *hash = strstr(line, " 0x") + 3;
	int digits = (int)strcspn(hash, "\n");
	write_file_comment(aot, out);
	text_str(out, "#if !defined(_DEFAULT_SOURCE) && !defined(_GNU_SOURCE)\n#define _DEFAULT_SOURCE /* "
		      "dlfcn.h */\n#endif\n");
	text_printf(out, "#include \"%s.h\"\n\n#if NESO_AOT_ABI != %d || NESO_AOT_FILE_%s != 0x%.*s\n", name,
		    AOT_ABI, name, digits, hash);
	text_printf(out, "#error \"%s.h is not the header that was made with this file\"\n#endif\n\n", name);
	text_printf(out, "const char %s_%016llx = 0;\n\n", name, strtoull(hash, NULL, 16));
	text_add(out, aot_support, (size_t)(tables - aot_support));
	aot_tables(aot, out);
	text_str(out, tables + sizeof mark - 1);
	for (uint32_t i = 0; i < aot->functions.len; i++)
		write_function(out, &aot->functions.data[i]);
	write_exports(aot, out);
}

/* ---- all ---- */

JitStatus aot_write(const JitVariant *const *variants, size_t count, const AotOptions *options, Text *header,
		    Text *source, DiagList *diags)
{
	Aot aot = {.arena = diags->arena, .options = options, .diags = diags};
	JitStatus status = JIT_OK;
	const char *const names[] = {options->name,
				     options->prefix && *options->prefix ? options->prefix : options->name};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!aot_is_identifier(names[i])) {
			diag_add(diags, (Span){0}, DIAG_AOT_NAME, names[i]);
			return JIT_ARGUMENT;
		}
	if (!count) {
		diag_add(diags, (Span){0}, DIAG_AOT_NONE);
		return JIT_ARGUMENT;
	}
	if (!aot_collect(&aot, variants, count))
		return JIT_ARGUMENT;
	if (aot_images(&aot, &status)) {
		aot_header(&aot, header);
		aot_source(&aot, header, source);
	}
	aot_let_go(&aot);
	return status;
}
