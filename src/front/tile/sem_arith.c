/* Operators on tensors: which types may meet, what type they compute in, which op that is.
 *
 * Promotion of element types, in this order: a host number of a lower or equal kind (truth <
 * integer < float) takes the tensor's type; else fp64, fp32, fp16, bf16 (with a different float:
 * fp32), unequal fp8s fp16; integers as in C, the wider one, unsigned at equal width. Division and
 * remainder compute fp16 and bf16 in fp32. A comparison makes tensors of host numbers first, so
 * there they count as int32 or fp32. fp8 is a format of memory and of products: what would compute
 * in it is refused. */
#include "front/demote.h"
#include "front/tile/sem.h"

#include <math.h>

/* ---- promotion ---- */

static int kind_of(TlType t)
{
	return tl_is_float(t) ? 2 : tl_is(t, DT_INT1) ? 0 : 1;
}

static TlType promote_int(TlType a, TlType b)
{
	unsigned x = tl_bits(a), y = tl_bits(b);
	if (tl_is_signed(a) == tl_is_signed(b))
		return x > y ? a : b;
	if (tl_is_signed(b))
		return x >= y ? a : b;
	return y >= x ? b : a;
}

static TlType promote_float(FrontLower *low, TlType a, TlType b, bool division)
{
	if (tl_is(a, DT_FP64) || tl_is(b, DT_FP64))
		return tl_scalar(low, DT_FP64);
	if (tl_is(a, DT_FP32) || tl_is(b, DT_FP32))
		return tl_scalar(low, DT_FP32);
	if (tl_is(a, DT_FP16) || tl_is(b, DT_FP16))
		return tl_scalar(low, division ? DT_FP32 : DT_FP16);
	if (tl_is(a, DT_BF16) && tl_is(b, DT_BF16))
		return tl_scalar(low, division ? DT_FP32 : DT_BF16);
	if (tl_is(a, DT_BF16) || tl_is(b, DT_BF16))
		return tl_scalar(low, DT_FP32);
	if (tl_is_fp8(a) && tl_is_fp8(b))
		return a == b ? a : tl_scalar(low, DT_FP16);
	/* fp8 with an integer tensor */
	return low->options->strict ? NULL : tl_scalar(low, division ? DT_FP32 : DT_FP16);
}

static TlType bad_operands(FrontLower *low, const SemRules *rules, TlType a, TlType b)
{
	lower_error(low, DIAG_TILE_OPERANDS, rules->what, tl_describe(low, a), tl_describe(low, b));
	if ((tl_is_ptr(tl_elem(a)) && tl_is_float(tl_elem(b))) ||
	    (tl_is_ptr(tl_elem(b)) && tl_is_float(tl_elem(a))))
		lower_note(low, "offsets are whole numbers: // divides these, / gives floats");
	else if (tl_is_ptr(tl_elem(a)) || tl_is_ptr(tl_elem(b)))
		lower_note(low, "offsets are added to a pointer, and subtracted: pointer + index");
	else if (tl_is_float(tl_elem(a)) && strchr("&|^", rules->what[strlen(rules->what) - 1]))
		lower_note(low, "x.to(tl.int32, bitcast=True) has the bits of an fp32; conditions are "
				"combined: (a < b) & (c < d)");
	else if (strcmp(rules->what, "operator //") == 0)
		lower_note(low, "tl.floor(x / y) rounds a quotient of floats down");
	return NULL;
}

/* The type both operands compute in; NULL after diagnosing. */
static TlType promote(FrontLower *low, const SemRules *rules, TlType a, bool a_host, TlType b, bool b_host)
{
	if (a_host != b_host) {
		TlType host = a_host ? a : b, tensor = a_host ? b : a;
		if (kind_of(host) <= kind_of(tensor)) {
			bool half = tl_is(tensor, DT_FP16) || tl_is(tensor, DT_BF16);
			return rules->division && half ? tl_scalar(low, DT_FP32) : tensor;
		}
	}
	if (tl_is_float(a) || tl_is_float(b)) {
		TlType t = promote_float(low, a, b, rules->division);
		return t ? t : bad_operands(low, rules, a, b);
	}
	if (rules->division && tl_is_signed(a) != tl_is_signed(b)) {
		lower_error(low, DIAG_TILE_SIGNEDNESS, rules->what, tl_describe(low, a), tl_describe(low, b));
		return NULL;
	}
	return promote_int(a, b);
}

