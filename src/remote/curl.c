/* Loads libcurl, once for the process. */
#define NESO_REMOTE_CURL_PLAIN
#include "remote/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

Curl curl_functions;
static bool loaded;

static const struct {
	const char *name;
	size_t place; /* in Curl */
} rows[] = {
#define CURL_FUNCTION(result, name, parameters) {#name, offsetof(Curl, name)},
#include "remote/curl.def"
#undef CURL_FUNCTION
};

static void load(void)
{
	/* Debian's by GnuTLS has the same functions under versions of their own. */
	static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"};
	void *library = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	loaded = library != NULL;
	for (size_t i = 0; loaded && i < sizeof rows / sizeof *rows; i++) {
		void *function = dlsym(library, rows[i].name);
		memcpy((char *)&curl_functions + rows[i].place, &function, sizeof function);
		loaded = function != NULL;
	}
	if (loaded)
		curl_functions.curl_global_init(CURL_GLOBAL_DEFAULT);
}

bool curl_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return loaded;
}
