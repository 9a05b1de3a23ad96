/* A call's arguments by parameter, its options, its grid. */
#include "native.h"

#include <stdlib.h>
#include <strings.h>

/* ---- arguments ---- */

static const char *const option_names[] = {
	"num_warps", "num_stages", "num_ctas", "maxnreg", "debug", "enable_fp_fusion", "launch_cooperative_grid",
	"launch_pdl", "ptx_version", "sanitize_overflow", "constexpr_policy", "neso_target", "neso_check",
	"neso_schedules", "neso_watch", "neso_unwritten", "neso_against", "neso_atol", "neso_rtol", "compile_timeout",
	"ir_override", "enable_reflect_ftz", "neso_strict", "neso_tensor_maps", "arch", "grid",
	"warmup"};
/* Options of other targets and of upstream's that change nothing here. */
static const char *const ignored_options[] = {
	"cluster_dims", "ptx_options", "supported_fp8_dtypes", "deprecated_fp8_dot_operand_dtypes", "default_dot_input_precision",
	"allowed_dot_input_precisions", "max_num_imprecise_acc_default", "extern_libs", "backend_name",
	"instrumentation_mode", "stream", "device", "device_type", "minRegAutoWS",
	"maxRegAutoWS", "waves_per_eu", "matrix_instr_nonkdim", "kpack", "num_buffers_warp_spec",
	"num_consumer_groups", "reg_dec_producer", "reg_inc_consumer", "schedule_hint", "allow_flush_denorm",
};
enum { IGNORED_COUNT = sizeof ignored_options / sizeof *ignored_options };
static PyObject *option_words[OPT__COUNT], *ignored_words[IGNORED_COUNT];

/* Where in a list of interned words; words of a call are interned as a rule, so they are compared by address first,
 * with everything that may be meant, and as text only after that. */
static int find_word(PyObject *const *words, size_t count, PyObject *word, bool as_text)
{
	for (size_t i = 0; i < count; i++)
		if (as_text ? PyUnicode_Compare(words[i], word) == 0 : words[i] == word)
			return (int)i;
	return -1;
}

static Py_ssize_t find_param(const Kernel *k, PyObject *word, bool as_text)
{
	for (Py_ssize_t i = 0; i < k->param_count; i++)
		if (as_text ? PyUnicode_Compare(k->params[i].name, word) == 0 : k->params[i].name == word)
			return i;
	return -1;
}

/* An exception that names the kernel; takes the text. */
static void refuse(const Kernel *k, PyObject *type, PyObject *text)
{
	PyObject *name = text ? PyObject_GetAttrString((PyObject *)(uintptr_t)k, "__name__") : NULL;
	if (name)
		PyErr_Format(type, "kernel '%U': %U", name, text);
	Py_XDECREF(name);
	Py_XDECREF(text);
}

/* A kernel whose parameters are not all known, as *args and **kwargs are not. */
static bool refuse_open(const Kernel *k)
{
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		PyObject *name = k->params[i].name;
		if (PyUnicode_ReadChar(name, 0) != '*')
			continue;
		refuse(k, PyExc_TypeError,
		       PyUnicode_FromFormat(
			       "JIT functions do not support %U where they are launched: a kernel's "
			       "parameters have names, and one that takes a tuple has any number of values",
			       name));
		return true;
	}
	return false;
}

static PyObject *parameters_text(const Kernel *k)
{
	PyObject *text = PyUnicode_FromString(k->param_count ? "; it has" : "; it has no parameters");
	for (Py_ssize_t i = 0; text && i < k->param_count; i++) {
		PyObject *more = PyUnicode_FromFormat("%U%s %U", text, i ? "," : "", k->params[i].name);
		Py_DECREF(text);
		text = more;
	}
	return text;
}

/* For a word that the kernel does not have: "; did you mean ...", or all that it has. */
static PyObject *meant(const Kernel *k, PyObject *word)
{
	PyObject *known = PyList_New(0), *near = NULL;
	for (Py_ssize_t i = 0; known && i < k->param_count; i++)
		PyList_Append(known, k->params[i].name);
	for (int i = 0; known && i < OPT__COUNT; i++)
		PyList_Append(known, option_words[i]);
	if (known && !PyErr_Occurred())
		near = PyObject_CallFunction(host.nearest, "OO", word, known);
	Py_XDECREF(known);
	if (!near || PyUnicode_GetLength(near))
		return near;
	Py_DECREF(near);
	return parameters_text(k);
}

