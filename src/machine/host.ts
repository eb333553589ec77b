/**
 * Whether the extension runs in a browser, without Node.js: no processes, no files on disk, no local platform. The build of the browser
 * bundle replaces each import of this constant by `true`.
 */
export const isBrowser = false as boolean;
