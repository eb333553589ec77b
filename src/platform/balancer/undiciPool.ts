/*
 * Imported at first use. Only the module of the pool is imported, because the main module of undici also loads fetch, caches, and WebSockets,
 * which take 80 kB of the VSIX. In the bundle, a CommonJS module has named exports only in a static import.
 */
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
