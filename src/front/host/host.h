/* Between the files of Python's builtins (host_*.c): one function per row of host_python.def, and the readers of
 * their arguments. */
#ifndef NESO_FRONT_HOST_HOST_H
#define NESO_FRONT_HOST_HOST_H

#include "front/core.h"

#define PY(owner, name, fn, type, min, max) PyFn fn;
#include "front/host/python.def"
#undef PY

/* A keyword argument, or NULL. */
const Val *host_keyword(const CallArgs *args, const char *name);
/* The host value of an argument; NULL after diagnosing a run-time one. */
const Val *host_known(FrontLower *low, const Val *v, const char *what);
/* A variable of the environment; NULL: there is none. */
const Val *host_environment(FrontLower *low, const Val *name);
bool host_is_environment(const Val *v); /* os.environ */
const Val *host_bad_argument(FrontLower *low, const char *what, const Val *v);

#endif