static bool ptr_allowed(TlType a, TlType b, bool allow)
{
	if (!tl_is_ptr(a))
		return true;
	return allow && !(tl_is_ptr(b) && a != b) && !tl_is_float(b);
}

/* Is a host number one that an integer type holds? Others are refused, so that nobody computes
 * modulo 2^n unawares. */
static bool number_fits(const Val *v, TlType t)
{
	if (!tl_is_int(t) || v->kind == VAL_BOOL)
		return true;
	int64_t i;
	uint64_t u;
	unsigned bits = tl_bits(t);
	if (!val_as_int(v, &i))
		return !tl_is_signed(t) && bits == 64 && val_as_uint(v, &u);
	if (!tl_is_signed(t))
		return i >= 0 && (bits == 64 || (uint64_t)i < UINT64_C(1) << bits);
	return bits == 64 || (i >= -(INT64_C(1) << (bits - 1)) && i < INT64_C(1) << (bits - 1));
}

static bool to_common(FrontLower *low, const Val *host, TlType type, const Val **v)
{
	if (!host) {
		*v = sem_cast(low, *v, type);
	} else if (val_demoted(host)) {
		*v = demoted_tensor(low, host, type, true);
	} else if (!number_fits(host, type)) {
		*v = lower_error(low, DIAG_TILE_LITERAL_RANGE, val_brief(low, host), tl_describe(low, type));
	} else {
		*v = sem_const(low, host, type);
	}
	return !sem_is_poison(*v);
}

static const Val *operand(FrontLower *low, const SemRules *rules, const Val *v, const Val *other)
{
	if (sem_is_tensor(v) ? !sem_is_tile(v) : !val_is_host_number(v)) {
		lower_error(low, DIAG_TILE_OPERANDS, rules->what, sem_describe(low, v),
			    sem_describe(low, other));
		if (v->kind == VAL_STR)
			lower_note(low, "print(\"text\", x) and f-strings show values of a running kernel");
		return low->poison;
	}
	/* Which type it is wanted as is not known yet. */
	return val_demoted(v) ? sem_make(low, NULL, val_demoted(v)->type) : sem_to_tensor(low, v);
}

bool sem_operands(FrontLower *low, const SemRules *rules, const Val **l, const Val **r)
{
	if (sem_is_poison(*l) || sem_is_poison(*r))
		return false;
	const Val *a_host = sem_is_tensor(*l) ? NULL : *l, *b_host = sem_is_tensor(*r) ? NULL : *r;
	const Val *a = operand(low, rules, *l, *r);
	const Val *b = sem_is_poison(a) ? a : operand(low, rules, *r, *l);
	if (sem_is_poison(b))
		return false;
	TlType x = sem_elem(a), y = sem_elem(b);
	if (!ptr_allowed(x, y, rules->ptr_left) || !ptr_allowed(y, x, rules->ptr_right))
		return bad_operands(low, rules, sem_type(a), sem_type(b)) != NULL;
	if (rules->arithmetic && !tl_is_ptr(x) && !tl_is_ptr(y)) {
		TlType t = promote(low, rules, x, a_host != NULL, y, b_host != NULL);
		if (!t || !to_common(low, a_host, t, &a) || !to_common(low, b_host, t, &b))
			return false;
	}
	*l = a_host && !sem_ir(a) ? sem_to_tensor(low, a_host) : a;
	*r = b_host && !sem_ir(b) ? sem_to_tensor(low, b_host) : b;
	return sem_broadcast_pair(low, l, r);
}

bool sem_computes(FrontLower *low, const SemRules *rules, const Val **l, const Val **r)
{
	if (!tl_is_fp8(sem_elem(*l)))
		return true;
	if (low->options->strict || low->regions) {
		lower_error(low, DIAG_TILE_MATH_DTYPE, rules->what, "floats of 16 bits or more",
			    sem_describe(low, *l));
		return false;
	}
	TlType wide = tl_scalar(low, rules->division ? DT_FP32 : DT_FP16);
	*l = sem_cast(low, *l, wide);
	if (r)
		*r = sem_cast(low, *r, wide);
	return true;
}

/* ---- arithmetic ---- */

static const Val *emit(FrontLower *low, IrOpKind op, const Val *l, const Val *r)
{
	return sem_make(low, irb_2(&low->b, op, NULL, sem_ir(l), sem_ir(r)), sem_type(l));
}

