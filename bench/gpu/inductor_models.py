"""Small models whose kernels Inductor writes: MODELS has for each name the function, the shapes and dtypes of its arguments, and
torch.compile's options."""

import torch
import torch.nn.functional as F

aten = torch.ops.aten
f32, f16, bf, i64, i32, u8, bl = torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool
MODELS = {}


def m(*args, **options):

    def put(f):
        MODELS[f.__name__] = (f, args, options)
        return f
    return put


def T(*s, d=f32):
    return (s, d)


@m(T(4096,4096), T(4096))
def pointwise(x, y): return torch.where(x > 0, torch.relu(x*2+y).sin(), torch.erf(y)) / (1 + y.abs())


@m(T(4096,4096,d=bf), T(4096,4096,d=bf))
def swiglu(x, y): return F.silu(x) * y


@m(T(4096,4096,d=bf), T(4096,d=bf), T(4096,4096,d=bf))
def bias_gelu_res(x, b, r): return F.gelu(x + b) + r


@m(T(1000,1003), T(1003))
def odd_pointwise(x, y): return torch.tanh(x*y) + x.sigmoid()


@m(T(4096,4096))
def reductions(x): return x.sum(1), x.amax(0), x.mean(), x.var(1), x.argmax(1)


@m(T(8192,4096))
def softmax(x): return torch.softmax(x, -1)


@m(T(8192,512,d=bf))
def softmax_small(x): return torch.softmax(x, -1)


@m(T(8192,50257,d=bf))
def log_softmax_big(x): return torch.log_softmax(x.float(), -1)


@m(T(8192,2048), T(2048), T(2048))
def layer_norm(x, w, b): return F.layer_norm(x, (2048,), w, b) + x


@m(T(8192,768,d=bf), T(768,d=bf), T(768,d=bf), T(8192,768,d=bf))
def layer_norm_bf(x, w, b, r):
    y = x + r
    return F.layer_norm(y, (768,), w, b), y


@m(T(8192,4096,d=bf), T(4096,d=bf))
def rms_norm(x, w):
    f = x.float()
    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + 1e-6)).to(bf) * w


@m(T(2048,1024))
def scan(x): return torch.cumsum(x, 1), torch.cummax(x, 1)[0]


@m(T(512,256))
def sort(x): return torch.sort(x, dim=1)


@m(T(5000,256), T(20000,d=i64), T(5000,256))
def index(x, i, z): return x[i]*2, z.index_add(0, i, x[i])


@m(T(50000,1024,d=bf), T(8,1024,d=i64), T(1024,1024,d=bf))
def embedding(w, i, p): return F.embedding(i, w) + p


@m(T(64,256,56,56), T(256), T(256), T(256), T(256))
def bn_relu_eval(x, m_, v, w, b): return F.relu(F.batch_norm(x, m_, v, w, b, False))


@m(T(64,64,56,56), T(64), T(64), T(64), T(64))
def bn_relu_train(x, m_, v, w, b):
    r = aten._native_batch_norm_legit_functional(x, w, b, m_, v, True, 0.1, 1e-5)
    return (F.relu(r[0]),) + tuple(r[1:])


@m(T(64,64,56,56), T(64,64,56,56), T(64), T(64), T(64), T(64), T(64))
def bn_backward(g, x, w, m_, v, sm, sv): return aten.native_batch_norm_backward(g, x, w, m_, v, sm, sv, True, 1e-5, [True, True, True])


@m(T(64,64,112,112))
def max_pool(x): return F.max_pool2d(x, 3, 2, 1)


@m(T(64,2048,7,7))
def avg_pool(x): return x.mean((2,3)), F.adaptive_avg_pool2d(x, 1)


@m(T(64,64,56,56), T(64,64,3,3), T(64), T(64), T(64), T(64), T(64,64,56,56))
def resnet_block(x, w, m_, v, g, b, res): return F.relu(F.batch_norm(F.conv2d(x, w, padding=1), m_, v, g, b, False) + res)


