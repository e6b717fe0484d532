import { useState } from "preact/hooks";
import { callTool, readTools } from "../actions";
import { texts } from "../../../store";
import { type Tool } from "../actions";
import { EffectChip } from "../../../ui/Chip";
import { Facts } from "../../../ui/Facts";
import { Markdown } from "../../../ui/Markdown";
import { formatDuration } from "../../../ui/Moment";
import { PageHead } from "../../../ui/PageHead";
import { ToolForm } from "./ToolForm";
import { useLoaded } from "../../../ui/useLoaded";
import { Visible } from "../../../ui/Visible";

export function Tools() {
  const t = texts.value;
  const { data: tools, error, again } = useLoaded(readTools);
  const [words, setWords] = useState("");
  const matches = (tools ?? []).filter((tool) => `${tool.name} ${tool.title} ${t.served.tools[tool.name] ?? ""} ${tool.description}`.toLowerCase().includes(words.toLowerCase()));
  const surfaces = [...new Set(matches.map((tool) => tool.surface))];
  return (
    <>
      <PageHead title={t.pages.tools} sub={tools ? t.toolCount(tools.length) : undefined}>
        <input type="search" class="search" placeholder={t.filterTools} aria-label={t.filterTools} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      </PageHead>
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={t.pages.tools}>
        {error && <p class="problem" role="alert">{error} <button type="button" class="plain" onClick={again}>{t.retry}</button></p>}
        {!tools && !error && <p class="nothing">{t.loading}</p>}
        {tools && matches.length === 0 && <p class="nothing">{t.noMatches}</p>}
        {surfaces.map((surface) => (
          <section key={surface} class="surface" aria-label={t.served.surfaces[surface] ?? surface}>
            <h2><Visible text={t.served.surfaces[surface] ?? surface} /></h2>
            {matches.filter((tool) => tool.surface === surface).map((tool) => <ToolCard key={tool.name} tool={tool} />)}
          </section>
        ))}
      </div>
    </>
  );
}

function ToolCard({ tool }: { tool: Tool }) {
  const t = texts.value;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div class="call">
      <button type="button" class="call-summary" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <b><Visible text={t.served.tools[tool.name] ?? tool.title} /></b>
        <span class="mono sub target"><Visible text={tool.name} /></span>
        <span class="call-end"><EffectChip effect={tool.effect} /></span>
      </button>
      {isOpen && (
        <div class="call-details">
          <p>{t.does[tool.effect]}</p>
          <h3>{t.tryIt}</h3>
          <ToolForm schema={tool.inputSchema} call={(params) => callTool(tool.name, params)} />
          <details><summary>{t.toAgents}</summary><Markdown text={tool.description} /><Facts facts={[[t.deadline, formatDuration(tool.deadlineMs)], [t.idempotent, tool.idempotent ? "✓" : "–"]]} /></details>
          <details><summary>{t.inputSchema}</summary><pre tabIndex={0}><Visible text={JSON.stringify(tool.inputSchema, null, 2)} /></pre></details>
          {tool.outputSchema && <details><summary>{t.outputSchema}</summary><pre tabIndex={0}><Visible text={JSON.stringify(tool.outputSchema, null, 2)} /></pre></details>}
        </div>
      )}
    </div>
  );
}
