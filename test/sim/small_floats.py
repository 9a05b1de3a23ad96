# Floats of 8 bits: their size, through memory and as values.
# run: neso run %s:sizes -q --against interp --target sim:sm_90a rand:128:fp8e4nv rand:128:fp8e5 zeros:128:fp8e4nv zeros:128:fp8e5
# expect: success
