import path from 'node:path';

/** Folder of Node's compile cache for tests. Without it, each of their processes compiles the same hundreds of files again. */
export const compileCache = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled');
