#!/usr/bin/env python3
"""Times the nests of beyond.rs, strangers.rs, reductions.rs and manners.rs in suite/polybench/src in PyTorch, and ours.

    cargo build --release -p nitro-polybench --features train --bin train-polybench
    python3 scripts/compare_torch.py --csv torch.csv

Needs a CUDA device, PyTorch 2.9 or newer with Triton, and no network. PyTorch computes in single precision without
TF32, with cudnn.benchmark, in each of the ways listed below; the faster of eager and torch.compile counts, each as a
CUDA graph. Nitro's time is the best that `train-polybench search` has evaluated within --evaluations, presets
included. What the --store holds already is not evaluated again, so the best of an earlier search is shown at once.

Both sides: a graph of an event, what is timed, and an event; the median of many launches of it. So no time holds the
host's launch. A ratio is PyTorch's best time over Nitro's: above 1 Nitro is faster. The last lines are geometric means.
With --csv rows are written as they come, and nests and sizes that stand there with all times are not run again.
"""

import argparse
import csv
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as functional

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ["nest", "size", "torch eager ms", "compiled ms", "ours ms", "ratio", "note"]
SIZES = ["large", "huge"]
DEVICE = "cuda"
# Time for the runs of one function, and how many there are at least and at most.
RUNS_S, FEWEST_RUNS, MOST_RUNS = 0.2, 20, 200
# More are 8 GB in single precision, and eager PyTorch keeps two such arrays.
MOST_DIFFERENCES = 2**31


def numbers(*shape):
    """Random numbers between 1/2 and 3/2, as Nitro's are."""
    return torch.rand(shape, device=DEVICE) + 0.5


# Each function below takes the sizes of a nest and returns ways to compute it. A way is a function of a wrapper, which
# is torch.compile or does nothing, and returns a function without arguments that gives the results.


def way(function, *arguments):
    """The way of a function that is compiled as a whole."""

    def bound(wrap):
        wrapped = wrap(function)
        return lambda: wrapped(*arguments)

    return bound


def convolution_nchw(n, c, k, h, w):
    return [way(functional.conv2d, numbers(n, c, h + 2, w + 2), numbers(k, c, 3, 3))]


def convolution_nhwc(n, h, w, c, k):
    inputs = numbers(n, h + 2, w + 2, c).permute(0, 3, 1, 2)
    weights = numbers(3, 3, c, k).permute(3, 2, 0, 1)
    # PyTorch may have its own order of weights, which do not change from call to call.
    return [way(functional.conv2d, inputs, weights.contiguous(memory_format=torch.channels_last))]


def convolution_1x1(n, c, k, h, w):
    inputs, weights = numbers(n, c, h, w), numbers(k, c)

    def product(inputs, weights):
        return torch.matmul(weights, inputs.view(n, c, h * w)).view(n, k, h, w)

    return [way(functional.conv2d, inputs, weights.view(k, c, 1, 1)), way(product, inputs, weights)]


def depthwise_5x5(n, c, h, w):
    inputs, weights = numbers(n, c, h + 4, w + 4), numbers(c, 1, 5, 5)
    return [way(lambda x, y: functional.conv2d(x, y, groups=c), inputs, weights)]


def attention_scores(batch, n, m, d):
    return [way(lambda q, k: torch.matmul(q, k.transpose(1, 2)), numbers(batch, n, d), numbers(batch, m, d))]


def contraction(na, nb, ni, nj, ne, nf):
    x, y = numbers(na, ne, ni, nf), numbers(ne, nb, nf, nj)
    return [way(lambda x, y: torch.einsum("aeif,ebfj->abij", x, y).contiguous(), x, y)]


def tucker(ni, nj, nk, na, nb):
    def both(t, u, v):
        half = torch.einsum("ijk,ai->ajk", t, u)
        return half, torch.einsum("ajk,bj->abk", half, v).contiguous()

    return [way(both, numbers(ni, nj, nk), numbers(na, ni), numbers(nb, nj))]


def softmax(n, m):
    return [way(lambda x: torch.softmax(x, 1), numbers(n, m))]


def layer_norm(n, m):
    x, gamma, beta = numbers(n, m), numbers(m), numbers(m)
    return [way(lambda x, gamma, beta: functional.layer_norm(x, (m,), gamma, beta, 0.75), x, gamma, beta)]


