/** The module of prom-client that contains only its registry. The types of prom-client describe its main module. */
declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}
