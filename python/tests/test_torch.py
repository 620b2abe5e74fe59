"""Programs as PyTorch operations."""

import numpy as np
import pytest

import ndvm

torch = pytest.importorskip("torch")
from ndvm.torch import ndvm_forward, operation  # noqa: E402

f64 = {"dtype": torch.float64, "requires_grad": True}


def test_gradcheck_of_numbers_vectors_and_matrices(machine, decay):
    t = torch.linspace(0, 2, 5, dtype=torch.float64)
    op = operation(decay, wrt=["a", "k"])
    assert torch.autograd.gradcheck(
        lambda a, k: op(a=a, k=k, t=t), (torch.tensor(2.0, **f64), torch.tensor(-0.5, **f64)))
    lanes = torch.tensor([1.0, 2, 3, 4, 5], **f64)
    assert torch.autograd.gradcheck(lambda a: op(a=a, k=torch.tensor(-0.5), t=t), (lanes,))
    product = operation(machine.load("(matvec M x)"), kinds={"M": "matrix", "x": "vector"})
    M, x = torch.randn(3, 2, **f64), torch.randn(4, 2, **f64)
    assert product(M=M, x=x).shape == (4, 3)
    assert torch.autograd.gradcheck(lambda M, x: product(M=M, x=x), (M, x))
    one = torch.randn(2, **f64)
    assert torch.autograd.gradcheck(lambda M, x: product(M=M, x=x), (M, one))


def test_results_have_the_type_of_what_was_given(decay):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    out = operation(decay)(a=a, k=torch.tensor(0.0), t=torch.tensor(1.0))
    assert out.dtype == torch.float32
    out.sum().backward()
    assert a.grad.dtype == torch.float32 and a.grad.tolist() == [1, 1]


def test_shared_inputs_get_cores_sums_bit_for_bit():
    for precision, dtype in (("f32", torch.float32), ("f64", torch.float64)):
        program = ndvm.Machine(precision).load("(* a (exp (* k t)))")
        t = torch.linspace(0, 2, 1000, dtype=dtype)
        a = torch.tensor(2.0, dtype=dtype, requires_grad=True)
        k = torch.tensor(-0.5, dtype=dtype, requires_grad=True)
        operation(program, wrt=["a", "k"])(a=a, k=k, t=t).sum().backward()
        core = program.gradient(a=2.0, k=-0.5, t=t.numpy(), wrt=["a", "k"], reduce=True)
        assert a.grad.numpy() == core.gradients["a"].astype(a.grad.numpy().dtype)
        assert k.grad.numpy() == core.gradients["k"].astype(k.grad.numpy().dtype)


