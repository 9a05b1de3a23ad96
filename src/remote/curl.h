/* libcurl, loaded when it is needed: what is linked to it would be bound to one system's libraries, and could not be handed out. Its
 * functions are called by their own names. */
#ifndef NESO_REMOTE_CURL_H
#define NESO_REMOTE_CURL_H

#include <curl/curl.h>
#include <stdbool.h>

/* It may have macros of these names, which look at types. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

typedef struct Curl {
#define CURL_FUNCTION(result, name, parameters) result(*name) parameters;
#include "remote/curl.def"
#undef CURL_FUNCTION
} Curl;

/* Of this process; to be used once curl_load has given true. */
extern Curl curl_functions;
/* False where the system has no libcurl of the kind that this was built with. */
bool curl_load(void);

#ifndef NESO_REMOTE_CURL_PLAIN /* where names are names */
#define curl_global_init curl_functions.curl_global_init
#define curl_easy_init curl_functions.curl_easy_init
#define curl_easy_cleanup curl_functions.curl_easy_cleanup
#define curl_easy_reset curl_functions.curl_easy_reset
#define curl_easy_setopt curl_functions.curl_easy_setopt
#define curl_easy_getinfo curl_functions.curl_easy_getinfo
#define curl_easy_perform curl_functions.curl_easy_perform
#define curl_easy_recv curl_functions.curl_easy_recv
#define curl_easy_send curl_functions.curl_easy_send
#define curl_easy_strerror curl_functions.curl_easy_strerror
#define curl_free curl_functions.curl_free
#define curl_slist_append curl_functions.curl_slist_append
#define curl_slist_free_all curl_functions.curl_slist_free_all
#define curl_url curl_functions.curl_url
#define curl_url_cleanup curl_functions.curl_url_cleanup
#define curl_url_get curl_functions.curl_url_get
#define curl_url_set curl_functions.curl_url_set
#define curl_version_info curl_functions.curl_version_info
#endif

#endif
