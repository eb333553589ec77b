/*
 * Imported at first use. Only the module of the agent is imported, as in `undiciPool.ts` of the platform, with which it shares its code. In
 * the bundle, a CommonJS module has named exports only in a static import.
 */
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
