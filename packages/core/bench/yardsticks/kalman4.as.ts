/**
 * The ceiling: the 80-step Kalman likelihood and its gradient by q and r, written and
 * differentiated by hand for four lanes at a time in f32x4. (kalman.as.ts is the scalar one.)
 *
 * S, P, gain and inverse are full 2 × 2 matrices. For the way back each step keeps 18 vectors:
 *
 *   e (2) | predicted (4) | inverse (4) | gain (4) | rest (4)
 */

const STEPS_MAX: i32 = 256;
const LANES_MAX: i32 = 1024;
const KEPT: usize = 18 * 16;
const observations: usize = memory.data(STEPS_MAX * 8, 16);
const kept: usize = memory.data(STEPS_MAX * 288, 16);
const qs: usize = memory.data(LANES_MAX * 4, 16);
const rs: usize = memory.data(LANES_MAX * 4, 16);
const values: usize = memory.data(LANES_MAX * 4, 16);
const byQ: usize = memory.data(LANES_MAX * 4, 16);
const byR: usize = memory.data(LANES_MAX * 4, 16);

export function observationsAt(): usize { return observations; }
export function qsAt(): usize { return qs; }
export function rsAt(): usize { return rs; }
export function valuesAt(): usize { return values; }
export function byQAt(): usize { return byQ; }
export function byRAt(): usize { return byR; }

// @ts-ignore: AssemblyScript's decorator
@inline function add(a: v128, b: v128): v128 { return f32x4.add(a, b); }
// @ts-ignore: AssemblyScript's decorator
@inline function sub(a: v128, b: v128): v128 { return f32x4.sub(a, b); }
// @ts-ignore: AssemblyScript's decorator
@inline function mul(a: v128, b: v128): v128 { return f32x4.mul(a, b); }
// @ts-ignore: AssemblyScript's decorator
@inline function mad(a: v128, b: v128, c: v128, d: v128): v128 { return add(mul(a, b), mul(c, d)); }

/**
 * Natural logarithm of normal positive numbers, Cephes' logf: error below 1.2 units in the last
 * place.
 */
// @ts-ignore: AssemblyScript's decorator
@inline function log4(x: v128): v128 {
  const half = v128.splat<f32>(0.5);
  const one = v128.splat<f32>(1);
  let exponent = f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_s(x, 23), i32x4.splat(126)));
  let m = v128.or(v128.and(x, i32x4.splat(0x007fffff)), i32x4.splat(0x3f000000));
  const small = f32x4.lt(m, v128.splat<f32>(0.707106781186547524));
  exponent = sub(exponent, v128.and(one, small));
  m = add(sub(m, one), v128.and(m, small));
  const z = mul(m, m);
  let y = v128.splat<f32>(7.0376836292e-2);
  y = add(mul(y, m), v128.splat<f32>(-1.1514610310e-1));
  y = add(mul(y, m), v128.splat<f32>(1.1676998740e-1));
  y = add(mul(y, m), v128.splat<f32>(-1.2420140846e-1));
  y = add(mul(y, m), v128.splat<f32>(1.4249322787e-1));
  y = add(mul(y, m), v128.splat<f32>(-1.6668057665e-1));
  y = add(mul(y, m), v128.splat<f32>(2.0000714765e-1));
  y = add(mul(y, m), v128.splat<f32>(-2.4999993993e-1));
  y = add(mul(y, m), v128.splat<f32>(3.3333331174e-1));
  y = mul(mul(y, m), z);
  y = add(y, mul(exponent, v128.splat<f32>(-2.12194440e-4)));
  y = sub(y, mul(half, z));
  return add(add(m, y), mul(exponent, v128.splat<f32>(0.693359375)));
}

/** Values and gradients of so many lanes (a multiple of four). */
export function gradient(lanes: i32, steps: i32): void {
  for (let lane = 0; lane < lanes; lane += 4) {
    const at = <usize>lane * 4;
    v128.store(values + at, run(v128.load(qs + at), v128.load(rs + at), steps));
    goBack(steps, at);
  }
}

export function forward(lanes: i32, steps: i32): void {
  for (let lane = 0; lane < lanes; lane += 4) {
    const at = <usize>lane * 4;
    v128.store(values + at, run(v128.load(qs + at), v128.load(rs + at), steps));
  }
}

