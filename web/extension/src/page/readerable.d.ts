declare module "@mozilla/readability/Readability-readerable.js" {
  export default function isProbablyReaderable(page: Document): boolean;
}
