import { useState } from "preact/hooks";
import { actOf } from "../../../logic/acts";
import { visible } from "../../../logic/visible";
import { messageOf } from "../../../shell/failure";
import { project } from "../../../shell/projects";
import { texts } from "../../../store";
import { Field, Select } from "../../../ui/Field";
import { useLoaded } from "../../../ui/useLoaded";
import { readToolTitles, testRules, type Verdict } from "../actions";
import type { Agent } from "../logic/permissions";

/** Why does this ask? Tests a call against the rules without making it. */
export function RuleTest({ agents }: { agents: readonly Agent[] }) {
  const t = texts.value;
  const { data: tools } = useLoaded(readToolTitles);
  const [tool, setTool] = useState("write_to_file");
  const [target, setTarget] = useState("");
  const [agent, setAgent] = useState("");
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [error, setError] = useState("");

  /** Tools of different parts can have the same title. */
  const titled = (tools ?? []).map(({ name, title, surface }) => [name, visible(`${t.served.surfaces[surface] ?? surface} · ${t.served.tools[name] ?? title}`)] as const);

  async function test(): Promise<void> {
    setError("");
    setVerdict(null);
    const about = target.trim();
    const where = about === "" ? {} : /^https?:/.test(about) ? { address: about } : { path: about };
    try {
      setVerdict(await testRules({ tool, ...where, ...(agent ? { agent } : {}), ...(project.value ? { project: project.value } : {}) }));
    } catch (failure) {
      setError(messageOf(failure));
    }
  }

  return (
    <section class="card" aria-labelledby="rule-test">
      <h2 id="rule-test">{t.ruleTest.title}</h2>
      <form class="rule-test" onSubmit={(event) => { event.preventDefault(); void test(); }}>
        <Select label={t.ruleTest.tool} value={tool} options={tools ? titled : [[tool, t.loading]]} onChange={setTool} />
        <Field label={t.ruleTest.target} value={target} onInput={setTarget} placeholder={actOf(tool) === "edit" ? "src/app.ts" : "https://example.com"} />
        <Select label={t.ruleTest.agent} value={agent} options={[["", t.everyAgent], ...agents.map(({ identity, name }) => [identity, name] as const)]} onChange={setAgent} />
        <button type="submit" class="plain">{t.ruleTest.test}</button>
      </form>
      {error && <p class="problem" role="alert">{error}</p>}
      {verdict && <p role="status"><strong class={`decision ${verdict.decision}`}>{t.verdicts[verdict.decision]}</strong> {verdict.isDefault ? t.ruleTest.byDefault(t.deeds[verdict.effect]?.name ?? verdict.effect) : t.ruleTest.byRule(verdict.because)}{verdict.isCritical && ` ${t.ruleTest.critical}`}</p>}
    </section>
  );
}