static const Val *add_ptr(FrontLower *low, const Val *ptr, const Val *offset)
{
	TlType t = sem_elem(offset);
	if (low->options->wide_offsets && tl_is(t, DT_INT32))
		offset = sem_widen(low, offset);
	if (tl_is_int(t) && !tl_is_signed(t) && tl_bits(t) < 64)
		offset = sem_cast(low, offset, tl_scalar(low, DT_UINT64)); /* the op takes offsets as signed */
	return emit(low, OP_ADDPTR, ptr, offset);
}

/* In debug builds: computes in 64 bits as well and asserts that the narrow result is the same. */
static void check_overflow(FrontLower *low, AstBinOp op, IrOpKind ir_op, const Val *l, const Val *r)
{
	TlType t = sem_elem(l);
	unsigned bits = tl_bits(t);
	if (bits >= 64 || bits == 1 || !low->options->debug || low->options->no_overflow_checks)
		return;
	TlType wide = tl_scalar(low, DT_INT64);
	const Val *exact = emit(low, ir_op, sem_cast(low, l, wide), sem_cast(low, r, wide));
	bool is_signed = tl_is_signed(t);
	int64_t max = (int64_t)((UINT64_C(1) << (is_signed ? bits - 1 : bits)) - 1), min = is_signed ? -max - 1 : 0;
	const Val *ok = sem_binary(low, BIN_AND, sem_compare(low, CMP_LE, exact, sem_const_int(low, max, wide)),
				   sem_compare(low, CMP_GE, exact, sem_const_int(low, min, wide)));
	static const char *const names[] = {[BIN_ADD] = "add", [BIN_SUB] = "sub", [BIN_MUL] = "mul"};
	ok = sem_fill_padding(low, ok, -1, low->true_);
	IrValue *cond = sem_ir(ok);
	IrOp *check = irb_op(&low->b, OP_ASSERT, &cond, 1, NULL, 0, 0);
	const char *text = arena_printf(low->arena, "int%u overflow detected for operation %s", bits, names[op]);
	ir_set(low->m, check, ATTR_MESSAGE, ir_attr_string(low->cx, str_of(text)));
}

static const Val *negate_offset(FrontLower *low, const Val *v)
{
	return sem_unary(low, UN_NEG, v);
}

const Val *sem_arith(FrontLower *low, AstBinOp op, const Val *l, const Val *r, bool sanitize)
{
	static const struct {
		const char *what;
		IrOpKind int_op, float_op;
	} ops[] = {
		[BIN_ADD] = {"operator +", OP_ADDI, OP_ADDF},
		[BIN_SUB] = {"operator -", OP_SUBI, OP_SUBF},
		[BIN_MUL] = {"operator *", OP_MULI, OP_MULF},
	};
	SemRules rules = {.what = ops[op].what, .ptr_left = op != BIN_MUL, .ptr_right = op == BIN_ADD,
		.arithmetic = true};
	if (!sem_operands(low, &rules, &l, &r))
		return low->poison;
	TlType x = sem_elem(l), y = sem_elem(r);
	if (tl_is_ptr(x) || tl_is_ptr(y)) {
		if ((tl_is_ptr(x) && tl_is_ptr(y)) || tl_is_block_ptr(x) || tl_is_block_ptr(y)) {
			bad_operands(low, &rules, sem_type(l), sem_type(r));
			return low->poison;
		}
		if (op == BIN_SUB)
			return add_ptr(low, l, negate_offset(low, r));
		return tl_is_ptr(x) ? add_ptr(low, l, r) : add_ptr(low, r, l);
	}
	if (tl_is_float(x))
		return sem_computes(low, &rules, &l, &r) ? emit(low, ops[op].float_op, l, r) : low->poison;
	if (sanitize)
		check_overflow(low, op, ops[op].int_op, l, r);
	return emit(low, ops[op].int_op, l, r);
}

static const Val *divide(FrontLower *low, const Val *l, const Val *r)
{
	SemRules rules = {.what = "operator /", .arithmetic = true, .division = true};
	if (!sem_operands(low, &rules, &l, &r))
		return low->poison;
	if (tl_is_int(sem_elem(l))) {
		l = sem_cast(low, l, tl_scalar(low, DT_FP32));
		r = sem_cast(low, r, tl_scalar(low, DT_FP32));
	}
	return sem_computes(low, &rules, &l, &r) ? emit(low, OP_DIVF, l, r) : low->poison;
}

