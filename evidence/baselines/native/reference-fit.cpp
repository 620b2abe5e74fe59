// Fits on the author's C++ runtime, which lies in a checkout that NDVM_REFERENCE names and is built with
// this driver of ours. The recipe is that of baselines/fits.ts: the same starts, the same Adam steps, rows
// as lanes, and the point of least loss is kept.
//
//   reference-fit stream <seconds> <fits at most, or 0> <seed> <steps>
//   reference-fit calibrate <evaluations> <runs>
//
// "stream" reads four lines of numbers (x, y, held-out x, held-out y), then a line for each candidate: its
// parameters with commas between them, a blank, its source. It prints a line for each fit when it is done:
// "fit seconds index score core-seconds loss", with "none" where the score is not a number. One interpreter
// is kept for the whole stream, and held-out rows use the same lanes, so nothing is read twice.
//
// "calibrate" reads a program as reference.cpp does and fits its numbers from where they are, never below
// 1e-4. It prints "losses" of one fit, and "fit" with the nanoseconds of each run from the text.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "interp.hpp"

namespace {

constexpr double RATE = 0.05;
// No candidate of the streams comes near it; a loop that never ends fails instead of hanging.
constexpr uint64_t STEPS_MOST = 20'000'000;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point started) {
  return std::chrono::duration<double>(Clock::now() - started).count();
}

std::vector<double> numbersOf(const std::string& line) {
  std::istringstream in(line);
  std::vector<double> found;
  for (double x; in >> x;) found.push_back(x);
  return found;
}

// Numbers of a normal distribution, as fits.ts draws them.
struct Normals {
  uint32_t state;
  explicit Normals(uint32_t seed) : state(seed ? seed : 1) {}
  double uniform() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state / 4294967296.0;
  }
  double next() {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform();
    return sum;
  }
};

