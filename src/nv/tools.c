/* Finds the toolkit's programs and asks for their versions. The answer stays with the handle until
 * a file of the program changes (program.c), so checking its identity costs a stat for each
 * compile. */
#include "nv/inner.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/option/library.h"
#include "base/option/option.h"
#include "base/os.h"

enum { PACKAGE_BINS = 8 };

struct NvTools {
	NvToolsOptions options;
	const char *bins[PACKAGE_BINS]; /* of toolkits that are Python packages, as they were in the beginning */
	Arena arena;                    /* holds bins */
	pthread_mutex_t lock;
	NvTool *first;
};

/* Folders of programs below a folder of Python packages: of the toolkit 13, and of the one before it. */
static void add_packages(NvTools *tools, const char *folder)
{
	static const char *const inside[] = {"cu13/bin", "cuda_nvcc/bin"};
	const char *nvidia = os_path_join(&tools->arena, folder, "nvidia");
	if (!os_is_dir(nvidia))
		return;
	for (size_t i = 0; i < ARRAY_LEN(inside); i++) {
		size_t n = 0;
		const char *bin = os_path_join(&tools->arena, nvidia, inside[i]);
		while (n < PACKAGE_BINS && tools->bins[n])
			n++;
		if (n < PACKAGE_BINS && os_is_dir(bin))
			tools->bins[n] = bin;
	}
}

/* Looked for once: what a launch's look-up asks each time is what is there. */
static void find_packages(NvTools *tools, const char *packages)
{
	const char *own = library_folder(&tools->arena);
	for (const char *at = packages ? packages : ""; *at;) {
		size_t len = strcspn(at, ":");
		if (len)
			add_packages(tools, arena_strndup(&tools->arena, at, len));
		at += len + (at[len] == ':');
	}
	if (own)
		add_packages(tools, os_path_join(&tools->arena, own, ".."));
}

NvTools *nv_tools_new(const NvToolsOptions *options)
{
	NvTools *volatile tools = nv_new(sizeof *tools);
	Fault fault;
	arena_init(&tools->arena, 0);
	if (FAULT_TRY(&fault)) {
		if (options)
			tools->options = *options;
		tools->options.extra = tools->options.packages = NULL;
		tools->options.ptxas = nv_text(tools->options.ptxas);
		tools->options.extra = options ? nv_text(options->extra) : NULL;
		find_packages(tools, options ? options->packages : NULL);
		fault_leave(&fault);
	} else {
		arena_free(&tools->arena);
		free(tools);
		fault_raise(fault.kind, "%s", fault.text);
	}
	pthread_mutex_init(&tools->lock, NULL);
	return tools;
}

void nv_tools_free(NvTools *tools)
{
	if (!tools)
		return;
	for (NvTool *t = tools->first, *next; t; t = next) {
		next = t->next;
		nv_program_free(t);
	}
	pthread_mutex_destroy(&tools->lock);
	arena_free(&tools->arena);
	free((char *)tools->options.ptxas);
	free((char *)tools->options.extra);
	free(tools);
}

const NvToolsOptions *nv_tools_options(const NvTools *tools)
{
	return &tools->options;
}

const char *nv_extra_options(const NvTools *tools)
{
	const char *extra = tools->options.extra ? tools->options.extra : option_given(OPTION_PTXAS_OPTIONS, NULL);
	return extra ? extra : "";
}

bool nv_optimizes(const NvAssemble *how)
{
	return !how->no_optimize && !option_is_on(OPTION_PTXAS_OPT);
}

/* ---- finding ---- */

bool nv_runs(const char *path)
{
	return os_is_file(path) && access(path, X_OK) == 0;
}

/* What a setting names; NULL: nothing, or the driver's own. */
static const char *named(OptionId option)
{
	const char *value = option_given(option, NULL);
	return value && strcmp(value, "driver") != 0 ? value : NULL;
}

