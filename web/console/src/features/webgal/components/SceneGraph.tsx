import type { TargetedPointerEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Graph, GraphNode } from "../logic/game";
import { fitted, moved, revealing, zoomed, type Viewport, type Size } from "../logic/viewport";
import { openScene, readGraph } from "../actions";
import { game, problemsByPath, stamp } from "../store";
import { words } from "../words";
import { texts } from "../../../store";
import { visible } from "../../../logic/visible";
import { Icon } from "../../../ui/Icon";
import { useLoaded } from "../../../ui/useLoaded";

const HEIGHT = 26;
const STEP = 1.25;

/**
 * The scenes and the connections between them, as `handrail webgal graph` draws them; can be moved, zoomed and opened.
 */
export function SceneGraph() {
  const { data: graph, error, again } = useLoaded(readGraph);
  useEffect(again, [stamp.value]);
  return (
    <div class="graph-page">
      {error && <p class="problem" role="alert">{error}</p>}
      {!graph && !error && <p class="nothing">{texts.value.loading}</p>}
      {graph && <Picture graph={graph} />}
    </div>
  );
}

function Picture({ graph }: { graph: Graph }) {
  const w = words.value;
  const area = useRef<SVGSVGElement>(null);
  const [sight, setSight] = useState<Viewport>({ x: 0, y: 0, scale: 1 });
  const dragStart = useRef<{ id: number; x: number; y: number } | null>(null);
  const room = (): Size => {
    const { width, height } = (area.current as SVGSVGElement).getBoundingClientRect();
    return { width, height };
  };
  const fit = (): void => setSight(fitted(graph, room()));
  const zoom = (by: number): void => {
    const { width, height } = room();
    setSight((now) => zoomed(now, by, { x: width / 2, y: height / 2 }));
  };
  useEffect(fit, [graph.width, graph.height]);
  useEffect(() => {
    const element = area.current as SVGSVGElement;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      setSight((now) => zoomed(now, Math.exp(-event.deltaY / 400), { x: event.clientX - left, y: event.clientY - top }));
    };
    // Preact's own wheel listeners are passive, so the page would scroll as well.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);

  function drag(event: TargetedPointerEvent<SVGSVGElement>): void {
    const from = dragStart.current;
    if (!from || from.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    // A press that hardly moves is a click on the scene below.
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) {
      if (Math.hypot(dx, dy) < 4) return;
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    dragStart.current = { id: event.pointerId, x: event.clientX, y: event.clientY };
    setSight((now) => moved(now, dx, dy));
  }

  const drawn = useMemo(() => <Drawing graph={graph} reveal={(node) => setSight((now) => revealing(now, { ...node, height: HEIGHT }, room()))} />, [graph, problemsByPath.value, w]);
  return (
    <>
      <div class="graph-bar">
        <button type="button" class="plain" aria-label={w.zoomIn} title={w.zoomIn} onClick={() => zoom(STEP)}><Icon name="larger" /></button>
        <button type="button" class="plain" aria-label={w.zoomOut} title={w.zoomOut} onClick={() => zoom(1 / STEP)}><Icon name="smaller" /></button>
        <button type="button" class="plain" onClick={fit}>{w.fit}</button>
        <span class="sub">{w.graphHint}</span>
      </div>
      <svg
        ref={area}
        class="graph"
        role="group"
        aria-label={w.graph}
        onPointerDown={(event) => { if (event.button === 0) dragStart.current = { id: event.pointerId, x: event.clientX, y: event.clientY }; }}
        onPointerMove={drag}
        onPointerUp={() => { dragStart.current = null; }}
        onPointerCancel={() => { dragStart.current = null; }}
      >
        <defs>
          <marker id="graph-to" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" /></marker>
        </defs>
        <g transform={`translate(${sight.x} ${sight.y}) scale(${sight.scale})`}>{drawn}</g>
      </svg>
    </>
  );
}

function Drawing({ graph, reveal }: { graph: Graph; reveal: (node: GraphNode) => void }) {
  const w = words.value;
  const current = game.value;
  const prefix = current && current !== "unknown" && current.folder !== "." ? `${current.folder}/scene/` : "scene/";
  const label = (node: GraphNode): string => {
    const name = visible(node.name);
    if (node.kind === "missing") return w.missingNode(name);
    return node.kind === "lost" ? w.lostNode(name) : w.node(name, problemsOf(node).length);
  };
  const problemsOf = ({ name }: GraphNode) => problemsByPath.value.get(prefix + name) ?? [];
  /** A missing scene has no text, so the line that leads there is shown. */
  const open = ({ name, kind }: GraphNode): void => {
    const way = kind === "missing" ? graph.arrows.find(({ to }) => to === name) : undefined;
    void openScene(prefix + (way ? way.from : name), way?.line);
  };
  return (
    <>
      {graph.arrows.map(({ from, to, how, path }) => (
        <path key={`${from}\n${to}\n${how}`} class={`arrow ${how}`} d={path} marker-end="url(#graph-to)"><title>{visible(`${from} → ${to} (${how})`)}</title></path>
      ))}
      {graph.nodes.map((node) => (
        <g
          key={node.name}
          class={`node ${node.kind}`}
          role="button"
          tabIndex={0}
          aria-label={label(node)}
          onFocus={() => reveal(node)}
          onClick={() => open(node)}
          onKeyDown={(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(node); } }}
        >
          <title>{label(node)}</title>
          <rect x={node.x} y={node.y} width={node.width} height={HEIGHT} rx="5" />
          <text x={node.x + 8} y={node.y + 17}>{visible(node.name)}</text>
        </g>
      ))}
      {graph.nodes.map((node) => problemsOf(node).length > 0 && <Badge key={node.name} node={node} count={problemsOf(node).length} />)}
    </>
  );
}

function Badge({ node, count }: { node: GraphNode; count: number }) {
  const width = 10 + 6 * String(count).length;
  return (
    <g class="node-badge" aria-hidden="true">
      <rect x={node.x + node.width - width / 2} y={node.y - 8} width={width} height="16" rx="8" />
      <text x={node.x + node.width} y={node.y + 4} text-anchor="middle">{count}</text>
    </g>
  );
}