// Adam, 0.05 a step, betas 0.9 and 0.999; leaves the point of least loss in p and returns that loss.
double adam(std::vector<double>& p, std::vector<double>& slopes, int steps,
            const std::function<double()>& gradient) {
  std::vector<double> m(p.size()), v(p.size()), best = p;
  double least = std::numeric_limits<double>::infinity(), b1 = 1, b2 = 1;
  for (int step = 0; step <= steps; step++) {
    const double loss = gradient();
    if (loss < least) {
      least = loss;
      best = p;
    }
    if (step == steps) break;
    b1 *= 0.9;
    b2 *= 0.999;
    for (size_t i = 0; i < p.size(); i++) {
      const double g = slopes[i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      p[i] -= RATE * m[i] / (1 - b1) / (std::sqrt(v[i] / (1 - b2)) + 1e-8);
    }
  }
  p = best;
  return least;
}

struct Candidate {
  std::vector<std::string> params;
  std::string source;
};

struct Task {
  std::vector<double> x, y, heldX, heldY;
  std::vector<Candidate> candidates;
};

Task readTask() {
  Task task;
  for (std::vector<double>* column : {&task.x, &task.y, &task.heldX, &task.heldY}) {
    std::string line;
    std::getline(std::cin, line);
    *column = numbersOf(line);
  }
  for (std::string line; std::getline(std::cin, line);) {
    const size_t blank = line.find(' ');
    Candidate one;
    one.source = line.substr(blank + 1);
    std::istringstream names(line.substr(0, blank));
    for (std::string name; std::getline(names, name, ',');) one.params.push_back(name);
    task.candidates.push_back(one);
  }
  return task;
}

class Fitter {
 public:
  Fitter(const Task& task, int steps)
      : task_(task), steps_(steps), machine_((uint32_t)task.x.size()), row_(task.x.size()) {
    machine_.set_max_eval_steps(STEPS_MOST);
  }

  // The score on held-out rows, not a number where the fit fails; `loss` is the mean of squares.
  double fit(const Candidate& one, std::vector<double> p, double& loss) {
    loss = std::numeric_limits<double>::quiet_NaN();
    try {
      std::vector<double> slopes(p.size());
      loss = adam(p, slopes, steps_, [&] { return lossAt(one, p, slopes); });
      const ndvm::Val value = run(one, p, task_.heldX, false);
      return score(value);
    } catch (const std::exception&) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  ndvm::Val run(const Candidate& one, const std::vector<double>& p, const std::vector<double>& x,
                bool tapes) {
    machine_.begin_forward();
    machine_.set_taping(tapes);
    // Lanes beyond the held-out rows repeat the last one and are never read.
    for (size_t lane = 0; lane < row_.size(); lane++)
      row_[lane] = (float)x[lane < x.size() ? lane : x.size() - 1];
    machine_.bind_scalar_batched("x", row_);
    for (size_t i = 0; i < p.size(); i++) machine_.bind_scalar(one.params[i], (float)p[i]);
    const ndvm::Val value = machine_.run(one.source);
    if (!machine_.is_num(value)) throw std::runtime_error("the value is not a number");
    return value;
  }

  double lossAt(const Candidate& one, const std::vector<double>& p, std::vector<double>& slopes) {
    const ndvm::Val value = run(one, p, task_.x, true);
    machine_.backward(value);
    const size_t rows = task_.x.size();
    const auto& bound = machine_.scalar_params();
    double total = 0;
    for (double& slope : slopes) slope = 0;
    for (size_t lane = 0; lane < rows; lane++) {
      const double error = machine_.num_lane(value, (uint32_t)lane) - task_.y[lane];
      total += error * error;
      for (size_t i = 0; i < p.size(); i++)
        slopes[i] += 2 * error / rows * machine_.grad_lane(bound[i + 1].second, (uint32_t)lane);
    }
    return total / rows;
  }

  double score(const ndvm::Val& value) const {
    const std::vector<double>& y = task_.heldY;
    double mean = 0, rest = 0, all = 0;
    for (double each : y) mean += each / y.size();
    for (size_t i = 0; i < y.size(); i++) {
      const double error = y[i] - machine_.num_lane(value, (uint32_t)i);
      rest += error * error;
      all += (y[i] - mean) * (y[i] - mean);
    }
    return 1 - rest / all;
  }

  const Task& task_;
  const int steps_;
  ndvm::Interp machine_;
  std::vector<float> row_;
};

int stream(double seconds, int most, uint32_t seed, int steps) {
  const Task task = readTask();
  if (task.candidates.empty() || task.heldX.size() > task.x.size()) return 2;
  Fitter fitter(task, steps);
  const auto started = Clock::now();
  const std::clock_t busy = std::clock();
  int fits = 0;
  for (uint32_t cycle = 0;; cycle++)
    for (uint32_t index = 0; index < task.candidates.size(); index++) {
      const Candidate& one = task.candidates[index];
      Normals normals(1 + seed * 1000003u + cycle * 1009u + index);
      std::vector<double> start;
      for (size_t i = 0; i < one.params.size(); i++) start.push_back(0.3 * normals.next());
      double loss;
      const double score = fitter.fit(one, start, loss);
      const double now = since(started);
      const double core = (double)(std::clock() - busy) / CLOCKS_PER_SEC;
      if (std::isfinite(score))
        std::printf("fit %.9g %u %.9g %.9g %.9g\n", now, index, score, core, loss);
      else
        std::printf("fit %.9g %u none %.9g %.9g\n", now, index, core, loss);
      if (++fits == most || now > seconds) return 0;
    }
}

struct Matrix { std::string name; uint32_t rows, cols; std::vector<float> data; };

int calibrate(int evaluations, int runs) {
  std::string source, line;
  std::getline(std::cin, source);
  std::vector<std::string> names;
  std::vector<double> starts;
  std::vector<Matrix> matrices;
  while (std::getline(std::cin, line)) {
    const size_t blank = line.find(' ');
    const std::vector<double> numbers = numbersOf(line.substr(blank + 1));
    if (numbers.size() == 1) {
      names.push_back(line.substr(0, blank));
      starts.push_back(numbers[0]);
    } else if (numbers.size() > 2)
      matrices.push_back({line.substr(0, blank), (uint32_t)numbers[0], (uint32_t)numbers[1],
                          {numbers.begin() + 2, numbers.end()}});
  }
  std::vector<double> losses;
  const auto fit = [&] {
    ndvm::Interp machine(1);
    std::vector<double> p = starts, slopes(p.size());
    losses.clear();
    adam(p, slopes, evaluations - 1, [&] {
      machine.begin_forward();
      machine.set_taping(true);
      for (size_t i = 0; i < p.size(); i++) {
        p[i] = std::max(p[i], 1e-4);
        machine.bind_scalar(names[i], (float)p[i]);
      }
      for (const Matrix& each : matrices)
        machine.bind_matrix(each.name, each.rows, each.cols, each.data);
      const ndvm::Val value = machine.run(source);
      machine.backward(value);
      for (size_t i = 0; i < p.size(); i++)
        slopes[i] = machine.grad_scalar(machine.scalar_params()[i].second);
      losses.push_back(machine.num(value));
      return losses.back();
    });
  };
  fit();
  std::printf("losses");
  for (double loss : losses) std::printf(" %.9g", loss);
  std::printf("\nfit");
  for (int round = 0; round < runs; round++) {
    const auto started = Clock::now();
    fit();
    std::printf(" %.1f", since(started) * 1e9);
  }
  std::printf("\n");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string job = count > 1 ? arguments[1] : "";
  if (job == "stream" && count == 6)
    return stream(std::atof(arguments[2]), std::atoi(arguments[3]), (uint32_t)std::atoi(arguments[4]),
                  std::atoi(arguments[5]));
  if (job == "calibrate" && count == 4) return calibrate(std::atoi(arguments[2]), std::atoi(arguments[3]));
  std::fprintf(stderr, "reference-fit stream SECONDS FITS SEED STEPS, or calibrate EVALUATIONS RUNS\n");
  return 2;
}