/* The assembler that the user gave; NULL: none. */
static const char *given_ptxas(const NvTools *tools, unsigned capability)
{
	if (tools->options.ptxas && strcmp(tools->options.ptxas, "driver") != 0)
		return tools->options.ptxas;
	const char *blackwell = capability >= 100 ? named(OPTION_PTXAS_BLACKWELL) : NULL;
	return blackwell ? blackwell : named(OPTION_PTXAS);
}

const char *nv_in_path(const char *name, Arena *arena)
{
	for (const char *at = getenv("PATH"); at && *at; at = *at ? at + 1 : NULL) {
		size_t len = strcspn(at, ":");
		const char *path = os_path_join(arena, len ? arena_strndup(arena, at, len) : ".", name);
		if (nv_runs(path))
			return path;
		at += len;
		if (!*at)
			break;
	}
	return NULL;
}

static bool is_one_of(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] && strcmp(list[i], text) == 0)
			return true;
	return false;
}

/* One in a folder; NULL: it has none. */
static const char *in_folder(const char *folder, const char *name, Arena *arena, Text *tried)
{
	const char *path = os_path_join(arena, folder, name);
	if (nv_runs(path))
		return path;
	text_printf(tried, "%s is not there, ", path);
	return NULL;
}

/* What was installed for this program goes before what the machine has. */
static const char *in_toolkits(const NvTools *tools, const char *name, Arena *arena, Text *tried)
{
	static const char common[] = "/usr/local/cuda";
	const char *const roots[] = {named(OPTION_CUDA_HOME), named(OPTION_CUDA_PATH)};
	const char *found = NULL;
	for (size_t i = 0; i < ARRAY_LEN(roots) && !found; i++)
		if (roots[i])
			found = in_folder(os_path_join(arena, roots[i], "bin"), name, arena, tried);
	for (size_t i = 0; i < PACKAGE_BINS && tools->bins[i] && !found; i++)
		found = in_folder(tools->bins[i], name, arena, tried);
	if (!found && !is_one_of(common, roots, ARRAY_LEN(roots)))
		found = in_folder(os_path_join(arena, common, "bin"), name, arena, tried);
	return found;
}

static const char *find(const NvTools *tools, const char *name, unsigned capability, Arena *arena, Text *tried)
{
	const char *ptxas = given_ptxas(tools, capability);
	const char *given = strcmp(name, "ptxas") == 0      ? ptxas
			    : strcmp(name, "nvdisasm") == 0 ? named(OPTION_NVDISASM) : named(OPTION_CUOBJDUMP);
	/* A path that the user gave is taken or found wrong; the search does not go on behind it. */
	if (given) {
		if (!nv_runs(given))
			text_printf(tried, "%s is not a program", given);
		return nv_runs(given) ? given : NULL;
	}
	/* The disassembler of the assembler's own toolkit goes first: it knows the same targets. */
	if (ptxas) {
		const char *beside = os_path_join(arena, os_path_dir(arena, ptxas), name);
		if (nv_runs(beside))
			return beside;
	}
	const char *path = in_toolkits(tools, name, arena, tried);
	if (!path)
		path = nv_in_path(name, arena);
	if (!path)
		text_printf(tried, "and PATH has none");
	return path;
}

/* ---- versions ---- */

/* "..., release 13.0, V13.0.88": the version behind the V, and 130. */
static void read_version(Str said, Arena *arena, const char **version, unsigned *release)
{
	*version = "unknown";
	*release = 0;
	const char *text = said.len ? strstr(said.ptr, "release ") : NULL;
	unsigned major = 0, minor = 0;
	if (!text)
		return;
	text += strlen("release ");
	while (*text >= '0' && *text <= '9' && major < 1000)
		major = major * 10 + (unsigned)(*text++ - '0');
	if (*text == '.')
		text++;
	while (*text >= '0' && *text <= '9' && minor < 1000)
		minor = minor * 10 + (unsigned)(*text++ - '0');
	*release = major * 10 + MIN(minor, 9u);
	const char *full = strstr(text, "V");
	size_t len = full ? strspn(full + 1, "0123456789.") : 0;
	*version = len ? arena_strndup(arena, full + 1, len) : arena_printf(arena, "%u.%u", major, minor);
}

