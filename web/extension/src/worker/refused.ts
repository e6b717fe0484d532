/** The server has heard a message and does not take it, now or ever; who was not heard gets any other error. */
export class Refused extends Error {}
