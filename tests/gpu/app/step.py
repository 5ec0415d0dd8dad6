"""A training step of a small network, eagerly: 20 kernels and more, most of them launched again in each step."""
import sys
import time

import torch

torch.manual_seed(1)
began = time.time()
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.BatchNorm2d(32), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
    torch.nn.Flatten(), torch.nn.Linear(32 * 16 * 16, 256), torch.nn.GELU(), torch.nn.LayerNorm(256),
    torch.nn.Dropout(0.1), torch.nn.Linear(256, 10)).cuda()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, foreach=False)
images = torch.randn(64, 3, 32, 32, device="cuda")
labels = torch.randint(0, 10, (64,), device="cuda")
for step in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(images), labels)
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.4f}", flush=True)
print(f"torch {torch.__version__} {time.time() - began:.2f} s", file=sys.stderr)
