/* The policy `tiered`: a launch with a value that is new has the variant for all values; a value
 * that stays in use gets a variant of its own, made in the background; then its launches alternate
 * between both and are timed, and the faster one serves from there on.
 *
 * A value is a launch's key under the policy `eager` (key.c): numeric constexprs with the types and
 * options of the launch. A kernel's values lie in a table of a fixed size. One that is new takes,
 * of a few places that its hash names, that of the value that was not used for the longest.
 *
 * Whoever finds the table locked goes on with the variant for all values, which is always right:
 * launches wait for nobody, and neither does a child of a fork, where the holder may be gone. */
#include "api/background.h"

#include <stdlib.h>

#include "base/option/option.h"
#include "base/os.h"

enum {
	VALUES = 512, /* a power of two */
	WINDOW = 8, /* places of a value */
	SAMPLES = 8, /* launches of each variant that are compared, after WARMING ones */
	WARMING = 1,
	FLYING = 6, /* timed launches of a value that are not over */
	LONG_AGO = 1 << 14, /* launches of the kernel, after which a special value may lose its place */
	MARGIN_PERCENT = 1, /* faster by less is not faster */
};

typedef enum TierState { FREE, COUNTED, COMPILING, TRIED, SPECIAL, GENERIC, FAILED } TierState;

/* A launch on a GPU between two events. */
typedef struct Flight {
	void *events[2]; /* NULL: none */
	double programs;
	bool is_special;
} Flight;

/* What is known of a value beyond its count. */
typedef struct Trial {
	neso_variant *variant;
	uint32_t begun[2], count[2]; /* of the generic one, of the special one; with WARMING */
	double seconds[2][SAMPLES]; /* of a program */
	Flight flights[FLYING];
	size_t words;
	uint64_t key[];
} Trial;

typedef struct Value {
	uint64_t hash;
	uint64_t used; /* launch number */
	uint32_t count;
	TierState state;
	Trial *trial; /* NULL: FREE, COUNTED */
} Value;

typedef struct ApiTier {
	pthread_mutex_t lock;
	uint64_t launches, compiled;
	uint32_t wanted; /* launches of a value before it is compiled */
	Value values[VALUES];
} ApiTier;

/* ---- the table ---- */

static ApiTier *tier_of(neso_kernel *kernel)
{
	ApiTier *tier = atomic_load_explicit(&kernel->tier, memory_order_acquire);
	if (tier)
		return tier;
	ApiTier *fresh = calloc(1, sizeof *fresh);
	if (!fresh)
		return NULL;
	const uint64_t wanted = option_number(OPTION_TIER_LAUNCHES);
	fresh->wanted = (uint32_t)MIN(MAX(wanted, (uint64_t)2), (uint64_t)UINT32_MAX);
	pthread_mutex_init(&fresh->lock, NULL);
	if (atomic_compare_exchange_strong(&kernel->tier, &tier, fresh))
		return fresh;
	pthread_mutex_destroy(&fresh->lock);
	free(fresh);
	return tier;
}

static NvDriver *driver_of(const neso_kernel *kernel)
{
	return kernel->module->context->host.driver;
}

static void end_flight(const neso_kernel *kernel, Flight *flight)
{
	for (int i = 0; i < 2; i++)
		if (flight->events[i])
			nv_event_free(driver_of(kernel), flight->events[i]);
	*flight = (Flight){0};
}

static void clear(const neso_kernel *kernel, Value *value)
{
	for (int i = 0; value->trial && i < FLYING; i++)
		end_flight(kernel, &value->trial->flights[i]);
	if (value->trial)
		neso_variant_release(value->trial->variant);
	free(value->trial);
	*value = (Value){0};
}

void api_tier_free(neso_kernel *kernel)
{
	ApiTier *tier = atomic_load(&kernel->tier);
	if (!tier)
		return;
	for (int i = 0; i < VALUES; i++)
		clear(kernel, &tier->values[i]);
	pthread_mutex_destroy(&tier->lock);
	free(tier);
}

static Value *find(ApiTier *tier, uint64_t hash)
{
	for (uint64_t i = 0; i < WINDOW; i++) {
		Value *value = &tier->values[(hash + i) % VALUES];
		if (value->state != FREE && value->hash == hash)
			return value;
	}
	return NULL;
}

/* Of two values, may the first rather lose its place? */
static bool goes_before(const ApiTier *tier, const Value *a, const Value *b)
{
	const bool light_a = a->state == COUNTED || tier->launches - a->used > LONG_AGO;
	const bool light_b = b->state == COUNTED || tier->launches - b->used > LONG_AGO;
	return light_a != light_b ? light_a : a->used < b->used;
}

