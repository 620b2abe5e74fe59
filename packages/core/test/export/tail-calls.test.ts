/**
 * A tail call is one wherever it stands: in every form that can end in one, alone and inside each
 * other, exported JavaScript goes round more often than its stack is deep.
 */

import { expect, test } from "vitest";
import { exportModel } from "../../src/index.js";
import { functionOf } from "./support.js";

const TURNS = 40_000;

/** Forms that end in a call, which stands for #. */
const PLACES = [
  "(if (< n -1) 0 #)",
  "(if (> n -1) # 0)",
  "(let ((m n)) #)",
  "(let* ((m n) (k m)) #)",
  "(letrec ((h (lambda (x) x))) (h 1) #)",
  "(begin #)",
  "(begin n #)",
  "(begin n (+ n 1) #)",
  "(begin n (+ n 1) (+ n 2) #)",
  "(begin (w n) #)",
  "(begin n (w n) #)",
  "(begin n (w n) (w n) #)",
  "(cond ((< n -1) 0) (else #))",
  "(cond ((> n -1) n #) (else 0))",
  "(case 2 ((1) 0) ((2 3) #) (else 1))",
  "(when (> n -1) n (+ n 1) #)",
  "(unless (< n -1) n (+ n 1) #)",
  "(and (> n -1) #)",
  "(or (< n -1) #)",
  "((lambda (m) (w m) (w m) #) n)",
  "(loop ((i 0)) (if (< i 1) (recur (+ i 1)) #))",
  "(do ((i 0 (+ i 1))) ((= i 1) i (w i) #))",
] as const;

/** What calls: a procedure itself, another one, one that it is given. */
const CALLERS = {
  itself: (place: string) =>
    `(define (w x) x) (define (f n a) (if (= n 0) a ${place.replace("#", "(f (- n 1) (+ a 1))")})) (f n 0)`,
  another: (place: string) =>
    `(define (w x) x) (define (f n a) (if (= n 0) a ${place.replace("#", "(g (- n 1) (+ a 1))")})) (define (g n a) (f n a)) (f n 0)`,
  "one that it is given": (place: string) =>
    `(define (w x) x) ((lambda (f) (f f n 0)) (lambda (f n a) (if (= n 0) a ${place.replace("#", "(f f (- n 1) (+ a 1))")})))`,
};

test.each(Object.entries(CALLERS))("a procedure that calls %s takes no stack", (_, programOf) => {
  const pairs = PLACES.map((place, i) =>
    place.replace("#", PLACES[(i * 7 + 3) % PLACES.length] as string),
  );
  for (const place of [...PLACES, ...pairs]) {
    const text = exportModel({ program: programOf(place), numbers: ["n"] }, "javascript");
    expect(functionOf(text)({ n: TURNS }), `${place}\n${text}`).toBe(TURNS);
  }
});
