// A native interpreter that boxes: one heap object for every value, structural and numeric alike.
//
// The program is read once into a tree of pairs, which are values too; the evaluator walks it. Values
// and environments live in an arena of objects that are made by new and freed after the evaluation.
// Forward only, single precision, one lane, as the paper's boxed baseline.
//
//   boxed <runs> <calls a run>
//
// Standard input: source in one line, then "name value" lines for numbers, and
// "name rows cols data…" lines for matrices. Prints "result x" and "forward" with nanoseconds a call.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

enum Tag { NUMBER, SYMBOL, PAIR, NIL, BOOLEAN, TENSOR, RECUR };

struct Box {
  Tag tag;
  int aux = 0;
  float number = 0;
  Box* car = nullptr;
  Box* cdr = nullptr;
  int rows = 0, cols = 0;
  std::vector<float> data;
};

std::vector<Box*> arena;
bool isKept = true;
long constructions = 0;

Box* box(Tag tag) {
  Box* made = new Box();
  made->tag = tag;
  constructions++;
  if (!isKept) arena.push_back(made);
  return made;
}
Box* number(float x) { Box* b = box(NUMBER); b->number = x; return b; }
Box* boolean(bool x) { Box* b = box(BOOLEAN); b->aux = x; return b; }
Box* cons(Box* a, Box* d) { Box* b = box(PAIR); b->car = a; b->cdr = d; return b; }
Box* nil() { return box(NIL); }
Box* tensor(int rows, int cols, std::vector<float> data) {
  Box* b = box(TENSOR);
  b->rows = rows; b->cols = cols; b->data = std::move(data);
  return b;
}

std::map<std::string, int> names;
int intern(const std::string& word) { return names.emplace(word, (int)names.size()).first->second; }
Box* symbol(const std::string& word) { Box* b = box(SYMBOL); b->aux = intern(word); return b; }

enum Word { IF, LET, LETS, LOOP, AGAIN, ADD, SUB, MUL, DIV, EXP, LOG, SIN, COS, SQRT, ABS, EQ, LT, GT,
            VEC, MAT, EYE, SCALE, REF, INV, DET, DOT, MATMUL, MATVEC };
const char* WORDS[] = {"if", "let", "let*", "loop", "recur", "+", "-", "*", "/", "exp", "log", "sin",
  "cos", "sqrt", "abs", "=", "<", ">", "vec", "mat", "eye", "scale", "ref", "inv", "det", "dot",
  "matmul", "matvec"};

Box* readForm(std::istringstream& in) {
  std::string token;
  in >> token;
  if (token == "(") {
    std::vector<Box*> items;
    for (;;) {
      const auto at = in.tellg();
      in >> token;
      if (token == ")") break;
      in.seekg(at);
      items.push_back(readForm(in));
    }
    Box* made = nil();
    for (size_t i = items.size(); i-- > 0;) made = cons(items[i], made);
    return made;
  }
  char* end;
  const float x = std::strtof(token.c_str(), &end);
  return *end == 0 ? number(x) : symbol(token);
}

Box* lookup(int name, Box* env) {
  for (; env->tag == PAIR; env = env->cdr)
    if (env->car->car->aux == name) return env->car->cdr;
  std::fprintf(stderr, "unbound name\n");
  std::exit(1);
}

Box* elementwise(int word, Box* a, Box* b) {
  const auto apply = [word](float x, float y) {
    return word == ADD ? x + y : word == SUB ? x - y : word == MUL ? x * y : x / y;
  };
  if (a->tag == NUMBER && b->tag == NUMBER) return number(apply(a->number, b->number));
  std::vector<float> data(a->data.size());
  for (size_t i = 0; i < data.size(); i++) data[i] = apply(a->data[i], b->data[i]);
  return tensor(a->rows, a->cols, data);
}

