/** Lets the browser draw and handle input between two parts of a long task. */
export const yieldToBrowser = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
