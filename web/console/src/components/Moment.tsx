import { language } from "../store";

/** A time as short as it can be: the day only when it is another one. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  const isToday = date.toDateString() === new Date().toDateString();
  const format: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false };
  if (!isToday) Object.assign(format, { year: "numeric", month: "short", day: "numeric" });
  return (
    <time dateTime={at} title={date.toLocaleString(language.value)}>
      {new Intl.DateTimeFormat(language.value, format).format(date)}
    </time>
  );
}

export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
