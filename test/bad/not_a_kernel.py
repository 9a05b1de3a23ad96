# A function that is there but not decorated.
# run: neso run %s:host --grid 1
# limit: 2 500
import triton


def host():  # error: 5: 'host' is not a kernel
    pass
