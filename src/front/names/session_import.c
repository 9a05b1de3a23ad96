/* Imports: from a dotted name in a file to a module. Files are looked for beside the importer and
 * up through the packages that hold it; what is found nowhere is EXTERNAL, a package this compiler
 * does not read. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "front/session.h"

#include <stdlib.h>

#include "base/os.h"
#include "front/names/lib_embed.h"
#include "front/syntax/parse.h"

/* Packages that are never looked for on disk: Python's
 * own and those that kernels' files import most. */
static const char *const known_packages[] = {
	"__future__",
	"abc",
	"argparse",
	"ast",
	"collections",
	"contextlib",
	"copy",
	"ctypes",
	"dataclasses",
	"einops",
	"enum",
	"functools",
	"gc",
	"hashlib",
	"importlib",
	"inspect",
	"io",
	"itertools",
	"json",
	"logging",
	"math",
	"multiprocessing",
	"numbers",
	"numpy",
	"operator",
	"os",
	"packaging",
	"pathlib",
	"pickle",
	"platform",
	"pytest",
	"random",
	"re",
	"shutil",
	"string",
	"struct",
	"subprocess",
	"sys",
	"tempfile",
	"textwrap",
	"threading",
	"time",
	"torch",
	"transformers",
	"types",
	"typing",
	"typing_extensions",
	"unittest",
	"warnings",
	"weakref",
};

static bool root_is(const char *module, const char *root)
{
	size_t n = strlen(root);
	return strncmp(module, root, n) == 0 && (module[n] == '\0' || module[n] == '.');
}

bool import_is_tile_language(const char *module)
{
	return root_is(module, "triton") || root_is(module, "neso");
}

static bool is_known_package(const char *module)
{
	for (size_t i = 0; i < ARRAY_LEN(known_packages); i++)
		if (root_is(module, known_packages[i]))
			return true;
	return false;
}

bool import_is_known(const char *module)
{
	return import_is_tile_language(module) || is_known_package(module);
}

/* ---- modules, each made once ---- */

FrontModule *session_module(FrontSession *s, ModuleKind kind, const char *name, const char *path)
{
	for (uint32_t i = 0; i < s->modules.len; i++) {
		FrontModule *m = s->modules.data[i];
		if (m->kind == kind && strcmp(kind == MODULE_PACKAGE ? m->path : m->name,
					      kind == MODULE_PACKAGE ? path : name) == 0)
			return m;
	}
	FrontModule *m = ARENA_NEW(s->arena, FrontModule);
	m->session = s;
	m->kind = kind;
	m->name = arena_strdup(s->arena, name);
	m->path = path ? arena_strdup(s->arena, path) : NULL;
	namespace_init(&m->ns, m, NULL);
	vec_push(s->arena, &s->modules, m);
	return m;
}

/* One text of several that a file has (below) is no file's. */
static const char *real_path(Arena *arena, const char *path)
{
	char *real = strchr(path, '\x1f') ? NULL : realpath(path, NULL);
	const char *copy = arena_strdup(arena, real ? real : path);
	free(real);
	return copy;
}

static FrontModule *loaded(FrontSession *s, const char *real, const Str *text)
{
	for (uint32_t i = s->modules.len; i-- > 0;) {
		FrontModule *m = s->modules.data[i];
		if (m->kind != MODULE_FILE || strcmp(m->real_path, real) != 0)
			continue;
		if (!text ||
		    (text->len == m->source->len && memcmp(text->ptr, m->source->text, text->len) == 0))
			return m;
	}
	return NULL;
}

/* How deep imports may nest: each level is a level of C's stack. */
enum { MAX_LOAD_DEPTH = 60 };

const char *front_shown_path(Arena *arena, const char *path)
{
	return arena_strndup(arena, path, strcspn(path, "\x1f"));
}

/* A file of which an import is broken has no fault of its own. */
static void tell_again(FrontModule *m, DiagList *diags)
{
	uint32_t errors = diags->errors;
	AstModule *ast = ast_parse_module(m->session->arena, &m->session->names, m->source, diags);
	if (!ast || diags->errors != errors)
		return;
	Namespace ns;
	namespace_init(&ns, m, NULL);
	m->indexing = true;
	index_statements(&ns, &ast->body, diags);
	m->indexing = false;
}

