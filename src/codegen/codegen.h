/* What libneso-codegen.so offers: one table of functions, found under one name, so that a process
 * that only runs what is cached never maps a compiler. Plain C data goes in and out; nothing is
 * shared with the caller's structures, so the same call can be made to another process.
 *
 * Thread-safe: any number of calls at a time. Results are one block each, freed by the table's
 * free. */
#ifndef NESO_CODEGEN_CODEGEN_H
#define NESO_CODEGEN_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/launch.h"

enum { CODEGEN_ABI = 9 };
#define CODEGEN_SYMBOL "neso_codegen_table"

typedef enum CodegenStage {
	CODEGEN_TTIR,
	CODEGEN_TTGIR,
	CODEGEN_LLIR,
	CODEGEN_PTX,
	CODEGEN_STAGE__COUNT
} CodegenStage;

typedef struct CodegenRequest {
	CodegenStage from, to;
	const char *text; /* of stage `from` */
	size_t len;
	const char *path;   /* of the text, for messages; locations inside it name their own files */
	const char *kernel; /* the function to compile; NULL: the only public one */
	const char *target; /* "sm_90a" */
	unsigned num_warps, num_ctas, num_stages;
	unsigned maxnreg;     /* 0: no limit */
	unsigned ptx_version; /* 83 for 8.3; 0: the least that the target needs and we use */
	bool fp_fusion;       /* products and sums may be fused */
	bool no_reflect_ftz;  /* libdevice is told that denormal numbers of fp32 are kept */
	bool no_maps;   /* descriptors are pointers, though the target has TMA */
	bool line_info;
	bool portable_order; /* GpuCx.portable_order */
	/* accesses of shared memory say in LLIR how many wavefronts their plan counts:
	 * !neso.wavefronts */
	bool predictions;
	bool debug;           /* keep asserts on (they are in the IR), no optimisation of ours changes */
	bool keep[CODEGEN_STAGE__COUNT]; /* stages whose text the result shall hold, besides the last */
	bool dump_before; /* print before each pass into `log` */
	bool dump_llvm;   /* print LLIR as lowered, and after the passes on it, into `log` */
	bool dump_ptx;    /* print PTX into `log` */
	/* print after each pass into `log`; verify, and print and read back */
	bool dump_passes, verify_passes;
	bool no_locations;      /* loc(...) is left out of texts */
	bool remarks;           /* what was done and why, in the result */
	const char *libdevice; /* path of libdevice.10.bc, or NULL: none */
	/* "1": all loops that can have warps with roles do, "0": none; else those that ask */
	const char *roles;
	/* "1": kernels run several programs a CTA where they can, "many": where that pays, "auto":
	 * if `many` besides; else none */
	const char *persist;
	bool many; /* the launch has more programs than the GPU has SMs */
	/* "1": in all loops that can warp groups take turns, "0": in none; else where that pays */
	const char *turns;
	const char *multicast; /* "0": tiles that CTAs of a cluster share are brought by each of them */
	const char *skip_passes; /* PassOptions.skip; NULL: none */
	/* run_passes without names: the pipeline from the text's level until this pass
	 * (PassOptions) */
	const char *stop_after;
	void (*log)(void *data, const char *text, size_t len);
	void *log_data;
	/* The module's text after each pass, at CODEGEN_TTIR or CODEGEN_TTGIR; NULL: nobody
	 * asks. */
	void (*after_pass)(void *data, const char *pass, CodegenStage stage, const char *text, size_t len);
	void *after_pass_data;
	/* When to end before it is done (base/stop.h): seconds from now, 0 without end; NULL:
	 * nobody is asked. */
	double seconds;
	bool (*ask)(void *data);
	void *ask_data;
} CodegenRequest;

/* As Diag (base/diag/diag.h); notes follow what they belong to. */
typedef struct CodegenDiag {
	int severity;     /* DiagSeverity */
	const char *code; /* name of the row */
	const char *path; /* or NULL */
	unsigned line, col;
	const char *text;
} CodegenDiag;

/* As Remark (base/diag/remark.h). */
typedef struct CodegenFigure {
	const char *name;
	int64_t value;
} CodegenFigure;

typedef struct CodegenRemark {
	int code; /* RemarkCode */
	const char *path; /* or NULL */
	unsigned line, col, times;
	const char *text;
	const CodegenFigure *figures;
	size_t figure_count;
} CodegenRemark;

