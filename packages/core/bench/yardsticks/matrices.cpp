// Kalman filters with 4 and 6 states, and the factorisations behind them, differentiated by hand: the
// yardstick for matrices beyond 2 x 2. Single precision, one lane at a time, sizes known when it is
// compiled.
//
//   matrices <runs> <milliseconds a run>
//
// The numbers are made by the same rules as in support/matrices.ts. Prints for each work
// its value and gradients, and nanoseconds a call for each run.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

template <int R, int C> struct Mat {
  float at[R * C];
  float& operator()(int i, int j) { return at[i * C + j]; }
  float operator()(int i, int j) const { return at[i * C + j]; }
};

template <int R, int N, int C> inline Mat<R, C> mul(const Mat<R, N>& a, const Mat<N, C>& b) {
  Mat<R, C> c;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) {
      float sum = a(i, 0) * b(0, j);
      for (int k = 1; k < N; k++) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  return c;
}
template <int R, int C> inline Mat<C, R> turn(const Mat<R, C>& a) {
  Mat<C, R> t;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) t(j, i) = a(i, j);
  return t;
}
template <int R, int C> inline Mat<R, C> add(const Mat<R, C>& a, const Mat<R, C>& b) {
  Mat<R, C> c;
  for (int e = 0; e < R * C; e++) c.at[e] = a.at[e] + b.at[e];
  return c;
}
template <int R, int C> inline Mat<R, C> sub(const Mat<R, C>& a, const Mat<R, C>& b) {
  Mat<R, C> c;
  for (int e = 0; e < R * C; e++) c.at[e] = a.at[e] - b.at[e];
  return c;
}
template <int R, int C> inline Mat<R, C> scaled(float s, const Mat<R, C>& a) {
  Mat<R, C> c;
  for (int e = 0; e < R * C; e++) c.at[e] = s * a.at[e];
  return c;
}
template <int N> inline Mat<N, N> eye() {
  Mat<N, N> m{};
  for (int i = 0; i < N; i++) m(i, i) = 1;
  return m;
}
template <int N> inline float trace(const Mat<N, N>& a) {
  float sum = 0;
  for (int i = 0; i < N; i++) sum += a(i, i);
  return sum;
}
inline float det(const Mat<2, 2>& m) { return m.at[0] * m.at[3] - m.at[1] * m.at[2]; }
inline float det(const Mat<3, 3>& m) {
  return m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) +
         m(0, 1) * (m(1, 2) * m(2, 0) - m(1, 0) * m(2, 2)) +
         m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
}
inline Mat<2, 2> inverse(const Mat<2, 2>& m, float d) {
  return scaled(1 / d, Mat<2, 2>{{m.at[3], -m.at[1], -m.at[2], m.at[0]}});
}
inline Mat<3, 3> inverse(const Mat<3, 3>& m, float d) {
  Mat<3, 3> c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
      c(j, i) = (m(p, r) * m(q, s) - m(p, s) * m(q, r)) / d;
    }
  return c;
}

constexpr int STEPS = 20;

