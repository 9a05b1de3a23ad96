/* Inside the extension: what its files share. A user of neso.h alone, in CPython's limited API (3.10 on).
 *
 * array.c   what Python passes for a parameter -> neso_arg, and its part of the key
 * kernel.c  the type under JITFunction: binding, the table of variants, launching
 * host.c    the context, and the library's callbacks into Python
 *
 * Everything here runs under the interpreter's lock unless it says otherwise. */
#ifndef NESO_PYTHON_NATIVE_H
#define NESO_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "neso/neso.h"

/* ---- host.c ---- */

/* Functions and types of the package, given once by native.setup(). */
typedef struct Host {
	PyObject *resolve;        /* (path, function, name) -> None, text, ("space", name), (path, source, name) */
	PyObject *fail;           /* (status, findings, text, kernel): raises */
	PyObject *expression;     /* value -> text of a Python expression */
	PyObject *import_array;   /* any array -> (address, begin, bytes, dtype, writable, keep, finish) */
	PyObject *print;          /* text */
	PyObject *mappings;       /* () -> list of (address, bytes, writable): all memory of the process */
	PyObject *compiled;       /* CompiledKernel, a subclass of Variant */
	PyObject *descriptor;     /* TensorDescriptor */
	PyObject *constexpr_type; /* tl.constexpr */
	PyObject *slow;           /* a list; while it holds something, every launch tells launch hooks */
	PyObject *hooks;          /* (kernel, compiled, grid, args) -> None, before a launch; then with None for args */
} Host;
extern Host host;

/* The context, made at the first use in this process; NULL with an exception. */
neso_context *host_context(void);
/* Counts forks: what was made before the last one is another process's. */
extern unsigned host_generation;
/* Raises what a failed call said, and frees it. Always NULL. */
PyObject *host_fail(neso_status status, neso_diagnostics *diagnostics, PyObject *kernel);
/* To be called after a call of the library that may have run callbacks: an exception of theirs goes first. */
bool host_take_error(void);
/* A launch's poll: lets signal handlers run, and stops where one, or the output, has raised. */
bool host_poll(void *unused);
bool host_add(PyObject *module);

/* ---- array.c ---- */

/* The packed kinds of a call's arguments: equal keys, equal variant. */
typedef struct Key {
	unsigned char *data;
	size_t len, cap;
	unsigned char local[512];
} Key;

void key_init(Key *key);
void key_free(Key *key);
bool key_add(Key *key, const void *data, size_t len); /* false with MemoryError */

/* What must live until the launch is over, or be done then. */
typedef struct Held {
	PyObject *objects; /* list, or NULL */
	PyObject *finish;  /* list of functions that copy results back, or NULL */
	bool has_tuple;    /* a run-time argument is a tuple: its items are arguments of their own */
} Held;

bool array_setup(void);
/* false with an exception. */
bool array_bind(PyObject *value, bool is_constexpr, bool is_const, const char *name, neso_arg *arg, Key *key,
		Held *held);
bool held_keep(Held *held, PyObject *object);
void held_free(Held *held);

/* ---- kernel.c ---- */

bool kernel_add(PyObject *module);

#endif
