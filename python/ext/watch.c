/* Dicts that tell when they change, so that a launch need not look into them: what is behind
 * os.environ, settings of the program's own, the globals of modules that kernels read.
 *
 * CPython tells from 3.12 on, by functions that are not in the limited API and are looked up when
 * the extension runs. It tells before it makes the change, under the interpreter's lock, so a count
 * that is as it was means that nothing changed. Without those functions nothing is ever watched. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "native.h"

#include <dlfcn.h>

typedef int Tell(int event, PyObject *dict, PyObject *key, PyObject *value);
typedef int AddWatcher(Tell *tell);
typedef int AddDict(int watcher, PyObject *dict);

uint64_t watch_settings = 1, watch_globals = 1;

static int tell(int event, PyObject *dict, PyObject *key, PyObject *value)
{
	(void)event;
	(void)key;
	(void)value;
	if (dict == host.environment || dict == host.settings)
		watch_settings++;
	else
		watch_globals++;
	return 0;
}

bool watch_dict(PyObject *dict)
{
	enum { NOT_ASKED = -2, NONE = -1 };
	static int watcher = NOT_ASKED;
	static AddDict *add_dict;
	if (watcher == NOT_ASKED) {
		void *add = dlsym(RTLD_DEFAULT, "PyDict_AddWatcher");
		void *watch = dlsym(RTLD_DEFAULT, "PyDict_Watch");
		AddWatcher *add_watcher;
		memcpy(&add_watcher, &add, sizeof add);
		memcpy(&add_dict, &watch, sizeof watch);
		watcher = add && watch ? add_watcher(tell) : NONE; /* there are eight in a process */
	}
	bool good = watcher >= 0 && PyDict_Check(dict) && add_dict(watcher, dict) == 0;
	if (!good)
		PyErr_Clear();
	return good;
}
