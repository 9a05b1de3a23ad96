/* Between the files of the printer: types and attributes (print_attr.c), locations and aliases
 * (print_loc.c), ops (print.c), and the hooks of ops with a syntax of their own (print_custom.c).
 *
 * Everything is printed twice: first into nothing, to find the locations and layouts that get an
 * alias, then as text. So a printing function must do the same both times. */
#ifndef NESO_IR_TEXT_PRINT_INT_H
#define NESO_IR_TEXT_PRINT_INT_H

#include "ir/text/asm.h"
#include "ir/text/text.h"

/* A location or layout that is printed as #name; the order of the array is the order of meeting. */
typedef struct PrintAlias {
	const void *symbol;
	bool is_loc;
	const char *name;
	uint32_t number; /* of those with this name */
	uint32_t depth;
	bool deferrable; /* may be defined at the end of the text */
	VEC(uint32_t) children;
} PrintAlias;

typedef struct Printer {
	Text *out;
	IrPrintOptions options;
	AsmNames *names; /* NULL: no values are printed */
	bool collecting;
	VEC(PrintAlias) aliases;
	Map alias_of; /* symbol -> index + 1 */
	uint32_t indent;
} Printer;

void print_str(Printer *p, const char *text);
void print_bytes(Printer *p, Str text);
void print_i64(Printer *p, int64_t value);
void print_type(Printer *p, IrType type);
void print_type_brief(Printer *p, IrType type); /* without the name of its kind */
void print_types(Printer *p, const IrOp *op, bool results, uint32_t from, uint32_t to);
/* Within lists, i64 and f64 go without their type. */
void print_attr(Printer *p, IrAttr attr, bool in_list);
void print_attr_name(Printer *p, Sym name);
void print_dict_item(Printer *p, Sym name, IrAttr value);
void print_symbol(Printer *p, const char *name);
void print_string(Printer *p, const char *text, size_t len);
/* ` loc(...)`: by alias for ops; written out for arguments, which also keeps it out of the end of the text. */
void print_trailing_loc(Printer *p, IrLoc loc, bool by_alias);
void print_loc(Printer *p, IrLoc loc, bool by_alias); /* what stands between the parentheses */
bool print_alias(Printer *p, const void *symbol);     /* #name; false when it has none */
void print_meet_layouts(Printer *p, IrAttr attr, uint32_t parent); /* parent: the alias around it, or UINT32_MAX */
void print_aliases(Printer *p, bool deferred);
/* Numbers the aliases, once all were met. */
void print_order_aliases(Printer *p);

void print_value(Printer *p, const IrValue *value);
void print_values(Printer *p, const IrOp *op, uint32_t from, uint32_t to);
/* ` {...}` of the attributes that `skip` (names, NULL at the end) and the op's format leave; with `keyword` (or NULL)
 * before it. */
void print_attr_dict(Printer *p, const IrOp *op, const char *keyword, const char *const *skip);
void print_region(Printer *p, const IrRegion *region, bool entry_args, bool terminator);
void print_newline(Printer *p);
void print_function_type_of(Printer *p, const IrOp *op);

typedef void PrintHook(Printer *p, const IrOp *op);
PrintHook *print_hook(IrOpKind kind); /* of an op whose format is "custom" */

#endif
