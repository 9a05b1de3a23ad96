/* Where a function's launches are in their streams: an event behind the last one in each.
 *
 * A module is unloaded when the events say that nothing of it runs. Synchronising the context
 * would say the same, but would invalidate every graph being captured in it, by any thread. Events
 * are created and queried in the relaxed capture mode, in which a thread's calls do not affect
 * other captures. */
#include "nv/inner.h"

#include <stdlib.h>

enum { MARKS = 8, WITHOUT_TIMING = 2 /* CU_EVENT_DISABLE_TIMING */ };

typedef struct Mark {
	NvStream stream;
	unsigned long long id; /* a handle may come back, its number not */
	void *event; /* NULL: the place is free */
} Mark;

struct NvMarks {
	pthread_mutex_t lock;
	Mark at[MARKS];
};

NvMarks *nv_marks_new(void)
{
	NvMarks *marks = calloc(1, sizeof *marks);
	if (marks)
		pthread_mutex_init(&marks->lock, NULL);
	return marks;
}

static bool is_done(const CudaApi *cuda, const Mark *mark)
{
	return !mark->event || cuda->cuEventQuery(mark->event) == CUDA_SUCCESS;
}

/* That of the stream, a free one, or one of a stream that is through; NULL: there is none. */
static Mark *place(const CudaApi *cuda, NvMarks *marks, NvStream stream, unsigned long long id)
{
	Mark *found = NULL;
	for (unsigned i = 0; i < MARKS; i++) {
		Mark *mark = &marks->at[i];
		if (mark->event && mark->stream == stream && mark->id == id)
			return mark;
		if (!mark->event)
			found = mark;
	}
	for (unsigned i = 0; i < MARKS && !found; i++)
		found = is_done(cuda, &marks->at[i]) ? &marks->at[i] : NULL;
	if (!found || found->event || cuda->cuEventCreate(&found->event, WITHOUT_TIMING) == CUDA_SUCCESS)
		return found;
	found->event = NULL;
	return NULL;
}

bool nv_marks_add(const NvDriver *driver, NvMarks *marks, NvStream stream)
{
	const CudaApi *cuda = &driver->cuda;
	unsigned long long id = 0;
	if (cuda->cuStreamGetId)
		cuda->cuStreamGetId(stream, &id);
	const NvRelaxed relaxed = nv_relax(driver);
	pthread_mutex_lock(&marks->lock);
	Mark *mark = place(cuda, marks, stream, id);
	const bool good = mark && cuda->cuEventRecord(mark->event, stream) == CUDA_SUCCESS;
	if (mark) {
		mark->stream = stream;
		mark->id = id;
	}
	pthread_mutex_unlock(&marks->lock);
	nv_unrelax(driver, relaxed);
	return good;
}

bool nv_marks_done(const NvDriver *driver, const NvMarks *marks)
{
	const NvRelaxed relaxed = nv_relax(driver);
	bool done = true;
	for (unsigned i = 0; i < MARKS && done; i++)
		done = is_done(&driver->cuda, &marks->at[i]);
	nv_unrelax(driver, relaxed);
	return done;
}

void nv_marks_clear(const NvDriver *driver, NvMarks *marks, bool there)
{
	for (unsigned i = 0; i < MARKS; i++) {
		if (there && marks->at[i].event)
			driver->cuda.cuEventDestroy(marks->at[i].event);
		marks->at[i] = (Mark){0};
	}
}

void nv_marks_free(NvMarks *marks)
{
	if (marks)
		pthread_mutex_destroy(&marks->lock);
	free(marks);
}
