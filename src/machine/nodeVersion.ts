import nodeModule from 'node:module';
import process from 'node:process';

/**
 * Returns why this version of Node.js cannot run the programs, in one sentence. A program calls it before it loads other modules, which an
 * old version may not be able to load.
 */
export function unsupportedNode(): string | undefined {
  if (nodeModule.isBuiltin('node:sqlite')) return undefined;
  return `Cloud Compute needs Node.js 22.13 or newer, but this is Node.js ${process.versions.node}`;
}

/** Remedy on the command line. */
export const NODE_REMEDY = 'in a clone of the repository, "npx node" runs a newer one';
