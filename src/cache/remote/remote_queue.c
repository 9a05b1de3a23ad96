/* The queue of values to put, and the thread that puts them. */
#include "cache/remote/remote_int.h"

#include <stdlib.h>
#include <time.h>

#include "base/os.h"

/* A value that cannot be put so often is dropped: it may be what the server fails of. */
enum { TRIES = 3 };

/* Without the lock; the item is the caller's. */
int remote_put_item(RemoteLive *l, const RemoteItem *item)
{
	char hex[CACHE_HEX_SIZE], why[CACHE_REMOTE_WHY] = "";
	double began = os_now();
	cache_digest_hex(&item->key, hex);
	int result = l->backend.put(l->backend.data, hex, item->name, item->bytes, item->size, why, sizeof why);
	pthread_mutex_lock(&l->lock);
	remote_was_asked(l, result, began, why);
	pthread_mutex_unlock(&l->lock);
	if (result == CACHE_REMOTE_OK) {
		remote_count(&l->remote->counts.puts, 1);
		remote_count(&l->remote->counts.bytes_out, item->size);
	} else if (result == CACHE_REMOTE_REFUSED) {
		remote_count(&l->remote->counts.dropped, 1);
	}
	return result;
}

void remote_enqueue(RemoteLive *l, RemoteItem *item, bool in_front)
{
	item->next = in_front ? l->first : NULL;
	if (in_front) {
		l->first = item;
		if (!item->next)
			l->last = &item->next;
	} else {
		*l->last = item;
		l->last = &item->next;
	}
	l->items++;
	l->bytes += item->size;
}

static RemoteItem *dequeue(RemoteLive *l)
{
	RemoteItem *item = l->first;
	l->first = item->next;
	if (!l->first)
		l->last = &l->first;
	l->items--;
	l->bytes -= item->size;
	return item;
}

/* Under the lock, and no longer than an hour: callers look again. `until` of os_now(), the same clock; may be infinite. */
static void wait_until(RemoteLive *l, double until)
{
	until = MIN(until, os_now() + 3600);
	struct timespec t = {.tv_sec = (time_t)until};
	t.tv_nsec = (long)((until - (double)t.tv_sec) * 1e9);
	pthread_cond_timedwait(&l->changed, &l->lock, &t);
}

void *remote_put_all(void *data)
{
	RemoteLive *l = data;
	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		if (!l->first) {
			pthread_cond_wait(&l->changed, &l->lock);
			continue;
		}
		if (!remote_may_ask(l)) {
			wait_until(l, MAX(l->again, os_now() + 0.01));
			continue;
		}
		RemoteItem *item = dequeue(l);
		l->putting = item;
		pthread_mutex_unlock(&l->lock);
		int result = remote_put_item(l, item);
		pthread_mutex_lock(&l->lock);
		l->putting = NULL;
		if (result == CACHE_REMOTE_AWAY && ++item->tries < TRIES) {
			remote_enqueue(l, item, true);
		} else {
			remote_count(&l->remote->counts.dropped, result == CACHE_REMOTE_AWAY);
			free(item);
		}
		pthread_cond_broadcast(&l->changed);
	}
	l->ended = true;
	pthread_cond_broadcast(&l->changed);
	bool alone = l->abandoned;
	pthread_mutex_unlock(&l->lock);
	if (alone) {
		CacheRemote *remote = l->remote;
		remote_live_free(l);
		remote_free_texts(remote);
	}
	return NULL;
}

/* Under the lock. Until all is put, or `seconds` are over, or the server is away. */
size_t remote_flush(RemoteLive *l, double seconds)
{
	double until = os_now() + seconds;
	while (l->started && !l->ended && (l->first || l->putting) && (l->pause == 0 || l->probing) && os_now() < until)
		wait_until(l, until);
	return l->items + (l->putting != NULL);
}

/* Under the lock: no more is put. False: the thread is stuck in a put. */
bool remote_stop(RemoteLive *l, double seconds)
{
	double until = os_now() + seconds;
	l->stop = true;
	pthread_cond_broadcast(&l->changed);
	while (l->started && !l->ended && os_now() < until)
		wait_until(l, until);
	return !l->started || l->ended;
}
