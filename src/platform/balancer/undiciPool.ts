/* Imported at first use. In the bundle, undici has named exports only in a static import, because it is a CommonJS package. */
export { Pool } from 'undici';
