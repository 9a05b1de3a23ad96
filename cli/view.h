/* The page of neso view, embedded by the build: its frame, with @NAME@ where the command fills
 * in, and what stands in there. */
#ifndef NESO_CLI_VIEW_H
#define NESO_CLI_VIEW_H

typedef struct ViewPage {
	const char *html, *css, *js;
} ViewPage;
extern const ViewPage view_page;

#endif
