/** Lets the browser draw and listen between two parts of a long piece of work. */
export const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
