/**
 * Triangular factors of least squares: orthogonal transformations that take rows in blocks, and
 * damped steps.
 *
 * A factor of size p has p rows of `strideOf(p)` bytes: R (upper triangular), then q = Qᵀr in
 * column p, then nothing up to whole groups of four. Rows to take are laid out the same way: those
 * of the Jacobian and their residuals. A row after the other, so that a sum over rows in their
 * order goes on for four columns at once.
 */

/** Bytes of a row of a factor. */
export function strideOf(size: i32): usize {
  return (<usize>(size + 4) & ~3) << 3;
}

export function factorBytes(size: i32): usize {
  return <usize>size * strideOf(size);
}

/** Takes `count` rows by Householder reflections, which overwrite them. */
export function addRows(factor: usize, size: i32, rows: usize, count: i32): void {
  const stride = strideOf(size);
  const end = rows + <usize>count * stride;
  let below = squaresOf(rows, end, stride);
  for (let j = 0; j < size; j++) {
    const at = (<usize>j) << 3;
    if (below == 0) {
      below = squaresOf(rows + at + 8, end + at + 8, stride);
      continue;
    }
    const top = factor + <usize>j * stride;
    const diagonal = load<f64>(top + at);
    const norm = Math.sqrt(diagonal * diagonal + below);
    const image = diagonal > 0 ? -norm : norm;
    const head = diagonal - image;
    const scale = -1 / (image * head);
    below = reflect(top, rows, end, stride, j, size, head, scale);
    store<f64>(top + at, image);
  }
}

function squaresOf(from: usize, end: usize, stride: usize): f64 {
  let sum: f64 = 0;
  for (let at = from; at < end; at += stride) sum += load<f64>(at) * load<f64>(at);
  return sum;
}

/**
 * Reflects all columns behind column j along it, and gives the sum of squares that this leaves
 * in the rows of the next one. Columns go in pairs, up to four of them in one pass over the rows:
 * a sum over rows must be made in their order, and waits for itself, so several go side by side.
 */
function reflect(
  top: usize,
  rows: usize,
  end: usize,
  stride: usize,
  j: i32,
  size: i32,
  head: f64,
  scale: f64,
): f64 {
  const first = (j + 1) >> 1;
  const last = size >> 1;
  let below = f64x2.splat(0);
  for (let pair = first; pair <= last; pair += 4) {
    const left = last - pair + 1;
    let squares: v128;
    if (left == 1) squares = reflectPairs(top, rows, end, stride, j, pair, 1, head, scale);
    else if (left == 2) squares = reflectPairs(top, rows, end, stride, j, pair, 2, head, scale);
    else if (left == 3) squares = reflectPairs(top, rows, end, stride, j, pair, 3, head, scale);
    else squares = reflectPairs(top, rows, end, stride, j, pair, 4, head, scale);
    if (pair == first) below = squares;
  }
  return (j & 1) == 0 ? f64x2.extract_lane(below, 1) : f64x2.extract_lane(below, 0);
}

/**
 * Reflects `count` pairs of columns, a constant at every call. Gives the sums of squares of the
 * first pair, in which column j may be, too: it stays.
 */
// @ts-ignore: decorator
@inline function reflectPairs(
  top: usize,
  rows: usize,
  end: usize,
  stride: usize,
  j: i32,
  pair: i32,
  count: i32,
  head: f64,
  scale: f64,
): v128 {
  const own = rows + ((<usize>j) << 3);
  const to = top + ((<usize>pair) << 4);
  const offset = ((<usize>pair) << 4) - ((<usize>j) << 3);
  const heads = f64x2.splat(head);
  const scales = f64x2.splat(scale);
  let dot0 = f64x2.mul(heads, v128.load(to));
  let dot1 = dot0;
  let dot2 = dot0;
  let dot3 = dot0;
  if (count > 1) dot1 = f64x2.mul(heads, v128.load(to, 16));
  if (count > 2) dot2 = f64x2.mul(heads, v128.load(to, 32));
  if (count > 3) dot3 = f64x2.mul(heads, v128.load(to, 48));
  for (let at = own; at < end; at += stride) {
    const number = v128.load64_splat(at);
    dot0 = f64x2.add(dot0, f64x2.mul(number, v128.load(at + offset)));
    if (count > 1) dot1 = f64x2.add(dot1, f64x2.mul(number, v128.load(at + offset, 16)));
    if (count > 2) dot2 = f64x2.add(dot2, f64x2.mul(number, v128.load(at + offset, 32)));
    if (count > 3) dot3 = f64x2.add(dot3, f64x2.mul(number, v128.load(at + offset, 48)));
  }
  const factor0 = v128.and(f64x2.mul(dot0, scales), isBehind(j, 2 * pair));
  const factor1 = f64x2.mul(dot1, scales);
  const factor2 = f64x2.mul(dot2, scales);
  const factor3 = f64x2.mul(dot3, scales);
  takeOff(to, factor0, heads);
  if (count > 1) takeOff(to + 16, factor1, heads);
  if (count > 2) takeOff(to + 32, factor2, heads);
  if (count > 3) takeOff(to + 48, factor3, heads);
  let squares = f64x2.splat(0);
  for (let at = own; at < end; at += stride) {
    const number = v128.load64_splat(at);
    const left = f64x2.sub(v128.load(at + offset), f64x2.mul(factor0, number));
    v128.store(at + offset, left);
    squares = f64x2.add(squares, f64x2.mul(left, left));
    if (count > 1) takeOff(at + offset + 16, factor1, number);
    if (count > 2) takeOff(at + offset + 32, factor2, number);
    if (count > 3) takeOff(at + offset + 48, factor3, number);
  }
  return squares;
}

