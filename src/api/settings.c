/* The table of settings (base/option/option.def), as callers see it. */
#include "api/inner.h"

#include "base/option/option.h"

void neso_settings(neso_setting_fn *each, void *data)
{
	for (int id = 0; each && id < OPTION__COUNT; id++) {
		const OptionInfo *o = option_info((OptionId)id);
		const char *source = NULL, *given = option_given((OptionId)id, &source);
		const char *preset = o->preset[0] ? o->preset : NULL;
		const neso_setting setting = {
			.size = sizeof setting,
			.name = o->name,
			.type = option_type_name(o->type),
			.variable = o->variable,
			.other_variable = o->other[0] ? o->other : NULL,
			.preset = preset,
			.value = given ? given : preset,
			.source = source,
			.in_key = o->in_key,
			.used = o->state != OPTION_KNOWN,
			.python = o->state == OPTION_PYTHON,
			.doc = o->doc,
		};
		each(data, &setting);
	}
}

bool neso_setting_known(const char *variable, const char **nearest)
{
	const char *near = NULL;
	bool known = variable && option_known(variable, &near);
	if (nearest)
		*nearest = near;
	return known;
}
