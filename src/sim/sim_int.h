/* Inside the simulator: bytecode, a warp's state, and what its files share.
 *
 * A value is one slot, or several (a vector, a struct): 32 lanes of 1, 2, 4 or 8 bytes, a bool one byte of 0 or 1, an integer
 * of another width with zeros above it. Slots hold 256 bytes; those that live within one block take turns
 * with others of their size (lanes may be in different blocks: each has its bytes). Constants and
 * arguments have slots of their own, filled before a warp starts. Pointers are host addresses; of shared memory
 * 32-bit offsets; those that come from `alloca` point into the warp's own memory.
 *
 * A program is a CTA, or a cluster of them: one SimCta in either case, whose warps are those of the first CTA, then those of the
 * second, and so on; each CTA has its part of the shared memory.
 *
 * A warp is a list of fragments (pc, lanes): the lowest pc runs, those that meet become one. Blocks lie in the order of the
 * text, where a branch's paths come before what follows both, so lanes meet as early as they can. */
#ifndef NESO_SIM_SIM_INT_H
#define NESO_SIM_SIM_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "layout/layout.h"
#include "sim/sim.h"

enum { SIM_LANES = 32, SIM_SLOT = 256, SIM_ROTATE = 16, SIM_MOST_WARPS = 128 };
#define SIM_ALL UINT32_MAX

typedef struct SimWarp SimWarp;
typedef struct SimCta SimCta;
typedef struct SimInstr SimInstr;
typedef struct SimElements SimElements; /* tile.c */

/* Computes all lanes of d; arguments that the instruction has not are NULL. */
typedef void SimPure(void *d, const void *a, const void *b, const void *c, uint64_t imm);
/* Does what it does for the lanes of the mask. False: the program stops, or the warp waits (w->wait). */
typedef bool SimEffect(SimWarp *w, const SimInstr *i, uint32_t mask);
/* With checks: before an effect is done, which of its operands must be defined; once it is done,
 * which bits of its results are (check/define.h). */
typedef void SimDefine(SimWarp *w, const SimInstr *i, uint32_t mask, bool done);
typedef struct SimPromise SimPromise; /* check/define.h */

typedef enum SimKind { SIM_PURE, SIM_EFFECT, SIM_JUMP, SIM_BRANCH, SIM_SWITCH, SIM_RETURN } SimKind;

struct SimInstr {
	SimKind kind;
	SimPure *pure;
	SimEffect *effect;
	uint32_t *slots;           /* results, then operands */
	uint8_t results, operands;
	uint8_t size;              /* PURE: bytes of a result's lane; see memory.h */
	uint8_t lane_bytes;        /* EFFECT: of each result; 0: of several sizes */
	uint8_t bytes, parts;      /* memory: bytes of a part, how many */
	uint32_t align;            /* memory */
	uint8_t order;             /* memory: a SimOrder */
	uint32_t buffer, buffer_end; /* shared memory: that it must keep to; end 0: all of it */
	bool loads;                /* memory: and does nothing else */
	bool cached;               /* a load that the first-level cache keeps */
	bool cta_scope;            /* an atomic operation for a CTA's threads */
	bool invariant;            /* a load of what nobody writes, as the code promises */
	bool updates;              /* a store of what is made of a load of the same place */
	uint16_t wavefronts;       /* shared memory: that its plan counts; 0: there is none */
	uint64_t imm;
	uint32_t to[2];            /* JUMP, BRANCH: pc */
	const uint64_t *cases;     /* SWITCH: value, pc, ...; imm of them; to[0] otherwise */
	const void *data;          /* of the operation */
	const SimElements *elements; /* memory: of the tile that it moves; NULL: nothing is said of it */
	uint8_t real, real_from; /* PURE: floats of its result, its operands: 1 + a SimFloat; 0: none */
	uint8_t rule, from; /* PURE: a SimRule and the bytes of its operands' lanes (check/define.h) */
	uint8_t condition; /* EFFECT: operand that masks lanes off, and one; 0: none */
	bool clears;   /* memory: a load gives 0 where its mask is off */
	bool given;    /* memory: a load gives its last operands there */
	bool hands_on; /* EFFECT: results may be parts of operands' addresses */
	uint64_t arguments; /* memory: that the address may come from, a bit each; 0: any */
	SimDefine *define; /* EFFECT: NULL: lane by lane */
	const SimPromise *promise; /* PURE: what the code promises of its operands; NULL: nothing */
	bool takes_tokens; /* of products that are under way (wgmma.c): copies, products and their wait */
	uint32_t loc;
	uint32_t site; /* its number and one */
};

