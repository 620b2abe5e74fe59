/**
 * The 80-step Kalman likelihood and its gradient by q and r, differentiated by hand: the yardstick
 * in AssemblyScript (kalman.cpp is the same function in C++).
 *
 * Full 2 × 2 matrices, f32 scalars, one lane. For the way back each step keeps 18 numbers:
 *
 *   e (2) | predicted (4) | inverse (4) | gain (4) | rest (4)
 */

const STEPS_MAX: i32 = 256;
const KEPT: usize = 18 * 4;
const observations: usize = memory.data(STEPS_MAX * 8, 16);
const kept: usize = memory.data(STEPS_MAX * 72, 16);

export let byQ: f32 = 0;
export let byR: f32 = 0;

/** Where the caller writes the observations, two numbers a step. */
export function observationsAt(): usize {
  return observations;
}

export function forward(q: f32, r: f32, steps: i32): f32 {
  return run(q, r, steps, false);
}

export function gradient(q: f32, r: f32, steps: i32): f32 {
  const total = run(q, r, steps, true);
  goBack(steps);
  return total;
}

// @ts-ignore: AssemblyScript's decorator
@inline
function run(q: f32, r: f32, steps: i32, keeps: bool): f32 {
  let xa: f32 = 0, xb: f32 = 0;
  let pa: f32 = 1, pb: f32 = 0, pc: f32 = 0, pd: f32 = 1;
  let total: f32 = 0;
  for (let k = 0; k < steps; k++) {
    const y = observations + <usize>k * 8;
    const ea = load<f32>(y) - xa, eb = load<f32>(y, 4) - xb;
    const ma = pa + q, mb = pb, mc = pc, md = pd + q;
    const sa = ma + r, sb = mb, sc = mc, sd = md + r;
    const det = sa * sd - sb * sc;
    const over: f32 = 1 / det;
    const ia = over * sd, ib = over * -sb, ic = over * -sc, id = over * sa;
    const ga = ma * ia + mb * ic, gb = ma * ib + mb * id;
    const gc = mc * ia + md * ic, gd = mc * ib + md * id;
    const ra = <f32>1 - ga, rb = -gb, rc = -gc, rd = <f32>1 - gd;
    xa += ga * ea + gb * eb;
    xb += gc * ea + gd * eb;
    pa = ra * ma + rb * mc;
    pb = ra * mb + rb * md;
    pc = rc * ma + rd * mc;
    pd = rc * mb + rd * md;
    total += Mathf.log(det) + (ea * (ia * ea + ib * eb) + eb * (ic * ea + id * eb));
    if (keeps) {
      const at = kept + <usize>k * KEPT;
      store<f32>(at, ea); store<f32>(at, eb, 4);
      store<f32>(at, ma, 8); store<f32>(at, mb, 12); store<f32>(at, mc, 16); store<f32>(at, md, 20);
      store<f32>(at, ia, 24); store<f32>(at, ib, 28);
      store<f32>(at, ic, 32); store<f32>(at, id, 36);
      store<f32>(at, ga, 40); store<f32>(at, gb, 44);
      store<f32>(at, gc, 48); store<f32>(at, gd, 52);
      store<f32>(at, ra, 56); store<f32>(at, rb, 60);
      store<f32>(at, rc, 64); store<f32>(at, rd, 68);
    }
  }
  return total;
}

function goBack(steps: i32): void {
  let xa: f32 = 0, xb: f32 = 0;
  let pa: f32 = 0, pb: f32 = 0, pc: f32 = 0, pd: f32 = 0;
  let sumQ: f32 = 0, sumR: f32 = 0;
  for (let k = steps - 1; k >= 0; k--) {
    const at = kept + <usize>k * KEPT;
    const ea = load<f32>(at), eb = load<f32>(at, 4);
    const ma = load<f32>(at, 8), mb = load<f32>(at, 12);
    const mc = load<f32>(at, 16), md = load<f32>(at, 20);
    const ia = load<f32>(at, 24), ib = load<f32>(at, 28);
    const ic = load<f32>(at, 32), id = load<f32>(at, 36);
    const ga = load<f32>(at, 40), gb = load<f32>(at, 44);
    const gc = load<f32>(at, 48), gd = load<f32>(at, 52);
    const ra = load<f32>(at, 56), rb = load<f32>(at, 60);
    const rc = load<f32>(at, 64), rd = load<f32>(at, 68);
    // P' = rest · predicted, rest = 1 − gain, x' = x + gain · e: adjoint of the gain.
    const na = xa * ea - (pa * ma + pb * mb), nb = xa * eb - (pa * mc + pb * md);
    const nc = xb * ea - (pc * ma + pd * mb), nd = xb * eb - (pc * mc + pd * md);
    // gain = predicted · inverse: adjoint of the prediction.
    const ta = ra * pa + rc * pc + (na * ia + nb * ib);
    const tb = ra * pb + rc * pd + (na * ic + nb * id);
    const tc = rb * pa + rd * pc + (nc * ia + nd * ib);
    const td = rb * pb + rd * pd + (nc * ic + nd * id);
    // Adjoint of the inverse, then of S through it and through log det S.
    const va = ma * na + mc * nc + ea * ea, vb = ma * nb + mc * nd + ea * eb;
    const vc = mb * na + md * nc + eb * ea, vd = mb * nb + md * nd + eb * eb;
    const wa = ia * va + ic * vc, wb = ia * vb + ic * vd;
    const wc = ib * va + id * vc, wd = ib * vb + id * vd;
    const sa = ia - (wa * ia + wb * ib), sb = ic - (wa * ic + wb * id);
    const sc = ib - (wc * ia + wd * ib), sd = id - (wc * ic + wd * id);
    const oa = ga * xa + gc * xb + <f32>2 * ia * ea + (ib + ic) * eb;
    const ob = gb * xa + gd * xb + (ib + ic) * ea + <f32>2 * id * eb;
    pa = ta + sa;
    pb = tb + sb;
    pc = tc + sc;
    pd = td + sd;
    sumQ += pa + pd;
    sumR += sa + sd;
    xa -= oa;
    xb -= ob;
  }
  byQ = sumQ;
  byR = sumR;
}
