"""A kernel that examples in docstrings compile (test_docs.py)."""

import neso as triton
import neso.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)
