/** Text that a page hides, in every way that Chrome offers, is neither shown, read nor found; what only looks hidden is. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { World } from "./world";

let world: World;
let tabId: number;
let page: Page;
beforeAll(async () => {
  world = await World.open();
  ({ tabId, page } = await world.visit("/hidden"));
});
afterAll(() => world.close());

/** A document of its own for each: one way to hide text must not reveal another. */
async function put(css: string, html: string, script = ""): Promise<void> {
  await page.evaluate(([css, html, script]) => {
    document.adoptedStyleSheets = [];
    document.head.innerHTML = `<title>Hidden</title><style>${css}</style>`;
    document.body.innerHTML = `<h1>Shown first</h1>${html}<p>Shown last</p>`;
    if (script) (0, eval)(script!);
  }, [css, html, script] as const);
}

async function told(): Promise<Record<string, string>> {
  const read = async (action: Record<string, any>) => JSON.stringify(await world.act(action));
  return {
    viewport: await read({ browser_page: { tabId } }),
    document: await read({ browser_page: { tabId, scope: "document" } }),
    text: await read({ browser_readability_extract: { tabId } }),
  };
}

const P = '<p class="x">Planted words</p>';
const HIDDEN: Record<string, [css: string, html: string, script?: string]> = {
  "no font size": [".x{font-size:0}", P],
  "one pixel of font": [".x{font-size:1px}", P],
  "an own scale": [".x{scale:0}", P],
  "an own translation": [".x{translate:-9999px}", P],
  "a relative shift to the left": [".x{position:relative;right:9999px}", P],
  "a relative shift upwards": [".x{position:relative;bottom:9999px}", P],
  "an inset": [".x{position:relative;inset:0 auto auto -9999px}", P],
  "letters on one another": [".x{letter-spacing:-1em}", P],
  "turned to its edge": [".x{rotate:y 90deg}", P],
  "an animation by script": ["", P, "document.querySelector('.x').animate([{opacity:0},{opacity:0}],{duration:1,fill:'forwards'}).finish()"],
  "an animated colour by script": ["", P, "document.querySelector('.x').animate([{color:'transparent'},{color:'transparent'}],{duration:1,fill:'forwards'}).finish()"],
  "a rule changed in place": [".x{opacity:1;color:black}", P, "document.styleSheets[0].cssRules[0].style.opacity=0"],
  "white on white": [".x{color:#fff}", P],
  "nearly white on white": [".x{color:#fefefe}", P],
  "the colour of a box": [".b{background:#123456}.x{color:#123456}", `<div class="b">${P}</div>`],
  "the colour of the page": ["body{background:#222;color:#eee}.x{color:#222}", P],
  "a font element": ["", '<p><font color="white">Planted words</font></p>'],
  "hidden until found": ["", '<p hidden="until-found">Planted words</p>'],
  "a closed part": ["", "<details><summary>More</summary>Planted words</details>"],
  "the slot of a closed part": ["", '<div id="h">Planted words</div>', "document.getElementById('h').attachShadow({mode:'open'}).innerHTML='<details><summary>More</summary><slot></slot></details>'"],
  "a slot without opacity": ["", '<div id="h">Planted words</div>', "document.getElementById('h').attachShadow({mode:'open'}).innerHTML='<div style=opacity:0><slot></slot></div>'"],
  "a slot without opacity in a closed tree": ["", '<div id="h">Planted words</div>', "document.getElementById('h').attachShadow({mode:'closed'}).innerHTML='<div style=opacity:0><slot></slot></div>'"],
  "a slot of a closed tree inside another": ["", '<div id="h"><b>Planted words</b></div>', "const r=document.getElementById('h').attachShadow({mode:'closed'});r.innerHTML='<div><slot></slot></div>';r.firstChild.attachShadow({mode:'closed'}).innerHTML='<i style=opacity:0><slot></slot></i>'"],
  "the styles of a closed tree around a paragraph": ["", '<p id="h">Shown beside</p>', "document.getElementById('h').attachShadow({mode:'closed'}).innerHTML='<style>b{opacity:0}</style><b>Planted words</b><slot></slot>'"],
  "an element that has no content": ["", "<p>Shown<br id=h></p>", "document.getElementById('h').textContent='Planted words'"],
  "the colgroup of a table": ["", "<table><colgroup id=h></colgroup><tr><td>Shown</td></tr></table>", "document.getElementById('h').textContent='Planted words'"],
  "a rule for some of its kind": ["p.x{display:none}", P],
  "a rule that outweighs another": ["#h{display:none}.x,.y{display:block}", '<p class="y">Shown</p><p class="x" id="h">Planted words</p>'],
  "a rule about what is beside it": ["h1+p{display:block}p+p{display:none}", `<p>Shown</p>${P}`, "document.body.lastChild.remove()"],
  "its attribute alone": ["", '<p hidden>Planted words</p>'],
  "dots": [".x{-webkit-text-security:disc}", P],
  "the colour of a box that it isn't on": [".b{background:#123;height:10px;position:relative}.x{color:#fff;position:absolute;top:100px}", `<div class="b">${P}</div>`],
  "an imported style": ["@import 'data:text/css,.x{opacity:0}';", P + '<p>Wait</p>', "new Promise(r=>setTimeout(r,50))"],
  "an svg without fill": ["", '<svg width="300" height="50"><text x="5" y="20" fill="none">Planted words</text></svg>'],
  "an svg without opacity": ["", '<svg width="300" height="50"><g opacity="0"><text x="5" y="20">Planted words</text></g></svg>'],
  "an svg without fill opacity": ["", '<svg width="300" height="50"><text x="5" y="20" fill-opacity="0">Planted words</text></svg>'],
  "outside of an svg": ["", '<svg width="300" height="50"><text x="5" y="400">Planted words</text></svg>'],
  "an svg's definitions": ["", '<svg width="300" height="50"><defs><text x="5" y="20">Planted words</text></defs></svg>'],
  "an svg clip path": ["", '<svg width="300" height="50"><clipPath id="c"><rect width="0" height="0"/></clipPath><text x="5" y="20" clip-path="url(#c)">Planted words</text></svg>'],
  "stacked in one cell of a grid": [".g{display:grid}.g>*{grid-column:1;grid-row:1}.o{background:#fff;min-height:60px}", `<div class="g">${P}<div class="o">Over</div></div>`],
  "under a relative box": [".o{position:relative;bottom:60px;height:90px;background:#fff}", `${P}<div class="o">Over</div>`],
  "no height": [".x{height:0;overflow:hidden}", P],
  "no size at all": [".x{max-height:0;overflow:clip}", P],
  "an empty clip path": [".x{clip-path:polygon(0 0)}", P],
  "a clip path of a shape": [".x{clip-path:path('M0 0')}", P],
  "a clip path outside": [".x{clip-path:inset(0 100% 0 0)}", P],
  "a mask": [".x{mask-image:linear-gradient(transparent,transparent)}", P],
  "a filter": [".x{filter:opacity(0)}", P],
  "a filter of a reference": [".x{filter:brightness(0) opacity(0%)}", P],
  "little opacity, often": [".x,.y{opacity:.1}", `<div class="y">${P}</div>`],
  "a zoom": [".x{zoom:.01}", P],
  "a scaled parent": [".y{transform:scale(0)}", `<div class="y">${P}</div>`],
  "a distant indent": [".x{text-indent:-9999px}", P],
  "behind the page": [".x{position:absolute;top:100px;z-index:-1}body{background:none}main{background:#fff;position:absolute;inset:80px 0 0 0}", `<main>Shown</main>${P}`],
  "disclosed by nothing": [".x{interpolate-size:allow-keywords;block-size:0;overflow:hidden}", P],
  "the text of a video": ["", "<video>Planted words</video>"],
  "the text of an object": ["", '<object data="data:text/html,x" type="text/html" width="50" height="50">Planted words</object>'],
  "replaced content": [".x{content:url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)}", '<div class="x">Planted words</div>'],
  "a document's template": ["", "<template>Planted words</template><noscript>Planted words</noscript>"],
  "a datalist": ["", '<input list="l"><datalist id="l"><option>Planted words</option></datalist>'],
  "a slot without a place": ["", '<div id="h">Planted words</div>', "document.getElementById('h').attachShadow({mode:'closed'}).innerHTML='<b>Shown inside</b>'"],
  "a light-dark colour": [":root{color-scheme:light}.x{color:light-dark(#fff,#000)}", P],
  "a colour of lab": [".x{color:lab(100% 0 0)}", P],
  "far to the right": [".x{position:absolute;left:99999px}html{overflow-x:hidden}", P],
  "a box that the mouse passes through": [".o{position:fixed;inset:60px 0 0 0;background:#fff;pointer-events:none}", `${P}<div class="o"></div>`],
  "the part of a box that the mouse passes through": [".o{position:fixed;inset:60px 0 0 0;pointer-events:none}.o *{background:#fff;height:500px}", `${P}<div class="o"><div></div></div>`],
  "what styles add to the page": ["body::after{content:'';position:fixed;inset:70px 0 0 0;background:#fff}", P],
  "what styles add to another box": [".o{position:absolute;top:0}.o::after{content:'';position:fixed;inset:70px 0 0 0;background:#fff}", `${P}<div class="o"></div>`],
  "a gradient over it": [".o{position:fixed;inset:70px 0 0 0;background:linear-gradient(#fff,#eee)}", `${P}<div class="o"></div>`],
  "a vector drawing over it": ["", `${P}<svg style="position:fixed;top:70px;left:0" width="1200" height="600"><rect width="1200" height="600" fill="#fff"/></svg>`],
  "much blur": [".x{filter:blur(20px)}", P],
  "a blurring box over it": [".o{position:fixed;inset:70px 0 0 0;backdrop-filter:blur(40px)}", `${P}<div class="o"></div>`],
  "a card that isn't turned over": [".c{transform-style:preserve-3d}.x{transform:rotateY(180deg);backface-visibility:hidden}", `<div class="c">${P}</div>`],
  "a gradient of no colour as ink": [".x{color:transparent;background:linear-gradient(transparent,transparent);background-clip:text}", P],
  "a gradient in the page's colour as ink": [".x{color:transparent;background:linear-gradient(#fff,#fff);background-clip:text}", P],
  "a shadow in the page's colour": [".x{color:#fff;text-shadow:0 0 1px #fff}", P],
  "an outline in the page's colour": [".x{color:#fff;-webkit-text-stroke:1px #fff}", P],
  "a fixed place below the window": [".x{position:fixed;top:200vh}", P],
  "a fixed place in a cut box": ["", `<div style="transform:translate(0);width:9px;height:9px;overflow:hidden"><p style="position:fixed;top:50px">Planted</p></div>`],
  "a box that contains its paint": [".y{width:20px;height:5px;contain:paint}", `<div class="y">${P}</div>`],
  "a low box": [".y{height:5px;overflow:clip}", `<div class="y">${P}</div>`],
  "a marquee": [".x{transform:translateX(100vw)}body{overflow-x:hidden}", P],
};
const SHOWN: Record<string, [css: string, html: string, script?: string]> = {
  "white on a dark box": [".b{background:#123}.x{color:#fff}", `<div class="b">${P}</div>`],
  "white over a dark sibling": [".w{position:relative}.o{position:absolute;inset:0;background:#123}.x{color:#fff;position:relative}", `<div class="w"><div class="o"></div>${P}</div>`],
  "white over a picture": [".w{background-image:linear-gradient(#000,#333)}.x{color:#fff}", `<div class="w">${P}</div>`],
  "white over a picture behind": [".w{position:relative}img{position:absolute;width:300px;height:60px}.x{color:#fff;position:relative}", `<div class="w"><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>">${P}</div>`],
  "white over a drawn ::before": [".w{position:relative}.w::before{content:'';position:absolute;inset:0;background:#123}.x{color:#fff;position:relative}", `<div class="w">${P}</div>`],
  "white with a shadow": [".x{color:#fff;text-shadow:0 0 2px #000}", P],
  "white with an outline": [".x{color:#fff;-webkit-text-stroke:1px #000}", P],
  "a gradient as ink": [".x{color:transparent;background:linear-gradient(red,blue);background-clip:text}", P],
  "a card that is turned over": [".c{transform-style:preserve-3d;transform:rotateY(180deg)}.x{transform:rotateY(180deg);backface-visibility:hidden}", `<div class="c">${P}</div>`],
  "text under a dot that the mouse passes through": [".o{position:fixed;top:60px;left:10px;width:8px;height:8px;background:red;pointer-events:none}", `${P}<i class="o"></i>`],
  "text that the mouse passes through": [".x{pointer-events:none}body::before{content:'';position:fixed;inset:0;background:#eee;z-index:-1}", P],
  "half of an opacity": [".x{opacity:.5}", P],
  "a small shift": [".x{transform:translateX(10px) rotate(3deg)}", P],
  "an svg": ["", '<svg width="300" height="50"><text x="5" y="20">Planted words</text></svg>'],
  "grey on white": [".x{color:#999}", P],
  "pale grey on white": [".x{color:#ddd}", P],
  "the child of an empty box": [".y{height:0}", `<div class="y">${P}</div><div style="height:50px"></div>`],
  "half scrolled out of a list": [".y{height:40px;overflow:auto}", `<div class="y"><div style="height:10px"></div>${P}</div>`],
};