/* A place for a new value; NULL: all are taken by values that are in use. */
static Value *room(const neso_kernel *kernel, ApiTier *tier, uint64_t hash)
{
	Value *best = NULL;
	for (uint64_t i = 0; i < WINDOW; i++) {
		Value *value = &tier->values[(hash + i) % VALUES];
		if (value->state == FREE)
			return value;
		if (value->state != COMPILING && (!best || goes_before(tier, value, best)))
			best = value;
	}
	if (!best || (best->state != COUNTED && tier->launches - best->used <= LONG_AGO))
		return NULL;
	clear(kernel, best);
	return best;
}

static bool is_key(const Trial *trial, const ApiKey *key)
{
	return trial->words == key->count &&
	       memcmp(trial->key, key->words, key->count * sizeof *key->words) == 0;
}

/* ---- trying ---- */

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const double *seconds)
{
	double sorted[SAMPLES];
	memcpy(sorted, seconds, sizeof sorted);
	qsort(sorted, SAMPLES, sizeof *sorted, by_size);
	return (sorted[SAMPLES / 2 - 1] + sorted[SAMPLES / 2]) / 2;
}

static void add_sample(Value *value, bool is_special, double seconds)
{
	Trial *trial = value->trial;
	const uint32_t at = trial->count[is_special]++;
	if (at >= WARMING && at < WARMING + SAMPLES)
		trial->seconds[is_special][at - WARMING] = seconds;
	if (value->state != TRIED || trial->count[0] < WARMING + SAMPLES ||
	    trial->count[1] < WARMING + SAMPLES)
		return;
	const double generic = median(trial->seconds[0]), special = median(trial->seconds[1]);
	value->state = special < generic * (1 - MARGIN_PERCENT / 100.0) ? SPECIAL : GENERIC;
}

/* Takes the times of launches that are over. */
static void land(const neso_kernel *kernel, Value *value)
{
	NvDriver *driver = driver_of(kernel);
	for (int i = 0; i < FLYING; i++) {
		Flight *flight = &value->trial->flights[i];
		Arena arena;
		DiagList diags;
		double seconds;
		if (!flight->events[1] || !nv_event_done(driver, flight->events[1]))
			continue;
		arena_init(&arena, 0);
		diag_init(&diags, &arena, NULL);
		if (nv_event_elapsed(driver, flight->events[0], flight->events[1], &seconds, &diags))
			add_sample(value, flight->is_special, seconds / flight->programs);
		else
			value->trial->begun[flight->is_special]--;
		arena_free(&arena);
		end_flight(kernel, flight);
	}
}

/* The same where faults land: without memory nothing is learnt. */
static neso_status land_all(ApiCall *call, void *data)
{
	void *const *both = data;
	(void)call;
	land(both[0], both[1]);
	return NESO_OK;
}

/* Which of the two a launch has while both are tried; the one that was launched less. */
static bool try_special(const neso_kernel *kernel, Value *value, neso_turn *turn)
{
	Trial *trial = value->trial;
	if (turn->on_gpu)
		api_run(NULL, NULL, land_all, (void *[]){(void *)(uintptr_t)kernel, value});
	if (value->state != TRIED)
		return value->state == SPECIAL;
	const bool special = trial->begun[1] < trial->begun[0];
	bool has_room = !turn->on_gpu;
	for (int i = 0; i < FLYING; i++)
		has_room |= !trial->flights[i].events[1];
	turn->is_timed = has_room && trial->begun[special] < WARMING + SAMPLES;
	trial->begun[special] += turn->is_timed;
	return special;
}

/* ---- a launch's turn ---- */

/* False: there is no memory for it. */
static bool want(Value *value, const ApiKey *key)
{
	value->trial = calloc(1, sizeof *value->trial + key->count * sizeof *key->words);
	if (!value->trial)
		return false;
	value->trial->words = key->count;
	memcpy(value->trial->key, key->words, key->count * sizeof *key->words);
	value->state = COMPILING;
	return true;
}

static neso_variant *choose(neso_kernel *kernel, ApiTier *tier, const ApiKey *key, neso_turn *turn)
{
	Value *value = find(tier, key->hash);
	tier->launches++;
	if (!value) {
		value = room(kernel, tier, key->hash);
		if (!value)
			return NULL;
		*value = (Value){.hash = key->hash, .state = COUNTED};
	}
	value->used = tier->launches;
	value->count++;
	turn->value = key->hash;
	if (value->state == COUNTED) {
		turn->due = value->count >= tier->wanted && want(value, key);
		return NULL;
	}
	if (!is_key(value->trial, key))
		return NULL; /* another value with this hash */
	const bool special =
		value->state == SPECIAL || (value->state == TRIED && try_special(kernel, value, turn));
	turn->is_settled = special && value->state == SPECIAL;
	neso_variant_hold(special ? value->trial->variant : NULL);
	return special ? value->trial->variant : NULL;
}

