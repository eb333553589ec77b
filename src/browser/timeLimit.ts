/* Replaces `machine/timeLimit.ts` in the browser bundle. Node.js can end a function that takes too long, and a browser cannot. */

export class TimeLimitExceeded extends Error {
  readonly limitMs = 0;
}

/** Runs nothing, because foreign data could block the browser. Features that need the limit are not available in a browser. */
export function withTimeLimit(): never {
  throw new Error('A browser cannot end a function that takes too long.');
}