/** Out of view, but a person can scroll to it. */
const ELSEWHERE: Record<string, [css: string, html: string, script?: string]> = {
  "further down in a list over something else": [".y{height:60px;overflow:auto}.o{height:500px;background:#ccc}", `<div class="y"><div style="height:200px"></div>${P}</div><div class="o">Beside</div>`],
  "further up in a list": [".y{height:60px;overflow:auto}", `<div class="y">${P}<div style="height:900px"></div></div>`, "document.querySelector('.y').scrollTop=900"],
  "further down in an app that fills the window": ["body{margin:0}.a{height:100vh;overflow:hidden}.y{height:100%;overflow:auto}", `<div class="a"><div class="y"><div style="height:3000px"></div>${P}</div></div>`],
  "further right in a list of a page that doesn't scroll there": ["html{overflow-x:hidden}.y{overflow-x:auto;white-space:nowrap}.y *{display:inline-block}", `<div class="y"><b style="width:3000px"></b>${P}</div>`],
  "further down in a dialog": [".d{position:fixed;inset:100px;height:90px;overflow:auto}", `<div class="d"><div style="height:900px"></div>${P}</div>`],
  "in the colour of what the list lies on": ["body{background:#555}.y{height:60px;overflow:auto;background:#fff}.x{color:#555}", `<div class="y"><div style="height:300px"></div>${P}</div>`],
};