@m(T(32,512,768,d=bf), T(768,d=bf), T(768,d=bf), T(2304,768,d=bf), T(2304,d=bf), T(768,768,d=bf), T(768,d=bf), T(3072,768,d=bf), T(3072,d=bf), T(768,3072,d=bf), T(768,d=bf), T(768,d=bf), T(768,d=bf))
def transformer(x, g1, b1, wq, bq, wo, bo, w1, c1, w2, c2, g2, b2):
    h = F.layer_norm(x, (768,), g1, b1)
    q, k, v = F.linear(h, wq, bq).view(32, 512, 3, 12, 64).permute(2, 0, 3, 1, 4)
    s = torch.softmax((q @ k.transpose(-1, -2)) / 8.0, -1) @ v
    x = x + F.linear(s.transpose(1, 2).reshape(32, 512, 768), wo, bo)
    h = F.layer_norm(x, (768,), g2, b2)
    return x + F.linear(F.gelu(F.linear(h, w1, c1)), w2, c2)


@m(T(8192,2048), T(8192,2048), T(8192,1), T(8192,1), T(2048), T(2048))
def ln_backward(g, x, mean, rstd, w, b): return aten.native_layer_norm_backward(g, x, [2048], mean, rstd, w, b, [True, True, True])


@m(T(8192,4096,d=bf), T(8192,4096,d=bf))
def softmax_backward(g, y): return aten._softmax_backward_data(g, y, -1, bf)


@m(T(4096,4096,d=bf), T(4096,4096,d=bf))
def gelu_backward(g, x): return aten.gelu_backward(g, x)


@m(T(8192,32000,d=bf), T(8192,d=i64))
def cross_entropy(x, t): return F.cross_entropy(x.float(), t)


@m(T(4096,4096), T(4096,4096))
def transpose_add(x, y): return x.t().contiguous() + y, x + y.t()


@m(T(64,128,56,56), T(64,64,56,56))
def cat(x, y): return torch.cat([x.relu(), y.sigmoid()], 1)


@m(T(4096,4096))
def fp8_quant(x):
    s = x.abs().amax(1, keepdim=True).clamp(min=1e-6) / 448.0
    return (x / s).to(torch.float8_e4m3fn), s


@m(T(4096,4096,d=bf))
def int8_quant(x):
    s = x.float().abs().amax(1, keepdim=True) / 127
    return torch.round(x.float() / s).clamp(-128, 127).to(torch.int8), s


@m(T(16,128,64,64), T(128), T(128))
def group_norm(x, w, b): return F.group_norm(x, 32, w, b)


@m(T(32,3,256,256))
def upsample(x): return F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)


@m(T(3000,1001), T(3000,1001), T(3000,1001), T(3000,1001))
def adam(p, g, m1, v1):
    a = m1.lerp(g, 0.1); b = v1 * 0.999 + g * g * 0.001
    return p - 1e-3 * a / (b.sqrt() + 1e-8), a, b


@m(T(8,16,1024,128,d=bf), T(1024,64), T(1024,64))
def rope(q, c, s):
    a, b = q[..., :64], q[..., 64:]
    return torch.cat([a*c - b*s, b*c + a*s], -1).to(bf)


@m(T(1 << 24))
def big_sum(x): return x.sum(), (x*x).mean().sqrt()


@m(T(3,40000,257))
def outer_red(x): return x.sum(1), x.amax(1)


@m(T(128,1 << 17))
def wide_rows(x): return x.sum(1), torch.softmax(x, 1)


@m(T(8192,8192,d=u8))
def bytes_(x): return (x.to(i32) * 3 + 7).to(u8), (x > 5)


@m(T(4096,4096,d=i64))
def longs(x): return x // 7, x % 13, x * 3


@m(T(4096,1024), T(4096,32,d=i64))
def gather(x, i): return torch.gather(x, 1, i), torch.scatter(x, 1, i, 2.0)


@m(T(4096,64,d=f16), T(4096,64,d=f16))
def dot_rows(x, y): return (x.float()*y.float()).sum(1)


@m(T(1024,4096))
def argmin_topk(x): return x.argmin(1), torch.cumsum(x > 0, 1)


@m(T(8192,1000,d=f16))
def odd_rows(x): return torch.softmax(x.float(), 1), x.float().sum(0), x.float().std(1)


