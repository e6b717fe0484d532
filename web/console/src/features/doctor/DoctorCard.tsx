import type { PageName } from "../../features";
import { translateServerText } from "../../logic/serverText";
import { announcement, texts } from "../../store";
import { useLoaded } from "../../ui/useLoaded";
import { InlineCode } from "../../ui/InlineCode";
import { Visible } from "../../ui/Visible";
import { readDoctor, type Check } from "./actions";

export function DoctorCard() {
  const t = texts.value;
  const { data: doctor, error, again } = useLoaded(readDoctor);
  return (
    <section class="card">
      <h2>{t.doctor}</h2>
      {error && <p class="problem">{error}</p>}
      {!doctor && !error && <p class="nothing">{t.loading}</p>}
      {doctor && (
        <>
          <p role="status">{doctor.ok ? t.doctorWell : t.doctorIll}</p>
          <ul class="checks">{doctor.checks.map((check) => <CheckRow key={check.name} check={check} />)}</ul>
        </>
      )}
      <p class="row"><button type="button" class="plain" onClick={again}>{t.checkAgain}</button></p>
    </section>
  );
}

function CheckRow({ check }: { check: Check }) {
  const t = texts.value;
  const [state, word] = check.ok ? ["done", t.ok] : check.required ? ["failed", t.missing] : ["running", t.note];
  return (
    <li>
      <span class={`state ${state}`}>{word}</span>
      <span>
        <Visible text={t.checkNames[check.name] ?? check.name} /> <span class="sub"><InlineCode text={translateServerText(check.detail)} /></span>
        {check.fix && <span class="sub fix"><InlineCode text={translateServerText(check.fix)} /></span>}
        {!check.ok && <Fixes check={check} />}
      </span>
    </li>
  );
}

/** The page where a problem can be fixed, by the name of the check. */
const PLACES: Record<string, PageName> = { browsers: "browser", servers: "apps", project: "permissions", hooks: "connect", clients: "connect" };

/** A link to the page where it can be fixed, or the command to paste into a terminal. */
function Fixes({ check }: { check: Check }) {
  const t = texts.value;
  const place = PLACES[check.name];
  const commands = [...(check.fix ?? "").matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command).filter((command) => command.startsWith("handrail "));
  if (!place && commands.length === 0) return null;
  return (
    <span class="fixes">
      {place && <a class="plain" href={`#/${place}`}>{t.openPage(t.pages[place])}</a>}
      {commands.map((command) => (
        <button key={command} type="button" class="plain" onClick={() => void navigator.clipboard.writeText(command).then(() => (announcement.value = t.copied))}>{t.copy} <code>{command}</code></button>
      ))}
    </span>
  );
}