def differences(function, n, m, d):
    """The way of a function that keeps all differences of points, unless it is compiled."""

    def bound(wrap):
        if wrap is not torch.compile and n * m * d > MOST_DIFFERENCES:
            raise MemoryError(f"{n * m * d} differences are not kept")
        return way(function, numbers(n, d), numbers(m, d))(wrap)

    return bound


def squared_distances(n, m, d):
    x, y = numbers(n, d), numbers(m, d)

    def by_product(x, y):
        return torch.addmm((y * y).sum(1), x, y.t(), alpha=-2) + (x * x).sum(1)[:, None]

    by_differences = differences(lambda x, y: (x[:, None] - y[None]).square().sum(2), n, m, d)
    return [way(lambda x, y: torch.cdist(x, y).square(), x, y), way(by_product, x, y), by_differences]


def max_pool(n, c, h, w):
    return [way(lambda x: functional.max_pool2d(x, 2), numbers(n, c, 2 * h, 2 * w))]


def average_pool(n, c, h, w):
    return [way(lambda x: functional.avg_pool2d(x, 3, stride=1), numbers(n, c, h + 2, w + 2))]


def transposed_update(n, m):
    a, x, y, b = numbers(m, n), numbers(n), numbers(m), numbers(n, m)

    # Without a place for it, the result would lie in memory as `a` does: nothing would be transposed.
    def update(a, x, y, b):
        return b.copy_(a.t() + 0.75 * x[:, None] * y[None])

    return [way(update, a, x, y, b), way(lambda a, x, y, b: torch.addr(a.t(), x, y, alpha=0.75, out=b), a, x, y, b)]


def row_and_column_sums(n, m):
    return [way(lambda a: (a.sum(1), a.sum(0)), numbers(n, m))]


def strided_convolution(n, c, k, h, w):
    inputs, weights = numbers(n, c, 2 * h + 1, 2 * w + 1), numbers(k, c, 3, 3)
    return [way(lambda x, y: functional.conv2d(x, y, stride=2), inputs, weights)]


def grouped_convolution(n, g, c, k, h, w):
    inputs, weights = numbers(n, g * c, h + 2, w + 2), numbers(g * k, c, 3, 3)
    return [way(lambda x, y: functional.conv2d(x, y, groups=g), inputs, weights)]


def convolution_1d(n, c, k, w):
    return [way(functional.conv1d, numbers(n, c, w + 4), numbers(k, c, 5))]


def depthwise_nhwc(n, h, w, c):
    inputs = numbers(n, h + 2, w + 2, c).permute(0, 3, 1, 2)
    weights = numbers(3, 3, c).permute(2, 0, 1)[:, None]
    best = weights.contiguous(memory_format=torch.channels_last)
    return [way(lambda x, y: functional.conv2d(x, y, groups=c), inputs, one) for one in [weights, best]]


def rms_norm(n, m):
    return [way(lambda x, gamma: functional.rms_norm(x, (m,), gamma, 0.75), numbers(n, m), numbers(m))]


def column_softmax(n, m):
    return [way(lambda x: torch.softmax(x, 0), numbers(n, m))]


def batch_statistics(n, c, h, w):
    def both(x):
        variance, mean = torch.var_mean(x, (0, 2, 3), correction=0)
        return mean, variance

    return [way(both, numbers(n, c, h, w))]


def bilinear(n, m, k):
    x, a, y = numbers(n, m), numbers(m, k), numbers(n, k)
    return [way(lambda x, a, y: torch.einsum("ij,jl,il->i", x, a, y), x, a, y),
            way(lambda x, a, y: ((x @ a) * y).sum(1), x, a, y)]


def mttkrp(ni, nj, nk, r):
    def by_one_matrix(t, b, c):
        return (torch.matmul(t.view(ni * nj, nk), c).view(ni, nj, r) * b).sum(1)

    arrays = numbers(ni, nj, nk), numbers(nj, r), numbers(nk, r)
    return [way(lambda t, b, c: torch.einsum("ijk,jl,kl->il", t, b, c), *arrays), way(by_one_matrix, *arrays)]


def manhattan(n, m, d):
    return [way(lambda x, y: torch.cdist(x, y, p=1.0), numbers(n, d), numbers(m, d)),
            differences(lambda x, y: (x[:, None] - y[None]).abs().sum(2), n, m, d)]