typedef struct SimLoc {
	const char *path; /* NULL: not known */
	uint32_t line, col;
	uint32_t caller;  /* SimLoc that it was inlined at; 0: none */
} SimLoc;

typedef struct SimRange {
	uint64_t base, size;
} SimRange;

struct SimKernel {
	const char *name;
	unsigned ctas, cta_warps;      /* of a program, of a CTA */
	unsigned warps;                /* of a program */
	unsigned shared, shared_pitch; /* bytes of a CTA; from one CTA's to the next one's */
	unsigned registers;            /* that a thread has at most; 0: nobody says */
	const SimInstr *code;
	uint32_t code_count;
	uint32_t slot_count;
	uint32_t fixed;                /* slots [0, fixed) are constants and arguments */
	const uint64_t *constants;     /* by slot; arguments' are 0 */
	const uint8_t *constant_bytes; /* of a lane */
	const uint8_t *constant_undefined;
	const uint32_t *arg_slots;     /* by argument */
	const bool *arg_maps;          /* by argument: it is a tensor map */
	uint32_t arg_count;
	const SimLoc *locs;
	const SimRange *texts;         /* constant data, in this process */
	uint32_t text_count;
	uint32_t local;                /* bytes of a lane's own memory */
	SimResidency resident;
	uint64_t noalias;              /* arguments that share memory with none, a bit each */
	bool promises_memory;          /* that, or loads of what nobody writes */
	bool ordered;                  /* the order of programs may decide what comes out, of good ones too: atomics say so */
};

/* ---- running ---- */

/* MEET: for the lanes that an operation of several lanes names. */
/* In the imm of a barrier: warps of several roles come to it in places of their own. */
enum { SIM_OF_ROLES = 2 };

typedef enum SimWait { WAIT_NOTHING, WAIT_CTA, WAIT_CLUSTER, WAIT_WARP, WAIT_MEET } SimWait;

typedef struct SimFragment {
	uint32_t pc, lanes;
	SimWait wait;
} SimFragment;

typedef struct SimShadow SimShadow; /* check.c */
typedef struct SimRaces SimRaces;   /* race.c */
typedef struct SimKnown SimKnown;

typedef struct SimArray {
	const char *name;
	uint64_t base, size;
	bool writable;
	bool unwritten;
	uint32_t written; /* time of race.c at which anyone has written it last; 0: nobody */
	uint8_t *hollow; /* bits of it that are not defined; NULL: all are (check/define.h) */
} SimArray;

typedef struct SimFault {
	bool set;
	uint64_t pid;
	DiagCode code;
	uint32_t loc;
	char text[1024];
} SimFault;

/* Who did what a finding is about. */
typedef struct SimParty {
	uint32_t site; /* of its instruction; 0: there is none */
	uint32_t lanes;
	uint64_t pid;
	uint8_t warp; /* of the program */
	uint8_t lane, byte; /* one of the lanes, and the byte of its access that it is about: SIM_NO_BYTE: not known */
} SimParty;

#define SIM_NO_BYTE UINT8_MAX

/* A finding of the checks: the first of those with this code, line and other line. Lanes are those of the parties' warps in all. */
typedef struct SimFinding {
	struct SimFinding *next;
	DiagCode code;
	SimParty who, other;
	uint64_t count;
	char text[512];
} SimFinding;

/* The order in which warps get their turns: one after the other, each until it waits, from the last one on, by chance. */
typedef enum SimOrdering { SIM_BY_TURNS, SIM_UNTIL_BLOCKED, SIM_REVERSED, SIM_RANDOM } SimOrdering;

typedef struct SimSchedule {
	unsigned number;
	SimOrdering ordering;
	uint64_t seed;
	unsigned company; /* programs that run together from the start */
} SimSchedule;