static const char *ask(const NvTool *tool, Arena *arena)
{
	const char *args[] = {tool->path, "--version", NULL};
	NvRun run = {.path = tool->path, .args = args, .input = STR(""), .timeout = 20};
	NvRan ran;
	nv_run(arena, &run, &ran);
	return ran.said.len ? ran.said.ptr : "";
}

static NvTool *known(const NvTools *tools, const char *path)
{
	for (NvTool *t = tools->first; t; t = t->next)
		if (strcmp(t->path, path) == 0)
			return t;
	return NULL;
}

static NvTool *get_locked(NvTools *tools, const char *path, Arena *arena)
{
	NvTool *volatile tool = known(tools, path);
	if (tool && nv_program_unchanged(&tools->options, tool, arena))
		return tool;
	tool = NULL; /* what was known stays: other threads may use it */
	Fault fault;
	if (FAULT_TRY(&fault)) {
		tool = nv_new(sizeof *tool);
		tool->path = nv_text(path);
		const char *version, *said = nv_program_read(&tools->options, tool, ask, arena);
		read_version(str_of(said), arena, &version, &tool->release);
		tool->version = nv_text(version);
		fault_leave(&fault);
	} else {
		if (tool)
			nv_program_free(tool);
		fault_raise(fault.kind, "%s", fault.text);
	}
	tool->next = tools->first;
	tools->first = tool;
	return tool;
}

static const NvTool *get(NvTools *tools, const char *path, Arena *arena)
{
	const NvTool *volatile tool = NULL;
	Fault fault;
	pthread_mutex_lock(&tools->lock);
	if (FAULT_TRY(&fault)) {
		tool = get_locked(tools, path, arena);
		fault_leave(&fault);
	}
	pthread_mutex_unlock(&tools->lock);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return tool;
}

const NvTool *nv_tool(NvTools *tools, const char *name, unsigned capability, Arena *arena, const char **tried)
{
	Text why;
	text_init(&why, arena);
	text_str(&why, "");
	const char *path = find(tools, name, capability, arena, &why);
	if (tried)
		*tried = why.data;
	return path ? get(tools, path, arena) : NULL;
}

bool nv_tools_find(NvTools *tools, const char *name, Arena *arena, const char **path, const char **version)
{
	const NvTool *tool = nv_tool(tools, name, 0, arena, NULL);
	if (!tool)
		return false;
	*path = arena_strdup(arena, tool->path);
	*version = arena_strdup(arena, tool->version);
	return true;
}

bool nv_wants_driver(const NvTools *tools)
{
	const char *chosen = tools->options.ptxas;
	if (!chosen)
		chosen = option_given(OPTION_PTXAS, NULL);
	return chosen && strcmp(chosen, "driver") == 0;
}

bool nv_uses_driver(NvTools *tools, const NvAssemble *how, Arena *arena, const NvTool **ptxas,
		    const char **tried)
{
	*ptxas = NULL;
	*tried = "";
	if (nv_wants_driver(tools))
		return true;
	*ptxas = nv_tool(tools, "ptxas", how->target->capability, arena, tried);
	return !*ptxas && how->driver && !given_ptxas(tools, how->target->capability);
}

void nv_tool_failed(const NvTool *tool, double timeout, const NvRan *ran, DiagList *diags)
{
	if (ran->timed_out)
		diag_add(diags, (Span){0}, DIAG_PTXAS_TIMEOUT, tool->path, timeout);
	else if (ran->error)
		diag_add(diags, (Span){0}, DIAG_PTXAS_START, tool->path, strerror(ran->error));
	else
		diag_add(diags, (Span){0}, DIAG_PTXAS_FAILED, tool->path,
			 arena_printf(diags->arena, "%.*s", (int)MIN(ran->said.len, 400), ran->said.ptr));
}
