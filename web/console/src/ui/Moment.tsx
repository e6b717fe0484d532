import { language } from "../store";

const TIME: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false };
const MINUTE: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hour12: false };
const DAY: Intl.DateTimeFormatOptions = { year: "numeric", month: "short", day: "numeric" };
/** Creating a formatter takes longer than everything else in a list row. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(kind: "minute" | "time" | "day" | "date" | "whole"): Intl.DateTimeFormat {
  const name = `${kind} ${language.value}`;
  const options = kind === "whole" ? { dateStyle: "long" as const, timeStyle: "medium" as const } : kind === "minute" ? MINUTE : kind === "time" ? TIME : kind === "date" ? DAY : { ...MINUTE, ...DAY };
  const format = formats.get(name) ?? new Intl.DateTimeFormat(language.value, options);
  formats.set(name, format);
  return format;
}

/** A time in short form: with the day only if it isn't today, and then without seconds. A day (`2026-11-30`) stays one. */
export function Moment({ at, isShort = false }: { at: string | number; isShort?: boolean }) {
  const isDay = typeof at === "string" && /^\d{4}-\d\d-\d\d$/.test(at);
  const date = new Date(isDay ? `${at}T00:00` : at);
  if (Number.isNaN(date.getTime())) return null;
  if (isDay) return <time dateTime={String(at)}>{formatOf("date").format(date)}</time>;
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={formatOf("whole").format(date)}>
      {formatOf(isToday ? (isShort ? "minute" : "time") : "day").format(date)}
    </time>
  );
}

export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
