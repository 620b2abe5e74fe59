"""Tagged and tuned eager interpreters on PyTorch.

Both walk a program that lies in a heap as data, by one evaluator; what differs is the value:

  tagged   every value, structural ones too, is a tensor of 14 floats: a one-hot tag of 13 and a
           payload; a batch of numbers is a tensor [lanes, 14]
  tuned    a native tag beside an integer, a float, or (for numbers that may carry a gradient) a tensor

The author's own interpreter is a third one ("DMCI", see dmci.py), which lies in a checkout.

Reads a job as JSON from standard input, writes results as JSON. Calls are timed by the processor time of
this one thread: they are long, so on a shared computer others would be in their wall-clock.
"""

import cProfile
import json
import math
import pstats
import sys
import time

import torch
from samples import samples_of, samples_together

torch.set_num_threads(1)

NUMBER, SYMBOL, PAIR, NIL, BOOL, TENSOR, RECUR = range(7)
TAGS = 13
WIDTH = 14
CLAMP = 1e-8


class Tagged:
    """Every value a tensor."""

    def __init__(self):
        self.hot = torch.eye(TAGS)
        self.tensors = []
        self.constructions = 0
        self.calls = 0
        self.bytes = 0

    def box(self, tag, payload):
        self.calls += 1
        self.constructions += 1
        payload = payload.unsqueeze(-1)
        hot = self.hot[tag]
        if payload.dim() > 1:
            hot = hot.expand(payload.shape[0], TAGS)
        value = torch.cat([hot, payload], -1)
        self.bytes += value.numel() * 4
        return value

    def structural(self, tag, aux):
        self.calls += 1
        return self.box(tag, torch.tensor(float(aux)))

    def literal(self, x):
        self.calls += 1
        return self.box(NUMBER, torch.tensor(x))

    def number(self, x):
        self.calls += 1
        return self.box(NUMBER, x)

    def tensor(self, x):
        self.calls += 1
        self.tensors.append(x)
        return self.structural(TENSOR, len(self.tensors) - 1)

    def tag(self, value):
        self.calls += 1
        row = value if value.dim() == 1 else value[0]
        return int(torch.argmax(row[:TAGS]))

    def aux(self, value):
        self.calls += 1
        return int(value[TAGS])

    def payload(self, value):
        self.calls += 1
        if self.tag(value) == TENSOR:
            return self.tensors[self.aux(value)]
        return value[..., TAGS]

    def truth(self, value):
        self.calls += 1
        return bool(value[TAGS] != 0)

    def settle(self, x):
        return x


class Tuned:
    """A native tag, and a tensor only for what may carry a gradient."""

    def __init__(self):
        self.constructions = 0
        self.calls = 0
        self.bytes = 0

    def structural(self, tag, aux):
        return (tag, aux)

    def literal(self, x):
        return (NUMBER, x)

    def number(self, x):
        if isinstance(x, torch.Tensor):
            self.constructions += 1
            self.bytes += x.numel() * 4
        return (NUMBER, x)

    def tensor(self, x):
        self.constructions += 1
        self.bytes += x.numel() * 4
        return (TENSOR, x)

    def tag(self, value):
        return value[0]

    def aux(self, value):
        return value[1]

    def payload(self, value):
        return value[1]

    def truth(self, value):
        return bool(value[1])

    def settle(self, x):
        return x if isinstance(x, torch.Tensor) else torch.tensor(float(x))


def fn(on_tensor, on_float):
    return lambda x: on_tensor(x) if isinstance(x, torch.Tensor) else on_float(x)


def clamped(f):
    return lambda x: f(torch.clamp(x, min=CLAMP)) if isinstance(x, torch.Tensor) else f(max(x, CLAMP))


UNARY = {
    "exp": fn(torch.exp, math.exp),
    "sin": fn(torch.sin, math.sin),
    "cos": fn(torch.cos, math.cos),
    "abs": fn(torch.abs, abs),
    "log": fn(torch.log, math.log),
    "sqrt": fn(torch.sqrt, math.sqrt),
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
}
BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "scale": lambda a, b: a * b,
    "matmul": lambda a, b: a @ b,
    "matvec": lambda a, b: a @ b,
    "dot": lambda a, b: torch.dot(a, b),
}
TESTS = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}
FORMS = ["if", "let", "let*", "loop", "recur"]