def column_products(batch, n, m, k):
    return [way(lambda a, b: torch.matmul(a.transpose(1, 2), b), numbers(batch, k, n), numbers(batch, k, m))]


def overlapping_pool(n, c, h, w):
    return [way(lambda x: functional.avg_pool2d(x, 3, stride=2), numbers(n, c, 2 * h + 1, 2 * w + 1))]


def linear_tanh(n, m, k):
    def layer(x, weights, bias):
        return torch.addmm(bias, x, weights.t(), alpha=1 / 1024).tanh()

    return [way(layer, numbers(n, k), numbers(m, k), numbers(m))]


def total(n, m):
    return [way(torch.sum, numbers(n, m))]


def log_softmax(n, m):
    return [way(lambda x: torch.log_softmax(x, 1), numbers(n, m))]


def two_layers(n, m, k, p):
    def both(x, a, b):
        hidden = (x @ a).relu()
        return hidden, hidden @ b

    return [way(both, numbers(n, m), numbers(m, k), numbers(k, p))]


def cumulative_sums(n, m):
    def both(x):
        sums = torch.cumsum(x, 1)
        return sums[:, -1].contiguous(), sums

    return [way(both, numbers(n, m))]


def group_norm(n, g, c, h):
    def by_statistics(x, gamma, beta):
        variance, mean = torch.var_mean(x, (2, 3), correction=0, keepdim=True)
        return mean, variance, (x - mean) * torch.rsqrt(variance + 0.75) * gamma + beta

    x, gamma, beta = numbers(n, g, c, h), numbers(g, c, 1), numbers(g, c, 1)
    joined = x.view(n, g * c, h), gamma.view(g * c), beta.view(g * c)
    return [way(by_statistics, x, gamma, beta),
            way(lambda x, gamma, beta: functional.group_norm(x, g, gamma, beta, 0.75), *joined)]


def largest_magnitude(n, m):
    x = numbers(n, m)
    return [way(lambda x: x.abs().max(), x), way(lambda x: torch.linalg.vector_norm(x, float("inf")), x)]


def log_sum_exp(n, m, k):
    return [way(lambda x: torch.logsumexp(x, 1), numbers(n, m, k))]


def padded_convolution(n, c, k, h, w):
    return [way(lambda x, y: functional.conv2d(x, y, padding=1), numbers(n, c, h, w), numbers(k, c, 3, 3))]


def layer_norm_in_loops(n, m):
    return layer_norm(n, m)


def blurred_colours(n, h, w):
    inputs = numbers(n, h + 4, w + 4, 3).permute(0, 3, 1, 2)
    weights = numbers(5, 5).expand(3, 1, 5, 5)
    best = weights.contiguous(memory_format=torch.channels_last)
    return [way(lambda x, y: functional.conv2d(x, y, groups=3), inputs, one) for one in [weights, best]]


def star(dimensions, radius):
    """The ways of a star: each step is compiled, and the steps of time are launches of one graph."""
    neighbours = [(0,) * dimensions]
    for axis in range(dimensions):
        for distance in range(1, radius + 1):
            for sign in [-1, 1]:
                neighbours.append(tuple(sign * distance * (axis == other) for other in range(dimensions)))

    def part(array, offsets):
        extents = zip(array.shape, offsets)
        return array[tuple(slice(radius + offset, extent - radius + offset) for extent, offset in extents)]

    def step(to, of, c):
        total = c[0] * part(of, neighbours[0])
        for index, offsets in enumerate(neighbours[1:], 1):
            total = total + c[index] * part(of, offsets)
        part(to, neighbours[0]).copy_(total)

    def ways(steps, n):
        a, b = numbers(*[n] * dimensions), numbers(*[n] * dimensions)
        c = numbers(len(neighbours)) / len(neighbours)

        def bound(wrap):
            wrapped = wrap(step)

            def run():
                for _ in range(steps):
                    wrapped(b, a, c)
                    wrapped(a, b, c)
                return a, b

            return run

        return [bound]

    return ways