/** A body in D dimensions with constant velocity; its place is observed. */
template <int D> struct Filter {
  static constexpr int N = 2 * D;
  struct Step {
    Mat<D, 1> e;
    Mat<N, N> predicted, rest;
    Mat<D, D> inverse;
    Mat<N, D> across, gain;
  };
  Mat<N, N> F, FT, Q;
  Mat<D, N> H;
  Mat<N, D> HT;
  Mat<D, 1> y[STEPS];
  Step kept[STEPS];

  Filter() {
    F = eye<N>();
    Q = eye<N>();
    H = Mat<D, N>{};
    for (int i = 0; i < D; i++) {
      F(i, i + D) = 0.5f;
      Q(i, i + D) = Q(i + D, i) = 0.25f;
      H(i, i) = 1;
    }
    FT = turn(F);
    HT = turn(H);
    for (int k = 0; k < STEPS; k++)
      for (int i = 0; i < D; i++) y[k].at[i] = std::sin(0.3 * k + i) + 0.1 * k;
  }

  float gradient(float q, float r, float& byQ, float& byR) {
    Mat<N, 1> x{};
    Mat<N, N> P = eye<N>();
    float total = 0;
    for (int k = 0; k < STEPS; k++) {
      Step& s = kept[k];
      const Mat<N, 1> xp = mul(F, x);
      s.predicted = add(mul(mul(F, P), FT), scaled(q, Q));
      s.e = sub(y[k], mul(H, xp));
      const Mat<D, D> S = add(mul(mul(H, s.predicted), HT), scaled(r, eye<D>()));
      const float d = det(S);
      s.inverse = inverse(S, d);
      s.across = mul(s.predicted, HT);
      s.gain = mul(s.across, s.inverse);
      s.rest = sub(eye<N>(), mul(s.gain, H));
      x = add(xp, mul(s.gain, s.e));
      P = mul(s.rest, s.predicted);
      total += std::log(std::abs(d)) + mul(turn(s.e), mul(s.inverse, s.e)).at[0];
    }
    Mat<N, 1> gx{};
    Mat<N, N> gP{};
    byQ = byR = 0;
    for (int k = STEPS - 1; k >= 0; k--) {
      const Step& s = kept[k];
      const Mat<D, D> inverseT = turn(s.inverse);
      const Mat<N, N> gRest = mul(gP, turn(s.predicted));
      const Mat<N, D> gGain = sub(mul(gx, turn(s.e)), mul(gRest, HT));
      const Mat<D, 1> gE =
          add(mul(turn(s.gain), gx), add(mul(s.inverse, s.e), mul(inverseT, s.e)));
      const Mat<D, D> gInverse = add(mul(turn(s.across), gGain), mul(s.e, turn(s.e)));
      const Mat<D, D> gS = sub(inverseT, mul(inverseT, mul(gInverse, inverseT)));
      Mat<N, N> gPredicted = add(mul(turn(s.rest), gP), mul(mul(gGain, inverseT), H));
      gPredicted = add(gPredicted, mul(HT, mul(gS, H)));
      byR += trace(gS);
      for (int e = 0; e < N * N; e++) byQ += gPredicted.at[e] * Q.at[e];
      gP = mul(FT, mul(gPredicted, F));
      gx = mul(FT, sub(gx, mul(HT, gE)));
    }
    return total;
  }
};

/** A symmetric positive definite matrix with t added to its diagonal. */
template <int N> Mat<N, N> sample(float t) {
  Mat<N, N> a;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a(i, j) = 1.0f / (1 + std::abs(i - j)) + (i == j ? 1 : 0);
  for (int i = 0; i < N; i++) a(i, i) += t;
  return a;
}

/** Sum of the entries of the Cholesky factor. */
template <int N> float cholesky(float t, const Mat<N, N>& base, float& byT) {
  Mat<N, N> a = base, z{}, bar;
  for (int i = 0; i < N; i++) a(i, i) += t;
  float sum = 0;
  for (int j = 0; j < N; j++) {
    float square = a(j, j);
    for (int k = 0; k < j; k++) square -= z(j, k) * z(j, k);
    z(j, j) = std::sqrt(square);
    for (int i = j + 1; i < N; i++) {
      float rest = a(i, j);
      for (int k = 0; k < j; k++) rest -= z(i, k) * z(j, k);
      z(i, j) = rest / z(j, j);
    }
  }
  for (int e = 0; e < N * N; e++) sum += z.at[e], bar.at[e] = 1;
  for (int j = N - 1; j >= 0; j--) {
    float slope = bar(j, j);
    for (int i = j + 1; i < N; i++) {
      bar(i, j) /= z(j, j);
      slope -= bar(i, j) * z(i, j);
    }
    slope /= z(j, j);
    for (int k = 0; k < j; k++) {
      float row = bar(j, k) - slope * z(j, k);
      for (int i = j + 1; i < N; i++) {
        row -= bar(i, j) * z(i, k);
        bar(i, k) -= bar(i, j) * z(j, k);
      }
      bar(j, k) = row;
    }
    bar(j, j) = 0.5f * slope;
  }
  byT = trace(bar);
  return sum;
}

template <int N> struct Factors {
  Mat<N, N> lu;
  int row[N];
};