def test_inside_a_module_with_an_optimiser(decay):
    class Decay(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Parameter(torch.tensor(1.0, dtype=torch.float64))
            self.k = torch.nn.Parameter(torch.tensor(-0.1, dtype=torch.float64))
            self.op = operation(decay, wrt=["a", "k"])

        def forward(self, t):
            return self.op(a=self.a, k=self.k, t=t)

    t = torch.linspace(0, 4, 30, dtype=torch.float64)
    y = 2 * torch.exp(-0.7 * t)
    model = Decay()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(200):
        optimiser.zero_grad()
        ((model(t) - y) ** 2).mean().backward()
        optimiser.step()
    assert model.a.item() == pytest.approx(2, abs=0.01)
    assert model.k.item() == pytest.approx(-0.7, abs=0.01)


class Rows(torch.utils.data.Dataset):
    """Each item is computed by a program, inside the loader's worker."""

    def __init__(self):
        self.program = ndvm.Machine().load("(* 2 x)")

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return operation(self.program)(x=torch.tensor(float(index), dtype=torch.float64))


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_in_workers_of_a_data_loader(context):
    loader = torch.utils.data.DataLoader(
        Rows(), batch_size=4, num_workers=2, multiprocessing_context=context)
    found = torch.cat(list(loader)).tolist()
    assert found == [2.0 * i for i in range(8)]


def test_a_tensor_that_requires_a_gradient_and_is_not_named(decay):
    op = operation(decay, wrt=["a"])
    with pytest.raises(ndvm.NdvmError, match="wrt does not name it"):
        op(a=torch.tensor(1.0), k=torch.tensor(1.0, requires_grad=True), t=torch.tensor(1.0))


@pytest.mark.parametrize(
    "inputs, message",
    [
        ({"t": torch.zeros(2, 2)}, "declared as a number"),
        ({"t": torch.tensor([True])}, "not of real numbers"),
        ({"t": torch.zeros(2), "a": torch.zeros(3)}, "lanes"),
        ({"b": torch.zeros(2)}, "no input b"),
    ],
)
def test_what_is_refused_names_the_input(decay, inputs, message):
    good = {"a": torch.tensor(1.0), "k": torch.tensor(1.0), "t": torch.zeros(2)}
    with pytest.raises(ndvm.NdvmError, match=message):
        operation(decay)({**good, **inputs})


def test_empty_lanes_and_several_backwards(decay):
    a = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    assert operation(decay)(a=a, k=torch.tensor(0.0), t=torch.zeros(0)).shape == (0,)
    out = operation(decay)(a=a, k=torch.tensor(0.0), t=torch.zeros(3))
    out.sum().backward(retain_graph=True)
    out.sum().backward()
    assert a.grad == 6


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device on this computer")
def test_cuda_tensors_are_copied_and_come_back(decay):
    a = torch.tensor([1.0, 2.0], device="cuda", requires_grad=True)
    out = operation(decay)(a=a, k=torch.tensor(0.0, device="cuda"), t=torch.zeros(2, device="cuda"))
    out.sum().backward()
    assert out.device.type == "cuda" and a.grad.tolist() == [1, 1]


def test_the_papers_call():
    alpha = torch.tensor(2.0, requires_grad=True)
    out = ndvm_forward("(+ (* alpha x) beta)",
                       {"alpha": alpha, "beta": torch.tensor(1.0), "x": torch.tensor(1.5)})
    out.backward()
    assert out.item() == 4 and alpha.grad.item() == 1.5


def by_core(case, precision):
    names = [*case["scalars"], *case.get("matrices", {})]
    program = ndvm.Machine(precision).load(case["src"], inputs=names, domain="clamp")
    given = {name: ndvm.mat(np.reshape(one["data"], (one["rows"], one["cols"])))
             for name, one in case.get("matrices", {}).items()}
    return program.gradient({**case["scalars"], **given}, wrt=[*case["scalars"]])


def by_torch(case, dtype):
    params = {name: torch.tensor(value, dtype=dtype, requires_grad=True)
              for name, value in case["scalars"].items()}
    matrices = {name: torch.tensor(one["data"], dtype=dtype).reshape(one["rows"], one["cols"])
                for name, one in case.get("matrices", {}).items()}
    out = ndvm_forward(case["src"], params, matrices)
    out.backward()
    return out, {name: one.grad for name, one in params.items()}


@pytest.mark.parametrize("path", ["five_programs", "oracle_refs_34", "fuzz_seed1234_200"])
@pytest.mark.parametrize("precision, dtype", [("f32", torch.float32), ("f64", torch.float64)])
def test_values_and_gradients_have_cores_bits(corpus, path, precision, dtype):
    file = corpus(f"reference/{path}.json")
    lists = [file] if isinstance(file, list) else [
        one for one in file.values() if isinstance(one, list) and one and "src" in one[0]]
    cases = [one for one in lists[0] if one["scalars"]]
    assert len(cases) > 4
    kind = np.float32 if precision == "f32" else np.float64
    for case in cases:
        core = by_core(case, precision)
        out, gradients = by_torch(case, dtype)
        label = str(case.get("name", case.get("id")))
        assert out.detach().numpy().tobytes() == core.values.astype(kind).tobytes(), label
        for name, gradient in gradients.items():
            expected = core.gradients[name].astype(kind)
            assert gradient.numpy().tobytes() == expected.tobytes(), (label, name)


def test_30_adam_steps_of_the_kalman_fit_end_at_the_papers_figures(corpus):
    kalman = next(one for one in corpus("reference/five_programs.json")
                  if one["name"] == "kalman2d_T80")
    obs = kalman["matrices"]["obs"]
    observed = torch.tensor(obs["data"]).reshape(obs["rows"], obs["cols"])
    q = torch.tensor(0.3, requires_grad=True)
    r = torch.tensor(0.3, requires_grad=True)
    optimiser = torch.optim.Adam([q, r], lr=0.08)
    loss = torch.tensor(0.0)
    for _ in range(30):
        optimiser.zero_grad()
        loss = ndvm_forward(kalman["src"], {"q": q.clamp(min=1e-4), "r": r.clamp(min=1e-4)},
                            {"obs": observed})
        loss.backward()
        optimiser.step()
    assert loss.item() == pytest.approx(164.94514, abs=1e-3)
    assert r.item() == pytest.approx(1.07321, abs=1e-4)


def test_the_same_call_with_and_without_gradients(decay):
    """Plans are kept by what the tensors are: one that asks for gradients is another."""
    op = operation(decay)
    fixed = {"k": torch.tensor(0.0), "t": torch.tensor([1.0, 2.0])}
    assert not op(a=torch.tensor(2.0), **fixed).requires_grad
    a = torch.tensor(2.0, requires_grad=True)
    op(a=a, **fixed).sum().backward()
    assert a.grad == 2
    with torch.no_grad():
        assert not op(a=a, **fixed).requires_grad
    assert op(a=a, **fixed).requires_grad
    assert op(a=torch.tensor(2.0, dtype=torch.float64), **fixed).dtype == torch.float64
    assert op(a=torch.tensor(2), **fixed).tolist() == [2, 2]


def test_an_operation_that_was_first_called_without_gradients_has_them_later(machine):
    decayed = operation(machine.load("(* a (exp (* k t)))"), wrt=["a", "k"])
    a = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    k = torch.tensor(-0.5, dtype=torch.float64, requires_grad=True)
    t = torch.tensor([0.0, 1.0], dtype=torch.float64)
    for _ in range(2):
        with torch.no_grad():
            before = decayed(a=a, k=k, t=t)
        assert not before.requires_grad
        after = decayed(a=a, k=k, t=t)
        assert after.requires_grad and torch.equal(after.detach(), before)
        slope, = torch.autograd.grad(after.sum(), [a])
        assert slope.item() == pytest.approx(1 + np.exp(-0.5), abs=1e-15)
        # And so the other way round, with inputs that need none.
        assert not decayed(a=a.detach(), k=k.detach(), t=t).requires_grad


def test_a_single_lane_beside_many_is_shared(machine):
    op = operation(machine.load("(* a x)"))
    a = torch.tensor([3.0], requires_grad=True)
    x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    out = op(a=a, x=x)
    out.sum().backward()
    assert out.tolist() == [3, 6, 12] and a.grad.tolist() == [7] and x.grad.tolist() == [3, 3, 3]
    alone = op(a=a, x=torch.tensor(2.0))
    assert alone.shape == (1,)


def test_limits_hold_with_gradients_and_without(machine):
    op = operation(machine.load("(loop ((i 0)) (if (< i 9999) (recur (+ i 1)) (* i x)))"),
                   steps_max=50)
    for wanted in (False, True):
        with pytest.raises(ndvm.NdvmError, match="E-STEPS"):
            op(x=torch.tensor(1.0, requires_grad=wanted))


def test_the_papers_call_keeps_operations_by_all_that_they_depend_on():
    matrix = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    vector = torch.tensor([5.0, 6.0])
    a = torch.tensor(2.0)
    for _ in range(2):
        assert ndvm_forward("(* a m)", {"a": a}, {"m": matrix}).tolist() == [[2, 4], [6, 8]]
        assert ndvm_forward("(* a m)", {"a": a}, {"m": vector}).tolist() == [10, 12]
    assert ndvm_forward("(/ a 3)", {"a": a}).dtype == torch.float32
    assert ndvm_forward("(/ a 3)", {"a": a.double()}).item() == 2 / 3


def test_operations_of_the_papers_call_do_not_pile_up():
    from ndvm import torch as module

    for number in range(module._OPERATIONS_MAX + 10):
        ndvm_forward(f"(+ a {number})", {"a": torch.tensor(1.0)})
    assert len(module._operations) == module._OPERATIONS_MAX


def test_the_adjoint_overwrote_an_input_called_seed(machine):
    # Several numbers a lane: the backward pass asks for a gradient with output adjoints.
    op = operation(machine.load("(vec (* a seed) (* wrt lanes))"))
    given = {name: torch.tensor([1.0 + at, 2.0 + at], **f64)
             for at, name in enumerate(("a", "seed", "wrt", "lanes"))}
    out = op(given)
    assert out.tolist() == [[2, 12], [6, 20]]
    (out * torch.tensor([[1.0, 10], [100, 1000]], dtype=torch.float64)).sum().backward()
    gradients = {name: one.grad.tolist() for name, one in given.items()}
    assert gradients == {"a": [2, 300], "seed": [1, 200], "wrt": [40, 5000], "lanes": [30, 4000]}


def test_what_is_missing_was_taken_from_an_option(machine):
    a = torch.tensor([1.0, 2.0], **f64)
    for name in ("wrt", "seed", "steps_max"):
        op = operation(machine.load(f"(* a {name})"), steps_max=10**6)
        with pytest.raises(ndvm.NdvmError, match=f"input {name}"):
            op(a=a)
    with pytest.raises(ndvm.NdvmError, match="has no option step_max"):
        operation(machine.load("(* a a)"), step_max=3)


def test_one_text_with_a_vector_and_then_with_a_matrix():
    vector = torch.tensor([1.0, 2.0, 4.0], **f64)
    matrix = torch.tensor([[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]], **f64)
    for given, total in ((vector, 7), (matrix, 63), (vector, 7)):
        out = ndvm_forward("(vsum (* k M))", {"k": torch.tensor(3.0, **f64)}, {"M": given})
        assert out.shape == () and out.item() == 3 * total
        (slopes,) = torch.autograd.grad(out, given)
        assert slopes.tolist() == torch.full_like(given, 3).tolist()
