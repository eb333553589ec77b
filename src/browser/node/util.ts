import equal from 'fast-deep-equal';

/* The part of `node:util` that features use, in a browser. */

/** Compares data that JSON can contain. */
export const isDeepStrictEqual = (a: unknown, b: unknown): boolean => equal(a, b);