for (const [how, [css, html, script]] of Object.entries(ELSEWHERE)) {
  test(`out of view ${how}`, async () => {
    await put(css, html, script);
    const { viewport, document, text } = await told();
    expect.soft(viewport).not.toContain("Planted");
    for (const [what, one] of Object.entries({ document, text })) expect.soft(one, what).toContain("Planted words");
    expect.soft(await world.act({ browser_find_text: { tabId, text: "Planted" } })).toMatchObject({ total: 1 });
  });
}
for (const [how, [css, html, script]] of Object.entries(HIDDEN)) {
  test(`hidden by ${how}`, async () => {
    await put(css, html, script);
    const all = await told();
    for (const [what, text] of Object.entries(all)) {
      expect.soft(text, what).toContain("Shown first");
      expect.soft(text, what).not.toContain("Planted");
    }
    expect.soft(await world.act({ browser_find_text: { tabId, text: "Planted" } })).toMatchObject({ total: 0 });
  });
}
/** Only what is in view can be examined for covers. */
const COVERED = /over|under|stacked|behind|mouse passes|what styles add/;
test("nothing that is hidden far down on a long page is read", async () => {
  const paragraphs = "<p>Before it</p>".repeat(150);
  const told: Record<string, string> = {};
  for (const [how, [css, html, script]] of Object.entries(HIDDEN).filter(([how]) => !COVERED.test(how))) {
    await put(css, paragraphs + html, script);
    const { text } = await world.act({ browser_readability_extract: { tabId } });
    if (!text.includes("Before it") || text.includes("Planted")) told[how] = text.slice(-100);
  }
  expect(told).toEqual({});
});

for (const [how, [css, html, script]] of Object.entries(SHOWN)) {
  test(`shown as ${how}`, async () => {
    await put(css, html, script);
    for (const [what, text] of Object.entries(await told())) expect.soft(text, what).toContain("Planted words");
    expect.soft(await world.act({ browser_find_text: { tabId, text: "Planted" } })).toMatchObject({ total: 1 });
  });
}