static void warn_divisor(FrontLower *low, const char *what, const Val *r)
{
	const IrOp *def = sem_ir(r)->def;
	const IrValue *v = def && def->kind == OP_SPLAT ? ir_operand(def, 0) : sem_ir(r);
	int64_t n;
	if (ir_constant_int(v, &n) && n == 0)
		lower_warning(low, DIAG_TILE_DIVISOR, what);
}

static const Val *floor_divide(FrontLower *low, const Val *l, const Val *r)
{
	SemRules rules = {.what = "operator //", .arithmetic = true, .division = true};
	if (!sem_operands(low, &rules, &l, &r))
		return low->poison;
	if (!tl_is_int(sem_elem(l))) {
		bad_operands(low, &rules, sem_type(l), sem_type(r));
		return low->poison;
	}
	warn_divisor(low, rules.what, r);
	return emit(low, tl_is_signed(sem_elem(l)) ? OP_DIVSI : OP_DIVUI, l, sem_safe_divisor(low, r));
}

static const Val *remainder_of(FrontLower *low, const Val *l, const Val *r)
{
	SemRules rules = {.what = "operator %", .arithmetic = true, .division = true};
	if (!sem_operands(low, &rules, &l, &r))
		return low->poison;
	if (!sem_computes(low, &rules, &l, &r))
		return low->poison;
	TlType t = sem_elem(l);
	if (!tl_is_float(t))
		warn_divisor(low, rules.what, r);
	r = tl_is_float(t) ? r : sem_safe_divisor(low, r);
	return emit(low, tl_is_float(t) ? OP_REMF : tl_is_signed(t) ? OP_REMSI : OP_REMUI, l, r);
}

static void warn_shift(FrontLower *low, const Val *v, const Val *by)
{
	int64_t count;
	bool known = sem_is_tile(v) && tl_is_int(sem_elem(v)) && !sem_is_tensor(by) && val_as_int(by, &count);
	if (known && count >= (int64_t)tl_bits(sem_elem(v)))
		lower_warning(low, DIAG_TILE_SHIFT, (long long)count, tl_bits(sem_elem(v)),
			      tl_type_text(low, sem_elem(v)));
}

/* A right shift is arithmetic when the left operand (the right one if the left is a number) is signed before
 * promotion. */
static const Val *bitwise(FrontLower *low, AstBinOp op, const Val *l, const Val *r)
{
	static const struct {
		const char *what;
		IrOpKind op;
	} ops[BIN__COUNT] = {
		[BIN_LSHIFT] = {"operator <<", OP_SHLI}, [BIN_RSHIFT] = {"operator >>", OP_SHRUI},
		[BIN_AND] = {"operator &", OP_ANDI}, [BIN_OR] = {"operator |", OP_ORI},
		[BIN_XOR] = {"operator ^", OP_XORI},
	};
	SemRules rules = {.what = ops[op].what, .arithmetic = true};
	const Val *shifted = sem_is_tensor(l) ? l : r;
	if (op == BIN_LSHIFT || op == BIN_RSHIFT)
		warn_shift(low, l, r);
	bool is_signed = sem_is_tensor(shifted) && tl_is_signed(sem_elem(shifted));
	if (!sem_operands(low, &rules, &l, &r))
		return low->poison;
	if (!tl_is_int(sem_elem(l))) {
		bad_operands(low, &rules, sem_type(l), sem_type(r));
		return low->poison;
	}
	return emit(low, op == BIN_RSHIFT && is_signed ? OP_SHRSI : ops[op].op, l, r);
}

enum { MOST_EXPONENT = 64 }; /* a power of more is no product that anybody means */

/* x ** n with a whole number n that is known: a product of squares. NULL: another power. */
static const Val *power(FrontLower *low, const Val *x, const Val *exponent)
{
	const Val *host = val_host(exponent), *result = NULL;
	int64_t n;
	if (!sem_is_tile(x) || tl_is_ptr(sem_elem(x)) || !host)
		return NULL;
	host = val_known_for(host, "an exponent");
	if (host->kind == VAL_FLOAT && tl_is_float(sem_elem(x)) && host->f == floor(host->f) &&
	    host->f >= 0 && host->f <= MOST_EXPONENT)
		host = val_int(low, (int64_t)host->f);
	if (host->kind != VAL_INT || !val_as_int(host, &n) || n < 0 || n > MOST_EXPONENT)
		return NULL;
	if (!lower_extension(low, "operator ** of tensors"))
		return low->poison;
	for (const Val *square = x; n && !sem_is_poison(square); n >>= 1) {
		if (n & 1)
			result = result ? sem_arith(low, BIN_MUL, result, square, true) : square;
		square = n > 1 ? sem_arith(low, BIN_MUL, square, square, true) : square;
	}
	TlType t = sem_type(x);
	if (!result)
		result = sem_const_int(low, 1, sem_elem(x));
	return tl_is_block(t) && !tl_is_block(sem_type(result)) ? sem_splat(low, result, t->shape, t->rank)
								 : result;
}

