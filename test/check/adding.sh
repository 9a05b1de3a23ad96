# docs/adding.md: its steps are complete. "An op": an op that has a block and nothing else lacks, at link,
# the hooks that the page names, and no others; where the page's example stands in src, the page says so;
# what the language has, Python has.
set -eu
bad=0
section=$(sed -n '/^## An op/,/^## A pass/p' docs/adding.md)
commands=$NESO_BUILD/compile_commands.json
[ -f "$commands" ] && [ -f "$NESO_BUILD/libneso-codegen.so" ] || { echo "built without LLVM"; exit 77; }

mkdir -p "$TMP/src/ir"
op() { # NAME FOLD
	echo "OP($1, \"tt.trial\", TG, TAKES(1, 1, \"t\"), GIVES(1, 1, \"t\"), NO_REGIONS, PURE, ANY, ARROW, NO_ATTRS," \
		"RULES(RULE, $2, NONE), TILES(RULE, PLAIN, RULE, RULE, RULE), \"\")"
}
{
	sed '/^#undef/,$d' src/ir/ops.def
	op SOURCE moves
	op WHOLE whole
	echo 'FLOAT1(CELLS, "math.trial", "a", PLAIN, "")'
	sed -n '/^#undef/,$p' src/ir/ops.def
} >"$TMP/src/ir/ops.def"
# What the object files of these sources lack, with the tables of $TMP/src in the place of src's.
lacks() {
	for file; do
		command=$(sed -n "s|.*\"command\": \"\(.*\) -o [^ ]* -c [^ ]*/$file\".*|\1|p" "$commands" | head -n 1 | sed 's/\\"/"/g')
		[ -n "$command" ] || continue
		(cd "$NESO_BUILD" && eval "$command -w -O0 -iquote '$TMP/src' -o '$TMP/one.o' -c '$OLDPWD/$file'")
		nm -u "$TMP/one.o" | sed 's/.* //'
	done
}
# shellcheck disable=SC2046
lacks $(grep -lrE '"ir/ops\.def"' src --include=*.c) | grep -E '_(RULE|CELLS|SOURCE|WHOLE)$' |
	sed -E 's/_(CELLS|SOURCE|WHOLE)$/_NAME/' | sort -u >"$TMP/wanted"
echo "$section" | sed -n 's/.*| link: \(.*\) |$/\1/p' | tr -d '` ' | tr ',' '\n' | sort -u >"$TMP/named"
diff "$TMP/named" "$TMP/wanted" >"$TMP/diff" || { echo "hooks that docs/adding.md names (<), that an op lacks (>):"; cat "$TMP/diff"; bad=1; }

for file in $(grep -rlw EXP2 src --include=*.c --include=*.def); do
	name=${file#src/}
	echo "$section" | grep -qF -e "$name\`" -e "\`$(basename "$name")\`" || { echo "docs/adding.md does not name $name, which has EXP2"; bad=1; }
done

for name in $(sed -nE 's/^BUILTIN\("([a-z_0-9]+)", IN_TL \| IN_MATH.*/\1/p' src/front/builtin/builtins.def); do
	for file in math core signatures; do
		[ "$file" = core ] && ! grep -q "^BUILTIN(\"$name\",.*OF_TENSOR" src/front/builtin/builtins.def && continue
		grep -qw "$name" "python/neso/language/$file.py" || { echo "python/neso/language/$file.py has no $name"; bad=1; }
	done
	if grep -q "^BUILTIN(\"$name\", IN_TL " src/front/builtin/builtins.def && ! grep -qw "$name" python/neso/language/__init__.py; then
		echo "python/neso/language/__init__.py has no $name"
		bad=1
	fi
done

# A pass, a machine operation, a target: a row is all that is needed, but for what the page names.
mkdir -p "$TMP/src/target/nvidia"
row() { # FILE BEFORE ROW: $TMP/src/FILE, with the row in front of the first line that begins so
	awk -v before="$2" -v row="$3" 'index($0, before) == 1 && !done { print row; done = 1 } { print }' "src/$1" >"$TMP/src/$1"
}
row ir/passes.def 'PASS(pass_cse,' 'PASS(pass_trial, "trial", TG, TG, OPTIONAL, 0, 0, "")'
lacks src/ir/pass/runner.c | grep -qx pass_trial || { echo "a row of ir/passes.def asks for no pass_NAME"; bad=1; }
row target/nvidia/machine.def 'MACHINE(barrier,' 'MACHINE(trial, "4", "4", PURE, "", "")
FAMILY(trials, PURE, machine_trials, "")'
for hook in sim_machine_trial sim_machine_trials machine_trials; do
	lacks src/sim/ops/machine.c src/llvm/machine/machine.c | grep -qx "$hook" ||
		{ echo "a row of target/nvidia/machine.def asks for no $hook"; bad=1; }
done
row target/nvidia/targets.def 'TARGET(sm_89,' 'TARGET(sm_88, 88, 0, sm_88, 90, 0, 48, 16, 68, 67, AMPERE)'
cat >"$TMP/main.c" <<'END'
#include "target/mma.h"
int main(void)
{
	const TargetGpu *gpu = target_find("sm_88");
	return !gpu || gpu->shared_cta != 67 * 1024 || target_for_device(88) != gpu || !target_mma(gpu, TARGET_MMA_SYNC,
	       TARGET_ELEMENT_F16, TARGET_ELEMENT_F32);
}
END
[ -z "${NESO_SANITIZED:-}" ] || exit $bad # its objects do not link to a program without the sanitizers
lacks src/target/target.c >"$TMP/lacks"
cc -Isrc -o "$TMP/main" "$TMP/main.c" "$TMP/one.o" "$NESO_BUILD/libneso_internal.a" -lm -lpthread 2>"$TMP/cc" && "$TMP/main" ||
	{ echo "a row of target/nvidia/targets.def makes no target"; cat "$TMP/cc"; bad=1; }
exit $bad
