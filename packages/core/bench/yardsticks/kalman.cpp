// The 80-step Kalman likelihood and its gradient by q and r, differentiated by hand: the yardstick.
//
// Full 2 x 2 matrices, single precision, one lane at a time. The same function in AssemblyScript is
// kalman.as.ts. Reads the observations from stdin (2 numbers a step), prints value, gradients and
// then one line of nanoseconds a call for each short run: forward, and forward with gradient.
//
//   kalman <steps> <runs> <calls a run>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Vec { float a, b; };
struct Mat { float a, b, c, d; };

inline Mat operator+(Mat x, Mat y) { return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d}; }
inline Mat operator-(Mat x, Mat y) { return {x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d}; }
inline Mat operator*(Mat x, Mat y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
          x.c * y.b + x.d * y.d};
}
inline Vec operator*(Mat m, Vec v) { return {m.a * v.a + m.b * v.b, m.c * v.a + m.d * v.b}; }
inline Vec operator+(Vec x, Vec y) { return {x.a + y.a, x.b + y.b}; }
inline Vec operator-(Vec x, Vec y) { return {x.a - y.a, x.b - y.b}; }
inline Vec scaled(float s, Vec v) { return {s * v.a, s * v.b}; }
inline Mat scaled(float s, Mat m) { return {s * m.a, s * m.b, s * m.c, s * m.d}; }
inline Mat transposed(Mat m) { return {m.a, m.c, m.b, m.d}; }
inline Mat outer(Vec x, Vec y) { return {x.a * y.a, x.a * y.b, x.b * y.a, x.b * y.b}; }
inline float dot(Vec x, Vec y) { return x.a * y.a + x.b * y.b; }
inline Mat diagonal(float s) { return {s, 0, 0, s}; }

/** What the way back needs of one step. */
struct Step { Vec e; Mat predicted, inverse, gain, rest; };

inline float advance(float q, float r, Vec y, Vec& x, Mat& P, Step& step) {
  const Mat predicted = P + diagonal(q);
  const Vec e = y - x;
  const Mat S = predicted + diagonal(r);
  const float det = S.a * S.d - S.b * S.c;
  const Mat inverse = scaled(1.0f / det, Mat{S.d, -S.b, -S.c, S.a});
  const Mat gain = predicted * inverse;
  const Mat rest = diagonal(1.0f) - gain;
  x = x + gain * e;
  P = rest * predicted;
  step = {e, predicted, inverse, gain, rest};
  return std::log(det) + dot(e, inverse * e);
}

float forward(float q, float r, const Vec* ys, int steps) {
  Vec x{0, 0};
  Mat P = diagonal(1.0f);
  Step step;
  float total = 0;
  for (int k = 0; k < steps; k++) total += advance(q, r, ys[k], x, P, step);
  return total;
}

float gradient(float q, float r, const Vec* ys, int steps, Step* kept, float& byQ, float& byR) {
  Vec x{0, 0};
  Mat P = diagonal(1.0f);
  float total = 0;
  for (int k = 0; k < steps; k++) total += advance(q, r, ys[k], x, P, kept[k]);
  Vec gx{0, 0};
  Mat gP{0, 0, 0, 0};
  byQ = byR = 0;
  for (int k = steps - 1; k >= 0; k--) {
    const Step& s = kept[k];
    const Mat inverseT = transposed(s.inverse);
    // P' = rest * predicted, rest = 1 - gain, x' = x + gain * e
    const Mat gRest = gP * transposed(s.predicted);
    const Mat gGain = outer(gx, s.e) - gRest;
    // gain = predicted * inverse, cost = log det S + e . inverse e
    const Mat gPredicted = transposed(s.rest) * gP + gGain * inverseT;
    const Mat gInverse = transposed(s.predicted) * gGain + outer(s.e, s.e);
    const Mat gS = inverseT - inverseT * gInverse * inverseT;
    const Mat both = gPredicted + gS;
    const Vec gE = transposed(s.gain) * gx + s.inverse * s.e + inverseT * s.e;
    byQ += both.a + both.d;
    byR += gS.a + gS.d;
    gx = gx - gE;
    gP = both;
  }
  return total;
}

volatile float sink;

template <typename Work>
void time(const char* name, int runs, int calls, Work work) {
  std::printf("%s", name);
  float sum = 0;
  int turn = 0;
  for (int run = 0; run < runs; run++) {
    const auto started = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; i++) sum += work(turn++);
    const auto ended = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::nano> took = ended - started;
    std::printf(" %.1f", took.count() / calls);
  }
  std::printf("\n");
  sink = sum;
}

}  // namespace

int main(int, char** arguments) {
  const int steps = std::atoi(arguments[1]);
  const int runs = std::atoi(arguments[2]);
  const int calls = std::atoi(arguments[3]);
  std::vector<Vec> ys(steps);
  for (Vec& y : ys)
    if (std::scanf("%f %f", &y.a, &y.b) != 2) return 1;
  std::vector<Step> kept(steps);
  float byQ, byR;
  const float value = gradient(0.05f, 0.1f, ys.data(), steps, kept.data(), byQ, byR);
  std::printf("result %.9g %.9g %.9g\n", value, byQ, byR);
  const auto q = [](int turn) { return 0.05f * (1.0f + 1e-4f * (turn % 8)); };
  const auto r = [](int turn) { return 0.1f * (1.0f + 1e-4f * (turn % 8)); };
  time("forward", runs, calls,
       [&](int turn) { return forward(q(turn), r(turn), ys.data(), steps); });
  time("gradient", runs, calls, [&](int turn) {
    const float f = gradient(q(turn), r(turn), ys.data(), steps, kept.data(), byQ, byR);
    return f + byQ + byR;
  });
  return 0;
}
