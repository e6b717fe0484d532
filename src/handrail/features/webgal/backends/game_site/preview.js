// Runs before the engine's own scripts, in every page that the preview's server hands out.
(() => {
  const base = new URL(".", document.baseURI);
  const isHeld = location.hash === "#held";

  // The engine knows the socket's path by heart; ours lies below the screen's secret.
  const Socket = window.WebSocket;
  const send = Socket.prototype.send;
  let isSending = false;
  let socket = null;
  window.WebSocket = class extends Socket {
    constructor(url, protocols) {
      const own = new URL(url, base);
      if (own.host === base.host && own.pathname === "/api/webgalsync") own.pathname = `${base.pathname}api/webgalsync`;
      if (protocols === undefined) super(own);
      else super(own, protocols);
    }
    send(data) {
      isSending = true;
      queueMicrotask(() => { isSending = false; });
      socket = this;
      return send.call(this, data);
    }
  };

  // Engines up to 4.5 tell their state once a second; handrailLook makes them tell it now.
  const later = window.setTimeout;
  let soon = later;
  let report = null;
  let timer = 0;
  window.setTimeout = (run, after, ...rest) => {
    if (!isSending || after !== 1000 || typeof run !== "function") return soon(run, after, ...rest);
    clearTimeout(timer);
    report = run;
    timer = later(run, after);
    return timer;
  };
  window.handrailLook = () => {
    if (isHeld) {
      hide();
      window.handrailGrow();
      step(40, false);
    }
    if (report) report();
  };

  // Two things that an engine does not tell: that it has been given the text of a jump, and what went wrong.
  const tell = (event, data) => {
    if (socket === null || socket.readyState !== Socket.OPEN) return;
    if (report) report();
    send.call(socket, JSON.stringify({ event, data }));
  };
  const jumpIn = (url) => /[?&]jump=(\d+)$/.exec(String(url))?.[1];
  const open = XMLHttpRequest.prototype.open;
  XMLHttpRequest.prototype.open = function (method, url, ...rest) {
    const jump = jumpIn(url);
    if (jump) this.addEventListener("loadend", () => later(() => tell("handrail-jump", Number(jump)), 0));
    return open.call(this, method, url, ...rest);
  };
  const fetch = window.fetch;
  window.fetch = async (resource, options) => {
    const answer = await fetch(resource, options);
    const jump = jumpIn(resource?.url ?? resource);
    if (jump) later(() => tell("handrail-jump", Number(jump)), 100);
    return answer;
  };
  // A file that is there and can't be decoded is no error to an engine.
  const broken = (element) => { if (element.src) tell("handrail-broken", element.src); };
  window.addEventListener("error", ({ target }) => { if (target instanceof HTMLImageElement) broken(target); }, true);
  const create = Document.prototype.createElement;
  Document.prototype.createElement = function (...values) {
    const element = create.apply(this, values);
    const isMedia = element instanceof HTMLMediaElement || element instanceof HTMLSourceElement;
    if (isMedia) element.addEventListener("error", () => broken(element));
    return element;
  };
  const Picture = window.Image;
  window.Image = class extends Picture {
    constructor(...size) {
      super(...size);
      this.addEventListener("error", () => broken(this));
    }
  };
  const complain = (error) => { if (error instanceof Error) tell("handrail-trouble", String(error).slice(0, 500)); };
  window.addEventListener("error", (event) => complain(event.error));
  window.addEventListener("unhandledrejection", (event) => complain(event.reason));

  const attempt = (run, ...values) => {
    try { run(...values); } catch (error) { reportError(error); }
  };

  // Neither a question for the language nor a worker that answers from a cache.
  try { localStorage.getItem("lang") ?? localStorage.setItem("lang", "0"); } catch { /* a frame without storage */ }
  if (navigator.serviceWorker) navigator.serviceWorker.register = () => new Promise(() => {});

  // In a frame of the console: where a picture takes longer than it lasts, for want of a graphics card, what it
  // took, twice, is left for everything else.
  const paced = () => {
    const frame = window.requestAnimationFrame;
    let due = new Map();
    let lastId = 0;
    let rest = 0;
    let isAsked = false;
    const draw = (now) => {
      const runs = due;
      due = new Map();
      isAsked = false;
      const began = performance.now();
      for (const run of runs.values()) attempt(run, now);
      later(() => {
        const took = performance.now() - began;
        rest = took > 50 ? Math.min(2 * took, 1000) : 0;
      }, 0);
    };
    window.requestAnimationFrame = (run) => {
      due.set(++lastId, run);
      if (!isAsked) {
        isAsked = true;
        if (rest > 0) later(() => frame(draw), rest);
        else frame(draw);
      }
      return lastId;
    };
    window.cancelAnimationFrame = (id) => { due.delete(id); };
  };

  // In the page that is photographed, frames are held back and run when they are wanted, only the last one drawn, and
  // the page is transparent until then: drawing without a graphics card takes longer than a frame lasts, and nobody
  // watches in between.
  if (!isHeld) return paced();
  const frame = window.requestAnimationFrame;
  const root = document.documentElement;
  const hide = () => { root.style.opacity = "0"; };
  let held = new Map();
  let lastId = 0;
  let now = performance.now();
  let isDrawing = true;
  window.requestAnimationFrame = (run) => {
    held.set(++lastId, run);
    return lastId;
  };
  window.cancelAnimationFrame = (id) => { held.delete(id); };
  for (const Context of [window.WebGLRenderingContext, window.WebGL2RenderingContext]) {
    for (const name of ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"]) {
      const draw = Context?.prototype[name];
      if (draw) Context.prototype[name] = function (...values) { if (isDrawing) draw.apply(this, values); };
    }
  }
  // Without a graphics card, a pixel costs as much as all textures that it might be of: with one, it is looked up once.
  for (const Context of [window.WebGLRenderingContext, window.WebGL2RenderingContext]) {
    const ask = Context?.prototype.getParameter;
    if (ask) Context.prototype.getParameter = function (name) {
      return name === Context.MAX_TEXTURE_IMAGE_UNITS ? 1 : ask.call(this, name);
    };
  }
  hide();
  const step = (milliseconds, isDrawn) => {
    const due = held;
    const renderer = isDrawn ? undefined : window.__PIXI_APP__?.renderer;
    held = new Map();
    now += milliseconds;
    isDrawing = isDrawn;
    if (renderer) renderer.render = () => {}; // most of a frame that is not drawn is spent there
    for (const run of due.values()) attempt(run, now);
    if (renderer) delete renderer.render;
    isDrawing = true;
  };

  // The stage is ready once nothing is on its way any more: no picture and no request. Meanwhile time runs faster, for
  // timers as for frames.
  const underWay = new Set();
  const PlainImage = window.Image;
  window.Image = class extends PlainImage {
    constructor(...size) {
      super(...size);
      underWay.add(this);
      this.addEventListener("load", () => checkPixels(this));
    }
  };
  // Of a picture that ends too early, the browser knows the size, and an engine gets no pixels.
  const checkPixels = (image) => {
    if (!/\.svg\b/i.test(image.src)) createImageBitmap(image).then((pixels) => pixels.close(), () => broken(image));
  };
  const sendRequest = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...body) {
    underWay.add(this);
    this.addEventListener("loadend", () => underWay.delete(this));
    return sendRequest.apply(this, body);
  };
  const clear = window.clearTimeout;
  const timers = new Map();
  const sourceOf = (run) => Function.prototype.toString.call(run);
  // What ends a performance by itself, such as an introduction after some seconds, and goes on: the line that is to be
  // photographed stays, however long that takes. At once, a performance begins: that names its end, too.
  const endsPerformance = (run, after) => after > 1 && sourceOf(run).includes("unmountPerform");
  // What takes the scene before off the stage, seconds after its last line.
  const clearsStage = (run) => /removeStageObject|removeAnimation/.test(sourceOf(run));
  soon = (run, after, ...rest) => {
    if (typeof run !== "function") return later(run, after, ...rest);
    if (endsPerformance(run, after)) return later(() => {}, after);
    if (after > 600 && !clearsStage(run)) return later(run, after, ...rest);
    const fire = () => {
      timers.delete(id);
      run.apply(window, rest); // as the browser does: an engine may hand over a method of another object
    };
    const id = later(fire, after);
    timers.set(id, fire);
    return id;
  };
  window.clearTimeout = (id) => {
    timers.delete(id);
    clear(id);
  };
  const fireTimers = () => {
    for (const [id, fire] of [...timers]) {
      clear(id);
      if (timers.has(id)) attempt(fire);
    }
  };
  const isQuiet = () => {
    for (const each of underWay) if (each.complete) underWay.delete(each);
    return underWay.size === 0;
  };
  const pause = (milliseconds) => new Promise((done) => later(done, milliseconds));
  window.handrailSettle = async () => {
    for (let round = 0, quiet = 0; quiet < 4 && round < 60; round++) {
      fireTimers();
      for (let count = 0; count < 15; count++) step(40, false);
      for (const moving of document.getAnimations()) {
        try { moving.finish(); } catch { /* it never ends */ }
      }
      quiet = isQuiet() ? quiet + 1 : 0;
      await pause(15);
    }
  };
  window.handrailDraw = () => {
    root.style.opacity = "";
    window.handrailShrink();
    step(1, true);
    return new Promise((done) => frame(() => done(true)));
  };
})();