function run(q: v128, r: v128, steps: i32): v128 {
  const one = v128.splat<f32>(1);
  const zero = v128.splat<f32>(0);
  let xa = zero, xb = zero, pa = one, pb = zero, pc = zero, pd = one, total = zero;
  for (let k = 0; k < steps; k++) {
    const y = observations + <usize>k * 8;
    const ea = sub(v128.load32_splat(y), xa), eb = sub(v128.load32_splat(y, 4), xb);
    const ma = add(pa, q), mb = pb, mc = pc, md = add(pd, q);
    const sa = add(ma, r), sd = add(md, r);
    const det = sub(mul(sa, sd), mul(mb, mc));
    const over = f32x4.div(one, det);
    const ia = mul(over, sd), ib = f32x4.neg(mul(over, mb));
    const ic = f32x4.neg(mul(over, mc)), id = mul(over, sa);
    const ga = mad(ma, ia, mb, ic), gb = mad(ma, ib, mb, id);
    const gc = mad(mc, ia, md, ic), gd = mad(mc, ib, md, id);
    const ra = sub(one, ga), rb = f32x4.neg(gb), rc = f32x4.neg(gc), rd = sub(one, gd);
    xa = add(xa, mad(ga, ea, gb, eb));
    xb = add(xb, mad(gc, ea, gd, eb));
    pa = mad(ra, ma, rb, mc);
    pb = mad(ra, mb, rb, md);
    pc = mad(rc, ma, rd, mc);
    pd = mad(rc, mb, rd, md);
    const square = mad(ea, mad(ia, ea, ib, eb), eb, mad(ic, ea, id, eb));
    total = add(total, add(log4(det), square));
    const at = kept + <usize>k * KEPT;
    v128.store(at, ea); v128.store(at, eb, 16);
    v128.store(at, ma, 32); v128.store(at, mb, 48); v128.store(at, mc, 64); v128.store(at, md, 80);
    v128.store(at, ia, 96); v128.store(at, ib, 112); v128.store(at, ic, 128); v128.store(at, id, 144);
    v128.store(at, ga, 160); v128.store(at, gb, 176); v128.store(at, gc, 192); v128.store(at, gd, 208);
    v128.store(at, ra, 224); v128.store(at, rb, 240); v128.store(at, rc, 256); v128.store(at, rd, 272);
  }
  return total;
}

function goBack(steps: i32, lane: usize): void {
  const zero = v128.splat<f32>(0);
  const two = v128.splat<f32>(2);
  let xa = zero, xb = zero, pa = zero, pb = zero, pc = zero, pd = zero, sumQ = zero, sumR = zero;
  for (let k = steps - 1; k >= 0; k--) {
    const at = kept + <usize>k * KEPT;
    const ea = v128.load(at), eb = v128.load(at, 16);
    const ma = v128.load(at, 32), mb = v128.load(at, 48), mc = v128.load(at, 64), md = v128.load(at, 80);
    const ia = v128.load(at, 96), ib = v128.load(at, 112), ic = v128.load(at, 128), id = v128.load(at, 144);
    const ga = v128.load(at, 160), gb = v128.load(at, 176), gc = v128.load(at, 192), gd = v128.load(at, 208);
    const ra = v128.load(at, 224), rb = v128.load(at, 240), rc = v128.load(at, 256), rd = v128.load(at, 272);
    const na = sub(mul(xa, ea), mad(pa, ma, pb, mb)), nb = sub(mul(xa, eb), mad(pa, mc, pb, md));
    const nc = sub(mul(xb, ea), mad(pc, ma, pd, mb)), nd = sub(mul(xb, eb), mad(pc, mc, pd, md));
    const ta = add(mad(ra, pa, rc, pc), mad(na, ia, nb, ib));
    const tb = add(mad(ra, pb, rc, pd), mad(na, ic, nb, id));
    const tc = add(mad(rb, pa, rd, pc), mad(nc, ia, nd, ib));
    const td = add(mad(rb, pb, rd, pd), mad(nc, ic, nd, id));
    const va = add(mad(ma, na, mc, nc), mul(ea, ea)), vb = add(mad(ma, nb, mc, nd), mul(ea, eb));
    const vc = add(mad(mb, na, md, nc), mul(eb, ea)), vd = add(mad(mb, nb, md, nd), mul(eb, eb));
    const wa = mad(ia, va, ic, vc), wb = mad(ia, vb, ic, vd);
    const wc = mad(ib, va, id, vc), wd = mad(ib, vb, id, vd);
    const sa = sub(ia, mad(wa, ia, wb, ib)), sb = sub(ic, mad(wa, ic, wb, id));
    const sc = sub(ib, mad(wc, ia, wd, ib)), sd = sub(id, mad(wc, ic, wd, id));
    const oa = add(mad(ga, xa, gc, xb), add(mul(two, mul(ia, ea)), mul(add(ib, ic), eb)));
    const ob = add(mad(gb, xa, gd, xb), add(mul(add(ib, ic), ea), mul(two, mul(id, eb))));
    pa = add(ta, sa);
    pb = add(tb, sb);
    pc = add(tc, sc);
    pd = add(td, sd);
    sumQ = add(sumQ, add(pa, pd));
    sumR = add(sumR, add(sa, sd));
    xa = sub(xa, oa);
    xb = sub(xb, ob);
  }
  v128.store(byQ + lane, sumQ);
  v128.store(byR + lane, sumR);
}