NESTS = {
    "convolution_nchw": convolution_nchw,
    "convolution_nhwc": convolution_nhwc,
    "convolution_1x1": convolution_1x1,
    "depthwise_5x5": depthwise_5x5,
    "attention_scores": attention_scores,
    "contraction": contraction,
    "tucker": tucker,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "squared_distances": squared_distances,
    "max_pool": max_pool,
    "average_pool": average_pool,
    "transposed_update": transposed_update,
    "row_and_column_sums": row_and_column_sums,
    "star_2d_r1": star(2, 1),
    "star_2d_r2": star(2, 2),
    "star_3d_r1": star(3, 1),
    "star_3d_r4": star(3, 4),
}
# Those of strangers.rs and reductions.rs in suite/polybench/src, which were written after the rules of the generator.
NESTS |= {
    function.__name__: function
    for function in [
        strided_convolution,
        grouped_convolution,
        convolution_1d,
        depthwise_nhwc,
        rms_norm,
        column_softmax,
        batch_statistics,
        bilinear,
        mttkrp,
        manhattan,
        column_products,
        overlapping_pool,
        linear_tanh,
        total,
        log_softmax,
        two_layers,
        cumulative_sums,
        group_norm,
        largest_magnitude,
        log_sum_exp,
        padded_convolution,
        layer_norm_in_loops,
        blurred_colours,
    ]
}


def sizes_of(nest):
    """The sizes of a nest as `nitro_polybench::sizes` has them, by their names."""
    source = ROOT / "suite/polybench/src/lib.rs"
    for names, values in re.findall(r'^\s*("\w+"(?: \| "\w+")*) => \[(.*)\],$', source.read_text(), re.M):
        if f'"{nest}"' in names.split(" | "):
            lists = re.findall(r"&\[([\d, ;]+)\]", values)
            if len(lists) == len(SIZES):
                return {name: numbers_of(text) for name, text in zip(SIZES, lists)}
    raise SystemExit(f"{source} has no sizes of `{nest}`: write a line for it in `sizes`")


def numbers_of(text):
    """The numbers of `1, 2` or `8; 3`."""
    if ";" in text:
        value, count = text.split(";")
        return [int(value)] * int(count)
    return [int(value) for value in text.split(",")]


def captured(function):
    """A CUDA graph of what a function launches between two events, which come with it.

    It was run before: libraries choose their algorithms then.
    """
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            function()
    torch.cuda.current_stream().wait_stream(side)
    begin, end = [torch.cuda.Event(enable_timing=True, external=True) for _ in range(2)]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        begin.record()
        function()
        end.record()
    return graph, begin, end


def median_ms(graph, begin, end):
    """The median time of a graph's launches."""
    times, start = [], time.monotonic()
    while len(times) < FEWEST_RUNS or len(times) < MOST_RUNS and time.monotonic() - start < RUNS_S:
        graph.replay()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def time_torch(nest, sizes, notes):
    """The times of PyTorch, eager and compiled: of each the best way that runs."""
    best = {}
    for kind, wrap in [("eager", lambda function: function), ("compiled", torch.compile)]:
        for number, bound in enumerate(NESTS[nest](*sizes)):
            torch._dynamo.reset()
            try:
                with torch.no_grad():
                    found = median_ms(*captured(bound(wrap)))
                best[kind] = min(found, best.get(kind, math.inf))
            except Exception as error:  # whatever PyTorch raises, the other ways go on
                notes.append(f"torch {kind} {number}: {first_line(error)}")
            torch.cuda.empty_cache()
    return best.get("eager"), best.get("compiled")