typedef struct SimRun {
	const SimKernel *kernel;
	const SimLaunch *launch;
	SimArray *buffers;
	uint32_t buffer_count;
	struct SimTraffic *traffic; /* likewise (check/traffic.h); NULL: not asked for */
	bool forgot; /* notes on accesses, as there were too many */
	uint8_t *seen; /* by instruction: SIM_SEEN (check/coverage.h); NULL: no checks */
	/* By instruction: buffers that it may access, by sim_buffer_bit; NULL: all may all. */
	uint64_t *allowed;
	unsigned scratch_bytes;
	uint64_t programs;
	bool check;
	SimRaces *races;        /* NULL: not looked for */
	struct SimPromised *promised; /* check/promised.h: likewise */
	struct SimBanks *banks; /* likewise */
	struct SimSums *sums;   /* NULL: nobody compares orders */
	SimSchedule schedule;
	_Atomic uint64_t next;  /* program to start */
	_Atomic uint64_t stop;  /* programs from this one on are not wanted */
	double deadline;        /* 0: none */
	double next_poll;       /* of the host; its thread's */
	_Atomic uint32_t active; /* threads that run programs */
	_Atomic uint64_t version; /* goes up when global memory may have changed */
	_Atomic bool dead;      /* nobody can go on */
	pthread_mutex_t lock;   /* guards what follows */
	uint64_t idle_version;
	uint32_t idle;          /* threads all of whose programs wait for a change of memory after idle_version */
	SimFault fault;
	SimFinding *findings;
	char **printed;         /* by program, until it is given out */
	uint64_t print_next;
	_Atomic bool no_memory;
} SimRun;

/* Of a warp's fences, race.c: what the last one released (0: none), and what is acquired by the next. */
typedef struct SimFence {
	uint32_t all, own;
	uint64_t pending;
} SimFence;

/* What is ordered before a warp's next access, by warp of the program: its accesses of shared memory
 * before `shared` (intervals), its writes of it before `fenced` for asynchronous units too, its
 * accesses of global memory before `global` (times of race.c), its writes of that before `proxied`
 * for asynchronous units too. */
typedef struct SimPast {
	uint32_t shared[SIM_MOST_WARPS], fenced[SIM_MOST_WARPS], global[SIM_MOST_WARPS];
	uint32_t proxied[SIM_MOST_WARPS];
	/* ways.c: by which way that is known; what would be by those alone that are needed; of a
	 * barrier: where those came who say so, and somebody has acquired something for all */
	uint32_t via[SIM_MOST_WARPS], sure[SIM_MOST_WARPS], sure_global[SIM_MOST_WARPS];
	uint32_t by[SIM_MOST_WARPS], told_at;
} SimPast;

/* What copies that come by themselves have written is no warp's: whoever waits for it knows it, and
 * nothing else of its issuer. A number behind those of warps; where none is left, the issuer's. */
static inline unsigned sim_unit(const SimKernel *k, unsigned issuer)
{
	return k->warps < SIM_MOST_WARPS ? k->warps : issuer;
}

/* Warps, and what comes by itself: of which a warp knows something. */
static inline unsigned sim_known_count(const SimKernel *k)
{
	return MIN(k->warps + 1, (unsigned)SIM_MOST_WARPS);
}

/* A barrier of some of the CTA's warps, by number. */
typedef struct SimNamed {
	uint32_t threads, come, generation; /* threads 0: nobody has come */
	uint32_t warps[SIM_MOST_WARPS / 32]; /* that have come, a bit each */
	SimPast past, met; /* of who has come; of who had when all did, and nobody once more */
} SimNamed;

enum { SIM_NAMED_BARRIERS = 16 };

/* What setmaxnreg has left a warp (registers.c): for each thread; how often, and the last time. */
typedef struct SimRegisters {
	uint32_t threads;
	uint32_t wanted; /* by the warp, which waits; 0: it does not */
	uint32_t moves, move, at; /* at: interval */
	const SimInstr *by;
} SimRegisters;

/* A loop that only loads, and the same each time, waits: addresses of loads so far, operations that
 * are none, and where the last jump back was. */
typedef struct SimSpin {
	uint64_t loaded, others;
	uint32_t pc;
} SimSpin;

