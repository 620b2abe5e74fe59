// The paper's formulas and maps with their gradients, differentiated by hand: the yardstick for small
// calls. Single precision, one lane, other numbers at each call.
//
//   small <runs> <calls a run>
//
// Prints a line for each: its name, then value and gradients for the first numbers, then a bar, then
// nanoseconds a call for each short run.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int STEPS = 16;

void line(const float* p, float* out) {
  out[0] = p[0] * p[2] + p[1];
  out[1] = p[2];
  out[2] = 1.0f;
  out[3] = p[0];
}

void michaelis(const float* p, float* out) {
  const float sum = p[1] + p[2];
  const float value = p[0] * p[2] / sum;
  out[0] = value;
  out[1] = p[2] / sum;
  out[2] = -value / sum;
  out[3] = (p[0] - value) / sum;
}

void oscillator(const float* p, float* out) {
  const float decay = std::exp(-p[1] * p[3]);
  const float cosine = std::cos(p[2] * p[3]);
  const float slope = -p[0] * decay * std::sin(p[2] * p[3]);
  const float value = p[0] * decay * cosine;
  out[0] = value;
  out[1] = decay * cosine;
  out[2] = -p[3] * value;
  out[3] = slope * p[3];
  out[4] = -p[1] * value + slope * p[2];
}

void logistic(const float* p, float* out) {
  float states[STEPS];
  float x = p[1];
  for (int k = 0; k < STEPS; k++) {
    states[k] = x;
    x = p[0] * (x * (1.0f - x));
  }
  float adjoint = 1.0f, byR = 0.0f;
  for (int k = STEPS - 1; k >= 0; k--) {
    byR += adjoint * states[k] * (1.0f - states[k]);
    adjoint *= p[0] * (1.0f - 2.0f * states[k]);
  }
  out[0] = x;
  out[1] = byR;
  out[2] = adjoint;
}

void tent(const float* p, float* out) {
  float states[STEPS];
  float x = p[1];
  for (int k = 0; k < STEPS; k++) {
    states[k] = x;
    x = x < 0.5f ? p[0] * x : p[0] * (1.0f - x);
  }
  float adjoint = 1.0f, byR = 0.0f;
  for (int k = STEPS - 1; k >= 0; k--) {
    byR += adjoint * (states[k] < 0.5f ? states[k] : 1.0f - states[k]);
    adjoint *= states[k] < 0.5f ? p[0] : -p[0];
  }
  out[0] = x;
  out[1] = byR;
  out[2] = adjoint;
}

volatile float sink;

using Work = void (*)(const float*, float*);

/** `moved` is the parameter that is another one at each call, by `step` or over the whole interval. */
void time(const char* name, Work work, const float* first, int count, int moved, bool isSpread,
          int runs, int calls) {
  float p[4], out[5];
  for (int i = 0; i < count; i++) p[i] = first[i];
  work(p, out);
  std::printf("%s", name);
  for (int i = 0; i <= count; i++) std::printf(" %.9g", out[i]);
  std::printf(" |");
  float sum = 0;
  int turn = 0;
  for (int run = 0; run < runs; run++) {
    const auto started = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; i++, turn++) {
      const double part = turn * 0.618034;
      p[moved] = isSpread ? static_cast<float>(part - std::floor(part))
                          : first[moved] * (1.0f + 1e-4f * (turn % 8));
      work(p, out);
      for (int k = 0; k <= count; k++) sum += out[k];
    }
    const auto ended = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::nano> took = ended - started;
    std::printf(" %.2f", took.count() / calls);
  }
  std::printf("\n");
  sink = sum;
}

}  // namespace

int main(int, char** arguments) {
  const int runs = std::atoi(arguments[1]);
  const int calls = std::atoi(arguments[2]);
  const float byLine[] = {2.0f, 1.0f, 1.5f};
  const float byMichaelis[] = {2.0f, 0.5f, 1.5f};
  const float byOscillator[] = {1.0f, 0.3f, 2.0f, 1.5f};
  const float byLogistic[] = {3.2f, 0.4f};
  const float byTent[] = {1.9f, 0.3f};
  time("line", line, byLine, 3, 0, false, runs, calls);
  time("michaelis", michaelis, byMichaelis, 3, 0, false, runs, calls);
  time("oscillator", oscillator, byOscillator, 4, 0, false, runs, calls);
  time("logistic", logistic, byLogistic, 2, 0, false, runs, calls);
  time("tent", tent, byTent, 2, 1, true, runs, calls);
  return 0;
}