def first_line(error):
    """The first line of an error, short enough for a table."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]


def search(nest, arguments):
    """The best times in milliseconds that a search has found, by size, and what went wrong, by size."""
    command = [arguments.trainer, "search", "--function", nest, "--variant", "found", "--json"]
    command += ["--device", f"cuda:0+{arguments.regime}" if arguments.regime != "eager" else "cuda:0"]
    command += ["--evaluations", str(arguments.evaluations), "--keep", "1", "--repeat-ms", "20"]
    command += ["--deadline", "10", "--store", arguments.store]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.search_seconds)
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {}, dict.fromkeys(SIZES, f"search: not done after {arguments.search_seconds} s")
    except OSError as error:
        raise SystemExit(f"{arguments.trainer} does not run ({error}): build it first, or name it by --trainer")
    except ValueError:
        return {}, dict.fromkeys(SIZES, f"search: {first_line(done.stderr or done.stdout)}")
    times, reasons = {}, {}
    for result in answer["searched"]:
        size = result["input"].rsplit("/", 1)[-1]
        if result["best_ns"]:
            times[size] = result["best_ns"] / 1e6
        if result["failed"]:
            why = result['reason'] or 'no kernel was written'
            reasons[size] = f"{result['failed']} of {result['evaluations']} failed: {why}"
    for failed in answer["failed"]:
        for size in SIZES:
            reasons.setdefault(size, f"search: {first_line(json.dumps(failed))}")
    return times, reasons


def row_of(nest, size, ours, reason, arguments):
    """The row of a nest at a size, with what is missing in its note."""
    notes = [reason] if reason else []
    eager = compiled = None
    if not arguments.without_torch:
        try:
            eager, compiled = time_torch(nest, sizes_of(nest)[size], notes)
        except Exception as error:  # say no memory for the inputs
            notes.append(f"torch: {first_line(error)}")
    known = [time_ms for time_ms in (eager, compiled) if time_ms]
    ratio = min(known) / ours if known and ours else None
    times = [f"{value:.5f}" if value else "" for value in (eager, compiled, ours, ratio)]
    return dict(zip(COLUMNS, [nest, size, *times, "; ".join(notes)]))


def kept_rows(path):
    """The rows of a file, by nest and size; those that lack a ratio are run again."""
    if not path or not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for line, row in enumerate(rows, 2):
        if list(row) != COLUMNS or None in row.values():
            raise SystemExit(f"{path}, line {line}: no row of this script: write another file by --csv, or remove it")
    return {(row["nest"], row["size"]): row for row in rows if row["ratio"]}


def write(path, rows):
    """Writes all rows to a new file, and puts it in the place of the old one."""
    draft = path.with_name(path.name + ".new")
    with draft.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    draft.replace(path)


def show(cells):
    print(f"{cells[0]:22}{cells[1]:7}" + "".join(f"{cell:>15}" for cell in cells[2:6]) + f"  {cells[6]}", flush=True)


def mean(rows, what):
    """Prints the geometric mean of the ratios of some rows."""
    ratios = [float(row["ratio"]) for row in rows if row["ratio"]]
    if ratios:
        found = math.exp(statistics.fmean(map(math.log, ratios)))
        show([f"geometric mean, {what}", "", "", "", "", f"{found:.3f}", f"of {len(ratios)}, least {min(ratios):.3f}"])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", action="append", choices=NESTS, help="a nest; repeat for several")
    parser.add_argument("--size", choices=SIZES, action="append", help="a size; default: both")
    parser.add_argument("--csv", type=pathlib.Path, help="file of rows, to which a run that was stopped goes on")
    parser.add_argument("--evaluations", type=int, default=50, help="most evaluations of a search, presets included")
    parser.add_argument("--store", default="torch.db", help="store of the searches, made when absent")
    parser.add_argument("--regime", choices=["graph", "eager", "cold"], default="graph", help="how Nitro is timed")
    parser.add_argument("--search-seconds", type=float, default=300, help="most seconds for the search of a nest")
    parser.add_argument("--without-search", action="store_true", help="time PyTorch alone")
    parser.add_argument("--without-torch", action="store_true", help="search alone")
    parser.add_argument("--trainer", default=str(ROOT / "target/release/train-polybench"), help="the built trainer")
    return parser.parse_args()


def main():
    asked = arguments()
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    rows = kept_rows(asked.csv)
    start = time.monotonic()
    show(COLUMNS)
    for nest in asked.only or NESTS:
        open_sizes = [size for size in asked.size or SIZES if (nest, size) not in rows]
        times, reasons = ({}, {}) if asked.without_search or not open_sizes else search(nest, asked)
        for size in open_sizes:
            rows[nest, size] = row_of(nest, size, times.get(size), reasons.get(size), asked)
            if asked.csv:
                write(asked.csv, rows.values())
        for size in asked.size or SIZES:
            show(list(rows[nest, size].values()))
    for size in asked.size or SIZES:
        mean([row for row in rows.values() if row["size"] == size], size)
    mean(rows.values(), "all")
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else "no CUDA device"
    print(f"{name}, PyTorch {torch.__version__}, {time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
