import { useEffect, useMemo, useState } from "preact/hooks";
import type { Missing, Resource, Use } from "../logic/game";
import { choicesOf, filterResources, type Choice } from "../logic/resources";
import { texts } from "../../../store";
import { openScene, readResources } from "../actions";
import { stamp } from "../store";
import { words } from "../words";
import { visible } from "../../../logic/visible";
import { Chunked } from "../../../ui/Chunked";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";
import { stopSound } from "../logic/playing";
import { ResourceCard } from "./ResourceCard";

/** Height share of a card in a row; a guess until the row was measured. */
const CARD_SHARE = 40;
const MOST_PLACES = 3;
const FEW = 5;

export function Resources() {
  const w = words.value;
  const { data, error, again } = useLoaded(readResources);
  const [sought, setSought] = useState("");
  const [choice, setChoice] = useState<Choice>("all");
  useEffect(again, [stamp.value]);
  useEffect(() => stopSound, []);
  const all = data?.resources ?? [];
  const shown = useMemo(() => filterResources(all, sought, choice), [data, sought, choice]);
  const draw = useMemo(() => (one: Resource) => <ResourceCard key={one.path} resource={one} />, []);
  const lacking = useMemo(() => (choice === "all" || choice === "missing" ? (data?.missing ?? []).filter(({ path }) => path.toLowerCase().includes(sought.toLowerCase())) : []), [data, sought, choice]);
  return (
    <div class="page-body" data-scroller>
      {error && <p class="problem" role="alert">{error}</p>}
      {!data && !error && <p class="nothing">{texts.value.loading}</p>}
      {data && (
        <>
          <div class="tools-row">
            <input type="search" class="search" placeholder={w.findResource} aria-label={w.findResource} value={sought} onInput={(event) => setSought(event.currentTarget.value)} />
            <div class="severities" role="group" aria-label={w.tabs.resources}>
              {choicesOf(all, data.missing.length).map(([name, count]) => (
                <button key={name} type="button" class="chip" aria-pressed={choice === name} onClick={() => setChoice(name)}>{w.choices[name]} {count}</button>
              ))}
            </div>
          </div>
          {lacking.length > 0 && (
            <section class="card missing" aria-label={w.missing}>
              <h2>{w.missing}</h2>
              <div><Chunked key={choice} rows={choice === "missing" ? lacking : lacking.slice(0, FEW)} rowHeight={24} render={drawMissing} /></div>
              {choice !== "missing" && lacking.length > FEW && <button type="button" class="quiet" onClick={() => setChoice("missing")}>{w.more(lacking.length - FEW)}</button>}
            </section>
          )}
          {shown.length + lacking.length === 0 && <p class="nothing">{w.noResources}</p>}
          <div class="resources"><Chunked key={`${choice} ${sought}`} rows={shown} rowHeight={CARD_SHARE} render={draw} /></div>
        </>
      )}
    </div>
  );
}

const drawMissing = ({ path, uses }: Missing) => <p key={path} class="missing-row"><span class="mono"><Visible text={path} /></span> <Places uses={uses} /></p>;

/** The first lines that use it, each a link. */
function Places({ uses }: { uses: readonly Use[] }) {
  const w = words.value;
  return (
    <span class="places sub">
      {uses.slice(0, MOST_PLACES).map(({ path, line }) => (
        <button key={`${path}:${line}`} type="button" class="quiet mono" onClick={() => void openScene(path, line)}>{visible(`${path.slice(path.lastIndexOf("/") + 1)}:${line}`)}</button>
      ))}
      {uses.length > MOST_PLACES && <span>{w.more(uses.length - MOST_PLACES)}</span>}
    </span>
  );
}
