/* What imports give: attributes of modules, members of from-imports, star imports. */
#include "front/core.h"
#include "front/names/change.h"
#include "front/reads.h"

static const Val *module_value(FrontLower *low, FrontModule *m)
{
	return val_module(low, m);
}

/* Parts of the tile language under the names that files give them, where the file itself does not
 * tell. */
const Val *resolve_usual_module(FrontLower *low, Sym name)
{
	const char *path = usual_name(name);
	return path ? module_value(low, session_module(low->session, MODULE_BUILTIN, path, NULL)) : NULL;
}

static const Val *builtin_member(FrontLower *low, const char *path, Sym name)
{
	const Val *v = builtin_lookup(low, path, name);
	if (v)
		return v;
	/* triton.x that is host code: testing, autotune, Config. */
	if (strncmp(path, "triton.language", 15) == 0)
		return NULL;
	if (strcmp(path, "triton") == 0 && strcmp(name, "breakpoint") == 0)
		return resolve_python(low, name);
	return val_opaque(low, "%s.%s is host code", path, name);
}

static const Val *module_attribute(FrontLower *low, FrontModule *m, Sym name)
{
	if (m->kind == MODULE_EXTERNAL) {
		const Val *v = external_attribute(low, m->name, name);
		v = v ? v : resolve_ask_attribute(low, m, name);
		return v ? v : val_opaque(low, "%s.%s is host code", m->name, name);
	}
	if (m->kind == MODULE_FILE) {
		if (strcmp(name, "__name__") == 0)
			return val_str(low, str_of(m->name));
		const Val *v = resolve_name(low, &m->ns, name, NULL);
		if (v)
			return v;
	}
	FrontModule *sub = import_submodule(m, name, low->span, low->diags);
	return sub ? module_value(low, sub) : NULL;
}

const Val *resolve_module_attribute(FrontLower *low, const Val *module, Sym name)
{
	CONTRACT(module->kind == VAL_MODULE);
	FrontModule *m = module->module.module;
	if (module->module.builtin_path)
		return builtin_member(low, module->module.builtin_path, name);
	const Val *v = module_attribute(low, m, name);
	return module_in_lib(m) ? v : lower_read(low, m, name, v);
}

/* Does `from m import *` bind the name: as __all__ says, where there is one. What cannot be told is
 * bound, by import_member. */
static bool star_exports(FrontLower *low, Binding *star, Sym name)
{
	bool found;
	FrontModule *m = binding_module(star, low->diags, &found);
	const Binding *all =
		m->kind == MODULE_FILE ? namespace_find(&m->ns, lower_sym(low, str_of("__all__"))) : NULL;
	if (!all)
		return name[0] != '_';
	const Val *v = resolve_name(low, &m->ns, all->name, NULL);
	for (uint32_t i = 0; val_is_seq(v) && i < v->seq.len; i++)
		if (v->seq.items[i]->kind == VAL_STR && str_is(v->seq.items[i]->s, name))
			return true;
	return !val_is_seq(v);
}

/* What the last of the star imports that ran after `from` gives for the name. */
const Val *resolve_from_stars(FrontLower *low, const Namespace *ns, uint32_t from, Sym name,
			      Binding **binding)
{
	for (uint32_t i = ns->stars.len; i-- > 0;) {
		Binding *star = ns->stars.data[i];
		if (star->busy || star->span.start < from || star->span.start >= resolve_limit(low, ns))
			continue;
		star->busy = true;
		const Val *v = star_exports(low, star, name) ? resolve_import_member(low, star, name, binding)
							     : NULL;
		star->busy = false;
		if (v && (v->kind != VAL_OPAQUE || (star->from && star->from->kind == MODULE_FILE)))
			return v;
	}
	return NULL;
}

/* What `from module import member` gives; NULL when there is no such thing. */
const Val *resolve_import_member(FrontLower *low, Binding *b, Sym member, Binding **binding)
{
	bool found;
	FrontModule *m = binding_module(b, low->diags, &found);
	if (m->kind == MODULE_FILE && m == b->ns->module && !(b->module && *b->module)) {
		/* from . import x in a package's own __init__.py */
		FrontModule *sub = import_submodule(m, member, b->span, low->diags);
		if (sub)
			return module_value(low, sub);
	}
	if (m->kind == MODULE_FILE) {
		Binding *inner = resolve_visible(low, &m->ns, member);
		const Val *v = inner ? resolve_from_stars(low, &m->ns, inner->at, member, binding) : NULL;
		if (!v && inner && inner != b) {
			if (binding)
				*binding = inner;
			return resolve_binding(low, inner);
		}
		v = v || inner ? v : resolve_name(low, &m->ns, member, binding);
		if (v)
			return v;
	}
	if (m->kind == MODULE_BUILTIN)
		return builtin_member(low, m->name, member);
	if (m->kind == MODULE_EXTERNAL) {
		const Val *v = external_attribute(low, m->name, member);
		if (!v && !found)
			v = resolve_usual_module(low, member);
		if (v)
			return v;
		return found ? val_opaque(low, "%s.%s is host code", m->name, member)
			     : val_opaque(low, "module '%s' was not found", m->name);
	}
	FrontModule *sub = import_submodule(m, member, b->span, low->diags);
	return sub ? module_value(low, sub) : NULL;
}

/* The binding that a chain of from-imports leads to. */
Binding *resolve_imported(FrontLower *low, Binding *b)
{
	for (unsigned i = 0; b->kind == BIND_FROM && i < 20; i++) {
		Binding *inner = NULL;
		resolve_import_member(low, b, b->member, &inner);
		if (!inner || inner == b)
			break;
		b = inner;
	}
	return b;
}

const Val *resolve_import_whole(FrontLower *low, Binding *b)
{
	bool found;
	return module_value(low, binding_module(b, low->diags, &found));
}
