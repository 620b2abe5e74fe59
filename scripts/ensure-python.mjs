/**
 * Finds the Python that the Python package is tested with: Debian's, with NumPy, PyTorch, pandas,
 * scikit-learn and pytest from Debian's packages. On Debian as root it installs what is missing;
 * elsewhere it says what is missing, so that the tests are skipped with that reason.
 *
 *   node scripts/ensure-python.mjs     prints the path of the binary
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const MODULES = [
  "numpy",
  "torch",
  "pandas",
  "sklearn",
  "sympy",
  "pytest",
  "setuptools",
  "pip",
  "venv",
];
const PACKAGES =
  "python3 python3-numpy python3-torch python3-pandas python3-sklearn python3-sympy python3-pytest python3-setuptools python3-wheel python3-pip python3-venv".split(
    " ",
  );
const DEBIAN = "/usr/bin/python3";

const pythonOf = () => process.env.NDVM_PYTHON || (existsSync(DEBIAN) ? DEBIAN : "python3");

/** Modules that a Python does not have; all of them where there is no Python. */
function missingIn(python) {
  const code = `import importlib.util as u; print(*[m for m in ${JSON.stringify(MODULES)} if u.find_spec(m) is None])`;
  const { status, stdout } = spawnSync(python, ["-c", code], { encoding: "utf8" });
  return status === 0 ? stdout.trim().split(/\s+/).filter(Boolean) : MODULES;
}

function installOnDebian() {
  console.error("Python's packages are missing: installing Debian's.");
  const options = {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", ["update"], options);
  spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...PACKAGES], options);
}

/** `{ python }`, or `{ missing }` with the reason in words. */
export function ensurePython() {
  if (
    missingIn(pythonOf()).length > 0 &&
    existsSync("/etc/debian_version") &&
    process.getuid?.() === 0
  )
    installOnDebian();
  const missing = missingIn(pythonOf());
  if (missing.length === 0) return { python: pythonOf() };
  return {
    missing: `${pythonOf()} lacks ${missing.join(", ")}; on Debian: apt-get install ${PACKAGES.join(" ")}`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { python, missing } = ensurePython();
  console.log(python ?? missing);
  if (python === undefined) process.exitCode = 1;
}
