/**
 * Reads figures back: the numbers that a reader of the picture sees, by the labels of its axes. Nothing
 * here knows how the picture was made.
 */

import { parseHTML } from "linkedom";

type Pair = readonly [x: number, y: number];

export interface Mark {
  readonly kind: "dot" | "line" | "area" | "rect" | "rule";
  /** Fill or stroke. */
  readonly color: string;
  /** What else is seen of it: radius, dashes, opacity. */
  readonly look: string;
  /** Centres of dots, corners of lines and areas, corners of bars in turn. */
  readonly points: readonly Pair[];
  readonly titles: readonly string[];
}

export interface Figure {
  readonly label: string;
  readonly size: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly marks: readonly Mark[];
  readonly legend: readonly string[];
  readonly caption: string;
}

export interface Axis {
  readonly label: string;
  readonly ticks: readonly string[];
  readonly isLog: boolean;
}

interface Scale extends Axis {
  at(place: number): number;
}

type Node = Element;

const all = (node: Node, selector: string): Node[] => [...node.querySelectorAll(selector)];
const attribute = (node: Node, name: string): string => node.getAttribute(name) ?? "";
const placeOf = (node: Node, side: 0 | 1): number => {
  const numbers = /translate\(([^,]+),([^)]+)\)/.exec(attribute(node, "transform"));
  return Number(numbers?.[side + 1]);
};

/** What a place along an axis stands for, from the labels of its ticks. */
function scaleOf(svg: Node, name: "x" | "y"): Scale {
  const side = name === "x" ? 0 : 1;
  const ticks = all(svg, `g[aria-label="${name}-axis tick label"] text`)
    .map((text) => ({ text: text.textContent ?? "", place: placeOf(text, side) }))
    .filter(({ text }) => text !== "");
  const label = all(svg, `g[aria-label="${name}-axis label"] text`)[0]?.textContent ?? "";
  const [first, last] = [ticks[0], ticks.at(-1)];
  const texts = ticks.map(({ text }) => text);
  if (first === undefined || last === undefined || first === last)
    return { label, ticks: texts, isLog: false, at: () => Number(first?.text) };
  const between = (from: number, to: number) => (place: number) =>
    from + ((to - from) * (place - first.place)) / (last.place - first.place);
  const linear = between(Number(first.text), Number(last.text));
  const powers = between(Math.log(Number(first.text)), Math.log(Number(last.text)));
  const middle = ticks[Math.floor(ticks.length / 2)] as (typeof ticks)[number];
  const width = Math.abs(Number(last.text) - Number(first.text));
  const isLog = Math.abs(linear(middle.place) - Number(middle.text)) > 0.01 * width;
  return { label, ticks: texts, isLog, at: isLog ? (p) => Math.exp(powers(p)) : linear };
}

/** Corners of a path of straight lines. */
function cornersOf(path: string): Pair[] {
  const corners: Pair[] = [];
  for (const [, command, text = ""] of path.matchAll(/([MLHV])([^MLHVZ]*)/g)) {
    const [x = 0, y = 0] = corners.at(-1) ?? [];
    const [a = Number.NaN, b = Number.NaN] = text.split(",").map(Number);
    corners.push(command === "H" ? [a, y] : command === "V" ? [x, a] : [a, b]);
  }
  return corners;
}

const KINDS = ["dot", "line", "area", "rect", "rule"] as const;

function markOf(group: Node, kind: Mark["kind"], x: Scale, y: Scale): Mark {
  const read = ([a, b]: Pair): Pair => [x.at(a), y.at(b)];
  const number = (node: Node, name: string): number => Number(attribute(node, name));
  const shapes = all(group, "circle, path, rect, line");
  const corners = shapes.flatMap((shape): Pair[] => {
    const tag = shape.tagName.toLowerCase();
    if (tag === "circle") return [[number(shape, "cx"), number(shape, "cy")]];
    if (tag === "path") return cornersOf(attribute(shape, "d"));
    if (tag === "line") return [[number(shape, "x1"), number(shape, "y1")]];
    const [left, top] = [number(shape, "x"), number(shape, "y")];
    return [
      [left, top],
      [left + number(shape, "width"), top + number(shape, "height")],
    ];
  });
  const radius = new Set(all(group, "circle").map((circle) => attribute(circle, "r")));
  const fill = attribute(group, "fill");
  const looks = ["stroke-dasharray", "fill-opacity", "stroke-width"].map((name) =>
    attribute(group, name),
  );
  return {
    kind,
    color: fill === "" || fill === "none" ? `stroke ${attribute(group, "stroke")}` : fill,
    look: [...radius, ...looks.filter((look) => look !== "")].join(" "),
    points: corners.map(read),
    titles: all(group, "title").map((title) => title.textContent ?? ""),
  };
}

