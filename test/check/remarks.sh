# Each rule of src/base/remark.def has a test.
exec sh scripts/check-remarks
