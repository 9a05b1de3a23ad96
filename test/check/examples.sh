# The demo: every example kernel, from C, agrees with plain C. The command runs the same files.
set -eu
"$NESO_BUILD/examples/demo" examples >"$TMP/demo" || { cat "$TMP/demo"; exit 1; }
[ "$(grep -c ' ok$' "$TMP/demo")" -eq 5 ] || { cat "$TMP/demo"; exit 1; }
neso run examples/vector_add.py --grid 'cdiv(n,BLOCK)' x_ptr=arange:3000:fp32 y_ptr=ones:3000:fp32 out_ptr=zeros:3000:fp32 \
	n=3000 BLOCK=1024 -q --out out_ptr="$TMP/sum.npy"
neso run examples/vector_add.py -g 3 "$TMP/sum.npy" full:3000:fp32:-1 zeros:3000:fp32 3000 1024 -q --expect out_ptr=arange:3000:fp32
# A softmax of equal numbers; more rows than programs.
neso run examples/softmax.py -g 7 zeros:20x50:fp32 ones:20x50:fp32 50 50 20 50 64 -q --expect out_ptr=full:20x50:fp32:0.02 --rtol 1e-6
# One kernel of many warps and stages is the same kernel.
for options in '' '--num-warps 8 --num-stages 1'; do
	neso run examples/matmul.py:matmul_kernel -g 4 $options a_ptr=ones:96x40:fp16 b_ptr=full:40x70:fp16:0.5 c_ptr=zeros:96x70:fp16 \
		M=96 N=70 K=40 stride_am=40 stride_ak=1 stride_bk=70 stride_bn=1 stride_cm=70 stride_cn=1 \
		BLOCK_M=64 BLOCK_N=64 BLOCK_K=32 GROUP=8 ACTIVATION="'leaky_relu'" -q --expect c_ptr=full:96x70:fp16:20
done
# The text of each is read back and stays what it is.
for example in "vector_add.py:add_kernel *fp32:16,*fp32:16,*fp32:16,i32,1024" \
	"softmax.py:softmax_kernel *fp32,*fp32,i32,i32,i32,i32,1024" \
	"layer_norm.py:layer_norm_kernel *fp32,*fp32,*fp32,*fp32,*fp32,*fp32,i32,i32,fp32,1024" \
	"matmul.py:matmul_kernel *fp16,*fp16,*fp16,i32,i32,i32,i32,i32,i32,i32,i32,i32,64,64,32,8" \
	"attention.py:attention_kernel *fp16,*fp16,*fp16,*fp16,fp32,i32,i32,i32,i32,i32,i32,i32,i32,i32,64,64,64,True"; do
	for stage in ttir-raw ttir; do
		neso compile "examples/${example%% *}" --signature "${example#* }" --emit $stage -o "$TMP/1.ttir" --verify-each
		neso compile "examples/${example%% *}" --signature "${example#* }" --emit $stage -o "$TMP/same.ttir"
		cmp "$TMP/1.ttir" "$TMP/same.ttir"
		neso opt "$TMP/1.ttir" -o "$TMP/2.ttir"
		cmp "$TMP/1.ttir" "$TMP/2.ttir"
	done
done
