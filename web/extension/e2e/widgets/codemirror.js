import { EditorView, basicSetup } from "codemirror";
window.editor = new EditorView({ doc: "first line", extensions: [basicSetup], parent: document.body });
document.title = "ready";
