/** The module of undici that contains only its pool. The types of undici describe its main module. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