class Machine:
    """The evaluator. Names are interned, programs and environments are lists in the heap."""

    def __init__(self, encoding, clamp=False):
        self.encoding = encoding
        self.cells = []
        self.names = {}
        self.words = []
        self.nil = encoding.structural(NIL, 0)
        self.walks = 0
        self.arithmetic_calls = 0
        self.unary = dict(UNARY)
        if clamp:
            self.unary["log"] = clamped(fn(torch.log, math.log))
            self.unary["sqrt"] = clamped(fn(torch.sqrt, math.sqrt))
        for word in FORMS:
            self.intern(word)

    def intern(self, word):
        if word not in self.names:
            self.names[word] = len(self.words)
            self.words.append(word)
        return self.names[word]

    # The heap.

    def cons(self, a, b):
        self.cells.append((a, b))
        return self.encoding.structural(PAIR, len(self.cells) - 1)

    def car(self, pair):
        return self.cells[self.encoding.aux(pair)][0]

    def cdr(self, pair):
        return self.cells[self.encoding.aux(pair)][1]

    def list(self, values):
        made = self.nil
        for value in reversed(values):
            made = self.cons(value, made)
        return made

    def items(self, pair):
        while self.encoding.tag(pair) == PAIR:
            yield self.car(pair)
            pair = self.cdr(pair)

    def load(self, tree):
        if isinstance(tree, float):
            return self.encoding.literal(tree)
        if isinstance(tree, str):
            return self.encoding.structural(SYMBOL, self.intern(tree))
        return self.list([self.load(each) for each in tree])

    def bind(self, name, value, env):
        return self.cons(self.cons(name, value), env)

    def lookup(self, name, env):
        wanted = self.encoding.aux(name)
        while self.encoding.tag(env) == PAIR:
            entry = self.car(env)
            if self.encoding.aux(self.car(entry)) == wanted:
                return self.cdr(entry)
            env = self.cdr(env)
        raise KeyError(self.words[wanted])

    # The evaluator.

    def eval(self, form, env):
        encoding = self.encoding
        while True:
            self.walks += 1
            tag = encoding.tag(form)
            if tag == SYMBOL:
                return self.lookup(form, env)
            if tag != PAIR:
                return form
            word = self.words[encoding.aux(self.car(form))]
            rest = self.cdr(form)
            if word == "if":
                test, yes, no = self.items(rest)
                form = yes if encoding.truth(self.eval(test, env)) else no
            elif word in ("let", "let*"):
                for binding in self.items(self.car(rest)):
                    name, value = self.items(binding)
                    env = self.bind(name, self.eval(value, env), env)
                form = self.car(self.cdr(rest))
            elif word == "loop":
                return self.loop(rest, env)
            elif word == "recur":
                values = self.list([self.eval(each, env) for each in self.items(rest)])
                return encoding.structural(RECUR, encoding.aux(values))
            else:
                return self.apply(word, [self.eval(each, env) for each in self.items(rest)])

    def loop(self, rest, env):
        names, values = [], []
        for binding in self.items(self.car(rest)):
            name, value = self.items(binding)
            names.append(name)
            values.append(self.eval(value, env))
        body = self.car(self.cdr(rest))
        while True:
            inner = env
            for name, value in zip(names, values):
                inner = self.bind(name, value, inner)
            result = self.eval(body, inner)
            if self.encoding.tag(result) != RECUR:
                return result
            again = self.encoding.structural(PAIR, self.encoding.aux(result))
            values = list(self.items(again))

    def apply(self, word, values):
        encoding = self.encoding
        payloads = [encoding.payload(value) for value in values]
        if word in TESTS:
            return encoding.structural(BOOL, self.arithmetic(TESTS[word], payloads))
        if word == "ref":
            return encoding.tensor(payloads[0][int(payloads[1])])
        if word in ("vec", "mat"):
            rows = [encoding.settle(each) for each in payloads]
            return encoding.tensor(self.arithmetic(lambda *xs: torch.stack(xs), rows))
        if word == "eye":
            return encoding.tensor(torch.eye(int(payloads[0])))
        if word == "-" and len(payloads) == 1:
            result = self.arithmetic(lambda x: -x, payloads)
        elif word in self.unary:
            result = self.arithmetic(self.unary[word], payloads)
        else:
            result = payloads[0]
            for each in payloads[1:]:
                result = self.arithmetic(BINARY[word], [result, each])
        is_tensor = any(encoding.tag(value) == TENSOR for value in values)
        if is_tensor and word not in ("det", "dot"):
            return encoding.tensor(result)
        return encoding.number(result)

    def arithmetic(self, f, payloads):
        self.arithmetic_calls += 1
        return f(*payloads)


def read(text):
    stack = [[]]
    for token in text.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            try:
                stack[-1].append(float(token))
            except ValueError:
                stack[-1].append(token)
    return stack[0][0]


ENCODINGS = {"tagged": Tagged, "tuned": Tuned}


