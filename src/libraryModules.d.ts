/* Modules of libraries that contain only one of their parts. The types of a library describe its main module. */

declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}
