/**
 * The prelude: procedures written in the language itself.
 *
 * `definitions` holds their text by key, one definition each; `preludeMeanings` says which surface
 * name means which of them. Calls with the usual number of arguments go to a version without rest
 * parameter. Definitions see the primitives, the special forms and each other, never the user's
 * names.
 */

import { accessors, type PreludeName } from "./names.js";
import type { PreludeMeaning } from "./scope.js";

const definitions = new Map<string, string>([
  [
    "map",
    `(define (map f items . more)
       (if (null? more)
           (%map f items)
           (loop ((lists (cons items more)) (results '()))
             (if (%any-null? lists)
                 (reverse results)
                 (recur (%map cdr lists) (cons (apply f (%map car lists)) results))))))`,
  ],
  [
    "%map",
    `(define (map f items)
       (loop ((items items) (results '()))
         (if (null? items)
             (reverse results)
             (recur (cdr items) (cons (f (car items)) results)))))`,
  ],
  [
    "%any-null?",
    `(define (any-null? lists)
       (loop ((lists lists))
         (cond ((null? lists) #f)
               ((null? (car lists)) #t)
               (else (recur (cdr lists))))))`,
  ],
  [
    "filter",
    `(define (filter keep? items)
       (loop ((items items) (kept '()))
         (cond ((null? items) (reverse kept))
               ((keep? (car items)) (recur (cdr items) (cons (car items) kept)))
               (else (recur (cdr items) kept)))))`,
  ],
  [
    "fold-left",
    `(define (fold-left f start items . more)
       (if (null? more)
           (%fold-left f start items)
           (loop ((lists (cons items more)) (result start))
             (if (%any-null? lists)
                 result
                 (recur (%map cdr lists) (apply f result (%map car lists)))))))`,
  ],
  [
    "%fold-left",
    `(define (fold-left f start items)
       (loop ((items items) (result start))
         (if (null? items) result (recur (cdr items) (f result (car items))))))`,
  ],
  [
    "fold-right",
    `(define (fold-right f start items . more)
       (if (null? more)
           (%fold-right f start items)
           (loop ((rows (reverse (apply map list items more))) (result start))
             (if (null? rows)
                 result
                 (recur (cdr rows) (apply f (append (car rows) (list result))))))))`,
  ],
  [
    "%fold-right",
    `(define (fold-right f start items)
       (loop ((items (reverse items)) (result start))
         (if (null? items) result (recur (cdr items) (f (car items) result)))))`,
  ],
  [
    "reduce",
    `(define (reduce f default items)
       (if (null? items)
           default
           (loop ((items (cdr items)) (result (car items)))
             (if (null? items) result (recur (cdr items) (f (car items) result))))))`,
  ],
  [
    "member",
    `(define (member object items . by)
       (if (null? by)
           (member object items)
           (loop ((same? (car by)) (items items))
             (cond ((null? items) #f)
                   ((same? object (car items)) items)
                   (else (recur same? (cdr items)))))))`,
  ],
  [
    "assoc",
    `(define (assoc key items . by)
       (if (null? by)
           (assoc key items)
           (loop ((same? (car by)) (items items))
             (cond ((null? items) #f)
                   ((same? key (car (car items))) (car items))
                   (else (recur same? (cdr items)))))))`,
  ],
]);

const accessorParts = accessors();
for (const [name, primitives] of accessorParts) {
  const chain = primitives.reduceRight((inner, primitive) => `(${primitive} ${inner})`, "pair");
  definitions.set(name, `(define (${name} pair) ${chain})`);
}

/** The text of one definition. */
export function preludeText(key: string): string {
  return definitions.get(key) ?? "";
}

export const preludeKeys: readonly string[] = [...definitions.keys()];

function prelude(
  name: string,
  min: number,
  max: number,
  shortcut: NonNullable<PreludeMeaning["shortcut"]>,
): PreludeMeaning {
  return { kind: "prelude", name, key: name, arity: { min, max }, shortcut };
}

type Usual = readonly [min: number, max: number, shortcut: NonNullable<PreludeMeaning["shortcut"]>];

const procedures: Readonly<Record<PreludeName, Usual>> = {
  map: [2, Infinity, { count: 2, key: "%map" }],
  filter: [2, 2, { count: 2, key: "filter" }],
  "fold-left": [3, Infinity, { count: 3, key: "%fold-left" }],
  "fold-right": [3, Infinity, { count: 3, key: "%fold-right" }],
  reduce: [3, 3, { count: 3, key: "reduce" }],
  member: [2, 3, { count: 2, primitives: ["member"] }],
  assoc: [2, 3, { count: 2, primitives: ["assoc"] }],
};

export const preludeMeanings: readonly PreludeMeaning[] = [
  ...Object.entries(procedures).map(([name, usual]) => prelude(name, ...usual)),
  ...[...accessorParts].map(([name, primitives]) => prelude(name, 1, 1, { count: 1, primitives })),
];
