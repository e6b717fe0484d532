/** browser_drag: drags with the mouse from an element to another one, by an offset, or along points of the element. */

import { aimAt, staleIfGone } from "../worker/aiming";
import { define, type Result } from "../worker/action";
import { parseClickId } from "../worker/click_id";
import { drag } from "../worker/dragging";
import { withChanges } from "../worker/effects";
import { canUseDebugger, elementParams, pointParams, pointTargetOf } from "../worker/element";
import { refuseForeignAt } from "../worker/foreign_frames";
import { judged, pressedOn } from "../worker/guarding";
import { letGoElsewhere, pressMouse } from "../worker/input";
import { ask } from "../worker/page";
import { filled, invalid, listOf, number, optional } from "../worker/shape";

const STILL_MS = 1000;

export const browserDrag = define("browser_drag", { ...elementParams, ...pointParams, toClickId: optional(filled), dx: optional(number), dy: optional(number), path: optional(listOf(listOf(number))) }, {
  async run(context, params): Promise<Result> {
    const { tabId, toClickId, dx, dy, path } = params;
    await canUseDebugger(context, tabId, "cdp_mouse");
    if ([toClickId, dx ?? dy, path].filter((one) => one !== undefined).length !== 1) throw invalid("browser_drag", [{ field: "toClickId", message: "or dx and dy, or path has to be given, and only one of them" }]);
    const [first, ...rest] = (path ?? []).map(([x = 0, y = 0]) => ({ x, y }));
    const spot = await pointTargetOf("browser_drag", first ? { ...params, ...first } : params);
    const { frameId, target } = spot;
    const at = spot.at ? { at: spot.at } : {};
    const start = await staleIfGone(aimAt(tabId, frameId, { target, purpose: "click", waitMs: STILL_MS, ...at, ...context.expected }));
    const place = toClickId === undefined ? null : parseClickId(tabId, toClickId);
    const end = place ? (await staleIfGone(ask(tabId, place.frameId, "boxOf", { target: place.target }))) : null;
    const shift = { x: start.point.x - (spot.at?.x ?? 0), y: start.point.y - (spot.at?.y ?? 0) };
    const points = end ? [{ x: end.x + end.w / 2, y: end.y + end.h / 2 }] : path ? rest.map(({ x, y }) => ({ x: shift.x + x, y: shift.y + y })) : [{ x: start.point.x + (dx ?? 0), y: start.point.y + (dy ?? 0) }];
    for (const point of points) await refuseForeignAt(tabId, point);
    const isJudged = context.expected !== undefined;
    const changes = await withChanges(context, { tabId, frameId, isWatched: true, isAlone: start.isAlone, isKey: true }, async () => {
      await drag(tabId, start, points, async () => {
        if (!isJudged) return await pressMouse(tabId, start);
        await pressedOn(context, tabId, frameId, () => pressMouse(tabId, start)).catch(async (error: unknown) => {
          await letGoElsewhere(tabId);
          throw error;
        });
      });
      await judged(context, tabId, frameId, { isOver: true });
    });
    return { dragged: true, ...changes };
  },
});
