/**
 * Dates as numbers: how much of a unit has passed since 1970-01-01, 00:00 in UTC.
 *
 * Text that is read as a date is 2024-03-01, 2024/03/01 or 01.03.2024, and with a time behind it
 * (T or a blank, hours and minutes at least) and a zone (Z or +02:00) behind that. Without a zone it
 * is UTC. 03/04/2024 is not read: it is another day in another country.
 */

export type DateUnit = "years" | "days" | "hours" | "minutes" | "seconds" | "milliseconds";

const MILLISECONDS: Readonly<Record<DateUnit, number>> = {
  years: 365.25 * 86_400_000,
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
};

export const DATE_UNITS = Object.keys(MILLISECONDS) as readonly DateUnit[];

export const inUnit = (milliseconds: number, unit: DateUnit): number =>
  milliseconds / MILLISECONDS[unit];

/** What the numbers of a column of dates count. */
export const unitText = (unit: DateUnit): string =>
  `${unit === "years" ? "years of 365.25 days" : unit} since 1970-01-01`;

/** The date that a number stands for, as text. */
export function dateText(value: number, unit: DateUnit): string {
  const date = new Date(Math.round(value * MILLISECONDS[unit]));
  if (Number.isNaN(date.getTime())) return String(value);
  const text = date.toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text;
}

const DAY = MILLISECONDS.days;
const YEAR_FIRST = /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(.*)$/;
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(.*)$/;
const TIME =
  /^[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z| ?UTC|[+-]\d{2}(?::?\d{2})?)?$/i;

/** Milliseconds since 1970-01-01 that a text stands for; undefined if it is no date. */
export function parseDate(text: string): number | undefined {
  const first = text.charCodeAt(0);
  if (text.length < 8 || first < 48 || first > 57) return undefined;
  const years = YEAR_FIRST.exec(text);
  if (years) return dateOf(years[1], years[3], years[4], years[5]);
  const days = DAY_FIRST.exec(text);
  return days ? dateOf(days[3], days[2], days[1], days[4]) : undefined;
}

function dateOf(year = "", month = "", day = "", rest = ""): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!isReal) return undefined;
  if (rest === "") return date.getTime();
  const time = TIME.exec(rest);
  if (time === null) return undefined;
  const [, hours = "", minutes = "", seconds = "0", fraction = "", zone = ""] = time;
  if (Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  const inSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const parts = fraction === "" ? 0 : Number(`0.${fraction}`) * 1000;
  const milliseconds = inSeconds * 1000 + parts;
  // 24:00 is the end of the day; a leap second comes before it.
  const isWithinDay = milliseconds <= DAY || (Number(hours) < 24 && milliseconds < DAY + 1000);
  const away = zoneOf(zone);
  return isWithinDay && away !== undefined ? date.getTime() + milliseconds - away : undefined;
}

/** Milliseconds that a zone is ahead of UTC; undefined for what is none. */
function zoneOf(zone: string): number | undefined {
  const sign = zone[0] === "-" ? -1 : 1;
  if (zone[0] !== "-" && zone[0] !== "+") return 0;
  const digits = zone.slice(1).replace(":", "");
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2) || "0")];
  return hours > 23 || minutes > 59 ? undefined : sign * (hours * 60 + minutes) * 60_000;
}
