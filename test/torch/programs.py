# not a test: programs of torch.compile, each a function of a device that gives (function, arguments, keywords of torch.compile).
"""What torch.compile is given: small programs of each kind that Inductor writes kernels for."""

import torch
import torch.nn as nn
import torch.nn.functional as F

PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def _rand(device, *shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator).to(dtype).to(device)


@program
def pointwise(device):
    def run(x, y):
        return torch.where(x > 0, torch.relu(x * 2 + y).sin(), torch.erf(y)) / (1 + y.abs())
    return run, (_rand(device, 1000, 37), _rand(device, 37)), {}


@program
def integers(device):
    def run(x, y):
        return (x // y, x % y, (x << 2) ^ y, torch.bitwise_and(x, 15) > 7)
    x = torch.arange(-500, 500, device=device)
    return run, (x, torch.tensor([3, -7, 5, 2], device=device).repeat(250)), {}


@program
def reductions(device):
    def run(x):
        return x.sum(1), x.amax(0), x.mean(), x.var(1), x.argmax(1), x.prod(1), (x > 0).any(0)
    return run, (_rand(device, 129, 300),), {}


@program
def not_numbers(device):
    """Where NaN is the largest and the smallest, and which of several comes first."""
    def run(x):
        return (x.amax(1), x.amin(0), x.argmax(1), x.argmin(1), *x.max(0), *torch.cummax(x, 1), x.nansum(0), torch.sort(x, dim=1, stable=True)[1],
                x.clamp(-1, 1), torch.maximum(x, x.flip(0)), torch.fmin(x, x.flip(0)))
    x = _rand(device, 17, 90)
    x[3, 40], x[5, 0], x[5, 89], x[6], x[7, 5], x[8] = (float(v) for v in ("nan", "nan", "nan", "nan", "inf", "-inf"))
    return run, (x, ), {}


@program
def long_reduction(device):
    def run(x):
        return x.sum(), (x * x).sum(-1).sqrt()
    return run, (_rand(device, 3, 40000),), {}


@program
def softmax(device):
    def run(x):
        return torch.softmax(x, -1), torch.log_softmax(x, 0)
    return run, (_rand(device, 65, 513),), {}


@program
def layer_norm(device):
    def run(x, w, b):
        return F.layer_norm(x, (x.shape[-1],), w, b) + x
    return run, (_rand(device, 64, 384), _rand(device, 384), _rand(device, 384)), {}


@program
def scan(device):
    def run(x):
        return torch.cumsum(x, 1), torch.cumprod(1 + x * 0.01, 0), torch.cummax(x, 1)[0]
    return run, (_rand(device, 33, 257),), {}


@program
def sort(device):
    def run(x):
        return torch.sort(x, dim=1)
    return run, (_rand(device, 16, 64),), {}


@program
def index(device):
    def run(x, at, values):
        gathered = x[at] * 2
        put = torch.zeros_like(x).index_add(0, at, gathered)
        return gathered, put, torch.scatter_add(x, 0, values, x), F.embedding(at, x)
    at = torch.randint(0, 50, (70,), generator=torch.Generator().manual_seed(1)).to(device)
    values = torch.randint(0, 50, (50, 24), generator=torch.Generator().manual_seed(2)).to(device)
    return run, (_rand(device, 50, 24), at, values), {}


@program
def half_types(device):
    def run(x, y):
        return (x @ y.T).float().softmax(-1).to(torch.float16), torch.nn.functional.gelu(x)
    return run, (_rand(device, 48, 64, dtype=torch.bfloat16), _rand(device, 48, 64, dtype=torch.bfloat16)), {}


@program
def dropout(device):
    """Random numbers are of the generator that Inductor has in kernels: what is left in is scaled, and about half is."""
    def run(x):
        y = F.dropout(x, 0.5)
        kept = y != 0
        return torch.where(kept, y - 2 * x, torch.zeros_like(x)), ((kept.float().mean() - 0.5).abs() < 0.05)
    return run, (_rand(device, 200, 100).abs() + 1,), {}


@program
def convolution(device):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 1),
                        nn.AdaptiveAvgPool2d(4)).to(device).eval()
    return net, (_rand(device, 2, 3, 32, 32),), {}


@program
def dynamic_shapes(device):
    def run(x, y):
        return (x[:, None] * y[None, :]).sum(1) + x.shape[0]
    return run, (_rand(device, 77), _rand(device, 130)), {"dynamic": True}


class Block(nn.Module):

    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.heads = heads

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2)) / (c // self.heads)**0.5
        mask = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        x = x + self.out((scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


@program
def transformer_block(device):
    torch.manual_seed(0)
    return Block(64, 4).to(device), (_rand(device, 2, 32, 64),), {}


@program
def training(device):
    """A step of training: the gradients are results."""
    torch.manual_seed(0)
    block = Block(32, 2).to(device)

    def run(x):
        loss = block(x).square().mean()
        return (loss, *torch.autograd.grad(loss, list(block.parameters())))
    compiled = torch.compile(block)

    def step(x):
        loss = compiled(x).square().mean()
        return (loss, *torch.autograd.grad(loss, list(block.parameters())))
    run.compiled = step
    return run, (_rand(device, 2, 16, 32),), {}


@program
def cat_and_views(device):
    def run(x, y):
        z = torch.cat([x.t(), y], 1)
        return z.flip(0), F.pad(z, (1, 2)), z.unfold(0, 2, 1).amax(-1), torch.stack([z, z * 2]).permute(1, 2, 0).contiguous()
    return run, (_rand(device, 20, 30), _rand(device, 30, 11)), {}


@program
def complex_control(device):
    def run(x):
        best = x
        for k in range(3):
            best = torch.maximum(best, torch.roll(x, k + 1, 0) * (k + 1))
        return torch.bucketize(best, torch.linspace(-2, 2, 9, device=x.device)), best.clamp(-1, 1).round()
    return run, (_rand(device, 512),), {}


@program
def losses(device):
    """Many reductions to one number each, in one kernel."""
    def run(x, y, t):
        logs = x.log_softmax(1)
        return (F.mse_loss(x, y) + F.smooth_l1_loss(x, y) + F.huber_loss(x, y) + F.nll_loss(logs, t) + F.soft_margin_loss(x, y.sign()) +
                F.kl_div(logs, y.softmax(1), reduction="batchmean") + F.binary_cross_entropy_with_logits(x, (y > 0).float()) +
                F.multi_margin_loss(x, t) + F.poisson_nll_loss(x, y.abs()) + F.gaussian_nll_loss(x, y, y.abs() + 1))
    t = torch.randint(0, 10, (20,), generator=torch.Generator().manual_seed(1)).to(device)
    return run, (_rand(device, 20, 10), _rand(device, 20, 11)[:, 1:], t), {}


@program
def scatters(device):
    def run(x, at, values, rows):
        return (x.scatter(0, at, values), x.scatter_reduce(0, at, values, "amax"), x.scatter_reduce(0, at, values, "prod", include_self=False),
                x.scatter_reduce(0, at, values, "mean"), x.index_copy(0, torch.arange(9, device=x.device), values[:9]),
                torch.index_put(x, (rows,), values[:9], accumulate=True), torch.gather(x, 1, at[:, :7] % 7), x[rows][:, rows])
    generator = torch.Generator().manual_seed(1)
    at = torch.stack([torch.randperm(20, generator=generator)[:15] for _ in range(30)], 1).to(device)
    rows = torch.randint(0, 20, (9,), generator=generator).to(device)
    return run, (_rand(device, 20, 30), at, _rand(device, 15, 30), rows), {}
