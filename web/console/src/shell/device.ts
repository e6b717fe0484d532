/** Whether keys have Apple's names on this machine. */

export const isApple = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);
