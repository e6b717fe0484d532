import type { Card, CardFact, FileChangePrompt, PromptImage, RequestEntry } from "@handrail/host";
import type { ComponentChildren } from "preact";
import { imageUrl } from "../../history/logic/calls";
import { actOf, isShort } from "../../../logic/acts";
import { visible } from "../../../logic/visible";
import { texts } from "../../../store";
import { Diff } from "../../../ui/Diff";
import { Enlargeable } from "../../../ui/Enlargeable";
import { Facts } from "../../../ui/Facts";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import { factText, isSentence, labelOf } from "../logic/card";
import { shownParams } from "../logic/params";
import { MaskedValues } from "./MaskedValues";

/** What will happen: warnings, the command in its parts, the arguments, pictures, the diff. */
export function ChangeDetails({ prompt, card, requestId }: { prompt: FileChangePrompt; card: Card | null; requestId?: string }) {
  const t = texts.value;
  const { path, command, cwd, diff, images = [] } = prompt;
  const isListed = card !== null && diff === undefined && (card.params.length > 0 || card.facts.length > 0);
  const sent = isListed && command === undefined && <Sent params={shownParams(card, t.card)} />;
  /** Of a call, what it does comes before what it is given; of a page or window, what the agent does comes before what is there. */
  const isCall = card !== null && actOf(card.tool) === "call";
  return (
    <>
      {card ? <Warnings card={card} /> : <PlainWarnings prompt={prompt} />}
      {command !== undefined && <Command command={command} cwd={cwd} parts={card?.parts ?? []} />}
      {!isCall && sent}
      {card && <Facts facts={[[labelOf("within", t.card), isShort(card.within) ? undefined : card.within], ...grouped(card.parts.length > 0 ? card.facts.filter(({ name }) => name !== "Programs") : card.facts)]} />}
      {isCall && sent}
      {prompt.masked && requestId !== undefined && <MaskedValues requestId={requestId} />}
      {!card && <Facts facts={[[t.file, diff === undefined ? path : undefined]]} />}
      {images.map((image) => <Picture key={image.path} image={image} isOurs={card !== null} />)}
      {diff && <Diff text={diff} path={path} />}
    </>
  );
}

function Warnings({ card }: { card: Card }) {
  const t = texts.value;
  return (
    <>
      {card.unseen && <p class="problem" role="note">{t.unseen}{t.betweenSentences}<Visible text={factText(card.unseen, t.card)} /></p>}
      {card.changed.length > 0 && (
        <div class="problem" role="note">
          <p>{t.changedSince}</p>
          <ul>{card.changed.map((fact, at) => <li key={at}>{fact.name === "was" || fact.name === "now" ? `${t.card[fact.name]}: ` : ""}<Visible text={factText(fact, t.card)} /></li>)}</ul>
        </div>
      )}
      {card.notes.map((note) => <p key={note.name + note.value} class="problem" role="note">{noteText(note)}</p>)}
    </>
  );
}

function noteText({ name, code, value }: CardFact): string {
  const t = texts.value.card;
  if (name === "stale") return t.notes[code as "program" | "descriptor"] ?? visible(value);
  const words = t.notes[name as keyof typeof t.notes] ?? "";
  // With several files, the file concerned comes first.
  const of = name === "runsLater" && value ? `${visible(value)}: ` : "";
  return code ? `${of}${words}${texts.value.betweenSentences}${visible(t.phrases[code]?.(value) ?? value)}` : words;
}

/** The prompt's own warnings, if it has no card data. */
function PlainWarnings({ prompt: { unseen, changed = [], runsLater } }: { prompt: FileChangePrompt }) {
  const t = texts.value;
  return (
    <>
      {unseen !== undefined && <p class="problem" role="note">{t.unseen}{t.betweenSentences}<Visible text={unseen} /></p>}
      {changed.length > 0 && (
        <div class="problem" role="note">
          <p>{t.changedSince}</p>
          <ul>{changed.map((line) => <li key={line}><Visible text={line} /></li>)}</ul>
        </div>
      )}
      {runsLater !== undefined && <p class="problem" role="note">{t.runsLater}{t.betweenSentences}<Visible text={runsLater} /></p>}
    </>
  );
}

/** The exact command line first, then each program that it starts, with its arguments. */
function Command({ command, cwd, parts }: { command: string; cwd: string | undefined; parts: readonly (readonly string[])[] }) {
  const t = texts.value;
  return (
    <section class="command">
      <pre tabIndex={0}><Visible text={command} /></pre>
      {cwd !== undefined && <Facts facts={[[t.cwd, cwd]]} />}
      {parts.length > 0 && (
        <>
          <h3>{t.card.parts}</h3>
          <ol class="parts">{parts.map(([program = "", ...given], at) => <li key={at}><b><Visible text={program} /></b>{given.map((word, place) => <span key={place}><Visible text={word} /></span>)}</li>)}</ol>
        </>
      )}
    </section>
  );
}

function Sent({ params }: { params: readonly CardFact[] }) {
  if (params.length === 0) return null;
  return (
    <section class="sent">
      <h3>{texts.value.card.fields}</h3>
      <Facts facts={params.map(({ name, value }) => [visible(name), value])} />
    </section>
  );
}

/** Several facts of the same name share a row. */
function grouped(facts: readonly CardFact[]): [string, ComponentChildren][] {
  const t = texts.value.card;
  const rows = new Map<string, CardFact[]>();
  for (const fact of facts) rows.set(fact.name, [...(rows.get(fact.name) ?? []), fact]);
  return [...rows].map(([name, row]) => {
    const text = row.map((fact) => factText(fact, t)).join("\n");
    return [visible(labelOf(name, t)), row.every((fact) => isSentence(fact, t)) ? <span class="said"><Visible text={text} /></span> : text];
  });
}

/** Identifiers, for people who need them. */
export function CardDetails({ request, card }: { request: RequestEntry; card: Card | null }) {
  const t = texts.value;
  const { prompt, requestId, runId } = request;
  const raw: [string, string][] = (card?.params ?? []).map(({ name, value }) => [visible(name), value]);
  return (
    <details class="card-details">
      <summary>{t.card.details}</summary>
      <Facts facts={[[t.card.caller, card?.identity ?? request.postedBy], [t.card.tool, card?.tool], [t.source, prompt.source], [t.run, runId], [t.card.request, requestId], [t.card.digest, card?.digest], ...(prompt.kind === "file_change_confirm" ? raw : [])]} />
    </details>
  );
}

function Picture({ image, isOurs }: { image: PromptImage; isOurs: boolean }) {
  const url = imageUrl(image.path);
  // The caption below our own pictures is the server's and says the same as the picture.
  const alt = isOurs ? texts.value.shot : visible(image.alt ?? image.path);
  return (
    <figure>
      {url && <Enlargeable label={alt}><ServerImage url={url} alt={alt} /></Enlargeable>}
      {!isOurs && <figcaption class="sub"><Visible text={image.alt ?? image.path} /></figcaption>}
    </figure>
  );
}
