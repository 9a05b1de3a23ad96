"""Parameters of the language's functions, for inspect.signature and for people."""

SIGNATURES = """
aggregate_replace(instance, **changes); program_id(axis); num_programs(axis); arange(start, end); full(shape, value, dtype); broadcast(input, other)
broadcast_to(input, *shape); trans(input, *dims); permute(input, *dims); cat(input, other, can_reorder=False, dim=0)
join(a, b); split(a); view(input, *shape); item(input); reshape(input, *shape, can_reorder=False)
expand_dims(input, axis); cast(input, dtype, fp_downcast_rounding=None, bitcast=False)
dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None)
dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=None)
load(pointer, mask=None, other=None, boundary_check=(), padding_option='', cache_modifier='', eviction_policy='', volatile=False)
load_tensor_descriptor(desc, offsets); store_tensor_descriptor(desc, offsets, value)
store(pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy='')
make_block_ptr(base, shape, strides, offsets, block_shape, order); advance(base, offsets)
make_tensor_descriptor(base, shape, strides, block_shape, padding_option='zero')
_experimental_make_tensor_descriptor(base, shape, strides, block_shape, padding_option='zero')
atomic_cas(pointer, cmp, val, sem=None, scope=None); atomic_xchg(pointer, val, mask=None, sem=None, scope=None)
atomic_add(pointer, val, mask=None, sem=None, scope=None); atomic_max(pointer, val, mask=None, sem=None, scope=None)
atomic_min(pointer, val, mask=None, sem=None, scope=None); atomic_and(pointer, val, mask=None, sem=None, scope=None)
atomic_or(pointer, val, mask=None, sem=None, scope=None); atomic_xor(pointer, val, mask=None, sem=None, scope=None)
atomic_load(pointer, mask=None, sem=None, scope=None); atomic_store(pointer, val, mask=None, sem=None, scope=None)
atomic_poll(pointer, expected_value, sem='acquire', scope='gpu', timeout_ns=None); expect_zero(x, mask)
where(condition, x, y); add(x, y, sanitize_overflow=True); sub(x, y, sanitize_overflow=True)
mul(x, y, sanitize_overflow=True); minimum(x, y, propagate_nan=None); maximum(x, y, propagate_nan=None)
clamp(x, min, max, propagate_nan=None); reduce(input, axis, combine_fn, keep_dims=False)
associative_scan(input, axis, combine_fn, reverse=False); histogram(input, num_bins, mask=None, weights=None)
gather(src, index, axis); map_elementwise(scalar_fn, *args, pack=1); debug_barrier(); multiple_of(input, values)
max_contiguous(input, values); max_constancy(input, values); assume(cond); static_assert(cond, msg='')
static_print(*values, sep=' ', end='\\n', file=None, flush=False); device_print(prefix, *args, hex=False)
device_assert(cond, msg='', mask=None); inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)
extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure)
dispatch(func, lib_name, lib_path, args, arg_type_symbol_dict, ret_type, is_pure); to_tensor(x)
umulhi(x, y); exp(x); exp2(x); log(x); log2(x); cos(x); sin(x); sqrt(x); sqrt_rn(x); rsqrt(x); abs(x)
fdiv(x, y, ieee_rounding=False, approx=False); div_rn(x, y); erf(x); floor(x); ceil(x); fma(x, y, z)
cdiv(x, div); sigmoid(x); softmax(x, dim=None, keep_dims=False, ieee_rounding=False); ravel(x, can_reorder=False)
swizzle2d(i, j, size_i, size_j, size_g); zeros(shape, dtype); zeros_like(input)
max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)
min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)
argmax(input, axis, tie_break_left=True, keep_dims=False); argmin(input, axis, tie_break_left=True, keep_dims=False)
sum(input, axis=None, keep_dims=False, dtype=None); xor_sum(input, axis=None, keep_dims=False)
reduce_or(input, axis, keep_dims=False); cumsum(input, axis=0, reverse=False, dtype=None, exclusive=False)
cumprod(input, axis=0, reverse=False, dtype=None, exclusive=False); argsort(x, dim=None, descending=False)
sort(x, dim=None, descending=False, return_indices=False, values=None); median(x, dim=None)
segments(x); roll(x, shift, dim=-1); prod(input, axis=None, keep_dims=False, dtype=None)
unique(x, return_counts=False)
topk(x, k, dim=None, descending=True, return_indices=False); searchsorted(sorted_values, values, right=False)
bitonic_merge(x, dim=None, descending=False); flip(x, dim=None); interleave(a, b); squeeze(x, dim); unsqueeze(x, dim)
philox(seed, c0, c1, c2, c3, n_rounds=10); randint(seed, offset, n_rounds=10); randint4x(seed, offset, n_rounds=10)
rand(seed, offset, n_rounds=10); rand4x(seed, offset, n_rounds=10); randn(seed, offset, n_rounds=10)
randn4x(seed, offset, n_rounds=10); uint_to_uniform_float(x); pair_uniform_to_normal(u1, u2)
philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10); curand4x(seed, subsequence, offset)
torch_rand(seed, offset, index, threads); torch_randint(seed, offset, index, threads); torch_randn(seed, offset, index, threads)
globaltimer(); smid(); num_threads(); num_warps(); gdc_wait(); gdc_launch_dependents()
convert_custom_float8_sm80(arg, dst_ty, fp_downcast_rounding=None, bitcast=False)
convert_custom_float8_sm70(arg, dst_ty, fp_downcast_rounding=None, bitcast=False)
"""

_texts = {entry.split("(", 1)[0].strip(): "(" + entry.split("(", 1)[1]
          for entry in SIGNATURES.strip().replace("\n", ";").split(";") if entry.strip()}


def text_of(name):
    """The parameters as text, with their parentheses; None: there is no entry."""
    text = _texts.get(name)
    return text.strip() if text else None


def signature_of(name, library=False):
    """inspect.Signature; library: of the device library; of names without an entry one that takes anything."""
    import inspect
    text = text_of(name)
    if library:
        from .extra.libdevice_docs import entry
        text = (entry(name) or (text, None))[0]
    made = {}
    exec(f"def f{text or '(*args, **kwargs)'}: pass", made)
    return inspect.signature(made["f"])