FrontModule *session_load(FrontSession *s, const char *path, const char *name, const Str *text, Span span,
			  DiagList *diags)
{
	const char *real = real_path(s->arena, path);
	FrontModule *m = loaded(s, real, text);
	if (m && m->broken && !m->indexing)
		tell_again(m, diags);
	if (m) {
		s->refused += m->broken;
		return m->broken ? NULL : m;
	}
	Str bytes = text ? *text : (Str){0};
	const char *error = NULL;
	if (s->load_depth >= MAX_LOAD_DEPTH) {
		diag_add(diags, span, DIAG_IMPORT_DEPTH, MAX_LOAD_DEPTH);
		return NULL;
	}
	if (!text && !os_read_file(s->arena, path, &bytes, &error)) {
		s->refused++;
		diag_add(diags, span, DIAG_FILE_UNREADABLE, path, error);
		return NULL;
	}
	m = ARENA_NEW(s->arena, FrontModule);
	m->session = s;
	m->kind = MODULE_FILE;
	m->name = arena_strdup(s->arena, name);
	m->path = front_shown_path(s->arena, path);
	m->real_path = real;
	m->source =
		source_add(&s->sources, m->path, arena_strndup(s->arena, bytes.ptr, bytes.len), bytes.len, 1);
	namespace_init(&m->ns, m, NULL);
	vec_push(s->arena, &s->modules, m);
	uint32_t errors = diags->errors;
	m->ast = ast_parse_module(s->arena, &s->names, m->source, diags);
	m->broken = !m->ast || diags->errors != errors;
	if (m->ast) {
		s->load_depth++;
		m->indexing = true;
		index_statements(&m->ns, &m->ast->body, diags);
		m->indexing = false;
		/* an import of it is, and no handler takes that */
		m->broken = m->broken || diags->errors != errors;
		s->load_depth--;
	}
	s->refused += m->broken;
	return m->broken ? NULL : m;
}

/* ---- finding files ---- */

/* `folder`/a/b/__init__.py for "a.b", else `folder`/a/b.py, as Python looks; the folder itself for
 * "". NULL when there is none. */
static FrontModule *find_in(FrontSession *s, const char *folder, const char *module, Span span,
			    DiagList *diags)
{
	char *relative = arena_strdup(s->arena, module);
	for (char *p = relative; *p; p++)
		if (*p == '.')
			*p = '/';
	const char *base = *relative ? os_path_join(s->arena, folder, relative) : folder;
	const char *init = os_path_join(s->arena, base, "__init__.py");
	if (os_is_file(init))
		return session_load(s, init, module, NULL, span, diags);
	const char *file = arena_printf(s->arena, "%s.py", base);
	if (*relative && os_is_file(file))
		return session_load(s, file, module, NULL, span, diags);
	return os_is_dir(base) ? session_module(s, MODULE_PACKAGE, module, base) : NULL;
}

static FrontModule *find_absolute(FrontModule *importer, const char *module, Span span, DiagList *diags)
{
	FrontSession *s = importer->session;
	const char *folder = os_path_dir(s->arena, importer->real_path), *from = "";
	bool inside = true; /* still in the packages that hold the importer */
	for (unsigned up = 0; up < 16; up++) {
		/* Above them only the folder we came from is a
		 * package that can be meant: one without __init__.py. */
		FrontModule *m =
			inside || root_is(module, from) ? find_in(s, folder, module, span, diags) : NULL;
		if (m && m->kind == MODULE_FILE)
			return m;
		const char *slash = strrchr(folder, '/');
		if (!slash || !slash[1])
			break;
		inside = inside && os_is_file(os_path_join(s->arena, folder, "__init__.py"));
		from = slash + 1;
		folder = os_path_dir(s->arena, folder);
	}
	return NULL;
}

static FrontModule *find_lib(FrontSession *s, const char *name, DiagList *diags)
{
	for (size_t i = 0; i < front_lib_count; i++) {
		if (strcmp(front_lib_files[i].name, name) != 0)
			continue;
		const char *path = arena_printf(s->arena, "<neso>/%s.py", name);
		Str text = {front_lib_files[i].text, front_lib_files[i].len};
		return session_load(s, path, name, &text, (Span){0}, diags);
	}
	return NULL;
}

