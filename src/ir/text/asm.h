/* What printer and reader share: the assembly formats of ops.def, the attributes of each op, words of
 * enumerations, names of values, texts of floats.
 *
 * The `format` column of ops.def is the text after the op's name, as it is printed, with these markers:
 *
 *   $n  $n*  $*     operand n; operands n and later, comma separated; all operands
 *   $k/n            the k-th of n equal parts of the operands after the first
 *   &n  &n*  &*     the type of operand n, of operands n and later, of all
 *   &r  &r*         the type of result 0, of all results
 *   &q0 &qr &dr &m1 the same without the type's name, !tt.ptr, !tt.tensordesc or !ttg.memdesc: `<f32>` (read with or
 *                   without it)
 *   &f              `(operand types) -> result types`
 *   @name           an attribute: the word of an enumeration, a string, a symbol; nothing for a unit attribute
 *   {}              the other attributes as a dictionary, with a space before it; nothing when there are none
 *   (? ... )        an optional part: there when the operand or attribute that it names is there, and, on
 *                   reading, when its first word is
 *   | x=y x=y ...   which types follow from others when reading. x: n, n*, *, k/n, r, r*.
 *                   y: what to do, then of which value (0, 1, ..., r): nothing the same type; m i1 in its shape, c i32;
 *                   p what it points to; e its element; b pointer to its pointee's element; or B i1, I i32, L i64,
 *                   T a token; r*=*: the types of the results are those of the operands, one to one
 *
 * All else stands for itself; a space is printed, and means nothing when reading. "custom" has hooks of its
 * own; "generic" and "" use the generic form `"name"(...) <{...}> ({...}) {...} : (...) -> (...)`, which the reader
 * takes for every op. */
#ifndef NESO_IR_TEXT_ASM_H
#define NESO_IR_TEXT_ASM_H

#include "base/diag/diag.h"
#include "base/map.h"
#include "ir/ir.h"

/* ---- attributes of ops ---- */

/* ORDER ASM_ENUM: the kinds from ASM_ENUM_ on are enumerations. */
typedef enum {
	ASM_BOOL,
	ASM_I32,
	ASM_STRING,
	ASM_SYMBOL,
	ASM_UNIT,
	ASM_I32S,
	ASM_TYPE,
	ASM_VALUE, /* any attribute */
	ASM_DICTS, /* an array of dictionaries */
	ASM_ENUM_,
#define ENUM(name, type, words) ASM_ENUM_##name,
#include "ir/text/asm_enums.def"
#undef ENUM
	ASM__COUNT
} AsmKind;

typedef struct AsmAttr {
	IrAttrName name;
	AsmKind kind;
	bool required, has_default;
	int64_t otherwise; /* the default; of ASM_I32S: empty */
} AsmAttr;

/* The attributes of one op in the order of ops.def; the name of the last row is ATTR__COUNT. */
const AsmAttr *asm_attrs(IrOpKind op);
const AsmAttr *asm_attr_find(IrOpKind op, const char *name); /* or NULL */
bool asm_attr_is_default(const AsmAttr *row, IrAttr value);
/* Is the attribute printed by the op's format, so that the dictionary leaves it out? */
bool asm_format_has_attr(const char *format, const char *name);

/* The word of a value, or NULL; the value of a word. Flags are joined by commas. */
void asm_enum_print(Text *out, AsmKind kind, int64_t value);
bool asm_enum_has(AsmKind kind, int64_t value); /* is there a word, or are there flags, for it? */
bool asm_enum_value(AsmKind kind, Str word, int64_t *value);
/* Flags (fastmath, overflow): a set of words. */
bool asm_enum_is_flags(AsmKind kind);
/* What the generic form writes: "i32", "i64", or the name of an attribute ("#arith.fastmath"). */
const char *asm_enum_type(AsmKind kind);

/* ---- steps of a format ---- */

typedef enum {
	STEP_END,
	STEP_TEXT,    /* text */
	STEP_OPERAND, /* set */
	STEP_TYPE,    /* set; brief */
	STEP_FUNCTION_TYPE,
	STEP_ATTR, /* text: the name */
	STEP_DICT,
	STEP_OPTION, /* ( ?; up to the matching STEP_CLOSE */
	STEP_CLOSE,  /* outside an option: the text `)` */
} AsmStepKind;

/* A set of values: operands [from, ...), of which `part` is 1..parts or 0; or results. */
typedef struct AsmSet {
	bool results, many;
	uint8_t from, part, parts;
} AsmSet;

typedef struct AsmStep {
	AsmStepKind kind;
	Str text;
	AsmSet set;
	char brief; /* 0, or q, d, m */
} AsmStep;

AsmStep asm_step(const char **format);
/* The bounds of a set in n values. */
void asm_set_range(AsmSet set, uint32_t n, uint32_t *from, uint32_t *to);

/* One `x=y` of the part after the bar; false at its end. */
typedef struct AsmInference {
	AsmSet to, of;
	char how; /* '=', m, p, e, b, B, I, L, T */
} AsmInference;

bool asm_inference(const char **format, AsmInference *out);
/* What `how` makes of a type, or NULL when it does not apply. */
IrType asm_infer(IrCx *cx, char how, IrType of);

/* ---- floats ---- */

/* The value's text as MLIR writes it: six digits with an exponent, or as many as the format needs, or the
 * bits in hexadecimal. */
void asm_float_print(Text *out, IrType type, uint64_t bits);
/* Digits with an optional fraction and exponent, to the nearest value of the type. */
uint64_t asm_float_bits(IrType type, Str text);

/* ---- names of values ---- */

/* Names as MLIR gives them: the NameLoc of a value, or the op's own proposal, or a number; made unique with
 * _N. Values of one op share the name of the first (%x#1) unless the op names each. */
typedef struct AsmNames {
	const IrModule *module;
	Arena *arena;
	const char **values; /* by id, without the %; NULL: result of a group */
	uint32_t *blocks;    /* by id: N of ^bbN */
	Interner texts;
	Map used; /* Sym -> 1 */
	/* Set by the reader, may be NULL: IrValue -> Sym, the name in the text of a value whose location does not
	 * give one. Numbering then sets the location so that the same name comes out again. */
	Map *wanted;
	IrCx *cx;
} AsmNames;

void asm_names_init(AsmNames *names, const IrModule *module, Arena *arena);
void asm_names_assign(AsmNames *names, const IrOp *root);
/* The NameLoc that names a value with this location, or NULL. */
Sym asm_loc_name(IrLoc loc);

/* Characters of names after the first: letters, digits, $ . _ - */
bool asm_is_suffix_char(char c);
bool asm_is_bare_id(const char *text); /* may stand unquoted as an attribute's name */

#endif