/* The special variant that a launch is to have, held, or NULL: the generic one. */
static neso_variant *take_turn(neso_kernel *kernel, const ApiKey *key, neso_turn *turn)
{
	ApiTier *tier = tier_of(kernel);
	if (!tier || pthread_mutex_trylock(&tier->lock) != 0)
		return NULL;
	neso_variant *variant = choose(kernel, tier, key, turn);
	pthread_mutex_unlock(&tier->lock);
	turn->is_special = variant != NULL;
	return variant;
}

void neso_kernel_tier_made(neso_kernel *kernel, uint64_t hash, neso_variant *variant)
{
	ApiTier *tier = kernel ? atomic_load(&kernel->tier) : NULL;
	if (!tier)
		return;
	pthread_mutex_lock(&tier->lock);
	Value *value = find(tier, hash);
	if (value && value->state == COMPILING) {
		neso_variant_hold(variant);
		value->trial->variant = variant;
		value->state = variant ? TRIED : FAILED;
		tier->compiled += variant != NULL;
	}
	pthread_mutex_unlock(&tier->lock);
}

static neso_status new_events(ApiCall *call, void *data)
{
	void **both = data;
	NvDriver *driver = both[0];
	neso_turn *turn = both[1];
	const bool good = nv_event_new(driver, &turn->events[0], &call->diags) &&
			  nv_event_new(driver, &turn->events[1], &call->diags) &&
			  nv_event_record(driver, turn->events[0], both[2], &call->diags);
	return good ? NESO_OK : NESO_ERROR_RUN;
}

/* What is not timed gives its place to another launch. */
static void give_up(neso_kernel *kernel, neso_turn *turn)
{
	ApiTier *tier = atomic_load(&kernel->tier);
	for (int i = 0; i < 2; i++)
		if (turn->events[i])
			nv_event_free(driver_of(kernel), turn->events[i]);
	turn->is_timed = false;
	pthread_mutex_lock(&tier->lock);
	Value *value = find(tier, turn->value);
	if (value && value->state == TRIED)
		value->trial->begun[turn->is_special]--;
	pthread_mutex_unlock(&tier->lock);
}

void neso_turn_begin(neso_kernel *kernel, neso_turn *turn, void *stream)
{
	if (!kernel || !turn || !turn->is_timed)
		return;
	if (!turn->on_gpu)
		turn->began = os_now();
	else if (nv_stream_captures(driver_of(kernel), stream) ||
		 api_run(NULL, NULL, new_events, (void *[]){driver_of(kernel), turn, stream}) != NESO_OK)
		give_up(kernel, turn);
}

static neso_status record_end(ApiCall *call, void *data)
{
	void **both = data;
	return nv_event_record(both[0], ((neso_turn *)both[1])->events[1], both[2], &call->diags)
		       ? NESO_OK
		       : NESO_ERROR_RUN;
}

void neso_turn_end(neso_kernel *kernel, neso_turn *turn, const neso_launch *launch, bool done)
{
	if (!kernel || !turn || !turn->is_timed)
		return;
	const double seconds = os_now() - turn->began;
	const double programs = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
	if (!done || programs == 0 ||
	    (turn->on_gpu && api_run(NULL, NULL, record_end,
				     (void *[]){driver_of(kernel), turn, launch->stream}) != NESO_OK)) {
		give_up(kernel, turn);
		return;
	}
	ApiTier *tier = atomic_load(&kernel->tier);
	Flight flight = {{turn->events[0], turn->events[1]}, programs, turn->is_special};
	pthread_mutex_lock(&tier->lock);
	Value *value = find(tier, turn->value);
	const bool tried = value && value->state == TRIED;
	if (tried && !turn->on_gpu)
		add_sample(value, turn->is_special, seconds / programs);
	for (int i = 0; tried && turn->on_gpu && i < FLYING; i++)
		if (flight.events[1] && !value->trial->flights[i].events[1]) {
			value->trial->flights[i] = flight;
			flight = (Flight){0};
		}
	pthread_mutex_unlock(&tier->lock);
	end_flight(kernel, &flight);
	turn->is_timed = false;
}

/* ---- finding and launching ---- */

bool api_is_tiered(const neso_kernel *kernel, const neso_launch *launch)
{
	if (!kernel || !launch || launch->size != sizeof *launch ||
	    (launch->options && !api_is_plain(launch)))
		return false;
	const int policy = launch->options ? (int)launch->options->constexpr_policy : 0;
	return (policy ? policy : (int)kernel->policy) == NESO_POLICY_TIERED;
}

/* A launch under another policy. */
typedef struct As {
	neso_compile_options options;
	neso_launch launch;
} As;

static void launch_as(As *as, const neso_launch *launch, neso_constexpr_policy policy)
{
	if (launch->options)
		as->options = *launch->options;
	else
		neso_compile_options_init(&as->options);
	as->options.constexpr_policy = policy;
	as->launch = *launch;
	as->launch.options = &as->options;
}