FrontModule *session_lib(FrontSession *s, const char *name, DiagList *diags)
{
	return find_lib(s, name, diags);
}

/* ---- imports ---- */

static FrontModule *ask_host(FrontModule *importer, const char *module, uint32_t level, Span span,
			     DiagList *diags)
{
	FrontSession *s = importer->session;
	if (!s->host.find_module)
		return NULL;
	const char *path = NULL;
	Str text = {0};
	char dots[32] = "";
	for (uint32_t i = 0; i < level && i < sizeof dots - 1; i++)
		dots[i] = '.';
	const char *name = arena_printf(s->arena, "%s%s", dots, module);
	if (!s->host.find_module(s->host.data, importer->path, name, &path, &text) || !path)
		return NULL;
	return session_load(s, path, module, text.ptr ? &text : NULL, span, diags);
}

static FrontModule *relative(FrontModule *importer, const char *module, uint32_t level, Span span,
			     DiagList *diags)
{
	FrontSession *s = importer->session;
	if (module_in_lib(importer))
		return *module ? find_lib(s, module, diags) : importer;
	const char *folder = importer->kind == MODULE_PACKAGE ? importer->path
							      : os_path_dir(s->arena, importer->real_path);
	for (uint32_t i = 1; i < level; i++)
		folder = os_path_dir(s->arena, folder);
	return find_in(s, folder, module, span, diags);
}

FrontModule *import_module(FrontModule *importer, const char *module, uint32_t level, Span span,
			   DiagList *diags, bool *found)
{
	FrontSession *s = importer->session;
	*found = true;
	if (!level && import_is_tile_language(module)) {
		const char *rest = strchr(module, '.');
		FrontModule *m = session_module(s, MODULE_BUILTIN,
						arena_printf(s->arena, "triton%s", rest ? rest : ""), NULL);
		*found = !root_is(m->name, "triton.language") || session_has_builtin_module(s, m->name);
		return m;
	}
	FrontModule *m = ask_host(importer, module, level, span, diags);
	if (!m && level)
		m = relative(importer, module, level, span, diags);
	else if (!m && module_in_lib(importer))
		m = find_lib(s, module, diags);
	else if (!m && !is_known_package(module) && importer->real_path)
		m = find_absolute(importer, module, span, diags);
	if (m)
		return m;
	*found = !level && is_known_package(module);
	return session_module(s, MODULE_EXTERNAL, *module ? module : ".", NULL);
}

FrontModule *binding_module(Binding *b, DiagList *diags, bool *found)
{
	CONTRACT(b->kind == BIND_IMPORT || b->kind == BIND_FROM || b->module);
	if (!b->from) {
		const char *name = b->kind == BIND_FROM ? b->module : b->whole ? b->module : b->name;
		FrontSession *s = b->ns->module->session;
		uint32_t refused = s->refused;
		FrontModule *m = import_module(b->ns->module, name ? name : "", b->level, b->span, diags,
					       &b->from_found);
		if (s->refused != refused) { /* whoever asks next is told too */
			*found = b->from_found;
			return m;
		}
		b->from = m;
	}
	*found = b->from_found;
	return b->from;
}

FrontModule *binding_module_quietly(Binding *b)
{
	DiagList quiet;
	bool found;
	diag_init(&quiet, b->ns->module->session->arena, NULL);
	return binding_module(b, &quiet, &found);
}

Binding *binding_imported(Binding *b)
{
	CONTRACT(b->kind == BIND_FROM);
	FrontModule *m = binding_module_quietly(b);
	return m->kind == MODULE_FILE ? namespace_find(&m->ns, b->member) : NULL;
}

FrontModule *import_submodule(FrontModule *package, Sym name, Span span, DiagList *diags)
{
	FrontSession *s = package->session;
	if (package->kind == MODULE_PACKAGE)
		return find_in(s, package->path, name, span, diags);
	if (package->kind != MODULE_FILE)
		return NULL;
	const char *slash = strrchr(package->real_path, '/');
	if (module_in_lib(package) || !slash || strcmp(slash + 1, "__init__.py") != 0)
		return NULL;
	return find_in(s, os_path_dir(s->arena, package->real_path), name, span, diags);
}
