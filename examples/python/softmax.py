"""Softmax of the rows of a matrix, one program per row."""

import numpy as np

import neso as triton
import neso.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, in_stride, out_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(in_ptr + row * in_stride + at, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * out_stride + at, e / tl.sum(e, axis=0), mask=mask)


def softmax(x):
    out = np.empty_like(x)
    rows, columns = x.shape
    softmax_kernel[(rows, )](out, x, x.strides[0] // x.itemsize, out.strides[0] // out.itemsize, columns,
                             BLOCK=triton.next_power_of_2(columns))
    return out


if __name__ == "__main__":
    x = np.random.randn(823, 781).astype(np.float32)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    expected = e / e.sum(axis=1, keepdims=True)
    out = softmax(x)
    triton.testing.assert_close(out, expected, atol=1e-6)
    ms = triton.testing.do_bench(lambda: softmax(x), warmup=5, rep=20)
    print(f"softmax of {x.shape[0]} x {x.shape[1]}: {ms:.2f} ms, largest error {abs(out - expected).max():.1e}")
