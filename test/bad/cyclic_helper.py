# The other half of cyclic_import.py: not a test.
#
#
import triton
import triton.language as tl

from cyclic_import import A

B = 1 + A