static const Val *matrix_product(FrontLower *low, const Val *a, const Val *b)
{
	if (!sem_is_tile(a) || !sem_is_tile(b) || !tl_is_block(sem_type(a)) || !tl_is_block(sem_type(b)))
		return NULL;
	if (!lower_extension(low, "operator @ of tensors"))
		return low->poison;
	return sem_dot(low, a, b, &(SemDot){.out = tl_scalar(low, DT_FP32)});
}

const Val *sem_binary(FrontLower *low, AstBinOp op, const Val *l, const Val *r)
{
	const Val *extended;
	if (sem_is_poison(l) || sem_is_poison(r))
		return low->poison;
	switch (op) {
	case BIN_ADD:
	case BIN_SUB:
	case BIN_MUL:
		return sem_arith(low, op, l, r, true);
	case BIN_DIV:
		return divide(low, l, r);
	case BIN_FLOORDIV:
		return floor_divide(low, l, r);
	case BIN_MOD:
		return remainder_of(low, l, r);
	case BIN_LSHIFT:
	case BIN_RSHIFT:
	case BIN_AND:
	case BIN_OR:
	case BIN_XOR:
		return bitwise(low, op, l, r);
	default:
		extended = op == BIN_POW ? power(low, l, r) : matrix_product(low, l, r);
		if (extended)
			return extended;
		lower_error(low, DIAG_TILE_OPERANDS, op == BIN_POW ? "operator **" : "operator @",
			    sem_describe(low, l), sem_describe(low, r));
		lower_note(
			low,
			op == BIN_POW
				? "x * x; or tl.exp2(y * tl.log2(x)), libdevice.pow of triton.language.extra"
				: "tl.dot(a, b) multiplies matrices");
		return low->poison;
	}
}

const Val *sem_fdiv(FrontLower *low, const Val *x, const Val *y)
{
	SemRules rules = {.what = "tl.fdiv", .division = true};
	if (!tl_is_float(sem_elem(x)) || !tl_is_float(sem_elem(y)) || sem_elem(x) != sem_elem(y)) {
		bad_operands(low, &rules, sem_type(x), sem_type(y));
		return low->poison;
	}
	bool good = sem_operands(low, &rules, &x, &y) && sem_computes(low, &rules, &x, &y);
	return good ? emit(low, OP_DIVF, x, y) : low->poison;
}

/* ---- comparison, logic, unary ---- */

const Val *sem_compare(FrontLower *low, AstCmpOp op, const Val *l, const Val *r)
{
	static const struct {
		const char *what;
		IrCmpF f;
		IrCmpI s, u;
	} ops[CMP__COUNT] = {
		[CMP_EQ] = {"operator ==", CMPF_OEQ, CMPI_EQ, CMPI_EQ},
		[CMP_NE] = {"operator !=", CMPF_UNE, CMPI_NE, CMPI_NE},
		[CMP_LT] = {"operator <", CMPF_OLT, CMPI_SLT, CMPI_ULT},
		[CMP_LE] = {"operator <=", CMPF_OLE, CMPI_SLE, CMPI_ULE},
		[CMP_GT] = {"operator >", CMPF_OGT, CMPI_SGT, CMPI_UGT},
		[CMP_GE] = {"operator >=", CMPF_OGE, CMPI_SGE, CMPI_UGE},
	};
	if (sem_is_poison(l) || sem_is_poison(r))
		return low->poison;
	SemRules rules = {.what = ops[op].what, .arithmetic = true};
	if (!rules.what) /* is, is not, in, not in */
		return lower_error(low, DIAG_TILE_OPERANDS, ast_cmp_op_text(op), sem_describe(low, l),
				   sem_describe(low, r));
	if (val_is_host_number(l))
		l = sem_to_tensor(low, l);
	if (val_is_host_number(r))
		r = sem_to_tensor(low, r);
	if (!sem_operands(low, &rules, &l, &r) || !sem_computes(low, &rules, &l, &r))
		return low->poison;
	TlType t = sem_elem(l), truth = tl_with_elem(low, sem_type(l), tl_scalar(low, DT_INT1));
	if (tl_is_float(t))
		return sem_make(low, irb_cmpf(&low->b, ops[op].f, sem_ir(l), sem_ir(r)), truth);
	return sem_make(low, irb_cmpi(&low->b, tl_is_signed(t) ? ops[op].s : ops[op].u, sem_ir(l), sem_ir(r)),
			truth);
}

