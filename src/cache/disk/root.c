/* The roots of a store: opened when they are first needed, and again when they were removed.
 *
 * A descriptor may be closed under us (programs that become daemons close all that they find), and its number given to something else. So
 * each use looks whether it is still what was opened; that takes a fifth of a microsecond. */
#define _GNU_SOURCE /* dup3 */
#include "cache/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same(const CacheOpened *o, const struct stat *st)
{
	return st->st_dev == o->device && st->st_ino == o->file;
}

/* Does the descriptor still lead to the folder? */
static bool is_open(const CacheOpened *o)
{
	struct stat st;
	return fstat(o->fd, &st) == 0 && is_same(o, &st);
}

/* And is that there, with nobody let in since? */
static bool is_fit(const CacheStore *store, const CacheRoot *root, const CacheOpened *o)
{
	struct stat st;
	bool any = store->is_signed && !root->own;
	return fstat(o->fd, &st) == 0 && is_same(o, &st) && st.st_nlink && (any || !(st.st_mode & (S_IWGRP | S_IWOTH)));
}

/* Takes the number of the descriptor before it, where that is still ours: threads may be about to use it. */
static void take_number(CacheOpened *fresh, const CacheOpened *before)
{
	if (!before || !is_open(before) || dup3(fresh->fd, before->fd, O_CLOEXEC) < 0)
		return;
	close(fresh->fd);
	fresh->fd = before->fd;
}

static const CacheOpened *keep(CacheRoot *root, int fd, const struct stat *st, CacheOpened *before)
{
	CacheOpened *fresh = malloc(sizeof *fresh);
	if (!fresh) {
		close(fd);
		return NULL;
	}
	*fresh = (CacheOpened){.before = before, .fd = fd, .device = st->st_dev, .file = st->st_ino, .owner = st->st_uid};
	take_number(fresh, before);
	if (atomic_compare_exchange_strong(&root->opened, &before, fresh))
		return fresh;
	/* Another thread was faster, with the same folder. */
	if (fresh->fd != before->fd)
		close(fresh->fd);
	free(fresh);
	return before;
}

static const CacheOpened *open_root(CacheStore *store, CacheRoot *root, CacheOpened *before)
{
	struct stat st;
	const char *why;
	CacheTrust trust = root->own ? CACHE_TRUST_OWN : store->is_signed ? CACHE_TRUST_ALL : CACHE_TRUST_OWNER;
	int fd = cache_folder_open(root->path, trust, &st, &why);
	if (fd >= 0)
		return keep(root, fd, &st, before);
	/* What is not there may come; what is not for us is looked at once. */
	int error = errno;
	if (!why && (error == ENOENT || error == EMFILE || error == ENFILE || error == ENOMEM))
		return NULL;
	atomic_store(&root->refused, true);
	if (why)
		cache_report(store, CACHE_FAULT_OPEN, root->path, why);
	else
		cache_report_errno(store, root->path, error);
	return NULL;
}

const CacheOpened *cache_root(CacheStore *store, CacheRoot *root)
{
	if (store->is_shut || atomic_load_explicit(&root->refused, memory_order_relaxed))
		return NULL;
	CacheOpened *o = atomic_load_explicit(&root->opened, memory_order_acquire);
	return o && is_fit(store, root, o) ? o : open_root(store, root, o);
}

bool cache_root_moved(CacheStore *store, CacheRoot *root)
{
	CacheOpened *o = atomic_load(&root->opened);
	struct stat st;
	if (!o || stat(root->path, &st) != 0 || is_same(o, &st))
		return false;
	return open_root(store, root, o) != NULL;
}

void cache_root_close(CacheRoot *root)
{
	CacheOpened *o = atomic_load(&root->opened);
	if (o && is_open(o))
		close(o->fd);
	for (CacheOpened *before; o; o = before) {
		before = o->before;
		free(o);
	}
}

/* ---- the own one ---- */

/* mkdir with all above it; those above keep the user's mask. 0, or an errno. */
static int make_folders(const char *path)
{
	char part[CACHE_PATH];
	size_t len = strlen(path);
	if (len >= sizeof part)
		return ENAMETOOLONG;
	memcpy(part, path, len + 1);
	int refused = 0;
	for (size_t i = 1; i < len; i++) {
		if (part[i] != '/')
			continue;
		part[i] = '\0';
		int error = mkdir(part, 0777) == 0 || errno == EEXIST || errno == EISDIR ? 0 : errno;
		/* Below a folder that was refused there may be one that is there. */
		if (error == EROFS || error == EACCES || error == EPERM)
			refused = error;
		else if (error)
			return error == ENOENT && refused ? refused : error;
		part[i] = '/';
	}
	int error = mkdir(part, 0700) == 0 || errno == EEXIST ? 0 : errno;
	return error == ENOENT && refused ? refused : error;
}

int cache_own(CacheStore *store, bool make)
{
	if (!store->has_own)
		return -1;
	CacheRoot *root = &store->roots[0];
	const CacheOpened *o = cache_root(store, root);
	if (!o && make && !store->is_shut && !atomic_load(&root->refused)) {
		int error = make_folders(root->path);
		o = error ? NULL : cache_root(store, root);
		if (error)
			cache_report_errno(store, root->path, error);
	}
	return o ? o->fd : -1;
}