static void unknown_word(const Kernel *k, PyObject *word)
{
	if (refuse_open(k))
		return;
	PyObject *near = meant(k, word);
	if (near)
		refuse(k, PyExc_KeyError,
		       PyUnicode_FromFormat("Keyword argument %U was specified but unrecognised%U",
					    word, near));
	Py_XDECREF(near);
}

void call_no_such_key(const Kernel *k, PyObject *key)
{
	PyObject *near = meant(k, key);
	if (near)
		refuse(k, PyExc_KeyError,
		       PyUnicode_FromFormat("the grid's function asks for %R%U", key, near));
	Py_XDECREF(near);
}

static bool bind_keyword(const Kernel *k, PyObject *word, PyObject *value, PyObject **values, Call *call)
{
	Py_ssize_t at = -1;
	int option = -1;
	bool ignored = false;
	for (int as_text = 0; as_text < 2 && at < 0 && option < 0 && !ignored; as_text++) {
		at = find_param(k, word, as_text);
		option = find_word(option_words, OPT__COUNT, word, as_text);
		ignored = find_word(ignored_words, IGNORED_COUNT, word, as_text) >= 0;
	}
	if (at >= 0) {
		if (values[at]) {
			refuse(k, PyExc_TypeError,
			       PyUnicode_FromFormat("got multiple values for argument '%U'", word));
			return false;
		}
		values[at] = value;
	}
	if (option >= 0) {
		call->options[option] = value;
		call->has_options = true;
	}
	if (at >= 0 || option >= 0 || k->ignore_unknown || ignored)
		return true;
	unknown_word(k, word);
	return false;
}

static bool fill_defaults(const Kernel *k, PyObject **values)
{
	PyObject *missing = NULL;
	Py_ssize_t count = 0;
	for (Py_ssize_t i = 0; i < k->param_count; i++) {
		if (values[i])
			continue;
		values[i] = k->params[i].value;
		if (values[i])
			continue;
		count++;
		PyObject *text = missing ? PyUnicode_FromFormat("%U, '%U'", missing, k->params[i].name)
					 : PyUnicode_FromFormat("'%U'", k->params[i].name);
		Py_XDECREF(missing);
		if (!text)
			return false;
		missing = text;
	}
	if (missing && refuse_open(k)) {
		Py_DECREF(missing);
	} else if (missing) {
		refuse(k, PyExc_TypeError,
		       PyUnicode_FromFormat("dynamic_func() missing %zd required positional argument%s: %U",
					    count, count == 1 ? "" : "s", missing));
		Py_DECREF(missing);
	}
	return !count;
}

bool call_keywords(PyObject *kwargs, Call *call)
{
	Py_ssize_t at = 0;
	PyObject *word, *value;
	while (kwargs && PyDict_Next(kwargs, &at, &word, &value)) {
		int option = find_word(option_words, OPT__COUNT, word, true);
		if (option >= 0)
			call->options[option] = value;
		call->has_options |= option >= 0;
		if (option < 0 && find_word(ignored_words, IGNORED_COUNT, word, true) < 0) {
			PyErr_Format(PyExc_KeyError, "Keyword argument %U was specified but unrecognised", word);
			return false;
		}
	}
	return true;
}

bool call_bind(const Kernel *k, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, PyObject **room, Call *call)
{
	call->values = args;
	if (nargs == k->param_count && !kwnames)
		return true;
	if (nargs > k->param_count) {
		refuse(k, PyExc_TypeError,
		       PyUnicode_FromFormat(
			       "dynamic_func() takes %zd positional arguments but %zd were given",
			       k->param_count, nargs));
		return false;
	}
	call->values = room;
	memset(room, 0, (size_t)k->param_count * sizeof *room);
	for (Py_ssize_t i = 0; i < nargs; i++)
		room[i] = args[i];
	Py_ssize_t words = kwnames ? PyTuple_Size(kwnames) : 0;
	for (Py_ssize_t i = 0; i < words; i++)
		if (!bind_keyword(k, PyTuple_GetItem(kwnames, i), args[nargs + i], room, call))
			return false;
	return fill_defaults(k, room);
}

