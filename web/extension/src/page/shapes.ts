/** How the boxes of a page's elements stand in its lines. */

/**
 * `isGone`: not drawn. `isLine`: on lines of its own; `isWord`: apart from the words around it. `isRow`: what it contains
 * stands side by side; `holdsItems`: what it contains is laid out in boxes, whatever it is.
 */
export interface Shape { isGone: boolean; isLine: boolean; isCell: boolean; isWord: boolean; isRow: boolean; holdsItems: boolean }

const LINES = /^(block|flex|grid|table|list-item|flow-root|table-row|table-caption|table-(row|header|footer)-group)$/;
const shapes = new Map<string, Shape>();

export function shapeOf(style: CSSStyleDeclaration): Shape {
  const { display } = style;
  const isFlex = display.endsWith("flex");
  const key = isFlex ? `${display} ${style.flexDirection} ${style.flexWrap}` : display;
  let shape = shapes.get(key);
  if (!shape) {
    shape = {
      isGone: display === "none",
      isLine: LINES.test(display),
      isCell: display === "table-cell",
      isWord: display.startsWith("inline-") || display === "table-cell",
      isRow: isFlex && /^\S+ row.* nowrap$/.test(key),
      holdsItems: isFlex || display.endsWith("grid"),
    };
    shapes.set(key, shape);
  }
  return shape;
}
