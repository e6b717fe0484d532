// For a picture, a stage is drawn as large as it is shown: engines draw it twice as wide and high, and without a graphics
// card that takes longest of all. Everything is set back before the engine goes on.
(() => {
  const back = [];
  const set = (object, name, value) => {
    const before = object[name];
    back.push(() => { object[name] = before; });
    object[name] = value;
  };
  // Engines give every part of the stage a filter for its opacity, which draws it once more, also while it is opaque.
  const changesNothing = ({ uniforms, blendMode }) =>
    uniforms?.uAlpha === 1 && !blendMode && Object.keys(uniforms).every((name) => /^(uAlpha|uSampler|filterGlobals|globals)$/.test(name));
  const shrink = ({ renderer, stage }) => {
    const { view } = renderer;
    if (!(view instanceof HTMLCanvasElement)) return;
    const scale = view.getBoundingClientRect().width / view.width;
    if (!(scale > 0 && scale < 1)) return;
    const { width, height } = renderer.screen;
    const [shownWidth, shownHeight] = [view.offsetWidth, view.offsetHeight];
    const shrinkFilters = (part) => {
      for (const filter of part.filters ?? []) {
        set(filter, "resolution", filter.resolution * scale);
        if (changesNothing(filter)) set(filter, "enabled", false);
      }
      for (const inner of part.children ?? []) shrinkFilters(inner);
    };
    set(view.style, "width", `${shownWidth}px`);
    set(view.style, "height", `${shownHeight}px`);
    set(renderer, "resolution", renderer.resolution * scale);
    shrinkFilters(stage);
    back.push(() => renderer.resize(width, height));
    renderer.resize(width, height);
  };

  window.handrailGrow = () => { for (const each of back.splice(0)) each(); };
  window.handrailShrink = () => {
    if (!window.__PIXI_APP__) return;
    try { shrink(window.__PIXI_APP__); } catch { window.handrailGrow(); } // a stage of another kind
  };
})();
