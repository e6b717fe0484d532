/** browser_page: returns what can be read and acted on, in reading order and in parts. */

import { define, type Result } from "../worker/action";
import { tabParam } from "../worker/element";
import { findListeners } from "../worker/listeners";
import { fallback, oneOf, whole } from "../worker/shape";
import { checkOwn } from "../worker/tasks";
import { viewTab } from "../worker/viewing";

export const browserPage = define("browser_page", {
  ...tabParam,
  scope: fallback(oneOf("viewport", "document"), "viewport"),
  offset: fallback(whole(0), 0),
  limit: fallback(whole(200, 100_000), 6000),
}, {
  isEager: true,
  async run({ taskId, warnings }, { tabId, scope, offset, limit }): Promise<Result> {
    checkOwn(taskId, tabId);
    const isNews = findListeners(tabId);
    let view = await viewTab(tabId, scope, warnings);
    if (await isNews) view = await viewTab(tabId, scope, warnings);
    const { lines, top, isAlone } = view;
    let end = offset;
    for (let room = limit; end < lines.length && (end === offset || lines[end]!.length < room); end++) room -= lines[end]!.length + 1;
    return {
      ...(isAlone ? { pageUrl: top.url } : {}), url: top.url, title: top.title, lines: lines.slice(offset, end), total: lines.length,
      ...(end < lines.length ? { nextOffset: end } : {}),
      ...(scope === "viewport" ? { above: top.above, below: top.below } : {}),
    };
  },
});
