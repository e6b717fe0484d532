import type { TargetedKeyboardEvent } from "preact";
import { useMemo, useState } from "preact/hooks";
import { loadOlderCalls } from "../actions";
import { everyCall, filterCalls } from "../logic/calls";
import { areCallsLoaded, calls, olderCalls } from "../store";
import { session, texts } from "../../../store";
import { CallRow } from "./CallRow";
import { Chunked } from "../../../ui/Chunked";
import { Select } from "../../../ui/Field";
import { focusBeside } from "../../../ui/focus";
import { LoadMore } from "../../../ui/LoadMore";
import { PageHead } from "../../../ui/PageHead";

const ROW_HEIGHT = 49;

/** The calls as they happen, newest first. */
export function Activity() {
  const t = texts.value;
  const [filter, setFilter] = useState(everyCall);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const found = useMemo(() => filterCalls(calls.value, filter), [calls.value, filter]);
  const all: [string, string] = ["", t.all];

  const toggle = (id: string): void => {
    const now = new Set(opened);
    if (!now.delete(id)) now.add(id);
    setOpened(now);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => focusBeside(event, ".call-summary");

  return (
    <>
      <PageHead title={t.pages.activity} sub={typeof session.value === "object" ? session.value.project : undefined}>
        <input
          type="search"
          class="search"
          placeholder={t.search}
          aria-label={t.search}
          value={filter.words}
          onInput={(event) => setFilter({ ...filter, words: event.currentTarget.value })}
        />
        <Select label={t.effect} value={filter.effect} options={[all, ...Object.entries(t.effects)]} onChange={(effect) => setFilter({ ...filter, effect })} />
        <Select label={t.state} value={filter.state} options={[all, ...Object.entries(t.states)]} onChange={(state) => setFilter({ ...filter, state })} />
        <span class="sub count" role="status">{t.shownOf(found.length, calls.value.length)}</span>
      </PageHead>
      <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={t.pages.activity}>
        <div class="calls" role="list" onKeyDown={onKeyDown}>
          <Chunked
            rows={found}
            rowHeight={ROW_HEIGHT}
            render={(call) => <CallRow key={call.executionId} call={call} isOpen={opened.has(call.executionId)} toggle={toggle} />}
          />
        </div>
        {found.length === 0 && <p class="nothing">{!areCallsLoaded.value ? t.loading : calls.value.length ? t.noMatches : t.noCalls}</p>}
        {olderCalls.value && <LoadMore load={loadOlderCalls} />}
      </div>
    </>
  );
}