class Run:
    """One program in one encoding, with leaves for its parameters."""

    def __init__(self, kind, source, numbers, matrices, clamp=False):
        self.tree = read(source)
        self.kind = kind
        self.clamp = clamp
        self.leaves = {name: torch.tensor(x, dtype=torch.float32, requires_grad=True) for name, x in numbers.items()}
        self.matrices = {
            name: torch.tensor(m["data"], dtype=torch.float32).reshape(m["rows"], m["cols"]) for name, m in matrices.items()
        }

    def prepare(self, leaves=None):
        """A fresh machine each time, as a fresh program has: reading is not counted."""
        machine = Machine(ENCODINGS[self.kind](), self.clamp)
        form = machine.load(self.tree)
        env = machine.nil
        for name, leaf in (leaves or self.leaves).items():
            symbol = machine.encoding.structural(SYMBOL, machine.intern(name))
            env = machine.bind(symbol, machine.encoding.number(leaf), env)
        for name, matrix in self.matrices.items():
            symbol = machine.encoding.structural(SYMBOL, machine.intern(name))
            env = machine.bind(symbol, machine.encoding.tensor(matrix), env)
        machine.encoding.constructions = machine.encoding.calls = machine.encoding.bytes = 0
        self.machine = machine
        return lambda: machine.encoding.payload(machine.eval(form, env))

    def counts(self):
        """What the latest forward call made and called."""
        machine = self.machine
        return {
            "constructions": machine.encoding.constructions,
            "bytes": machine.encoding.bytes,
            "boxing": machine.encoding.calls,
            "walks": machine.walks,
            "arithmetic": machine.arithmetic_calls,
        }

    def bucket(self, entry):
        """What a function of ours is for; None for others, whose time goes to their callers."""
        return BUCKET_OF.get(entry[2], "other") if entry[0].endswith("eager.py") else None

    def forward(self, leaves=None):
        evaluate = self.prepare(leaves)
        started = time.process_time()
        value = evaluate()
        self.took = time.process_time() - started
        return value

    def gradients(self, value):
        found = torch.autograd.grad(value.sum(), list(self.leaves.values()), allow_unused=True)
        return {
            name: (torch.zeros(()) if g is None else g) for name, g in zip(self.leaves, found)
        }


def make_run(kind, source, numbers, matrices, clamp=False):
    if kind != "DMCI":
        return Run(kind, source, numbers, matrices, clamp)
    from dmci import DmciRun

    return DmciRun(source, numbers, matrices)


def suite(job):
    results = {}
    for program in job["programs"]:
        for kind in job["encodings"]:
            key = f'{program["name"]}/{kind}'
            if key in job["skip"]:
                continue
            run = make_run(kind, program["source"], program["numbers"], program["matrices"])
            value = run.forward()
            counts = run.counts()
            gradients = {name: float(g) for name, g in run.gradients(value).items()}
            processes = job["processes"].get(key, 1)
            if processes == 1:
                forward, backward = samples_of(run, job)
            else:
                forward, backward = samples_together(kind, program, job, processes)
            results[key] = {
                "value": float(value.detach()),
                "gradients": gradients,
                "forward": forward,
                "backward": backward,
                "counts": counts,
            }
    return results


def batch(job):
    results = {}
    for program in job["programs"]:
        for lanes in job["lanes"]:
            numbers = {name: [x * (1 + 1e-3 * i / lanes) for i in range(lanes)] for name, x in program["numbers"].items()}
            if lanes == 1:
                numbers = {name: xs[0] for name, xs in numbers.items()}
            run = make_run(job["encoding"], program["source"], numbers, program["matrices"])
            samples = []
            run.forward()
            deadline = time.process_time() + job["seconds"]
            while len(samples) < job["least"] or (time.process_time() < deadline and len(samples) < job["most"]):
                run.forward()
                samples.append(run.took * 1e6)
            results[f'{program["name"]}/{lanes}'] = samples
    return results


BUCKETS = {
    "boxing": ["box", "structural", "literal", "number", "tensor", "tag", "aux", "payload", "truth", "settle"],
    "walking": ["eval", "loop", "<listcomp>"],
    "heap": ["cons", "car", "cdr", "list", "items", "bind", "lookup"],
    "dispatch": ["apply"],
    "arithmetic": ["arithmetic", "<lambda>"],
}
BUCKET_OF = {name: bucket for bucket, names in BUCKETS.items() for name in names}


