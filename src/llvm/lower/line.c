/* Line tables: every instruction names its place in the source and the calls that it was inlined through.
 *
 * Directives alone (.loc), no description of types or variables: ptxas serialises wgmma in code that has more. */
#include "base/map.h"
#include "llvm/lower_int.h"

#include <llvm-c/DebugInfo.h>

/* LLVM's DebugDirectivesOnly, which the C API has no name for. */
enum { DIRECTIVES_ONLY = 3 };

struct LowerDebug {
	LLVMDIBuilderRef di;
	LLVMMetadataRef unit, type, function; /* function: of lw->fn */
	Map files;    /* path -> file */
	Map inlined;  /* path -> scope of functions that were inlined from there */
	Map outer;    /* path -> scope in `function` */
	Map places;   /* IrLoc -> location in `function` */
};

static LLVMMetadataRef file_of(Lower *lw, Sym path)
{
	struct LowerDebug *d = lw->debug;
	LLVMMetadataRef file = map_get_ptr(&d->files, path);
	if (file)
		return file;
	/* The whole path as the name: it stands in the comments that lines.c reads. */
	file = LLVMDIBuilderCreateFile(d->di, path, strlen(path), "", 0);
	map_put_ptr(&d->files, path, file);
	return file;
}

static LLVMMetadataRef function_of(Lower *lw, const char *name, LLVMMetadataRef file, unsigned line)
{
	struct LowerDebug *d = lw->debug;
	size_t len = strlen(name);
	return LLVMDIBuilderCreateFunction(d->di, file, name, len, name, len, file, line, d->type, false, true, line,
					   LLVMDIFlagZero, true);
}

void lower_line_begin(Lower *lw)
{
	if (!lw->line_info)
		return;
	struct LowerDebug *d = lw->debug = ARENA_NEW(lw->arena, struct LowerDebug);
	d->di = LLVMCreateDIBuilder(lw->mod);
	map_init(&d->files, lw->arena);
	map_init(&d->inlined, lw->arena);
	unsigned version = LLVMDebugMetadataVersion();
	static const char flag[] = "Debug Info Version";
	LLVMAddModuleFlag(lw->mod, LLVMModuleFlagBehaviorWarning, flag, sizeof flag - 1,
			  LLVMValueAsMetadata(lower_i32(lw, version)));
}

static IrLoc position_of(IrLoc loc)
{
	IrLoc at = loc ? ir_loc_position(loc) : NULL;
	return at && at->line ? at : NULL;
}

void lower_line_function(Lower *lw)
{
	struct LowerDebug *d = lw->debug;
	if (!d)
		return;
	IrLoc at = position_of(lw->func->loc);
	LLVMMetadataRef file = file_of(lw, at ? at->text : "unknown");
	if (!d->unit) {
		d->unit = LLVMDIBuilderCreateCompileUnit(
			d->di, LLVMDWARFSourceLanguageC, file, "neso", 4, true, "", 0, 0, "", 0,
			(LLVMDWARFEmissionKind)DIRECTIVES_ONLY, 0, true, false, "", 0, "", 0);
		d->type = LLVMDIBuilderCreateSubroutineType(d->di, file, NULL, 0, LLVMDIFlagZero);
	}
	size_t len;
	d->function = function_of(lw, LLVMGetValueName2(lw->fn, &len), file, at ? at->line : 0);
	LLVMSetSubprogram(lw->fn, d->function);
	map_init(&d->outer, lw->arena);
	map_init(&d->places, lw->arena);
	map_put_ptr(&d->outer, at ? at->text : "unknown", d->function);
}

/* The scope of a place that was not inlined. */
static LLVMMetadataRef outer_scope(Lower *lw, Sym path)
{
	struct LowerDebug *d = lw->debug;
	LLVMMetadataRef scope = map_get_ptr(&d->outer, path);
	if (!scope) {
		scope = LLVMDIBuilderCreateLexicalBlockFile(d->di, d->function, file_of(lw, path), 0);
		map_put_ptr(&d->outer, path, scope);
	}
	return scope;
}

/* Inlined functions have lost their names: those of a file are one scope, of the file's name. */
static LLVMMetadataRef inlined_scope(Lower *lw, Sym path)
{
	struct LowerDebug *d = lw->debug;
	LLVMMetadataRef scope = map_get_ptr(&d->inlined, path);
	if (!scope) {
		const char *slash = strrchr(path, '/');
		scope = function_of(lw, slash ? slash + 1 : path, file_of(lw, path), 0);
		map_put_ptr(&d->inlined, path, scope);
	}
	return scope;
}

static LLVMMetadataRef place_of(Lower *lw, IrLoc loc)
{
	struct LowerDebug *d = lw->debug;
	LLVMMetadataRef place = map_get_ptr(&d->places, loc);
	if (place)
		return place;
	IrLoc at = position_of(loc), caller = ir_loc_caller(loc);
	LLVMMetadataRef outside = caller ? place_of(lw, caller) : NULL;
	if (at)
		place = LLVMDIBuilderCreateDebugLocation(lw->cx, at->line, at->col + 1,
							 outside ? inlined_scope(lw, at->text) : outer_scope(lw, at->text),
							 outside);
	else
		place = outside ? outside :
			LLVMDIBuilderCreateDebugLocation(lw->cx, 0, 0, d->function, NULL);
	map_put_ptr(&d->places, loc, place);
	return place;
}

void lower_line(Lower *lw, IrLoc loc)
{
	if (lw->debug)
		LLVMSetCurrentDebugLocation2(lw->b, loc ? place_of(lw, loc) :
						    LLVMDIBuilderCreateDebugLocation(lw->cx, 0, 0, lw->debug->function, NULL));
}

void lower_line_end(Lower *lw)
{
	if (!lw->debug)
		return;
	LLVMDIBuilderFinalize(lw->debug->di);
	LLVMDisposeDIBuilder(lw->debug->di);
}
