/* Stand-ins for what LLVM's table of passes reaches and no pipeline here names, so that it is not
 * linked: a fifth of what is handed out. Each is weak, so where another part of LLVM needs one, its
 * own is taken. left_out.inc has a row a symbol, and is written by cmake/llvm.cmake. */

void emit_left_out(void); /* llvm/emit.h */

static void left_out(void)
{
	emit_left_out();
}

#define LEFT_OUT(n, symbol)                                                                           \
	void left_out_##n(void) __asm__(symbol)                                                       \
		__attribute__((weak, alias("left_out"), visibility("hidden")));
#include "left_out.inc"