def shares(profile, bucket_of):
    """Own time of an interpreter's functions by bucket; that of others goes to who called them."""
    stats = pstats.Stats(profile).stats
    totals = {bucket: 0.0 for bucket in [*BUCKETS, "other"]}

    def assign(entry, seconds, depth):
        bucket = bucket_of(entry)
        if bucket is not None:
            totals[bucket] += seconds
            return
        callers = stats[entry][4] if entry in stats else {}
        whole = sum(each[2] for each in callers.values())
        if depth > 12 or whole <= 0:
            totals["other"] += seconds
            return
        for caller, (_, _, own, _) in callers.items():
            assign(caller, seconds * own / whole, depth + 1)

    for entry, (_, _, own, _, _) in stats.items():
        assign(entry, own, 0)
    return totals


def profile(job):
    results = {}
    for program in job["programs"]:
        run = make_run(job["encoding"], program["source"], program["numbers"], program["matrices"])
        found = []
        for _ in range(job["few"].get(program["name"], job["rounds"])):
            evaluate = run.prepare()
            profiler = cProfile.Profile()
            profiler.enable()
            evaluate()
            profiler.disable()
            found.append(shares(profiler, run.bucket))
        results[program["name"]] = found
    return results


def adam(run, rows, y, steps, rate, start):
    """The parameters of least loss on the way of so many Adam steps on the mean of squares."""
    leaves = {
        name: torch.tensor(x, dtype=torch.float32, requires_grad=True) for name, x in start.items()
    }
    optimiser = torch.optim.Adam(list(leaves.values()), lr=rate)
    best, least = dict(start), math.inf
    for step in range(steps + 1):
        optimiser.zero_grad()
        value = run.forward({**rows, **leaves})
        loss = ((value - y) ** 2).mean()
        if float(loss.detach()) < least:
            least = float(loss.detach())
            best = {name: leaf.detach().clone() for name, leaf in leaves.items()}
        if step < steps:
            loss.backward()
            optimiser.step()
    return best


def normals(seed):
    """The same numbers as harness/stream.ts draws: xorshift, sums of twelve uniform ones."""
    state = seed & 0xFFFFFFFF or 1

    def uniform():
        nonlocal state
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        state ^= (state << 5) & 0xFFFFFFFF
        return state / 2**32

    return lambda: sum(uniform() for _ in range(12)) - 6


def stream(job):
    """Fits one candidate after the other until the budget is spent; tells when each was done."""
    task = job["task"]
    x, y = torch.tensor(task["x"], dtype=torch.float32), torch.tensor(task["y"], dtype=torch.float32)
    held_x, held_y = torch.tensor(task["heldX"], dtype=torch.float32), torch.tensor(task["heldY"], dtype=torch.float32)
    spread = ((held_y - held_y.mean()) ** 2).sum()
    events = []
    first = job["candidates"][0]
    # As in the paper, a fit of two steps warms the backend before the clock starts.
    adam(make_run(job["encoding"], first["source"], {}, {}, clamp=True), {"x": x}, y, 2, 0.05, {name: 0.1 for name in first["params"]})
    started, busy = time.perf_counter(), time.process_time()
    cycle = 0
    while True:
        for index, candidate in enumerate(job["candidates"]):
            normal = normals(1 + job["seed"] * 1_000_003 + cycle * 1009 + index)
            start = {name: 0.3 * normal() for name in candidate["params"]}
            r2 = None
            try:
                run = make_run(job["encoding"], candidate["source"], {}, {}, clamp=True)
                found = adam(run, {"x": x}, y, job["steps"], 0.05, start)
                value = run.forward({"x": held_x, **found})
                left = float(((value - held_y) ** 2).sum())
                r2 = 1 - left / float(spread) if math.isfinite(left) else None
            except (KeyError, RuntimeError, IndexError, TypeError, ValueError, OverflowError, ZeroDivisionError):
                pass
            now = time.perf_counter() - started
            events.append([now, index, r2, time.process_time() - busy])
            if now > job["seconds"]:
                return {"events": events}
        cycle += 1


def fit(job):
    """Adam on the Kalman likelihood: seconds of every step, and the losses."""
    program = job["program"]
    run = make_run(job["encoding"], program["source"], program["numbers"], program["matrices"])
    optimiser = torch.optim.Adam(list(run.leaves.values()), lr=job["rate"])
    losses, steps = [], []
    for _ in range(job["steps"]):
        started = time.process_time()
        optimiser.zero_grad()
        loss = run.forward()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            for leaf in run.leaves.values():
                leaf.clamp_(min=1e-4)
        steps.append((time.process_time() - started) * 1e6)
        losses.append(float(loss.detach()))
    return {"losses": losses, "steps": steps}


JOBS = {"suite": suite, "batch": batch, "profile": profile, "stream": stream, "fit": fit}

if __name__ == "__main__":
    given = json.load(sys.stdin)
    json.dump(JOBS[given["job"]](given), sys.stdout)