static const Val *truth_operand(FrontLower *low, const char *what, const Val *v)
{
	v = sem_to_tensor(low, v);
	if (sem_is_poison(v) || (sem_is_tile(v) && tl_is(sem_elem(v), DT_INT1)))
		return v;
	if (sem_is_tile(v) && tl_is_ptr(sem_elem(v)) && !tl_is_block_ptr(sem_elem(v)))
		return sem_cast(low, v, tl_scalar(low, DT_INT1)); /* is it not null? */
	return lower_error(low, DIAG_TILE_TRUTH_EXPECTED, what, sem_describe(low, v));
}

const Val *sem_logical(FrontLower *low, bool is_or, const Val *l, const Val *r)
{
	const char *what = is_or ? "operator or" : "operator and";
	l = truth_operand(low, what, l);
	r = sem_is_poison(l) ? l : truth_operand(low, what, r);
	if (sem_is_poison(r) || !sem_broadcast_pair(low, &l, &r))
		return low->poison;
	return emit(low, is_or ? OP_ORI : OP_ANDI, l, r);
}

/* v combined with a constant of its type: v's own shape, the constant first when `first`. */
static const Val *with_constant(FrontLower *low, IrOpKind op, const Val *v, int64_t value, bool first)
{
	const Val *c = sem_const_int(low, value, sem_elem(v));
	if (tl_is_block(sem_type(v)))
		c = sem_splat(low, c, sem_type(v)->shape, sem_type(v)->rank);
	return first ? emit(low, op, c, v) : emit(low, op, v, c);
}

const Val *sem_unary(FrontLower *low, AstUnOp op, const Val *v)
{
	if (sem_is_poison(v))
		return v;
	static const char *const what[] = {[UN_NOT] = "operator not", [UN_NEG] = "unary -", [UN_POS] = "unary +",
					   [UN_INVERT] = "operator ~"};
	TlType t = sem_is_tile(v) ? sem_elem(v) : NULL;
	if (!t || (t->kind != TL_SCALAR && op != UN_NOT) || (op == UN_INVERT && tl_is_float(t))) {
		lower_error(low, DIAG_TILE_OPERAND, what[op], sem_describe(low, v));
		if (t && tl_is_float(t))
			lower_note(low, "x == 0 is a condition; x.to(tl.int32, bitcast=True) are the bits of "
					"a float");
		return low->poison;
	}
	switch (op) {
	case UN_NOT:
		v = truth_operand(low, what[op], v);
		return sem_is_poison(v) ? v : with_constant(low, OP_XORI, v, 1, false);
	case UN_NEG:
		if (!sem_computes(low, &(SemRules){.what = what[op]}, &v, NULL))
			return low->poison;
		return with_constant(low, tl_is_float(t) ? OP_SUBF : OP_SUBI, v, 0, true);
	case UN_INVERT:
		return with_constant(low, OP_XORI, v, -1, false);
	default:
		return v;
	}
}

const Val *sem_condition(FrontLower *low, const Val *v)
{
	v = sem_to_tensor(low, v);
	if (sem_is_poison(v))
		return v;
	if (!sem_is_tile(v) || tl_numel(sem_type(v)) != 1 || tl_is_block_ptr(sem_elem(v)))
		return lower_error(low, DIAG_TILE_CONDITION, sem_describe(low, v));
	return sem_cast(low, sem_unsplat(low, "if", v), tl_scalar(low, DT_INT1));
}

bool sem_is_one(const Val *v)
{
	return sem_is_tile(v) && tl_numel(sem_type(v)) == 1;
}

