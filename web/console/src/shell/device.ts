/** What keys are called on this machine. */

export const isApple = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);
