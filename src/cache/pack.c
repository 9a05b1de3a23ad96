/* Packs: writing and reading. */
#include "cache/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/os.h"
#include "cache/choice.h"
#include "cache/inner.h"

static const char head[16] = "NESOPACK\1\0\0\0\0\0\0\0";

static void put_number(char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (char)(value >> 8 * i & 255);
}

static uint64_t get_number(const char *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)(uint8_t)at[i] << 8 * i;
	return value;
}

static bool is_packed(CacheKind kind)
{
	return kind == CACHE_VARIANT || kind == CACHE_CUBIN || kind == CACHE_CHOICE;
}

/* ---- writing ---- */

typedef VEC(CacheFile) Files;
typedef struct Packing {
	CacheStore *store;
	const CacheSecret *secret; /* NULL: entries go as they are */
	Arena *arena;
	Files files;
	bool (*wants)(void *data, const CacheFile *file);
	void *data;
} Packing;

static bool collect(void *data, const CacheFile *file)
{
	Packing *p = data;
	if (is_packed(file->kind) && (!p->wants || p->wants(p->data, file)))
		vec_push(p->arena, &p->files, *file);
	return true;
}

static int by_key(const void *a, const void *b)
{
	const CacheFile *x = a, *y = b;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : memcmp(&x->key, &y->key, sizeof x->key);
}

static bool write_entry(const Packing *p, const CacheFile *file, int out, CachePacked *result)
{
	Arena arena;
	arena_init(&arena, 0);
	char row[16] = {0};
	CacheEntry entry;
	Str bytes;
	const char *why;
	bool written = true;
	if (!cache_read_file(p->store, file->kind, &file->key, &arena, &bytes, &why) ||
	    !cache_entry_accept(p->store, file->kind, &file->key, bytes, &entry, &why) || !cache_entry_verify(&entry, &why)) {
		result->refused++;
	} else if (p->secret &&
		   !cache_entry_sign(bytes, cache_kind_names[file->kind], p->secret, &arena, &bytes)) {
		result->refused++;
	} else {
		put_number(row, file->kind, 4);
		put_number(row + 8, bytes.len, 8);
		written = os_write_all(out, (Str){row, sizeof row}) && os_write_all(out, bytes);
		result->entries++;
		result->bytes += sizeof row + bytes.len;
	}
	int error = errno;
	arena_free(&arena);
	errno = error;
	return written;
}

bool cache_pack(CacheStore *store, const char *path, bool (*wants)(void *data, const CacheFile *file), void *data, const CacheSecret *secret,
		CachePacked *result, const char **error, Arena *arena)
{
	Packing p = {.store = store, .secret = secret, .arena = arena, .wants = wants, .data = data};
	OsOutput out;
	*result = (CachePacked){0};
	cache_each(store, 0, CACHE_SHARDS, collect, &p);
	if (p.files.len)
		qsort(p.files.data, p.files.len, sizeof *p.files.data, by_key);
	if (!os_output_open(&out, arena, path, error))
		return false;
	bool good = os_write_all(out.fd, (Str){head, sizeof head});
	result->bytes = sizeof head;
	for (uint32_t i = 0; good && i < p.files.len; i++)
		good = write_entry(&p, &p.files.data[i], out.fd, result);
	return os_output_close(&out, arena, good, error);
}

/* ---- reading ---- */

/* Where a pack is read from: a file, or bytes. */
typedef struct Input {
	int fd; /* -1: */
	Str bytes;
	size_t at;
} Input;

