/* Which elements tt.print shows (shown.h). */
#include "ir/shown.h"

int64_t ir_shown_size(const IrOp *op, const IrCx *cx, uint32_t operand, uint32_t dim)
{
	IrType type = ir_operand(op, operand)->type;
	int64_t whole = type->shape[dim], size = 0;
	IrAttr sizes = ir_get(op, cx, ATTR_PADDED);
	if (!sizes || sizes->kind != ATTR_KIND_STRING)
		return whole;
	const char *at = sizes->text, *end = at + sizes->text_len;
	for (uint32_t k = 0; k < operand && at < end; at++)
		k += *at == ';';
	for (uint32_t d = 0; d < dim && at < end && *at != ';'; at++)
		d += *at == 'x';
	for (; at < end && *at >= '0' && *at <= '9' && size < whole; at++)
		size = size * 10 + (*at - '0');
	return size > 0 && size < whole ? size : whole;
}