/* ---- options ---- */

static bool option_number(PyObject *value, const char *name, uint32_t *out)
{
	if (!value || value == Py_None)
		return true;
	if (PyLong_CheckExact(value)) {
		long n = PyLong_AsLong(value);
		if (n >= 0 && n <= INT32_MAX) {
			*out = (uint32_t)n;
			return true;
		}
		PyErr_Clear();
	}
	PyObject *number = PyNumber_Index(value);
	if (!number) {
		/* tl.constexpr(4) */
		PyErr_Clear();
		PyObject *inner = PyObject_GetAttrString(value, "value");
		number = inner ? PyNumber_Index(inner) : NULL;
		Py_XDECREF(inner);
		if (!number) {
			PyErr_Format(PyExc_TypeError, "%s is a whole number, not %R", name, value);
			return false;
		}
	}
	unsigned long n = PyLong_AsUnsignedLong(number);
	Py_DECREF(number);
	if (PyErr_Occurred() || n > UINT32_MAX) {
		PyErr_Clear();
		PyErr_Format(PyExc_ValueError, "%s must be a positive number", name);
		return false;
	}
	*out = (uint32_t)n;
	return true;
}

/* Settings of the environment that decide a variant, as os.environ has them, which a program may change at any time. */
enum {
	ENV_DEBUG, ENV_PRECISION, ENV_FUSION, ENV_NO_LINES, ENV_POLICY, ENV_TARGET, ENV_CHECK, ENV_SCHEDULES,
	ENV_WATCH, ENV_STRICT, ENV_WIDE, ENV_ARCH,
	ENV__COUNT
};
static const char *const env_names[] = {"TRITON_DEBUG", "TRITON_F32_DEFAULT", "TRITON_DEFAULT_FP_FUSION",
					"TRITON_DISABLE_LINE_INFO", "NESO_CONSTEXPR_POLICY", "NESO_TARGET",
					"NESO_CHECK", "NESO_SCHEDULES", "NESO_WATCH",
					"NESO_STRICT_TRITON", "NESO_WIDE_OFFSETS", "TRITON_OVERRIDE_ARCH"};
static PyObject *env_words[ENV__COUNT], *env_values[ENV__COUNT];
static struct {
	bool debug, no_fusion, no_lines, check, strict, wide;
	neso_constexpr_policy policy;
	uint32_t schedules; /* 0: not set */
	uint32_t watch;
	char precision[16], target[24], arch[16]; /* "": none */
} env;