static bool is_for_gpu(const neso_compile_options *options)
{
	const char *target = options->target;
	return target && strcmp(target, "interp") != 0 && strncmp(target, "sim:", 4) != 0;
}

/* The variant for all values is `generic`: is one for the launch's value to be had? special: the
 * launch under the policy `eager`. */
static neso_variant *turn_of(neso_kernel *kernel, const JitVariant *generic, const As *special,
			     neso_turn *turn)
{
	ApiKey key;
	if (!jit_variant_demotes(generic) || special->options.override ||
	    !api_key_make(&key, kernel, &special->launch, 0, false))
		return NULL;
	turn->on_gpu = is_for_gpu(&special->options);
	return take_turn(kernel, &key, turn);
}

neso_variant *neso_kernel_find_tiered(neso_kernel *kernel, const neso_launch *launch, neso_turn *turn)
{
	ApiKey key;
	As as;
	if (!kernel || !launch || !turn || turn->size != sizeof *turn || launch->size != sizeof *launch)
		return NULL;
	*turn = (neso_turn){.size = sizeof *turn};
	launch_as(&as, launch, NESO_POLICY_GENERIC);
	const JitVariant *generic = api_find(kernel, &as.launch, &key);
	if (!generic)
		return NULL;
	as.options.constexpr_policy = NESO_POLICY_EAGER;
	neso_variant *special = turn_of(kernel, generic, &as, turn);
	if (special)
		jit_let_go(generic);
	return special ? special : api_variant(generic);
}

static void made(void *data, neso_kernel *kernel, neso_variant *variant)
{
	const uint64_t hash = (uint64_t)(uintptr_t)data;
	neso_kernel_tier_made(kernel, hash, variant);
}

neso_status api_tiered_launch(neso_kernel *kernel, const neso_launch *launch, neso_launch_result *result,
			      neso_diagnostics **diagnostics)
{
	_Static_assert(sizeof(void *) >= sizeof(uint64_t), "a hash as data of a callback");
	As special, generic;
	ApiKey key;
	neso_turn turn = {.size = sizeof turn};
	launch_as(&special, launch, NESO_POLICY_EAGER);
	const JitDispatch *last =
		is_for_gpu(&special.options) ? api_find_last(kernel, &special.launch) : NULL;
	if (last && last == atomic_load_explicit(&kernel->settled, memory_order_acquire))
		return api_launch(kernel, &special.launch, last, NULL, result, diagnostics);
	launch_as(&generic, launch, NESO_POLICY_GENERIC);
	const JitVariant *found = api_find(kernel, &generic.launch, &key);
	neso_variant *own = found ? turn_of(kernel, found, &special, &turn) : NULL;
	const bool is_special = own != NULL;
	const neso_launch *chosen = is_special ? &special.launch : &generic.launch;
	if (turn.due && !api_future_begin(kernel, &special.launch, made, (void *)(uintptr_t)turn.value))
		neso_kernel_tier_made(kernel, turn.value, NULL);
	neso_turn_begin(kernel, &turn, launch->stream);
	const neso_status status = api_launch(kernel, chosen, NULL, found ? NULL : &key, result, diagnostics);
	neso_turn_end(kernel, &turn, launch, status == NESO_OK);
	neso_variant_release(own);
	jit_let_go(found);
	if (turn.is_settled && turn.on_gpu)
		atomic_store_explicit(&kernel->settled, api_find_last(kernel, &special.launch),
				      memory_order_release);
	return status;
}

/* ---- what is known ---- */

neso_status neso_kernel_tiers(const neso_kernel *kernel, neso_tiers *tiers)
{
	neso_tiers out = {.size = sizeof out};
	ApiTier *tier = kernel ? atomic_load(&((neso_kernel *)(uintptr_t)kernel)->tier) : NULL;
	if (!kernel || !tiers)
		return NESO_ERROR_USAGE;
	if (tier) {
		uint32_t *const counts[] = {
			[FREE] = NULL,		[COUNTED] = NULL,	  [COMPILING] = &out.compiling,
			[TRIED] = &out.tried,	[SPECIAL] = &out.special, [GENERIC] = &out.generic,
			[FAILED] = &out.failed,
		};
		pthread_mutex_lock(&tier->lock);
		out.launches = tier->launches;
		out.compiled = tier->compiled;
		for (int i = 0; i < VALUES; i++) {
			out.values += tier->values[i].state != FREE;
			if (counts[tier->values[i].state])
				(*counts[tier->values[i].state])++;
		}
		pthread_mutex_unlock(&tier->lock);
	}
	return api_write_struct(tiers, &out, sizeof out) ? NESO_OK : NESO_ERROR_USAGE;
}