Box* apply(int word, std::vector<Box*>& v) {
  Box* a = v[0];
  Box* b = v.size() > 1 ? v[1] : nullptr;
  switch (word) {
    case ADD: case SUB: case MUL: case DIV: {
      if (b == nullptr) return number(-a->number);
      Box* result = a;
      for (size_t i = 1; i < v.size(); i++) result = elementwise(word, result, v[i]);
      return result;
    }
    case EXP: return number(std::exp(a->number));
    case LOG: return number(std::log(a->number));
    case SIN: return number(std::sin(a->number));
    case COS: return number(std::cos(a->number));
    case SQRT: return number(std::sqrt(a->number));
    case ABS: return number(std::fabs(a->number));
    case EQ: return boolean(a->number == b->number);
    case LT: return boolean(a->number < b->number);
    case GT: return boolean(a->number > b->number);
    case VEC: {
      std::vector<float> data;
      for (Box* each : v) data.push_back(each->number);
      return tensor((int)data.size(), 0, data);
    }
    case MAT: {
      std::vector<float> data;
      for (Box* each : v) data.insert(data.end(), each->data.begin(), each->data.end());
      return tensor((int)v.size(), a->rows, data);
    }
    case EYE: {
      const int n = (int)a->number;
      std::vector<float> data(n * n);
      for (int i = 0; i < n; i++) data[i * n + i] = 1;
      return tensor(n, n, data);
    }
    case SCALE: {
      std::vector<float> data = b->data;
      for (float& x : data) x *= a->number;
      return tensor(b->rows, b->cols, data);
    }
    case REF: {
      const int row = (int)b->number;
      return tensor(a->cols, 0, {a->data.begin() + row * a->cols, a->data.begin() + (row + 1) * a->cols});
    }
    case DET: return number(a->data[0] * a->data[3] - a->data[1] * a->data[2]);
    case INV: {
      const auto& m = a->data;
      const float over = 1.0f / (m[0] * m[3] - m[1] * m[2]);
      return tensor(2, 2, {over * m[3], -over * m[1], -over * m[2], over * m[0]});
    }
    case DOT: {
      float sum = 0;
      for (size_t i = 0; i < a->data.size(); i++) sum += a->data[i] * b->data[i];
      return number(sum);
    }
    default: {
      const int cols = word == MATVEC ? 1 : b->cols;
      std::vector<float> data(a->rows * cols);
      for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < cols; j++) {
          float sum = 0;
          for (int k = 0; k < a->cols; k++) sum += a->data[i * a->cols + k] * b->data[k * cols + j];
          data[i * cols + j] = sum;
        }
      return tensor(a->rows, word == MATVEC ? 0 : cols, data);
    }
  }
}

Box* eval(Box* form, Box* env);

Box* bind(Box* name, Box* value, Box* env) { return cons(cons(name, value), env); }

Box* loop(Box* rest, Box* env) {
  std::vector<Box*> variables, values;
  for (Box* at = rest->car; at->tag == PAIR; at = at->cdr) {
    variables.push_back(at->car->car);
    values.push_back(eval(at->car->cdr->car, env));
  }
  Box* body = rest->cdr->car;
  for (;;) {
    Box* inner = env;
    for (size_t i = 0; i < variables.size(); i++) inner = bind(variables[i], values[i], inner);
    Box* result = eval(body, inner);
    if (result->tag != RECUR) return result;
    values.clear();
    for (Box* at = result->car; at->tag == PAIR; at = at->cdr) values.push_back(at->car);
  }
}

Box* eval(Box* form, Box* env) {
  for (;;) {
    if (form->tag == SYMBOL) return lookup(form->aux, env);
    if (form->tag != PAIR) return form;
    const int word = form->car->aux;
    Box* rest = form->cdr;
    if (word == IF) {
      form = eval(rest->car, env)->aux ? rest->cdr->car : rest->cdr->cdr->car;
    } else if (word == LET || word == LETS) {
      for (Box* at = rest->car; at->tag == PAIR; at = at->cdr)
        env = bind(at->car->car, eval(at->car->cdr->car, env), env);
      form = rest->cdr->car;
    } else if (word == LOOP) {
      return loop(rest, env);
    } else {
      std::vector<Box*> values;
      for (Box* at = rest; at->tag == PAIR; at = at->cdr) values.push_back(eval(at->car, env));
      if (word != AGAIN) return apply(word, values);
      Box* made = nil();
      for (size_t i = values.size(); i-- > 0;) made = cons(values[i], made);
      Box* again = box(RECUR);
      again->car = made;
      return again;
    }
  }
}

void freeArena() {
  for (Box* each : arena) delete each;
  arena.clear();
}

volatile float sink;

}  // namespace

int main(int, char** arguments) {
  const int runs = std::atoi(arguments[1]);
  const int calls = std::atoi(arguments[2]);
  for (const char* word : WORDS) intern(word);
  std::string line, spaced;
  std::getline(std::cin, line);
  for (char c : line) spaced += c == '(' || c == ')' ? std::string(" ") + c + " " : std::string(1, c);
  std::istringstream text(spaced);
  Box* program = readForm(text);
  Box* base = nil();
  std::vector<Box*> inputs;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string name;
    in >> name;
    std::vector<float> numbers;
    for (float x; in >> x;) numbers.push_back(x);
    if (numbers.empty()) continue;
    Box* value;
    if (numbers.size() == 1) inputs.push_back(value = number(numbers[0]));
    else value = tensor((int)numbers[0], (int)numbers[1], {numbers.begin() + 2, numbers.end()});
    base = bind(symbol(name), value, base);
  }
  isKept = false;
  constructions = 0;
  std::printf("result %.9g\n", eval(program, base)->number);
  std::printf("constructions %ld\n", constructions);
  freeArena();
  std::vector<float> middle;
  for (Box* each : inputs) middle.push_back(each->number);
  std::printf("forward");
  float sum = 0;
  int turn = 0;
  for (int run = -2; run < runs; run++) {
    const auto started = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; i++, turn++) {
      for (size_t k = 0; k < inputs.size(); k++) inputs[k]->number = middle[k] * (1 + 1e-4f * (turn % 8));
      sum += eval(program, base)->number;
      freeArena();
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - started;
    if (run >= 0) std::printf(" %.1f", took.count() / calls);
  }
  std::printf("\n");
  sink = sum;
  return 0;
}