/* As the library reads such a variable. */
static bool is_yes(const char *text)
{
	static const char *const words[] = {"1", "true", "on", "yes", "y"};
	for (size_t i = 0; text && i < sizeof words / sizeof *words; i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

/* A word that is none is passed over, as it is told of where settings are read first. */
static uint32_t watched_by(const char *text)
{
	uint32_t watch = 0;
	watch |= text && strstr(text, "nan") ? NESO_WATCH_NAN : 0u;
	watch |= text && strstr(text, "coverage") ? NESO_WATCH_COVERAGE : 0u;
	return watch | (text && strstr(text, "traffic") ? NESO_WATCH_TRAFFIC : 0u);
}

/* NESO_POLICY_DEFAULT: it is none. */
static neso_constexpr_policy policy_of(const char *text)
{
	static const char *const words[] = {
		[NESO_POLICY_EAGER] = "eager", [NESO_POLICY_GENERIC] = "generic", [NESO_POLICY_TIERED] = "tiered"};
	for (int i = NESO_POLICY_EAGER; i <= NESO_POLICY_TIERED; i++)
		if (strcmp(text, words[i]) == 0)
			return (neso_constexpr_policy)i;
	return NESO_POLICY_DEFAULT;
}

static void take_setting(int which, const char *text)
{
	bool yes = is_yes(text);
	bool no = text && *text && !yes;
	switch (which) {
	case ENV_DEBUG: env.debug = yes; break;
	case ENV_FUSION: env.no_fusion = no; break;
	case ENV_NO_LINES: env.no_lines = yes; break;
	case ENV_POLICY: env.policy = text ? policy_of(text) : NESO_POLICY_EAGER; break;
	case ENV_CHECK: env.check = yes; break;
	case ENV_STRICT: env.strict = yes; break;
	case ENV_WIDE: env.wide = yes; break;
	case ENV_SCHEDULES: env.schedules = text ? (uint32_t)strtoul(text, NULL, 10) : 0; break;
	case ENV_ARCH: snprintf(env.arch, sizeof env.arch, "%s", text ? text : ""); break;
	case ENV_WATCH: env.watch = watched_by(text); break;
	/* The GPU that is there is what runs without being named. */
	case ENV_TARGET: snprintf(env.target, sizeof env.target, "%s", text && strcmp(text, "cuda") != 0 ? text : ""); break;
	default: snprintf(env.precision, sizeof env.precision, "%s", text ? text : "");
	}
}

/* A look at the dict behind os.environ for each, and at settings of the program's alone; the same
 * object has the same value. Where both dicts tell of changes, only after one. */
static void read_environment(void)
{
	static PyObject *watched;
	static bool told;
	static uint64_t seen; /* watch_settings at the last look */
	if (watched != host.environment) {
		watched = host.environment;
		seen = 0;
		told = watch_dict(host.environment) && watch_dict(host.settings);
	}
	if (told && seen == watch_settings)
		return;
	seen = watch_settings;
	bool own = PyDict_Size(host.settings) > 0;
	for (int i = 0; i < ENV__COUNT; i++) {
		PyObject *now = own ? PyDict_GetItemWithError(host.settings, env_words[i]) : NULL;
		if (!now && !PyDict_Check(host.environment)) {
			Py_CLEAR(env_values[i]);
			take_setting(i, getenv(env_names[i]));
			continue;
		}
		if (!now)
			now = PyDict_GetItemWithError(host.environment, env_words[i]);
		if (now == env_values[i])
			continue;
		Py_XINCREF(now);
		Py_XDECREF(env_values[i]);
		env_values[i] = now;
		take_setting(i, now && PyBytes_Check(now) ? PyBytes_AsString(now) : NULL);
	}
}

static bool option_truth(PyObject *value, bool *out)
{
	if (!value || value == Py_None)
		return true;
	int truth = PyObject_IsTrue(value);
	*out = truth == 1;
	return truth >= 0;
}

static bool is_simulated(const neso_compile_options *options)
{
	return options->target && strncmp(options->target, "sim:", 4) == 0;
}

static bool checks_can_be(const Call *call, const neso_compile_options *options)
{
	bool wanted = false;
	uint32_t orders = 0;
	if (!option_truth(call->options[OPT_CHECK], &wanted) || !option_number(call->options[OPT_SCHEDULES], "neso_schedules", &orders))
		return false;
	const char *option = wanted ? "neso_check" : orders > 1 ? "neso_schedules" : NULL;
	for (int i = OPT_WATCH; i <= OPT_AGAINST && !option; i++)
		option = call->options[i] && call->options[i] != Py_None ? option_names[i] : NULL;
	if (!option || is_simulated(options))
		return true;
	PyErr_Format(PyExc_ValueError,
		     "%s is the simulator's, and this launch is for %s: "
		     "neso_target=\"sim:sm_90a\" runs the GPU's code in it",
		     option, options->target ? options->target : "no target");
	return false;
}

/* The target of an arch, as sm80 and sm_90a are: the kind with all that such a GPU has. The name
 * lives as long as the process. */
static const char *target_of_arch(const char *arch, bool simulated)
{
	static PyObject *names;
	const neso_context *context = host_context();
	const char *number = arch + (strncmp(arch, "sm", 2) == 0 ? 2 : 0), *known = NULL;
	char name[40];
	snprintf(name, sizeof name - 1, "sm_%.16s", number + (*number == '_'));
	if (context)
		known = neso_context_info(context, "targets");
	size_t length = strlen(name);
	strcat(name, "a");
	if (!known || !strstr(known, name))
		name[length] = '\0';
	if (!context || (!names && !(names = PyDict_New())))
		return NULL;
	PyObject *text = PyUnicode_FromFormat("%s%s", simulated ? "sim:" : "", name);
	PyObject *kept = text ? PyDict_GetItemWithError(names, text) : NULL;
	if (text && !kept && !PyErr_Occurred() && PyDict_SetItem(names, text, text) == 0)
		kept = text;
	Py_XDECREF(text); /* the dict has it */
	return kept ? PyUnicode_AsUTF8AndSize(kept, NULL) : NULL;
}

/* Code for another GPU than the one that is there, or is named. What is interpreted is for none. */
static bool take_arch(const Call *call, neso_compile_options *options)
{
	PyObject *given = call->options[OPT_ARCH];
	const char *arch = call->options[OPT_TARGET] ? "" : env.arch;
	if (given && given != Py_None) {
		arch = PyUnicode_Check(given) ? PyUnicode_AsUTF8AndSize(given, NULL) : NULL;
		if (!arch && !PyErr_Occurred())
			PyErr_Format(PyExc_TypeError, "arch is a name, as 'sm80' and 'sm_90a' are, not %R",
				     given);
		if (!arch)
			return false;
	}
	bool gpu = options->target ? strcmp(options->target, "interp") != 0 : device_any();
	if (!*arch || !gpu)
		return true;
	options->target = target_of_arch(arch, is_simulated(options));
	return options->target != NULL;
}

static bool given_options(const Call *call, neso_compile_options *options, bool *fusion)
{
	PyObject *const *given = call->options;
	bool checks = true, ftz = true, maps = true;
	if (!option_number(given[OPT_WARPS], "num_warps", &options->num_warps) ||
	    !option_number(given[OPT_STAGES], "num_stages", &options->num_stages) ||
	    !option_number(given[OPT_CTAS], "num_ctas", &options->num_ctas) ||
	    !option_number(given[OPT_MAXNREG], "maxnreg", &options->maxnreg) ||
	    !option_number(given[OPT_PTX], "ptx_version", &options->ptx_version) ||
	    !option_truth(given[OPT_DEBUG], &options->debug) || !option_truth(given[OPT_FUSION], fusion) ||
	    !option_truth(given[OPT_OVERFLOW], &checks) || !option_truth(given[OPT_FTZ], &ftz) ||
	    !option_truth(given[OPT_MAPS], &maps) ||
	    !option_truth(given[OPT_COOPERATIVE], &options->cooperative) ||
	    !option_truth(given[OPT_DEPENDENT], &options->dependent_launch))
		return false;
	if (given[OPT_WARPS] && given[OPT_WARPS] != Py_None && !options->num_warps) {
		PyErr_SetString(PyExc_ValueError, "num_warps is 0, but must be a power of 2");
		return false;
	}
	options->no_overflow_checks = !checks;
	options->no_reflect_ftz = !ftz;
	options->no_tensor_maps = !maps;
	if (given[OPT_TIMEOUT] && given[OPT_TIMEOUT] != Py_None) {
		options->compile_timeout = PyFloat_AsDouble(given[OPT_TIMEOUT]);
		if (!(options->compile_timeout > 0)) {
			if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
				PyErr_Format(PyExc_ValueError,
					     "compile_timeout is seconds, more than 0, not %R",
					     given[OPT_TIMEOUT]);
			return false;
		}
	}
	options->ptx_only = given[OPT_WARMUP] && PyUnicode_Check(given[OPT_WARMUP]); /* warmup="ptx" */
	if (given[OPT_POLICY] && given[OPT_POLICY] != Py_None) {
		const char *word = PyUnicode_AsUTF8AndSize(given[OPT_POLICY], NULL);
		const neso_constexpr_policy policy = word ? policy_of(word) : NESO_POLICY_DEFAULT;
		if (word && !policy)
			PyErr_Format(PyExc_ValueError, "constexpr_policy is 'eager', 'generic' or 'tiered', not '%s'", word);
		options->constexpr_policy = policy;
	}
	if (given[OPT_STRICT] && given[OPT_STRICT] != Py_None) {
		bool strict = false;
		if (!option_truth(given[OPT_STRICT], &strict))
			return false;
		options->strict = strict ? NESO_STRICT_ON : NESO_STRICT_OFF;
	}
	if (given[OPT_OVERRIDE] && given[OPT_OVERRIDE] != Py_None)
		options->override = PyUnicode_AsUTF8AndSize(given[OPT_OVERRIDE], NULL);
	if (given[OPT_TARGET] && given[OPT_TARGET] != Py_None) {
		if (!PyUnicode_Check(given[OPT_TARGET])) {
			PyErr_Format(PyExc_TypeError,
				     "neso_target is a name, as 'sm_90a' and 'sim:sm_90a' are, not %R",
				     given[OPT_TARGET]);
			return false;
		}
		options->target = PyUnicode_AsUTF8AndSize(given[OPT_TARGET], NULL);
	}
	return !PyErr_Occurred() && checks_can_be(call, options);
}

/* NESO_CHECK=1 for a launch that is not simulated; Python shows such a warning once. */
static bool warn_unchecked(void)
{
	return PyErr_WarnEx(PyExc_UserWarning, "NESO_CHECK=1 checks simulated launches alone, and this one is not: "
			    "NESO_TARGET=sim:sm_90a simulates", 1) == 0;
}

bool call_options(const Kernel *k, const Call *call, neso_compile_options *options)
{
	*options = (neso_compile_options){.size = sizeof *options};
	read_environment();
	bool fusion = !env.no_fusion;
	options->debug = k->debug; /* a launch may say otherwise, the environment for all */
	options->no_line_info = env.no_lines;
	options->strict_triton = env.strict;
	options->wide_offsets = env.wide;
	options->constexpr_policy = k->policy ? k->policy : env.policy ? env.policy : NESO_POLICY_EAGER;
	options->strict = k->strict;
	options->dot_precision = *env.precision ? env.precision : NULL;
	options->target = *env.target ? env.target : NULL;
	bool good = !call->has_options || given_options(call, options, &fusion);
	good = good && ((!*env.arch && !call->options[OPT_ARCH]) || take_arch(call, options));
	options->debug |= env.debug;
	options->no_fp_fusion = !fusion;
	options->no_gpu_limits = k->ignore_unknown && !options->target;
	if (good && env.check && !is_simulated(options))
		good = warn_unchecked();
	return good;
}

void call_environment_checks(neso_launch *launch)
{
	launch->check = env.check;
	launch->schedules = env.schedules;
	launch->watch = env.watch;
}

bool call_checks(const Call *call, const neso_compile_options *options, neso_launch *launch)
{
	if (is_simulated(options))
		call_environment_checks(launch);
	return !call->has_options || (option_truth(call->options[OPT_CHECK], &launch->check) &&
				      option_number(call->options[OPT_SCHEDULES], "neso_schedules", &launch->schedules) &&
				      checks_watch(call->options[OPT_WATCH], &launch->watch));
}

/* ---- grids ---- */

PyObject *call_meta(const Kernel *k, const Call *call)
{
	PyObject *dict = PyDict_New();
	for (Py_ssize_t i = 0; dict && i < k->param_count; i++)
		if (PyDict_SetItem(dict, k->params[i].name, call->values[i]) < 0)
			Py_CLEAR(dict);
	for (int i = 0; dict && i <= OPT_MAXNREG; i++)
		if (call->options[i] && PyDict_SetItem(dict, option_words[i], call->options[i]) < 0)
			Py_CLEAR(dict);
	return dict;
}

PyObject *call_option_words(const Call *call)
{
	PyObject *options = PyDict_New();
	for (int i = 0; options && i < OPT_GRID; i++)
		if (call->options[i] && PyDict_SetItem(options, option_words[i], call->options[i]) < 0)
			Py_CLEAR(options);
	return options;
}

bool call_setup(void)
{
	for (int i = 0; i < ENV__COUNT; i++)
		if (!(env_words[i] = PyBytes_FromString(env_names[i])))
			return false;
	for (int i = 0; i < OPT__COUNT; i++)
		if (!intern(&option_words[i], option_names[i]))
			return false;
	for (int i = 0; i < IGNORED_COUNT; i++)
		if (!intern(&ignored_words[i], ignored_options[i]))
			return false;
	return true;
}
