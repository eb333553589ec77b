/* Globals of Node.js that the build adds to modules of the browser bundle that use them. */

export { Buffer } from 'buffer';

/** A browser has no environment variables, and no platform of Node.js. */
export const process = { env: {}, platform: 'browser', pid: 1 } as const;

export default process;
