# 10 000 nested parentheses.
# run: awk 'BEGIN { print "import triton\n@triton.jit\ndef kernel(p):"; printf "    x = "; for (i = 0; i < 10000; i++) printf "("; printf "1"; for (i = 0; i < 10000; i++) printf ")"; print "" }' > %t/deep.py; neso compile %t/deep.py:kernel --signature "*fp32"
# limit: 2 500
# error: @deep.py:4:209: too deeply nested
