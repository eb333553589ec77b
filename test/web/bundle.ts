import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { replaceNodeModules } from '../../esbuild.browser.js';
import type { TestWorld } from './world.ts';

/** Replaces Node's assertions in the tests. */
const replaceAssert: esbuild.Plugin = {
  name: 'replace-assert',
  setup(build) {
    build.onResolve({ filter: /^node:assert\/strict$/ }, () => ({ path: path.join(import.meta.dirname, 'assert.ts') }));
  },
};

/** Bundles test files to one script for the web worker. @returns its path */
export async function bundleTests(files: readonly string[], outfile: string, world: TestWorld): Promise<string> {
  await rm(path.dirname(outfile), { recursive: true, force: true });
  const entry = path.join(import.meta.dirname, 'index.ts');
  await esbuild.build({
    stdin: {
      contents: [
        `export { run } from ${JSON.stringify(entry)};`,
        ...files.map((file) => `import ${JSON.stringify(path.resolve(file))};`),
      ].join('\n'),
      resolveDir: import.meta.dirname,
    },
    outfile,
    bundle: true,
    // The script of Mocha assigns its own exports, so those of the tests come last.
    format: 'iife',
    globalName: 'tests',
    footer: { js: 'module.exports = tests;' },
    platform: 'browser',
    target: 'chrome138',
    mainFields: ['browser', 'module', 'main'],
    external: ['vscode'],
    inject: ['src/browser/node/globals.ts'],
    define: { TEST_WORLD: JSON.stringify(world) },
    sourcemap: 'inline',
    logLevel: 'warning',
    plugins: [replaceAssert, replaceNodeModules],
  });
  return outfile;
}
