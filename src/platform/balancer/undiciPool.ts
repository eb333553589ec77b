/* Loaded at first use. By a file of our own, because the bundle knows the names of a CommonJS package only where they are imported. */
export { Pool } from 'undici';