/* Up to `len` more bytes, into memory that grows with what is there: whoever wrote the pack may lie. */
static Str take(Input *in, Arena *arena, size_t len)
{
	enum { AT_ONCE = 1 << 20 };
	if (in->fd < 0) {
		Str some = {in->bytes.ptr + in->at, MIN(len, in->bytes.len - in->at)};
		in->at += some.len;
		return some;
	}
	size_t have = 0, room = MIN(len, (size_t)AT_ONCE);
	char *bytes = arena_alloc_raw(arena, room + 1, 16);
	while (have < len) {
		if (have == room) {
			size_t more = MIN(len, 2 * room);
			bytes = arena_grow(arena, bytes, room + 1, more + 1);
			room = more;
		}
		ssize_t got = read(in->fd, bytes + have, room - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return (Str){bytes, have};
}

typedef struct Reading {
	bool (*each)(void *data, CacheKind kind, const CacheEntry *entry);
	void *data;
	CachePacked *result;
} Reading;

/* False: it is the last. */
static bool read_entry(Input *in, const Reading *r, Arena *arena)
{
	CacheEntry entry;
	const char *why;
	Str row = take(in, arena, 16);
	if (!row.len)
		return false;
	uint64_t kind = row.len == 16 ? get_number(row.ptr, 4) : 0, len = row.len == 16 ? get_number(row.ptr + 8, 8) : UINT64_MAX;
	Str file = len > CACHE_ENTRY_LARGEST ? (Str){0} : take(in, arena, (size_t)len);
	if (file.len != len) { /* it is cut off, or no row */
		r->result->refused++;
		return false;
	}
	if (kind >= CACHE_KIND__COUNT || !cache_entry_open(&entry, file, NULL, &why)) {
		r->result->refused++;
		return true;
	}
	r->result->entries++;
	r->result->bytes += len;
	return r->each(r->data, (CacheKind)kind, &entry);
}

/* Memory for one entry at a time. */
static bool read_next(Input *in, const Reading *r)
{
	Arena arena;
	Fault fault;
	volatile bool more = false;
	arena_init(&arena, 0);
	if (FAULT_TRY(&fault)) {
		more = read_entry(in, r, &arena);
		fault_leave(&fault);
	} else {
		r->result->refused++;
	}
	arena_free(&arena);
	return more;
}

static bool read_pack(Input *in, const Reading *r, const char **why)
{
	Arena arena;
	arena_init(&arena, 0);
	*r->result = (CachePacked){0};
	Str begin = take(in, &arena, sizeof head);
	*why = begin.len < sizeof head || memcmp(begin.ptr, head, 8) != 0 ? "it is no pack" :
	       memcmp(begin.ptr, head, sizeof head) != 0                  ? "it is a pack of another version" :
									    NULL;
	arena_free(&arena);
	while (!*why && read_next(in, r))
		;
	return !*why;
}

bool cache_pack_read(Str pack, bool (*each)(void *data, CacheKind kind, const CacheEntry *entry), void *data,
		     CachePacked *result, const char **why)
{
	Input in = {.fd = -1, .bytes = pack};
	return read_pack(&in, &(Reading){each, data, result}, why);
}

/* ---- into a store ---- */

typedef struct Unpacking {
	CacheStore *store;
	const CacheSecret *secret;
	uint64_t refused;
} Unpacking;

static bool put(void *data, CacheKind kind, const CacheEntry *entry)
{
	Unpacking *u = data;
	const char *why;
	bool good = is_packed(kind) &&
		    (!u->secret || cache_entry_signed(entry->file, cache_kind_names[kind], u->secret, &why)) &&
		    cache_entry_keyed(entry, &why) && cache_entry_verify(entry, &why);
	good = good && (kind == CACHE_CHOICE ? cache_choice_take(u->store, entry)
					     : cache_put_here(u->store, kind, &entry->key, entry->file));
	u->refused += !good;
	return true;
}

static bool unpack(CacheStore *store, Input *in, const CacheSecret *secret, CachePacked *result, const char **why)
{
	Unpacking u = {.store = store, .secret = secret ? secret : store->is_signed ? &store->secret : NULL};
	if (!read_pack(in, &(Reading){put, &u, result}, why))
		return false;
	result->entries -= u.refused;
	result->refused += u.refused;
	return true;
}

bool cache_unpack(CacheStore *store, Str pack, const CacheSecret *secret, CachePacked *result, const char **why)
{
	Input in = {.fd = -1, .bytes = pack};
	return unpack(store, &in, secret, result, why);
}

/* False with a reason. */
static bool open_input(Input *in, const char *path, const char **why, Arena *arena)
{
	struct stat st;
	*in = (Input){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
	if (in->fd >= 0 && fstat(in->fd, &st) == 0 && !S_ISDIR(st.st_mode))
		return true;
	*why = arena_strdup(arena, strerror(in->fd < 0 ? errno : EISDIR));
	if (in->fd >= 0)
		close(in->fd);
	return false;
}

bool cache_unpack_file(CacheStore *store, const char *path, const CacheSecret *secret, CachePacked *result,
		       const char **why, Arena *arena)
{
	Input in;
	if (!open_input(&in, path, why, arena))
		return false;
	bool good = unpack(store, &in, secret, result, why);
	close(in.fd);
	return good;
}

/* ---- packs by themselves ---- */

typedef struct Passing {
	const CacheSecret *secret;
	int out; /* entries go there, signed anew; -1: they are looked at */
	uint64_t refused;
	bool failed; /* to write */
} Passing;

static bool pass(void *data, CacheKind kind, const CacheEntry *entry)
{
	Passing *p = data;
	const char *why, *name = cache_kind_names[kind];
	bool checks = p->out < 0 && p->secret;
	bool good = is_packed(kind) &&
		    (!checks || cache_entry_signed(entry->file, name, p->secret, &why)) &&
		    cache_entry_keyed(entry, &why) && cache_entry_verify(entry, &why);
	Arena arena;
	Str bytes;
	char row[16] = {0};
	arena_init(&arena, 0);
	if (good && p->out >= 0 && (good = cache_entry_sign(entry->file, name, p->secret, &arena, &bytes))) {
		put_number(row, kind, 4);
		put_number(row + 8, bytes.len, 8);
		p->failed = !os_write_all(p->out, (Str){row, sizeof row}) || !os_write_all(p->out, bytes);
	}
	arena_free(&arena);
	p->refused += !good;
	return !p->failed;
}

static bool pass_all(Input *in, Passing *p, CachePacked *result, const char **why)
{
	bool good = read_pack(in, &(Reading){pass, p, result}, why);
	close(in->fd);
	result->entries -= p->refused;
	result->refused += p->refused;
	return good;
}

bool cache_pack_check(const char *path, const CacheSecret *secret, CachePacked *result, const char **why,
		      Arena *arena)
{
	Input in;
	Passing p = {.secret = secret, .out = -1};
	return open_input(&in, path, why, arena) && pass_all(&in, &p, result, why);
}

bool cache_pack_sign(const char *path, const char *to, const CacheSecret *secret, CachePacked *result,
		     const char **why, Arena *arena)
{
	Input in;
	OsOutput out;
	if (!open_input(&in, path, why, arena))
		return false;
	if (!os_output_open(&out, arena, to, why)) {
		close(in.fd);
		return false;
	}
	Passing p = {.secret = secret, .out = out.fd};
	const char *wrong = NULL;
	bool good = os_write_all(out.fd, (Str){head, sizeof head}) && pass_all(&in, &p, result, &wrong) &&
		    !p.failed;
	good = os_output_close(&out, arena, good, why);
	*why = wrong ? wrong : *why;
	return good;
}
