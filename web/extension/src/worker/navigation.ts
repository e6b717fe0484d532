/** Follows the top frame of each tab: when a navigation starts, where it ends, when the page can be read. */

export interface Journey { startedAt: number; url: string; committedAt?: number; readyAt?: number; error?: string }

const journeys = new Map<number, Journey>();
const waiting = new Map<number, Set<() => void>>();
const offspring = new Map<number, { tabId: number; at: number }[]>();

export function watchNavigation(onNewTab: (sourceTabId: number, tabId: number) => void, onReady: (tabId: number, frameId: number) => void): void {
  const { webNavigation } = chrome;
  webNavigation.onBeforeNavigate.addListener(({ tabId, frameId, url }) => {
    if (frameId === 0) update(tabId, { startedAt: performance.now(), url });
  });
  webNavigation.onCommitted.addListener(({ tabId, frameId, url }) => {
    if (frameId === 0) update(tabId, { ...(journeys.get(tabId) ?? { startedAt: performance.now() }), url, committedAt: performance.now() });
  });
  webNavigation.onDOMContentLoaded.addListener(({ tabId, frameId, url }) => {
    if (frameId === 0) update(tabId, { ...(journeys.get(tabId) ?? { startedAt: performance.now(), committedAt: performance.now() }), url, readyAt: performance.now() });
    onReady(tabId, frameId);
  });
  for (const event of [webNavigation.onHistoryStateUpdated, webNavigation.onReferenceFragmentUpdated]) {
    event.addListener(({ tabId, frameId, url }) => {
      const now = performance.now();
      if (frameId === 0) update(tabId, { startedAt: now, url, committedAt: now, readyAt: now });
    });
  }
  webNavigation.onErrorOccurred.addListener(({ tabId, frameId, error, url }) => {
    const journey = journeys.get(tabId);
    if (frameId === 0 && journey) update(tabId, { ...journey, url, error });
  });
  webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) => {
    const children = offspring.get(sourceTabId) ?? [];
    offspring.set(sourceTabId, [...children, { tabId, at: performance.now() }].slice(-10));
    onNewTab(sourceTabId, tabId);
    wake(sourceTabId);
  });
  chrome.tabs.onUpdated.addListener((tabId, { status }) => {
    const journey = journeys.get(tabId);
    // A page that comes back from the cache is ready without an event.
    if (status === "complete" && journey?.committedAt !== undefined) journey.readyAt ??= performance.now();
    wake(tabId);
  });
  chrome.tabs.onRemoved.addListener((tabId) => {
    wake(tabId);
    journeys.delete(tabId);
    offspring.delete(tabId);
  });
}

function update(tabId: number, journey: Journey): void {
  journeys.set(tabId, journey);
  wake(tabId);
}

function wake(tabId: number): void {
  for (const call of waiting.get(tabId) ?? []) call();
}

/** The navigation that started after this moment, if any. */
export function journeySince(tabId: number, moment: number): Journey | undefined {
  const journey = journeys.get(tabId);
  return journey && journey.startedAt >= moment ? journey : undefined;
}

export function newTabSince(tabId: number, moment: number): number | undefined {
  return offspring.get(tabId)?.findLast((one) => one.at >= moment)?.tabId;
}

/** Checks again at every event of the tab, until the condition is met or the time is up. */
export async function untilTab(tabId: number, ms: number, isMet: () => boolean | Promise<boolean>): Promise<boolean> {
  const calls = waiting.get(tabId) ?? new Set();
  waiting.set(tabId, calls);
  let call = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;
  try {
    for (;;) {
      const happened = new Promise<void>((resolve) => {
        call = resolve;
        calls.add(call);
        timer ??= setTimeout(() => {
          isLate = true;
          call();
        }, ms);
      });
      if (await isMet()) return true;
      if (isLate) return false;
      await happened;
      calls.delete(call);
    }
  } finally {
    clearTimeout(timer);
    calls.delete(call);
  }
}