struct SimWarp {
	SimCta *cta;
	unsigned index;  /* of the program */
	unsigned rank;   /* of its CTA in the cluster */
	uint32_t base;   /* of its CTA's shared memory in the program's */
	uint8_t *shared; /* there */
	uint8_t *regs;  /* slot_count * SIM_SLOT */
	uint8_t *local; /* 32 lanes of kernel->local bytes */
	SimFragment fragments[SIM_LANES];
	unsigned fragment_count;
	SimWait wait;    /* what the instruction that returned false waits for */
	bool faulted;
	bool last_chance; /* lanes that are missing now will not come */
	unsigned turns;
	SimSpin spin, before;
	uint32_t sync;   /* waits of the warp so far: its own order */
	SimFence fence;
	SimPast past;
	/* Global memory (order.c): time of its lanes' last meeting; what it has acquired and the
	 * program does not know, the lanes that did when `sync` was `acquired_at`. */
	uint32_t met, floor, acquired, acquired_at;
	SimKnown *known;
	struct SimAsync *async;
	struct SimStores *stores;     /* tensor.c: likewise */
	struct SimDefined *defined; /* check/define.h: with checks */
	struct SimProducts *products; /* wgmma.c: with checks; NULL: none yet */
	bool tokens;            /* there may be some in its registers */
	bool at_barrier;        /* it has come to a named one and waits there */
	bool tells;             /* ways.c: it has acquired something since it met all */
	uint32_t at_generation; /* of it */
	SimRegisters registers;
	_Alignas(64) uint8_t scratch[SIM_SLOT];
};

/* The last barrier of threads, for idle.c: where, the interval and the time of race.c behind it. Has
 * a release, or what one thread acquired or saw, come before the next one? */
typedef struct SimMeeting {
	uint32_t arriving, site, interval, time; /* arriving: to the next one */
	bool tells;
} SimMeeting;

/* Atomic operations and volatile loads of a program, through which it learns of others: the last
 * ones since it changed memory by one. Who comes to one of them again waits. */
enum { SIM_TOLD = 4 };
typedef struct SimTold {
	uint64_t at[SIM_TOLD];
	uint32_t site[SIM_TOLD];
	uint32_t count; /* of all */
	bool waits;
} SimTold;

struct SimCta {
	SimRun *run;
	uint64_t pid;
	uint32_t program[3];
	uint8_t *shared;
	SimWarp *warps;
	uint32_t interval; /* barriers of the CTA so far */
	uint8_t *scratch;
	SimShadow *shadow; /* NULL: no checks */
	struct SimHollow *hollow; /* check/define.h: NULL: no checks */
	struct SimBarriers *barriers; /* mbarrier.c: with checks; NULL: none yet */
	struct SimRemote *remote;     /* cluster.c: likewise */
	struct SimWays *ways;         /* ways.c: likewise, where traffic is asked for */
	SimNamed *named;   /* SIM_NAMED_BARRIERS for each CTA; NULL: nobody has come to any */
	uint32_t registers[SIM_MOST_WARPS]; /* of each CTA's pool: registers.c */
	bool fenced;       /* a warp has fenced writes for asynchronous units */
	SimKnown *known;   /* by program; NULL: nothing of others is ordered before this one */
	uint32_t since;    /* time of the last barrier (race.c) */
	uint32_t floor;
	uint32_t fresh;    /* time of its last acquire by what drops the first-level cache */
	char *text;        /* printed so far */
	size_t text_len, text_cap;
	SimMeeting meetings[1 + SIM_MOST_WARPS]; /* of all the program's threads; of each of its CTAs */
	unsigned hint;     /* buffer of the last access */
	uint64_t random;
	bool careful;      /* accesses of global memory are to be told: to race.c, or */
	bool watched;      /* to stuck.c: what follows */
	bool changed;      /* global memory */
	uint32_t read_loc; /* of the last load or atomic operation; 0: none */
	uint64_t read_at;
	SimTold told; /* with checks */
};

/* Of the barrier that the warp waits at, or has come from. */
static inline SimMeeting *sim_meeting(SimCta *cta, unsigned rank, bool all)
{
	return &cta->meetings[all || cta->run->kernel->ctas == 1 ? 0 : 1 + rank];
}
/* idle.c: a barrier orders an access of the warp behind an earlier one, by that warp of the program,
 * in that interval. */