const Val *sem_splat_like(FrontLower *low, const Val *v, const Val *like)
{
	TlType t = sem_type(like);
	v = truth_operand(low, "operator and", v);
	return tl_is_block(t) ? sem_broadcast_to(low, "operator and", v, t->shape, t->rank) : v;
}

/* ---- selection ---- */

const Val *sem_select(FrontLower *low, const Val *cond, const Val *x, const Val *y)
{
	cond = sem_to_tensor(low, cond);
	if (sem_is_poison(cond))
		return cond;
	cond = sem_cast(low, cond, tl_scalar(low, DT_INT1));
	SemRules rules = {.what = "tl.where", .ptr_left = true, .ptr_right = true, .arithmetic = true};
	if (sem_is_poison(cond) || !sem_operands(low, &rules, &x, &y))
		return low->poison;
	if (tl_is_ptr(sem_elem(x)) != tl_is_ptr(sem_elem(y))) {
		bad_operands(low, &rules, sem_type(x), sem_type(y));
		return low->poison;
	}
	/* A scalar condition chooses between whole tiles. */
	if (tl_is_block(sem_type(cond)) && (!sem_broadcast_pair(low, &cond, &x) ||
					    !sem_broadcast_pair(low, &x, &y)))
		return low->poison;
	if (!tl_is_block(sem_type(cond)) && tl_is_block(sem_type(x)))
		cond = sem_splat(low, cond, sem_type(x)->shape, sem_type(x)->rank);
	return sem_make(low, irb_3(&low->b, OP_SELECT, NULL, sem_ir(cond), sem_ir(x), sem_ir(y)), sem_type(x));
}

/* Hardware has no bf16 minimum, maximum: these compute in fp32 and stay there. */
static const Val *widen_bf16(FrontLower *low, const Val *v)
{
	v = sem_to_tensor(low, v);
	if (!sem_is_poison(v) && sem_is_tile(v) && tl_is(sem_elem(v), DT_BF16))
		return sem_cast(low, v, tl_scalar(low, DT_FP32));
	return v;
}

const Val *sem_minmax(FrontLower *low, bool is_max, const Val *x, const Val *y, bool propagate_nan)
{
	x = widen_bf16(low, x);
	y = widen_bf16(low, y);
	SemRules rules = {.what = is_max ? "tl.maximum" : "tl.minimum", .arithmetic = true};
	if (!sem_operands(low, &rules, &x, &y) || !sem_computes(low, &rules, &x, &y))
		return low->poison;
	TlType t = sem_elem(x);
	if (tl_is_float(t) && propagate_nan)
		return emit(low, is_max ? OP_MAXIMUMF : OP_MINIMUMF, x, y);
	if (tl_is_float(t))
		return emit(low, is_max ? OP_MAXNUMF : OP_MINNUMF, x, y);
	if (tl_is_signed(t))
		return emit(low, is_max ? OP_MAXSI : OP_MINSI, x, y);
	return emit(low, is_max ? OP_MAXUI : OP_MINUI, x, y);
}

const Val *sem_clamp(FrontLower *low, const Val *x, const Val *lo, const Val *hi, bool propagate_nan)
{
	x = widen_bf16(low, x);
	lo = widen_bf16(low, lo);
	hi = widen_bf16(low, hi);
	SemRules rules = {.what = "tl.clamp", .arithmetic = true};
	if (!sem_operands(low, &rules, &lo, &hi) || !sem_operands(low, &rules, &x, &lo) ||
	    !sem_operands(low, &rules, &x, &hi))
		return low->poison;
	lo = sem_cast(low, lo, sem_elem(x));
	if (!sem_broadcast_pair(low, &x, &lo) || !sem_computes(low, &rules, &hi, NULL) ||
	    !sem_computes(low, &rules, &x, &lo))
		return low->poison;
	if (!tl_is_float(sem_elem(x))) {
		lower_error(low, DIAG_TILE_OPERAND, "tl.clamp", sem_describe(low, x));
		lower_note(low, "tl.minimum(tl.maximum(x, low), high) keeps integers within bounds");
		return low->poison;
	}
	IrValue *ir = irb_3(&low->b, OP_CLAMPF, NULL, sem_ir(x), sem_ir(lo), sem_ir(hi));
	ir_set(low->m, ir->def, ATTR_PROPAGATE_NAN, ir_attr_i32(low->cx, propagate_nan ? NAN_ALL : NAN_NONE));
	return sem_make(low, ir, sem_type(x));
}