template <int N> Factors<N> factor(Mat<N, N> a) {
  Factors<N> f;
  for (int i = 0; i < N; i++) f.row[i] = i;
  for (int k = 0; k < N; k++) {
    int best = k;
    for (int i = k + 1; i < N; i++)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    if (best != k) {
      std::swap(f.row[best], f.row[k]);
      for (int j = 0; j < N; j++) std::swap(a(best, j), a(k, j));
    }
    for (int i = k + 1; i < N; i++) {
      const float times = a(i, k) / a(k, k);
      a(i, k) = times;
      for (int j = k + 1; j < N; j++) a(i, j) -= times * a(k, j);
    }
  }
  f.lu = a;
  return f;
}
template <int N> Mat<N, 1> solved(const Factors<N>& f, const float* b) {
  Mat<N, 1> x;
  for (int i = 0; i < N; i++) {
    x.at[i] = b[f.row[i]];
    for (int j = 0; j < i; j++) x.at[i] -= f.lu(i, j) * x.at[j];
  }
  for (int i = N - 1; i >= 0; i--) {
    for (int j = i + 1; j < N; j++) x.at[i] -= f.lu(i, j) * x.at[j];
    x.at[i] /= f.lu(i, i);
  }
  return x;
}
template <int N> Mat<N, 1> solvedTurned(const Factors<N>& f, const float* b) {
  Mat<N, 1> x, y;
  for (int i = 0; i < N; i++) {
    x.at[i] = b[i];
    for (int j = 0; j < i; j++) x.at[i] -= f.lu(j, i) * x.at[j];
    x.at[i] /= f.lu(i, i);
  }
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) x.at[i] -= f.lu(j, i) * x.at[j];
  for (int i = 0; i < N; i++) y.at[f.row[i]] = x.at[i];
  return y;
}

/** Sum of the solution for a right side of ones. */
template <int N> float solve(float t, const Mat<N, N>& base, float& byT) {
  Mat<N, N> a = base;
  for (int i = 0; i < N; i++) a(i, i) += t;
  const Factors<N> f = factor(a);
  float ones[N];
  for (float& one : ones) one = 1;
  const Mat<N, 1> z = solved(f, ones), w = solvedTurned(f, ones);
  float sum = 0;
  byT = 0;
  for (int i = 0; i < N; i++) sum += z.at[i], byT -= w.at[i] * z.at[i];
  return sum;
}

template <int N> float logdet(float t, const Mat<N, N>& base, float& byT) {
  Mat<N, N> a = base;
  for (int i = 0; i < N; i++) a(i, i) += t;
  const Factors<N> f = factor(a);
  float sum = 0;
  byT = 0;
  for (int i = 0; i < N; i++) sum += std::log(std::abs(f.lu(i, i)));
  for (int i = 0; i < N; i++) {
    float unit[N] = {};
    unit[i] = 1;
    byT += solved(f, unit).at[i];
  }
  return sum;
}

volatile float sink;
int runs;
double budget;

template <typename Work> void time(const char* name, int size, Work work) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  using Nano = std::chrono::duration<double, std::nano>;
  float a = 0, b = 0;
  const float value = work(0, a, b);
  std::printf("%s-%d result %.9g %.9g %.9g\n%s-%d times", name, size, value, a, b, name, size);
  float sum = 0;
  int turn = 0;
  const auto first = now();
  for (int i = 0; i < 20; i++) sum += work(turn++, a, b);
  const int calls = 1 + static_cast<int>(budget * 1e6 * 20 / Nano(now() - first).count());
  for (int run = 0; run < runs; run++) {
    const auto started = now();
    for (int i = 0; i < calls; i++) sum += work(turn++, a, b);
    std::printf(" %.2f", Nano(now() - started).count() / calls);
  }
  std::printf("\n");
  sink = sum;
}

template <int D> void timeFilter() {
  static Filter<D> filter;
  time("kalman", 2 * D, [](int turn, float& byQ, float& byR) {
    const float part = 1e-4f * (turn % 8);
    return filter.gradient(0.05f * (1 + part), 0.1f * (1 + part), byQ, byR) + 0 * (byQ + byR);
  });
}
template <int N> void timeFactors() {
  static const Mat<N, N> base = sample<N>(0);
  const auto t = [](int turn) { return 0.5f * (1 + 1e-4f * (turn % 8)); };
  time("cholesky", N, [&](int i, float& by, float&) { return cholesky<N>(t(i), base, by); });
  time("solve", N, [&](int i, float& by, float&) { return solve<N>(t(i), base, by); });
  time("logdet", N, [&](int i, float& by, float&) { return logdet<N>(t(i), base, by); });
}

}  // namespace

int main(int, char** arguments) {
  runs = std::atoi(arguments[1]);
  budget = std::atof(arguments[2]);
  timeFilter<2>();
  timeFilter<3>();
  timeFactors<3>();
  timeFactors<4>();
  timeFactors<6>();
  timeFactors<16>();
  return 0;
}