void sim_credit_shared(SimWarp *w, unsigned warp, uint32_t interval);
void sim_credit_global(SimWarp *w, unsigned warp, uint32_t time); /* likewise; a time of race.c */
void sim_credit_tells(SimWarp *w, bool releases); /* acquires, volatile loads; atomic operations release */
static inline void *sim_slot(const SimWarp *w, uint32_t slot)
{
	return w->regs + (size_t)slot * SIM_SLOT;
}
static inline void *sim_result(const SimWarp *w, const SimInstr *i, unsigned n)
{
	return sim_slot(w, i->slots[n]);
}
static inline const void *sim_operand(const SimWarp *w, const SimInstr *i, unsigned n)
{
	return sim_slot(w, i->slots[i->results + n]);
}

#define EACH_LANE(lane, mask)                                                                     \
	for (uint32_t rest_ = (mask), lane; rest_ && (lane = (uint32_t)__builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

/* ---- a CTA ---- */

SimCta *sim_cta_new(SimRun *run); /* NULL: no memory */
/* What messages call a program of the grid. */
static inline const char *sim_program_word(const SimRun *run)
{
	return run->launch->several ? "CTA" : "program";
}
uint32_t sim_scratch_pitch(const SimRun *run); /* from one CTA's scratch to the next one's */
void sim_cta_free(SimCta *cta);   /* NULL is fine */
void sim_cta_start(SimCta *cta, uint64_t pid);
void sim_cta_end(SimCta *cta);
/* A turn of each warp. False when the program is over. */
bool sim_cta_round(SimCta *cta, SimOrdering ordering);
bool sim_stopped(const SimCta *cta);

/* stuck.c */
typedef struct SimProof SimProof;
typedef enum { SIM_STUCK, SIM_MOVED, SIM_ENDED, SIM_UNDECIDED } SimVerdict;
SimProof *sim_proof_new(const SimKernel *kernel); /* NULL: no memory */
void sim_proof_free(SimProof *proof);
/* Runs the program alone for so many rounds, or until it has ended, or changed global memory, or stands where it stood before:
 * then it does so for ever if nobody else changes memory. */
SimVerdict sim_prove(SimProof *proof, SimCta *cta, uint32_t rounds);
void sim_note_stuck(SimCta *const *ctas, unsigned count); /* the fault, of the first of them */

/* ---- faults and checks ---- */

/* given.c: is what the launch is given there? False after diagnosing. */
bool sim_check_launch(const SimKernel *kernel, const SimLaunch *launch, unsigned scratch_bytes,
		      DiagList *diags);

/* Nothing more is begun, and the report says so. Returns false. */
bool sim_no_memory(SimRun *run);
/* Stops the program; returns false. lane < 0: of the warp. It is about the lane's first byte. */
bool sim_fault(SimWarp *w, const SimInstr *i, int lane, DiagCode code, const char *format, ...) PRINTF_LIKE(5, 6);
/* About this byte of a lane's access; of the lane that is meant. */
bool sim_fault_at(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte, DiagCode code, const char *format, ...)
	PRINTF_LIKE(6, 7);
/* An access of the lane, and its byte. */
SimParty sim_party(const SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte);
/* By the party; `other` may be NULL. */
void sim_finding(SimRun *run, SimParty who, const SimParty *other, DiagCode code, const char *format, ...) PRINTF_LIKE(5, 6);
const char *sim_warp_text(const SimKernel *kernel, unsigned warp, char *out, size_t size); /* of the program */
uint32_t sim_loc_of(const SimKernel *kernel, const SimParty *party); /* 0: there is none */
void sim_keep_fault(SimRun *run, uint64_t pid, DiagCode code, uint32_t loc, const char *text); /* of the least pid */
void sim_report(const SimRun *run, DiagList *diags); /* all of them */
void sim_findings_free(SimRun *run);
/* Memory that another schedule left otherwise, at the line that wrote it last. */
void sim_find_difference(SimRun *run, uint64_t address, const char *format, ...) PRINTF_LIKE(3, 4);
void sim_find_writer(SimRun *run, uint64_t address); /* a note at the line that wrote it last */
Diag *sim_diag(DiagList *diags, const SimKernel *kernel, DiagCode code, uint32_t loc, const char *text);
const char *sim_place(const SimKernel *kernel, uint32_t loc, char *out, size_t size);

/* The bit of a buffer in SimRun.allowed. Those from the last one on share it: ambient memory, as
 * the declared buffers come before. */
enum { SIM_LAST_BUFFER = 63 };
static inline unsigned sim_buffer_bit(unsigned buffer)
{
	return buffer < SIM_LAST_BUFFER ? buffer : SIM_LAST_BUFFER;
}

/* Memory of an access that is allowed, or NULL after the fault. */
void *sim_global(SimWarp *w, const SimInstr *i, unsigned lane, uint64_t address, uint32_t size, uint32_t align, bool write);
void *sim_shared(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size, uint32_t align);

/* Bank conflicts, banks.c: wavefronts of an access of shared memory by these lanes, `size` bytes each; ldmatrix and stmatrix: rows. */
typedef struct SimBanks SimBanks;
SimBanks *sim_banks_new(const SimKernel *kernel); /* NULL: no memory */
void sim_banks_free(SimBanks *banks);
void sim_count_banks(SimWarp *w, const SimInstr *i, uint32_t mask, const uint32_t *offsets, uint32_t size);
/* With checks those that a plan counts; all of them where traffic is asked for. */
static inline bool sim_counts_banks(const SimWarp *w, const SimInstr *i)
{
	return w->cta->run->banks && (i->wavefronts || w->cta->run->traffic);
}
void sim_report_conflicts(const SimRun *run, DiagList *diags); /* of all lines, where traffic is asked for */
void sim_report_banks(const SimRun *run, DiagList *diags);

/* Sums of floats in any order, sums.c. */
typedef struct SimSums SimSums;
typedef struct SimFloatType {
	uint8_t size, digits; /* of the significand, with the one that is not stored: 11, 8, 24, 53 */
} SimFloatType;
SimSums *sim_sums_new(void); /* NULL: no memory */
void sim_sums_free(SimSums *sums);
/* `value` is added where `before` was. False: no memory. */
bool sim_sums_add(SimSums *sums, uint64_t address, SimFloatType type, double before, double value);
/* Of a byte's word, if it is a sum: how far two orders may be apart. */
bool sim_sums_get(const SimSums *sums, uint64_t address, SimFloatType *type, uint64_t *word, double *apart);

SimShadow *sim_shadow_new(unsigned bytes);
void sim_shadow_reset(SimShadow *shadow);
void sim_shadow_free(SimShadow *shadow);
void sim_check_read(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size);
void sim_check_write(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size);
/* For a while the warp's shared memory is that of another CTA of the cluster. */
typedef struct SimPlace {
	uint32_t base;
	uint8_t *shared;
} SimPlace;
SimPlace sim_go_to(SimWarp *w, unsigned rank);
void sim_come_back(SimWarp *w, SimPlace own);
/* It has done something there: that CTA must not end before. With checks. */
void sim_note_remote(SimWarp *w, const SimInstr *i, unsigned lane, unsigned rank);
void sim_check_remote_read(SimWarp *w, const SimInstr *i, unsigned lane, unsigned rank, uint32_t offset, uint32_t size);
void sim_remote_end(SimCta *cta); /* a program has ended: had all who read another CTA's memory met it? */
void sim_remote_free(SimCta *cta);
void sim_check_atomic(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size);
/* What is done with an mbarrier. ASYNC: a copy that is issued counts on it. */
typedef enum { SIM_BARRIER_MAKE, SIM_BARRIER_USE, SIM_BARRIER_ASYNC, SIM_BARRIER_DROP } SimBarrierUse;
void sim_check_barrier(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, SimBarrierUse use);
/* Of cp.async: the bytes come when its thread waits, `read` of them from the source and the rest 0. False: no memory, and the
 * launch ends. */
bool sim_check_copy(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size, const uint8_t *source, uint32_t read);
/* Bytes that an asynchronous copy of this lane is going to write; that it has written, to be seen by who is ordered after it. `bulk`
 * copies write as products read; others (cp.async) as threads do, so that a fence must follow. */
void sim_check_flies(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size);
void sim_check_landed(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size, bool bulk);
/* Reads of an asynchronous unit, from where they are issued to where they are done: what they read must be written, fenced
 * if threads wrote it, and stay. */
/* A write of an asynchronous unit, from where it is issued; what threads wrote there must be fenced. */
void sim_check_async_write(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size);
void sim_check_async_read(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size);
void sim_check_async_done(SimWarp *w, uint32_t offset, uint32_t size);
void sim_barriers_free(SimCta *cta);
void sim_registers_start(SimCta *cta);
void sim_registers_end(SimCta *cta); /* findings: warps that did not come to their group's setmaxnreg */
void sim_registers_text(const SimCta *cta, char *out, size_t size); /* "": nobody waits for any */
/* mbarrier.c: copies that are under way when the program has ended, which is a finding */
void sim_barriers_end(SimCta *cta);
/* roles.c: what the warp knows goes to who meets it, and comes from them; NULL is fine. */
void sim_past_give(SimWarp *w, SimPast *to, const SimInstr *at);
void sim_past_take(SimWarp *w, const SimPast *from, const SimInstr *at);
/* tensor.c: what is under way when a program ends, which is a finding, is done; the notes. */
void sim_stores_end(SimWarp *w);
void sim_stores_free(SimWarp *w);
void sim_tokens_drop(SimWarp *w); /* before a program: what the one before has left */
void sim_products_free(SimWarp *w);
void sim_find_tokens(SimWarp *w, const SimInstr *i); /* a finding where the instruction uses one */
bool sim_check_commit(SimWarp *w, uint32_t mask); /* likewise */
bool sim_check_wait(SimWarp *w, uint32_t mask, uint32_t pending); /* has any copy come? */
void sim_check_free(SimWarp *w);

/* Races between programs, race.c. Accesses of global memory that are allowed; what lies in no buffer of the
 * launch is not looked at. */
SimRaces *sim_races_new(uint64_t programs);
void sim_races_free(SimRaces *races);
void sim_race_start(SimCta *cta); /* of a program */
void sim_race_end(SimCta *cta);
void sim_race_barrier(SimCta *cta);
void sim_race_meet(SimWarp *w);   /* its lanes */
void sim_race_spread(SimWarp *w); /* what it has acquired, to the program */
uint32_t sim_race_tick(SimRaces *races); /* accesses so far are before the time that it returns */
/* VOLATILE acquires too, but leaves the first-level cache as it is. */
typedef enum { SIM_PLAIN, SIM_RELAXED, SIM_ACQUIRE, SIM_RELEASE, SIM_ACQ_REL, SIM_VOLATILE } SimOrder;
void sim_race_read(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size, SimOrder order);
/* `value`: what is going to be written. */
void sim_race_write(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size, const void *value);
void sim_race_atomic(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size, SimOrder order);
/* Of asynchronous units (race_async.c). What the program's threads have written must be fenced. */
void sim_race_fenced(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size);
/* Does a box meet what this instruction has stored before, and is under way? Before it is noted. */
void sim_race_overtakes(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size);
/* What was noted last is under way. */
void sim_race_flies(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size);
/* It is written; `known` false: nobody will know. */
void sim_race_written(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size,
		      bool known);
/* A copy from there is made: has it changed since that time? */
void sim_race_source(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size,
		     uint32_t issued);
void sim_race_release(SimWarp *w, const void *at, SimOrder order); /* of an atomic operation that has written */
void sim_race_fence(SimWarp *w, uint32_t lanes);
/* What the warp knows of other programs' writes is fenced for asynchronous units. */
void sim_race_proxied(SimWarp *w);
bool sim_race_writer(const SimRaces *races, uint64_t address, SimParty *out); /* who wrote last */
void sim_races_limit(SimRaces *races, uint64_t bytes); /* that notes may have, a page at least */
bool sim_race_forgot(const SimRaces *races); /* were there more notes than that? */
bool sim_race_memory(const SimRaces *races); /* was there enough? */

SimEffect sim_load, sim_store, sim_load_shared, sim_store_shared, sim_rmw, sim_cmpxchg;

/* ---- tiles, tile.c ---- */

enum { SIM_MOST_DIMS = 24 };

typedef struct SimPoint {
	unsigned block, warp, lane, byte;
} SimPoint;

/* ", element [3, 5] of 'x' (tt.load, tensor<8x8xf32>)"; "" where nothing is known. Several: of the first of them. */
SimFloatType sim_tile_float(const SimElements *elements); /* of its elements; size 0: they are none */
const char *sim_tile_text(const SimElements *elements, const SimPoint *at, bool several, char *out, size_t size);

#endif
