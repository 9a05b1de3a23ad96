# A function that assigns what is around it is called where that is, or in one that says so too.
# run: neso compile %s:kernel --signature "*i32,i32"
import triton
import triton.language as tl


@triton.jit
def called(f):
    f()  # error: 5: 'add' assigns 'n' of the function around it, and is called elsewhere


@triton.jit
def kernel(p, n):
    m = n

    def add():
        nonlocal n
        n += 1

    def twice():
        nonlocal n
        add()
        add()

    def once():
        add()  # error: 9: 'add' assigns 'n' of the function around it, and is called elsewhere

    twice()
    once()
    called(add)
    tl.store(p, n + m)