typedef struct CodegenText {
	const char *data; /* NULL: not asked for, or not reached */
	size_t len;
} CodegenText;

/* A library of bitcode that functions were taken from. */
typedef struct CodegenFile {
	const char *path; /* NULL: libdevice */
	CodegenText bytes;
} CodegenFile;

typedef struct CodegenResult {
	bool ok;
	bool ended; /* as the request wanted: not ok, and no diagnostic says why */
	CodegenText stage[CODEGEN_STAGE__COUNT];
	/* that it took to make the stage; reading the input is counted for the next */
	double seconds[CODEGEN_STAGE__COUNT];
	const CodegenDiag *diags;
	size_t diag_count;
	const CodegenRemark *remarks;
	size_t remark_count;
	const CodegenFile *files; /* of a result that is ok */
	size_t file_count;
	/* what a launch needs */
	const char *kernel;
	unsigned threads;      /* of a CTA: 32 * num_warps, and more with warps of their own */
	unsigned shared;       /* bytes of dynamic shared memory */
	unsigned cluster;      /* CTAs of a cluster; 1: none */
	/* of global memory for each CTA; the kernel's last argument points to it; 0: none */
	unsigned scratch_bytes, scratch_align;
	unsigned ptx_version;
	bool uses_print, uses_assert;
	bool by_number; /* of few and of many programs: variants of their own (CodegenRequest.many) */
	bool uneven;  /* programs take differently long, which counts where a launch chooses */
	/* One letter for each argument of the PTX kernel, those of the TTIR function in order and
	 * then ours: 'p' pointer, '1' '2' '4' '8' bytes of an integer, 'f' 'd' float and double,
	 * 'h' 16-bit float, 't' tensor map (128 bytes, __grid_constant__), 'n' the count of
	 * programs (32 bits), whatever that of CTAs is, along axis 0, or thrice along each, 's'
	 * global scratch. */
	const char *args;
	const char *maps; /* how the launch makes each 't', as target/tensor_map.h writes it; "" without */
} CodegenResult;

typedef struct CodegenPass {
	const char *name, *doc;
	bool optional; /* may be left out (skip_passes) */
} CodegenPass;

typedef struct CodegenPassList {
	const CodegenPass *rows;
	size_t count;
} CodegenPassList;

/* A kernel made for a GPU that is run on the CPU (src/sim). */
typedef struct CodegenSim CodegenSim;

typedef struct CodegenTable {
	unsigned abi; /* CODEGEN_ABI */
	const char *version;      /* of this library; must be the caller's */
	/* Of the LLVM that is loaded, "22.1.0"; out has room for 32 characters. */
	void (*llvm_version)(char out[32]);
	const char *(*llvm_file)(void); /* what that was loaded from; NULL: not known */
	const char *source_hash;  /* base_source_hash of its build */
	CodegenResult *(*compile)(const CodegenRequest *request); /* NULL: out of memory */
	/* Passes by name over IR text at its level: request->from to keep; the result's stage[from]
	 * is the text. */
	CodegenResult *(*run_passes)(const CodegenRequest *request, const char *const *passes, size_t count);
	CodegenPassList (*passes)(void);
	/* `neso layout`: text of a layout or of an encoding, with the shape and element type of
	 * `type` when that is not NULL; a table of who holds what. to != NULL: the plan of a
	 * conversion. The text is stage[CODEGEN_TTGIR]. */
	CodegenResult *(*layout)(const char *layout, const char *to, const char *type, const char *target);
	void (*free)(CodegenResult *result); /* NULL is fine */
	/* As compile, to LLIR, but for its text; *sim, where the result is ok, runs it until it is
	 * freed. Launches may overlap. */
	CodegenResult *(*sim_prepare)(const CodegenRequest *request, CodegenSim **sim);
	CodegenResult *(*sim_launch)(const CodegenSim *sim, const SimLaunch *launch); /* ok, or diagnostics */
	void (*sim_free)(CodegenSim *sim); /* NULL is fine */
} CodegenTable;

/* extern const CodegenTable neso_codegen_table; */

/* Of the table (sim.c). */
CodegenResult *codegen_sim_prepare(const CodegenRequest *request, CodegenSim **sim);
CodegenResult *codegen_sim_launch(const CodegenSim *sim, const SimLaunch *launch);
void codegen_sim_free(CodegenSim *sim);

#endif
