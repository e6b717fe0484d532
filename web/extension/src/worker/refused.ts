/** The server received a message and refuses it for good; a message that wasn't received causes another error. */
export class Refused extends Error {}