@m(T(8192,3333))
def odd_layer_norm(x): return F.layer_norm(x, (3333,))


@m(T(256,1024,1024,d=bf))
def causal_softmax(x):
    mask = torch.ones(1024, 1024, dtype=bl, device=x.device).tril()
    return torch.softmax(x.masked_fill(~mask, -float("inf")), -1)


@m(T(8192,32768,d=bf))
def softmax_32k(x): return torch.softmax(x.float(), -1)


@m(T(4096,32768,d=bf), T(4096,d=i64), T(4096))
def cross_entropy_backward(x, t, g):
    p = torch.softmax(x.float(), -1)
    return ((p - F.one_hot(t, 32768)) * g[:, None]).to(bf)


@m(T(8,1024,768,d=bf), T(8,1024,d=i64))
def embedding_backward(g, i): return aten.embedding_dense_backward(g, i * 997, 50000, -1, False)


@m(T(32,64,56,56,d=f16), T(64,64,1,1,d=f16), T(64,d=f16), T(32,64,56,56,d=f16))
def conv_epilogue(x, w, b, r): return F.silu(F.conv2d(x, w, b) + r) * 0.5


@m(T(16,512,12,64,d=bf), T(16,512,12,64,d=bf))
def head_transposes(x, y):
    return x.permute(0, 2, 1, 3).contiguous(), (x * y).permute(0, 2, 3, 1).contiguous()


@m(T(2048,2048,d=bf), T(2048,2048,d=bf), T(2048,d=bf), max_autotune=True, max_autotune_gemm_backends="TRITON")
def matmul_epilogue(a, b, c): return F.gelu(a @ b + c)


@m(T(8,1024,256,d=f16), T(8,256,1024,d=f16), max_autotune=True, max_autotune_gemm_backends="TRITON")
def bmm_epilogue(a, b): return torch.relu(torch.bmm(a, b)) + 1


@m(T(4,8,2048,64,d=bf), T(4,8,2048,64,d=bf), T(4,8,2048,64,d=bf))
def flex_bias(q, k, v):
    from torch.nn.attention.flex_attention import flex_attention
    return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j) * 0.01)


@m(T(2,8,2048,128,d=bf), T(2,8,2048,128,d=bf), T(2,8,2048,128,d=bf))
def flex_soft_cap(q, k, v):
    from torch.nn.attention.flex_attention import flex_attention
    return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: torch.where(i >= j, 30 * torch.tanh(s / 30), -float("inf")))


@m(T(8192,4096,d=bf))
def dropout_residual(x): return F.dropout(x, 0.1) + x


@m(T(4096,2048), T(4096,2048))
def batch_statistics(x, y): return (x * y).sum(0), x.var(0), y.amax(0), (x - y).abs().mean(0)


@m(T(8192,1024,d=bf), T(8192,3072,d=bf))
def concatenated(x, y): return torch.cat([F.silu(x), y * 2], 1)


@m(T(8192,1000), T(8192,1500), T(8192,501))
def concatenated_odd(x, y, z): return torch.cat([x, y + 1, z], 1).sum(1), torch.cat([x * 2, y, z], 1)


@m(T(4,32,2048,128,d=bf), T(2048,128,d=bf), T(2048,128,d=bf))
def rope_turned(q, c, s):
    a, b = q.chunk(2, -1)
    return q * c + torch.cat([-b, a], -1) * s


@m(T(8,2048,4096,d=bf), T(8,2048,1024,d=bf), T(2048,64), T(2048,64))
def rope_both(q, k, c, s):
    def turned(x):
        a, b = x.unflatten(-1, (-1, 128)).transpose(1, 2).float().chunk(2, -1)
        return torch.cat([a * c - b * s, b * c + a * s], -1).to(bf)
    return turned(q), turned(k)


@m(T(64,128,28,28,d=f16), T(64,128,28,28,d=f16))
def channels_joined(x, y): return F.relu(torch.cat([x, y], 1)) + 1


@m(T(4096,8192,d=bf))
def padded_rows(x): return F.pad(x, (64, 64)) * 2
