/** browser_find_text: finds a text on the page, and what can be clicked there. */

import { define } from "../worker/action";
import { formatClickId } from "../worker/click_id";
import { tabParam } from "../worker/element";
import { findListeners } from "../worker/listeners";
import { askAll, TOP } from "../worker/page";
import { filled } from "../worker/shape";
import { floorOf, ownTab, raiseNumbers } from "../worker/tasks";

const MOST = 20;

export const browserFindText = define("browser_find_text", { ...tabParam, text: filled }, {
  async run({ taskId }, { tabId, text }) {
    await ownTab(taskId, tabId);
    await findListeners(tabId);
    const frames = await askAll(tabId, "findText", { text, floor: floorOf(tabId), limit: MOST });
    await raiseNumbers(tabId, Math.max(...frames.map((one) => one.value.next)));
    const matches = frames.flatMap(({ frameId, value }) =>
      value.matches.map(({ ref, box, ...match }) => ({
        ...match,
        ...(ref === undefined ? {} : { clickId: formatClickId(tabId, frameId, ref) }),
        // Boxes inside frames would need the frame's position, which an index provides.
        ...(box && frameId === TOP ? { bbox: box } : {}),
      })),
    );
    return { matches: matches.slice(0, MOST), total: frames.reduce((sum, one) => sum + one.value.total, 0) };
  },
});
