import { App, AppError } from "../index.js";

const books = [];
const title = { type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false };
const returns = { type: "object", properties: { books: { type: "array", items: { type: "string" } } }, required: ["books"] };

await new App({ id: "com.example.shelf", name: "Shelf", description: "The books on the shelf." })
  .tool("add_book", { description: "Put a book on the shelf.", parameters: title, returns, examples: [{ params: { title: "Emma" } }] }, ({ title }) => {
    console.log(`adding ${title}`);
    books.push(title);
    return { books };
  })
  .tool("remove_book", { description: "Take a book from the shelf.", parameters: title, returns }, ({ title }) => {
    const at = books.indexOf(title);
    if (at < 0) throw new AppError("NO_SUCH_BOOK", `There is no book ${title}.`);
    books.splice(at, 1);
    return { books };
  })
  .tool("count_pages", { description: "Count the pages of all books." }, () => {
    throw new Error("the page counter at /srv/pages is broken");
  })
  .run();
