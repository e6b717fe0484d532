declare module "@mozilla/readability/Readability-readerable.js" {
  export default function isProbablyReaderable(page: Document, options: { minContentLength: number; visibilityChecker: (node: Element) => boolean }): boolean;
}
