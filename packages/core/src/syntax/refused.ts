/**
 * Names of Scheme that this language leaves out on purpose, with what to use instead.
 */

const helps: readonly (readonly [help: string, names: string])[] = [
  [
    "variables are never changed; carry the new value in a loop: (loop ((x x0)) … (recur next))",
    "set! set-car! set-cdr! list-set! vector-set! vector-fill! vector-copy!",
  ],
  [
    "continuations are left out; leave a loop by giving its value",
    "call/cc call-with-current-continuation dynamic-wind call-with-escape-continuation",
  ],
  [
    "there are no macros; write a procedure",
    "define-syntax let-syntax letrec-syntax syntax-rules syntax-error er-macro-transformer",
  ],
  ["evaluation is eager; write (lambda () …) and call it", "delay delay-force make-promise force"],
  ["use vec or a list: [a b c] or (list a b c)", "vector make-vector list->vector vector-map"],
  ["use vec or a list: (ref v i) or (list-ref items i)", "vector-ref"],
  ["use vec or a list: (vlen v) or (length items)", "vector-length"],
  [
    "use vec or a list",
    "vector? vector->list vector-append vector-copy vector-for-each subvector bytevector",
  ],
  [
    "return a list of the values and take it apart with car and cdr",
    "values call-with-values let-values let*-values define-values receive",
  ],
  ["use a rest parameter: (lambda (a . rest) …)", "case-lambda opt-lambda"],
  [
    "use a list, or a closure that holds the fields",
    "define-record-type define-record define-structure",
  ],
  ["pass the value as an argument", "parameterize make-parameter fluid-let"],
  [
    "a program cannot raise or catch errors; return a value that tells, such as #f or +nan.0",
    "guard raise raise-continuable with-exception-handler error assert error-object? exit",
  ],
  [
    "a program does no input or output; its value is its last expression",
    "display newline write write-string print printf format read read-line read-char load eval include current-output-port",
  ],
  [
    "a symbol can stand for a text: 'name",
    `string string? string=? string<? string-append string-length string-ref substring make-string
     string->symbol symbol->string number->string string->number string-copy list->string
     string->list string-map string-for-each string-upcase string-downcase`,
  ],
  [
    "a symbol can stand for a character: 'a",
    "char? char=? char->integer integer->char char-upcase char-downcase",
  ],
  ["a procedure without effects need not be run for each element; use map", "for-each"],
  ["use eq?", "symbol=? boolean=?"],
  ["integers and reals are one kind of number here; use integer?", "exact? inexact?"],
  ["every finite number is rational here; use finite?", "rational?"],
  ["write exact or inexact", "inexact->exact exact->inexact"],
  ["numbers are real; use (floor (sqrt n)) and (- n (square root))", "exact-integer-sqrt"],
  [
    "numbers are real; use quotient, remainder and modulo",
    `floor/ truncate/ floor-quotient floor-remainder truncate-quotient truncate-remainder
     exact-integer? exact-rational? numerator denominator rationalize`,
  ],
  [
    "complex numbers are left out",
    "make-rectangular make-polar real-part imag-part magnitude angle complex?",
  ],
  ["write the definitions into the program itself", "import define-library require library module"],
  ["use a list of pairs and assq", "make-hash-table hash-table-ref make-hash hash-ref hash-set"],
  ["programs are deterministic; make the random numbers an input", "random rand random-real"],
];

/** Help by refused name. */
export const refusedNames: ReadonlyMap<string, string> = new Map(
  helps.flatMap(([help, names]) => names.split(/\s+/).map((name) => [name, help] as const)),
);
