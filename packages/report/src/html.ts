/**
 * Pages that stand alone: one HTML file with its style and pictures inside, readable in light and
 * dark, printable, asking the network for nothing.
 */

import { own, visible } from "@ndvm/core";

/** Text that is already HTML, so that it is not escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type Content = string | number | Html | readonly Content[] | undefined;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as it is on a page; names on it turn no direction of writing, and are seen whole. */
export const escapeHtml = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (mark) => own(ENTITIES, mark) ?? mark);

function render(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "string") return escapeHtml(content);
  if (typeof content === "number") return String(content);
  return content.map(render).join("");
}

/** HTML from a template; what is put in is escaped unless it is HTML itself. */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(strings.map((text, index) => text + render(contents[index])).join(""));
}

export interface HtmlColumn<T> {
  readonly title: string;
  /** Numbers stand right. */
  readonly isNumber?: boolean;
  cell(row: T): Content;
}

export function table<T>(columns: readonly HtmlColumn<T>[], rows: readonly T[]): Html {
  const name = (column: HtmlColumn<T>): string => (column.isNumber ? "number" : "word");
  const head = columns.map((column) => html`<th class="${name(column)}">${column.title}</th>`);
  const body = rows.map((row) => {
    const cells = columns.map(
      (column) => html`<td class="${name(column)}">${column.cell(row)}</td>`,
    );
    return html`<tr>${cells}</tr>\n`;
  });
  return html`<div class="scroll"><table>
<thead><tr>${head}</tr></thead>
<tbody>${body}</tbody>
</table></div>`;
}

/** Names with values, as a list of small cards. */
export function cards(entries: readonly (readonly [name: string, value: Content])[]): Html {
  const items = entries.map(
    ([name, value]) => html`<div class="card"><dt>${name}</dt><dd>${value}</dd></div>`,
  );
  return html`<dl class="cards">${items}</dl>`;
}

export const list = (items: readonly Content[]): Html =>
  html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;

/** Program text, commands. */
export const verbatim = (text: string): Html => html`<pre>${text}</pre>`;

export function section(title: string, ...contents: readonly Content[]): Html {
  return html`<section>\n<h2>${title}</h2>\n${contents}\n</section>\n`;
}

export interface LegendEntry {
  readonly label: string;
  readonly color: string;
  readonly mark: "dot" | "ring" | "line" | "band";
}

export interface FigureOptions {
  readonly svg: Html;
  readonly caption: Content;
  readonly legend?: readonly LegendEntry[];
}

export function figure({ svg, caption, legend = [] }: FigureOptions): Html {
  const entries = legend.map(
    ({ label, color, mark }) =>
      html`<span><i class="${mark}" style="--mark: ${color}"></i>${label}</span>`,
  );
  const key = entries.length > 0 ? html`<div class="legend">${entries}</div>` : undefined;
  return html`<figure>${key}${svg}<figcaption>${caption}</figcaption></figure>`;
}

/** Figures beside each other where there is room. */
export const sideBySide = (...figures: readonly Html[]): Html =>
  html`<div class="side">${figures}</div>`;

export interface PageOptions {
  readonly title: string;
  readonly subtitle?: Content;
  readonly body: readonly Content[];
  readonly footer?: Content;
}

export function page({ title, subtitle, body, footer }: PageOptions): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
${subtitle === undefined ? undefined : html`<p class="subtitle">${subtitle}</p>`}
</header>
${body}
${footer === undefined ? undefined : html`<footer>${footer}</footer>`}
</main>
</body>
</html>
`.text;
}

/** Colours of series, first to last; charts and legends use them by name. */
export const seriesColor = (index: number): string => `var(--series-${(index % 8) + 1})`;

const LIGHT = `
  --paper: #fbfbfa; --panel: #ffffff; --ink: #1d2126; --soft: #5d6670; --rule: #dde1e5;
  --warn: #8a5a00; --warn-panel: #fff6e0;
  --series-1: #1f6fb2; --series-2: #d1620f; --series-3: #2f8f4e; --series-4: #8a4fb3;
  --series-5: #b8293d; --series-6: #0e8b8b; --series-7: #8c6d1f; --series-8: #5a6f80;
`;
const DARK = `
  --paper: #14171a; --panel: #1b1f24; --ink: #e4e8ec; --soft: #98a3ae; --rule: #323940;
  --warn: #f0c674; --warn-panel: #2b2516;
  --series-1: #6cb2ee; --series-2: #f3995a; --series-3: #73c98d; --series-4: #c59be6;
  --series-5: #ef7f8d; --series-6: #5cc9c9; --series-7: #d3b766; --series-8: #a3b4c2;
`;
const FIGURES = `
figure { margin: 0 0 14px; }
figcaption { color: var(--soft); font-size: 13px; margin-top: 4px; }
svg { display: block; max-width: 100%; height: auto; }
svg text { font-size: 12px; }
.side { display: grid; gap: 20px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; margin-bottom: 6px; }
.legend span { display: inline-flex; align-items: center; gap: 7px; }
.legend i { display: inline-block; }
.legend .dot { width: 9px; height: 9px; border-radius: 50%; background: var(--mark); }
.legend .ring { width: 10px; height: 10px; border-radius: 50%; border: 2px solid var(--mark); }
.legend .line { width: 20px; height: 0; border-top: 2.5px solid var(--mark); }
.legend .band { width: 20px; height: 12px; background: var(--mark); opacity: 0.25; }
`;
const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 32px 20px 48px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 12px; }
.subtitle { color: var(--soft); margin: 4px 0 0; }
section { background: var(--panel); border: 1px solid var(--rule); border-radius: 8px;
  padding: 18px 20px; margin-top: 18px; }
section > :last-child { margin-bottom: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(118px, 1fr)); gap: 10px;
  margin: 18px 0 0; }
.card { background: var(--panel); border: 1px solid var(--rule); border-radius: 8px;
  padding: 8px 12px; }
dt { color: var(--soft); font-size: 12.5px; }
dd { margin: 0; font-size: 18px; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 18px 5px 0; text-align: left; border-bottom: 1px solid var(--rule);
  vertical-align: baseline; }
th { font-weight: 600; color: var(--soft); font-size: 13px; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; }
.word { overflow-wrap: anywhere; }
.word:first-child { white-space: nowrap; }
${FIGURES}pre { background: var(--paper); border: 1px solid var(--rule); border-radius: 6px; margin: 0 0 12px;
  padding: 10px 12px; overflow-x: auto; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.warnings { background: var(--warn-panel); border-color: var(--warn); }
.warnings h2 { color: var(--warn); }
.formula { font: 16px/1.5 Cambria, "DejaVu Serif", Georgia, serif; margin: 12px 0 0; }
ul { margin: 0; padding-left: 20px; }
p { margin: 0 0 10px; }
footer { color: var(--soft); font-size: 13px; margin-top: 18px; }
@media print { body { background: none; } section { break-inside: avoid; } }
`;

/** Figures inside somebody else's page, such as a notebook: their style reaches nothing else. */
export function fragment(...contents: readonly Content[]): string {
  const style = `.ndvm-figures { ${LIGHT} background: var(--panel); color: var(--ink); padding: 10px;
max-width: 1000px; font: 15px/1.5 system-ui, sans-serif; ${FIGURES} }
@media (prefers-color-scheme: dark) { .ndvm-figures { ${DARK} } }`;
  return html`<div class="ndvm-figures"><style>${new Html(style)}</style>${contents}</div>`.text;
}
