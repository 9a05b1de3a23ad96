# Which constexprs can be arguments, and what makes the others structural, with the place; followed into functions.
# run: neso list --why %s --json > %t/out; neso list --why %s:numbers; neso list --why --signature "*fp16,i32,tl.float16,3,True" %s:kinds; cat %t/out
import triton
import triton.language as tl


@triton.jit
def inner(x, C: tl.constexpr, WIDTH: tl.constexpr):
    return x * C + tl.arange(0, WIDTH)


@triton.jit
def numbers(o_ptr, n, ADD: tl.constexpr, STOP: tl.constexpr, B: tl.constexpr, TURNS: tl.constexpr, HALF: tl.constexpr, LEFT: tl.constexpr):
    # CHECK-LABEL: numbers(o_ptr
    # CHECK-NEXT: # for *fp32, i32, 16, 16, 16, 16, 16, 16
    # CHECK-NEXT: {{^    }}ADD: numeric
    # CHECK-NEXT: {{^    }}STOP: numeric
    # CHECK-NEXT: {{^    }}B: structural, {{.*}}constexprs.py:9:20: tl.arange wants 'end' when compiling
    # CHECK-NEXT: {{^    }}TURNS: structural, {{.*}}constexprs.py:[[@LINE+7]]:14: tl.static_range wants 'end' when compiling
    # CHECK-NEXT: {{^    }}HALF: structural, {{.*}}constexprs.py:[[@LINE+8]]:10: constants are combined when compiling
    # CHECK-NEXT: {{^    }}LEFT: structural, {{.*}}constexprs.py:[[@LINE+8]]:5: it decides which code there is
    i = tl.arange(0, 16)
    x = inner(i, ADD, B)
    for s in range(0, STOP, 16):
        x += s
    for _ in tl.static_range(TURNS):
        x += 1
    x *= HALF // 2
    if LEFT:
        x = -x
    tl.store(o_ptr + i, x, mask=i < n)


@triton.jit
def kinds(o_ptr, n, T: tl.constexpr, K: tl.constexpr, F: tl.constexpr):
    # CHECK-LABEL: kinds(o_ptr
    # CHECK-NEXT: # for *fp16,i32,tl.float16,3,True
    # CHECK-NEXT: {{^    }}T: structural: it is no number
    # CHECK-NEXT: {{^    }}K: numeric
    # CHECK-NEXT: {{^    }}F: structural, {{.*}}constexprs.py:[[@LINE+1]]:54: it decides which code there is
    tl.store(o_ptr, tl.full((), K, T) + (1 if n else 2 if F else 3))


# CHECK: "name": "numbers"
# CHECK-SAME: "signature": "*fp32, i32, 16, 16, 16, 16, 16, 16", "constexprs": [{"name": "ADD", "class": "numeric", "path": null, "line": 0, "column": 0, "reason": null}
# CHECK-SAME: {"name": "B", "class": "structural", "path": "{{.*}}constexprs.py", "line": 9, "column": 20, "reason": "tl.arange wants 'end' when compiling"}
# CHECK: "name": "kinds"
