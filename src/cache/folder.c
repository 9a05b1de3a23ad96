/* Walking to a folder by descriptors, and who can change the way. */
#define _GNU_SOURCE /* O_PATH */
#include "cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 128, LINKS = 40 };

/* A step: from a folder to what its entry leads to. */
typedef struct Step {
	uid_t folder, entry;
	mode_t mode; /* of the folder */
} Step;

typedef struct Walk {
	int at;        /* a folder, or -1 */
	struct stat st; /* of that folder, as it was reached */
	char rest[PATH_MAX]; /* of the path, from there */
	Step steps[DEEPEST];
	uint32_t count, links;
	uint32_t to_link; /* steps up to the last link */
} Walk;

static bool is_us(uid_t user)
{
	return user == 0 || user == geteuid();
}

bool cache_is_private(const struct stat *st)
{
	return is_us(st->st_uid) && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

const char *cache_file_open_to_others(const struct stat *st, uid_t owner)
{
	if (owner == (uid_t)CACHE_ANYBODY)
		return NULL;
	if (!is_us(st->st_uid) && st->st_uid != owner)
		return "it belongs to another user";
	return st->st_mode & (S_IWGRP | S_IWOTH) ? "others can write to it" : NULL;
}

/* ---- walking ---- */

static void go_to(Walk *w, int fd, const struct stat *st)
{
	if (w->at >= 0)
		close(w->at);
	w->at = fd;
	w->st = *st;
}

static bool go_to_root(Walk *w)
{
	struct stat st;
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0) {
		go_to(w, fd, &st);
		return true;
	}
	int error = errno;
	close(fd);
	errno = error;
	return false;
}

/* The rest of the path is `head`, then `tail`. */
static bool set_rest(Walk *w, const char *head, const char *tail)
{
	char rest[PATH_MAX];
	int len = snprintf(rest, sizeof rest, "%s%s%s", head, *head && *tail ? "/" : "", tail);
	if (len < 0 || (size_t)len >= sizeof rest) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(w->rest, rest, (size_t)len + 1);
	return *rest != '/' || go_to_root(w);
}

static bool note_step(Walk *w, const struct stat *entry)
{
	if (w->count == DEEPEST) {
		errno = ENAMETOOLONG;
		return false;
	}
	w->steps[w->count++] = (Step){w->st.st_uid, entry->st_uid, w->st.st_mode};
	return true;
}

static bool follow(Walk *w, int link, const char *tail)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof target - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	w->to_link = w->count;
	if (++w->links > LINKS) {
		errno = ELOOP;
		return false;
	}
	return set_rest(w, target, tail);
}

/* Takes the first name of the rest. */
static bool step(Walk *w)
{
	char name[NAME_MAX + 1];
	struct stat entry;
	size_t len = strcspn(w->rest, "/"), skip = len + strspn(w->rest + len, "/");
	if (len > NAME_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(name, w->rest, len);
	name[len] = '\0';
	memmove(w->rest, w->rest + skip, strlen(w->rest + skip) + 1);
	if (!len || strcmp(name, ".") == 0)
		return true;
	int fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool good = fstat(fd, &entry) == 0 && note_step(w, &entry);
	if (good && S_ISLNK(entry.st_mode)) {
		char tail[PATH_MAX];
		memcpy(tail, w->rest, strlen(w->rest) + 1);
		good = follow(w, fd, tail);
		int error = errno;
		close(fd);
		errno = error;
		return good;
	}
	if (good && !S_ISDIR(entry.st_mode)) {
		good = false;
		errno = ENOTDIR;
	}
	if (good) {
		go_to(w, fd, &entry);
		return true;
	}
	int error = errno;
	close(fd);
	errno = error;
	return false;
}

static bool walk(Walk *w, const char *path)
{
	char here[PATH_MAX] = "";
	if (*path != '/' && !getcwd(here, sizeof here))
		return false;
	if (!set_rest(w, here, path))
		return false;
	while (*w->rest)
		if (!step(w))
			return false;
	return w->at >= 0;
}

/* ---- judging ---- */

/* Can none but us, root and `owner` change where these steps lead? */
static bool is_fixed(const Walk *w, uint32_t steps, uid_t owner)
{
	for (uint32_t i = 0; i < steps; i++) {
		const Step *s = &w->steps[i];
		bool writable = (s->mode & (S_IWGRP | S_IWOTH)) != 0, sticky = (s->mode & S_ISVTX) != 0;
		if (!is_us(s->folder) && s->folder != owner)
			return false;
		if (writable && !(sticky && (is_us(s->entry) || s->entry == owner)))
			return false;
	}
	return true;
}

static const char *refuse(const Walk *w, const struct stat *st, CacheTrust trust)
{
	if (trust == CACHE_TRUST_ALL)
		return NULL;
	if (trust == CACHE_TRUST_OWN && !is_us(st->st_uid))
		return "it belongs to another user";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "others can write to it";
	/* In a sticky folder anybody may have made it first. */
	uid_t owner = trust == CACHE_TRUST_OWNER ? st->st_uid : geteuid();
	bool first = trust == CACHE_TRUST_OWNER && !is_us(owner) && w->count && (w->steps[w->count - 1].mode & S_IWOTH);
	if (st->st_uid != geteuid() && (first || !is_fixed(w, w->count, owner)))
		return "it belongs to another user, and others can change a folder that leads to it";
	/* A link of theirs could lead to any folder of ours. */
	if (!is_fixed(w, w->to_link, owner))
		return "a link leads to it that others can change";
	return NULL;
}

int cache_folder_open(const char *path, CacheTrust trust, struct stat *st, const char **why)
{
	Walk w = {.at = -1};
	*why = NULL;
	bool there = walk(&w, path);
	*st = w.st;
	if (there)
		*why = refuse(&w, st, trust);
	if (there && !*why)
		return w.at;
	int error = errno;
	if (w.at >= 0)
		close(w.at);
	errno = error;
	return -1;
}
