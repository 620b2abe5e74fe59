# %% [markdown]
# # A fit and a search from Python
#
# A notebook as a script: `python3 python/examples/enzyme.py` prints what the cells show, and a test
# compares it with the lines after `# ->`.

# %% The data: rates of an enzyme at several concentrations (puromycin, treated cells).
import numpy as np

import ndvm

conc = np.array([0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.1, 1.1])
rate = np.array([76, 47, 97, 107, 123, 139, 159, 152, 191, 201, 207, 200.0])
data = {"conc": conc, "rate": rate}

# %% Fit the constants of a known law.
model = ndvm.Machine().load("(/ (* Vm conc) (+ K conc))")
fitted = ndvm.fit(model, data, "rate", {"Vm": 100, "K": 0.5})
print({name: round(value, 4) for name, value in fitted.params.items()})
# -> {'Vm': 212.6837, 'K': 0.0641}
print({name: round(value, 3) for name, value in fitted.standard_errors.items()})
# -> {'Vm': 6.947, 'K': 0.008}
print(fitted.latex())
# -> \frac{212.684 \, \mathrm{conc}}{0.0641213 + \mathrm{conc}}

# %% In a notebook the last line of a cell shows the formula, a table and a figure.
fitted

# %% A gradient of a prediction by the constants.
slopes = model.gradient(conc=0.3, wrt=["Vm", "K"], **fitted.params).gradients
print(round(float(slopes["Vm"]), 5), round(float(slopes["K"]), 2))
# -> 0.8239 -481.24

# %% Search for a law that nobody wrote down.
x = np.linspace(0, 3, 40)
found = ndvm.search({"x": x, "y": 1 + 2 * np.sin(x)}, "y", candidates=2000, seed=1, workers=0)
print(found.choice.equation)
# -> 1 + 2·sin(x)
found