/** Takes a multiple off two numbers. */
// @ts-ignore: decorator
@inline function takeOff(at: usize, factor: v128, by: v128): void {
  v128.store(at, f64x2.sub(v128.load(at), f64x2.mul(factor, by)));
}

/** Which of two neighbouring columns come after column j. */
// @ts-ignore: decorator
@inline function isBehind(j: i32, column: i32): v128 {
  const columns = f64x2.replace_lane(f64x2.splat(<f64>column), 1, <f64>(column + 1));
  return f64x2.gt(columns, f64x2.splat(<f64>j));
}

/** Whether all of R is finite. */
export function isFactorFinite(factor: usize, size: i32): bool {
  const stride = strideOf(size);
  for (let i = 0; i < size; i++)
    for (let j = i; j < size; j++)
      if (!isFinite<f64>(load<f64>(factor + <usize>i * stride + ((<usize>j) << 3)))) return false;
  return true;
}

/** Norm of column j of the Jacobian. */
export function columnNorm(factor: usize, size: i32, j: i32): f64 {
  const stride = strideOf(size);
  let sum: f64 = 0;
  let at = factor + ((<usize>j) << 3);
  for (let i = 0; i <= j; i++) {
    sum += load<f64>(at) * load<f64>(at);
    at += stride;
  }
  return Math.sqrt(sum);
}

/** Element j of the Jacobian, transposed, times the residuals. */
export function gradientOf(factor: usize, size: i32, j: i32): f64 {
  const stride = strideOf(size);
  let sum: f64 = 0;
  for (let i = 0; i <= j; i++) {
    const row = factor + <usize>i * stride;
    sum += load<f64>(row + ((<usize>j) << 3)) * load<f64>(row + ((<usize>size) << 3));
  }
  return sum;
}

/** Half the fall of the sum of squares that the linear model promises for a step. */
export function predictedFall(factor: usize, size: i32, step: usize): f64 {
  const stride = strideOf(size);
  let fall: f64 = 0;
  for (let i = 0; i < size; i++) {
    const row = factor + <usize>i * stride;
    let moved: f64 = 0;
    for (let j = i; j < size; j++)
      moved += load<f64>(row + ((<usize>j) << 3)) * load<f64>(step + ((<usize>j) << 3));
    fall -= moved * (load<f64>(row + ((<usize>size) << 3)) + moved / 2);
  }
  return fall;
}

/** Bytes of working space for `solveDamped`. */
export function workBytes(size: i32): usize {
  return 2 * factorBytes(size);
}

/**
 * Turns the damping in `step` into the step d that makes ‖R d + q‖² + Σ (damping_j d_j)² least.
 * Columns of zeros get no step.
 */
export function solveDamped(given: usize, size: i32, step: usize, work: usize): void {
  const stride = strideOf(size);
  const bytes = factorBytes(size);
  const rows = work + bytes;
  memory.copy(work, given, bytes);
  memory.fill(rows, 0, bytes);
  for (let j = 0; j < size; j++)
    store<f64>(rows + <usize>j * (stride + 8), load<f64>(step + ((<usize>j) << 3)));
  addRows(work, size, rows, size);
  for (let i = size - 1; i >= 0; i--) {
    const row = work + <usize>i * stride;
    let sum = -load<f64>(row + ((<usize>size) << 3));
    for (let j = i + 1; j < size; j++)
      sum -= load<f64>(row + ((<usize>j) << 3)) * load<f64>(step + ((<usize>j) << 3));
    const diagonal = load<f64>(row + ((<usize>i) << 3));
    store<f64>(step + ((<usize>i) << 3), diagonal == 0 ? 0 : sum / diagonal);
  }
}
