import { Editor } from "@tiptap/core";
import StarterKit from "@tiptap/starter-kit";
document.body.innerHTML = '<button id="bold" type="button">Bold</button><div id="editor"></div>';
window.editor = new Editor({ element: document.querySelector("#editor"), extensions: [StarterKit], content: "<p>Hello</p>" });
bold.onclick = () => editor.chain().focus().toggleBold().run();
document.title = "ready";
