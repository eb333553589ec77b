/* Loaded with `import()`, because activation must not read the library. */
export { WebSocket } from 'ws';
