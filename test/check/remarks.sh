# Each rule of src/base/diag/remark.def has a test.
exec sh scripts/check-remarks
