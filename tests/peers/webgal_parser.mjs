// The engine's own parser, kept warm: a JSON request a line in, a JSON answer a line out.
import { createInterface } from "node:readline";
import webgal from "webgal-parser"; // CommonJS behind a default export

const { default: SceneParser, ADD_NEXT_ARG_LIST, SCRIPT_CONFIG, sceneTextPreProcess } = webgal;

const FOLDERS = ["background", "bgm", "figure", "scene", "tex", "vocal", "video"];
const TYPES = [
  "say", "changeBg", "changeFigure", "bgm", "video", "pixi", "pixiInit", "intro", "miniAvatar", "changeScene", "choose",
  "end", "setComplexAnimation", "setFilter", "label", "jumpLabel", "chooseLabel", "setVar", "if", "callScene", "showVars",
  "unlockCg", "unlockBgm", "filmMode", "setTextbox", "setAnimation", "playEffect", "setTempAnimation", "comment",
  "setTransform", "setTransition", "getUserInput", "applyStyle", "wait", "callSteam",
];
const inFolder = (name, folder) =>
  name.includes("http://") || name.includes("https://") ? name : `./game/${FOLDERS[folder]}/${name}`;
const parser = new SceneParser(() => {}, inFolder, ADD_NEXT_ARG_LIST, SCRIPT_CONFIG);
console.log = () => {}; // the preprocessor talks

// JSON has no Infinity and no lone surrogates.
const shown = (value) => (typeof value === "number" && !Number.isFinite(value) ? `${value}` : value);
const argument = ({ key, value }) => ({ key, value: shown(value) });
const sentence = (s) => ({
  command: TYPES[s.command],
  commandRaw: s.commandRaw,
  content: s.content,
  args: s.args.map(argument),
  assets: s.sentenceAssets.map(({ url, type }) => ({ url, dir: FOLDERS[type] })),
  subScene: s.subScene,
  inlineComment: s.inlineComment,
});
const answers = {
  scene: (text) => parser.parse(text, "s", "s").sentenceList.map(sentence),
  joined: (text) => sceneTextPreProcess(text),
  config: (text) => parser.parseConfig(text).map((line) => ({ ...line, options: line.options.map(argument) })),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { what, text } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(answers[what](text))}\n`);
}
