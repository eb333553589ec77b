/** A browser has no environment variables, and no platform of Node.js. */
export default { env: {}, platform: 'browser', pid: 1 } as const;