function figureOf(svg: Node, around: Node | undefined): Figure {
  const [x, y] = [scaleOf(svg, "x"), scaleOf(svg, "y")];
  const marks = all(svg, "g").flatMap((group) => {
    const kind = KINDS.find((name) => name === attribute(group, "aria-label"));
    return kind === undefined ? [] : [markOf(group, kind, x, y)];
  });
  const legend = around === undefined ? [] : all(around, ".legend span");
  return {
    label: attribute(svg, "aria-label"),
    size: `${attribute(svg, "width")} × ${attribute(svg, "height")}`,
    x,
    y,
    marks,
    legend: legend.map((entry) => {
      const mark = all(entry, "i")[0] as Node;
      return `${entry.textContent}: ${attribute(mark, "class")} ${attribute(mark, "style")}`;
    }),
    caption: (around && all(around, "figcaption")[0]?.textContent) ?? "",
  };
}

/** Every figure of a page, in its order. */
export function figuresIn(page: string): Figure[] {
  const { document } = parseHTML(`<html><body>${page}</body></html>`);
  const figures = [...document.querySelectorAll("figure")] as unknown as Node[];
  if (figures.length === 0)
    return ([...document.querySelectorAll("svg")] as unknown as Node[]).map((svg) =>
      figureOf(svg, undefined),
    );
  return figures.map((figure) => figureOf(all(figure, "svg")[0] as Node, figure));
}

/** Digits that a picture of some hundred points can show. */
const seen = (value: number): string => String(Number(value.toPrecision(4)) + 0);

/** A figure in words, for a page to be compared with an earlier one. */
export function figureText({ label, size, x, y, marks, legend, caption }: Figure): string {
  const axis = ({ label: name, ticks, isLog }: Axis): string =>
    `${name}${isLog ? ", logarithmic" : ""}: ${ticks.join(" ")}`;
  const lines = marks.map(({ kind, color, look, points, titles }) => {
    const few = points.length <= 24 ? points : points.filter((_, at) => at % 20 === 0);
    const places = few.map(([a, b]) => `(${seen(a)}, ${seen(b)})`).join(" ");
    const told = titles.length === 0 ? "" : `\n    titles: ${titles.slice(0, 3).join("; ")}`;
    return `  ${kind}, ${color}, ${look}, ${points.length} points: ${places}${told}`;
  });
  const told = [`[figure: ${label}, ${size}]`, `  x ${axis(x)}`, `  y ${axis(y)}`, ...lines];
  return [...told, `  legend: ${legend.join("; ")}`, `  caption: ${caption}`].join("\n");
}

/** The words of a page, block by block, its figures as numbers in their places. */
export function pageText(page: string): string {
  const figures = figuresIn(page).map(figureText);
  const { document } = parseHTML(page);
  const lines: string[] = [];
  const blocks = "h1, h2, p, li, dt, dd, tr, pre, figure, footer";
  for (const node of [...document.querySelectorAll(blocks)] as unknown as Node[]) {
    const tag = node.tagName.toLowerCase();
    if (tag === "figure") lines.push(figures.shift() ?? "");
    else if (tag === "tr")
      lines.push(
        all(node, "th, td")
          .map((cell) => `${cell.textContent}${attribute(cell, "class") === "number" ? "#" : ""}`)
          .join(" | "),
      );
    else lines.push(`${tag}: ${node.textContent}`);
  }
  return lines.join("\n");
}
