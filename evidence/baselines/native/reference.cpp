// A driver of ours for the author's C++ runtime, which lies in a checkout that NDVM_REFERENCE names and
// is built with it: one interpreter kept over all calls, as the author's boundary to PyTorch keeps it.
//
//   reference <lanes> <runs> <calls a run> cache|scan
//
// "scan" turns off its cache of addresses, so that every reference searches its name.
// Standard input: the source in one line, then "name value" lines for numbers, and
// "name rows cols data…" lines for matrices. Prints "result value gradients…" of the first lane, and
// "forward" and "gradient" with nanoseconds a call.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "interp.hpp"

namespace {

struct Number { std::string name; float value; };
struct Matrix { std::string name; uint32_t rows, cols; std::vector<float> data; };

struct Program {
  std::string source;
  std::vector<Number> numbers;
  std::vector<Matrix> matrices;
};

Program readProgram() {
  Program program;
  std::getline(std::cin, program.source);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string name;
    in >> name;
    std::vector<float> numbers;
    for (float x; in >> x;) numbers.push_back(x);
    if (numbers.size() == 1) program.numbers.push_back({name, numbers[0]});
    else if (numbers.size() > 2)
      program.matrices.push_back({name, (uint32_t)numbers[0], (uint32_t)numbers[1],
                                  {numbers.begin() + 2, numbers.end()}});
  }
  return program;
}

volatile float sink;

ndvm::Val run(ndvm::Interp& machine, const Program& program, bool tapes, int turn) {
  const uint32_t lanes = machine.batch();
  machine.begin_forward();
  machine.set_taping(tapes);
  std::vector<float> values(lanes);
  for (const Number& each : program.numbers) {
    for (uint32_t lane = 0; lane < lanes; lane++) {
      const float part = lanes == 1 ? 0.0f : 0.2f * (std::fmod(lane * 0.618034f, 1.0f) - 0.5f);
      values[lane] = each.value * (1 + part + 1e-4f * (turn % 8));
    }
    machine.bind_scalar_batched(each.name, values);
  }
  for (const Matrix& each : program.matrices)
    machine.bind_matrix(each.name, each.rows, each.cols, each.data);
  const ndvm::Val value = machine.run(program.source);
  if (tapes) machine.backward(value);
  return value;
}

void time(const char* name, ndvm::Interp& machine, const Program& program, bool tapes, int runs,
          int calls) {
  std::printf("%s", name);
  int turn = 0;
  for (int round = -1; round < runs; round++) {
    const auto started = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; i++)
      sink = machine.num_lane(run(machine, program, tapes, turn++), 0);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - started;
    if (round >= 0) std::printf(" %.1f", took.count() / calls);
  }
  std::printf("\n");
}

}  // namespace

int main(int, char** arguments) {
  ndvm::Interp machine((uint32_t)std::atoi(arguments[1]));
  const int runs = std::atoi(arguments[2]);
  const int calls = std::atoi(arguments[3]);
  machine.set_inline_cache(std::string(arguments[4]) != "scan");
  const Program program = readProgram();
  const ndvm::Val value = run(machine, program, true, 0);
  std::printf("result %.9g", machine.num_lane(value, 0));
  for (const Number& each : program.numbers)
    for (const auto& found : machine.scalar_params())
      if (found.first == each.name) std::printf(" %.9g", machine.grad_lane(found.second, 0));
  std::printf("\n");
  time("forward", machine, program, false, runs, calls);
  time("gradient", machine, program, true, runs, calls);
  return 0;
}
