import { useState } from "preact/hooks";
import { messageOf } from "../../../shell/failure";
import { Visible } from "../../../ui/Visible";
import { type Commit, readCommits, takeCommit, type Taken } from "../actions";
import { words } from "../words";

/** Commits that the agent made: fetched on request, accepted one by one. */
export function Commits({ run, isBusy, took }: { run: string; isBusy: boolean; took: (taken: Taken) => void }) {
  const t = words.value;
  const [commits, setCommits] = useState<Commit[] | null>(null);
  const [failure, setFailure] = useState("");
  const [hint, setHint] = useState("");
  const fail = (fault: unknown): void => setFailure(messageOf(fault));
  const take = (commit: Commit): void => {
    setFailure("");
    takeCommit(run, commit.id).then((taken) => {
      took(taken);
      setHint(taken.result.taken ? t.commitHint(commit.id.slice(0, 12)) : "");
    }, fail);
  };
  return (
    <section class="review-commits">
      <h2>{t.commits}</h2>
      {failure && <p class="problem"><Visible text={failure} /></p>}
      {hint && <p class="sub"><code>{hint}</code></p>}
      {!commits && <button type="button" class="plain" onClick={() => void readCommits(run).then(setCommits, fail)}>{t.showCommits}</button>}
      {commits?.length === 0 && <p class="nothing">{t.noCommits}</p>}
      <ol>
        {commits?.map((commit) => (
          <li key={commit.id}>
            <div class="row">
              <code>{commit.id.slice(0, 12)}</code>
              <strong><Visible text={commit.subject} /></strong>
              <button type="button" class="plain" disabled={isBusy} onClick={() => take(commit)}>{t.takeCommit}</button>
            </div>
            <p class="sub"><Visible text={`${commit.author} · ${commit.date}`} /></p>
            <pre tabIndex={0}><Visible text={commit.stat} /></pre>
          </li>
        ))}
      </ol>
    </section>
  );
}
