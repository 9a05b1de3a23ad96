/* Arguments of kernels on the command line. */
#include "cli/argument.h"

#include <errno.h>
#include <stdlib.h>

/* ---- values ---- */

bool argument_number(const char *text, neso_arg *arg)
{
	const char *colon = strrchr(text, ':');
	neso_dtype dtype = colon ? neso_dtype_of(colon + 1) : NESO_DTYPE_NONE;
	if (colon && !dtype)
		return false;
	char *body = take_text(text, colon ? (size_t)(colon - text) : strlen(text)), *end;
	if (!*body || strspn(body, "+-") > 1 || !strpbrk(body, "0123456789"))
		return false;
	bool hex = strncmp(body + strspn(body, "+-"), "0x", 2) == 0;
	arg->dtype = dtype;
	errno = 0;
	long long i = strtoll(body, &end, hex ? 16 : 10);
	if (!*end && errno == 0) {
		arg->value = neso_value_int(i);
		return true;
	}
	errno = 0;
	unsigned long long u = strtoull(body, &end, hex ? 16 : 10);
	if (!*end && errno == 0 && body[0] != '-') {
		arg->value = neso_value_int((int64_t)u);
		arg->value.is_unsigned = true;
		return true;
	}
	/* Digits alone are an integer, if one that no dtype holds. */
	if (strspn(body, "0123456789.eE+-") != strlen(body) || !strpbrk(body, ".eE"))
		return false;
	double f = strtod(body, &end);
	arg->value = neso_value_float(f);
	return !*end;
}

static void set_array(Argument *a, neso_arg_kind kind)
{
	a->arg.kind = kind;
	a->arg.dtype = a->array.dtype;
	a->arg.address = a->array.data;
	a->arg.bytes = a->array.bytes;
	a->arg.access = a->array.unwritten ? NESO_UNWRITTEN : NESO_READ_WRITE;
	a->before = array_copy(&a->array);
}

static int parse_descriptor(const char *text, Argument *a)
{
	const char *block = text + strlen("desc:"), *array = strchr(block, ':');
	int rank;
	int64_t shape[ARRAY_MAX_RANK];
	if (!array || !shape_parse(block, (size_t)(array - block), &rank, shape))
		return usage_error(
			"'%s': a descriptor is desc:BLOCK:ARRAY, as in desc:32x16:rand:128x64:fp16",
			text);
	int result = array_make(array + 1, &a->array);
	if (result != EXIT_DONE)
		return result;
	if (rank != a->array.rank || rank > NESO_MAX_RANK || rank == 0)
		return usage_error(
			"'%s': the block shape has %d axes, the array %d (1 to %d are possible)",
			text, rank, a->array.rank, NESO_MAX_RANK);
	set_array(a, NESO_ARG_DESCRIPTOR);
	a->arg.rank = (uint32_t)rank;
	int64_t stride = 1;
	for (int i = rank - 1; i >= 0; i--) {
		a->arg.shape[i] = a->array.shape[i];
		a->arg.strides[i] = stride;
		a->arg.block_shape[i] = shape[i];
		stride *= a->array.shape[i];
	}
	return EXIT_DONE;
}

static int parse_value(const char *text, Argument *a)
{
	if (strncmp(text, "desc:", 5) == 0)
		return parse_descriptor(text, a);
	if (array_is(text)) {
		int result = array_make(text, &a->array);
		if (result != EXIT_DONE)
			return result;
		set_array(a, NESO_ARG_POINTER);
		return EXIT_DONE;
	}
	if (argument_number(text, &a->arg))
		return EXIT_DONE;
	const char *digits = text + strspn(text, "+-");
	if (*digits && strspn(digits, "0123456789") == strlen(digits))
		return usage_error("%s is out of range: no dtype holds it", text);
	a->arg.value = neso_value_expr(text);
	return array_meant(text);
}

const char *argument_split(const char *text, const char **name)
{
	size_t len =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	*name = NULL;
	if (!len || text[len] != '=' || text[len + 1] == '=' || (text[0] >= '0' && text[0] <= '9'))
		return text;
	*name = take_text(text, len);
	return text + len + 1;
}

int arguments_parse(const Parsed *parsed, Arguments *out)
{
	*out = (Arguments){.at = take(sizeof(Argument) * parsed->arg_count)};
	for (size_t i = 1; i < parsed->arg_count; i++) {
		Argument *a = &out->at[out->count++];
		const char *value = argument_split(parsed->args[i], &a->name);
		int result = parse_value(value, a);
		if (result != EXIT_DONE)
			return result;
		a->arg.name = a->name;
	}
	return EXIT_DONE;
}

static neso_parameter parameter_of(const neso_kernel *kernel, size_t i)
{
	neso_parameter parameter = {.size = sizeof parameter};
	neso_kernel_get_parameter(kernel, i, &parameter);
	return parameter;
}

void arguments_name(Arguments *arguments, const neso_kernel *kernel, size_t parameter_count)
{
	size_t next = 0;
	for (size_t i = 0; i < arguments->count; i++) {
		while (!arguments->at[i].name && next < parameter_count) {
			const char *name = parameter_of(kernel, next++).name;
			bool taken = false;
			for (size_t k = 0; k < arguments->count; k++)
				taken |= arguments->at[k].name &&
					 strcmp(arguments->at[k].name, name) == 0;
			if (!taken)
				arguments->at[i].name = name;
		}
	}
}

Argument *arguments_array(const Arguments *arguments, const char *name)
{
	for (size_t i = 0; i < arguments->count; i++)
		if (arguments->at[i].name && strcmp(arguments->at[i].name, name) == 0 &&
		    arguments->at[i].array.data)
			return &arguments->at[i];
	return NULL;
}

int arguments_grid(const Arguments *arguments, const neso_kernel *kernel, size_t parameter_count,
		   const char *text, const GridName *more, size_t more_count, uint32_t grid[3])
{
	GridName *names =
		take(sizeof *names * (arguments->count + parameter_count + more_count + 1));
	size_t count = 0;
	for (size_t i = 0; i < more_count; i++)
		names[count++] = more[i];
	for (size_t i = 0; i < arguments->count; i++)
		if (arguments->at[i].name && arguments->at[i].arg.value.kind == NESO_VALUE_INT)
			names[count++] =
				(GridName){arguments->at[i].name, arguments->at[i].arg.value.i};
	for (size_t i = 0; i < parameter_count; i++) {
		neso_parameter parameter = parameter_of(kernel, i);
		neso_arg number;
		memset(&number, 0, sizeof number);
		if (parameter.default_value && argument_number(parameter.default_value, &number) &&
		    number.value.kind == NESO_VALUE_INT)
			names[count++] = (GridName){parameter.name, number.value.i};
	}
	return grid_parse(text, names, count, grid) ? EXIT_DONE : EXIT_USAGE;
}
