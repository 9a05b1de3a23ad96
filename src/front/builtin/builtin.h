/* Builtins: rows of builtins.def, the values of their arguments once bound, and the handlers. */
#ifndef NESO_FRONT_BUILTIN_BUILTIN_H
#define NESO_FRONT_BUILTIN_BUILTIN_H

#include "front/tile/sem.h"

enum { BUILTIN_MAX_PARAMS = 12 };

/* Where a name is found. A row may be in several places. */
typedef enum {
	IN_TL = 1 << 0,     /* triton.language and its core, standard, random */
	IN_MATH = 1 << 1,   /* triton.language.math */
	IN_CORE = 1 << 2,   /* only triton.language.core, .standard */
	IN_CUDA = 1 << 3,   /* triton.language.extra.cuda */
	IN_TARGET = 1 << 4, /* triton.language.target_info */
	IN_TRITON = 1 << 5, /* triton */
	IN_DEVICE = 1 << 6, /* triton.language.extra.libdevice */
	OF_TENSOR = 1 << 7, /* methods */
	OF_DTYPE = 1 << 8,
	OF_DESC = 1 << 9,
} BuiltinPlace;

/* A call with its arguments bound: a[i] is the i-th parameter's value, its default where nothing was given, a tuple for
 * *parameters. None of them is poison. */
typedef struct BuiltinCall {
	const BuiltinInfo *info;
	const char *what; /* "tl.load", for messages */
	bool method;	  /* x.load() */
	const Val *a[BUILTIN_MAX_PARAMS];
	const CallArgs *given; /* as they were written, for **parameters */
} BuiltinCall;

typedef const Val *BuiltinFn(FrontLower *low, const BuiltinCall *call);

struct BuiltinInfo {
	const char *name;
	uint32_t where;
	const char *params; /* as in a def: "x, *shape, can_reorder=False" */
	BuiltinFn *run;     /* NULL: a function of lib/`lib`.py */
	int data;           /* the handler's own */
	const char *lib;
	const char *doc;
};

/* One of the library's rows by place and name, or NULL. */
const BuiltinInfo *builtin_find(uint32_t where, const char *name);
/* The row as a value: a BUILTIN, or what lib/ defines. */
const Val *builtin_value(FrontLower *low, const BuiltinInfo *info);
/* Binds arguments as Python does; false after diagnosing, or when one is poison. */
bool builtin_bind(FrontLower *low, const BuiltinInfo *info, const Val *self, const CallArgs *args,
		  BuiltinCall *call);

/* Functions of the CUDA device library: rows of libdevice.def. */
const BuiltinInfo *builtin_device_find(const char *name);
const char *const *builtin_device_names(size_t *count);

#define BUILTIN(name, where, params, handler, data, doc) \
	const Val *builtin_##handler(FrontLower *low, const BuiltinCall *call);
#define METHOD(name, where, params, handler, data, doc) BUILTIN(name, where, params, handler, data, doc)
#define LIB(name, where, file, doc)
#include "front/builtin/builtins.def"
#undef BUILTIN
#undef METHOD
#undef LIB

#endif
