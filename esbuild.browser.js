import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';

/* The build for the browser edition of VS Code, whose extension host is a web worker without Node.js. */

const source = (name) => path.resolve('src', name);

/** Modules, and the modules that replace them in a browser. */
const replacements = new Map([
  [source('machine/processTable.ts'), source('browser/processTable.ts')],
  [source('machine/timeLimit.ts'), source('browser/timeLimit.ts')],
  [source('features/firstSteps/registerSample.ts'), source('browser/noSample.ts')],
  [source('features/jobs/batch/createBatches.ts'), source('browser/noBatches.ts')],
  ['node:buffer', source('browser/node/buffer.ts')],
  ['node:crypto', source('browser/node/crypto.ts')],
  ['node:dns/promises', source('browser/node/dnsPromises.ts')],
  ['node:fs', source('browser/node/fs.ts')],
  ['node:fs/promises', source('browser/node/fs.ts')],
  ['node:http', source('browser/node/http.ts')],
  ['node:net', source('browser/node/net.ts')],
  ['node:os', source('browser/node/os.ts')],
  ['node:path', source('browser/node/path.ts')],
  ['node:process', source('browser/node/process.ts')],
  ['node:timers/promises', source('browser/node/timersPromises.ts')],
  ['node:util', source('browser/node/util.ts')],
]);

/**
 * Replaces modules, and leaves out modules of this repository from which nothing is used. All of them only define names.
 *
 * @type {import('esbuild').Plugin}
 */
export const replaceNodeModules = {
  name: 'replace-node-modules',
  setup(build) {
    // Reads the rows of batches, which a browser does not have.
    build.onResolve({ filter: /^csv-parse\// }, ({ path: name }) => ({ path: name, external: true }));
    build.onResolve({ filter: /^node:/ }, ({ path: name }) => {
      const replacement = replacements.get(name);
      return replacement === undefined
        ? { errors: [{ text: `The browser bundle has no replacement for ${name}.` }] }
        : { path: replacement, sideEffects: false };
    });
    build.onResolve({ filter: /^\.{1,2}\// }, ({ path: name, resolveDir, importer }) => {
      if (importer.includes('node_modules')) return undefined;
      const file = path.resolve(resolveDir, name);
      return { path: replacements.get(file) ?? file, sideEffects: false };
    });
  },
};

/**
 * Removes the imports of `isBrowser`, which the build defines as a constant, so that the code for Node.js and its imports are left out.
 *
 * @type {import('esbuild').Plugin}
 */
const inBrowser = {
  name: 'in-browser',
  setup(build) {
    build.onLoad({ filter: /src.(features|client|vscode).*\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const contents = text.replace(/import \{ isBrowser \} from '[^']+\/machine\/host\.ts';/, '');
      return contents === text ? undefined : { contents, loader: 'ts' };
    });
  },
};

/**
 * Leaves out the messages of zod in other languages, which are half of its size. Nothing selects one of them.
 *
 * @type {import('esbuild').Plugin}
 */
const englishOnly = {
  name: 'english-only',
  setup(build) {
    build.onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Splits the bundle into chunks, and joins the chunks to one file. Without the chunks, esbuild keeps all of a library that a module loaded
 * with `import()` uses, which doubles the size. The code of a chunk still runs on first use.
 *
 * @param {import('esbuild').BuildOptions} options
 * @returns {import('esbuild').Plugin}
 */
const splitFirst = (options) => ({
  name: 'split-first',
  setup(build) {
    /** @type {Map<string, string>} */
    let chunks = new Map();
    /** @type {string[]} */
    let watchFiles = [];
    build.onStart(async () => {
      const { outputFiles = [], metafile } = await esbuild.build({ ...options, write: false });
      chunks = new Map(outputFiles.map(({ path: file, text }) => [path.basename(file), text]));
      const inputs = Object.keys(metafile?.inputs ?? {}).filter((file) => !file.includes('node_modules'));
      watchFiles = inputs.map((file) => path.resolve(file));
    });
    build.onResolve({ filter: /\.js$/ }, ({ path: name }) => ({ path: path.basename(name), namespace: 'chunk' }));
    build.onLoad({ filter: /./, namespace: 'chunk' }, ({ path: name }) => ({ contents: chunks.get(name), watchFiles }));
  },
});

/**
 * Returns the options of the browser bundle. It is one CommonJS file, because the host evaluates one script. The extension has type
 * "module", so the file has the extension cjs.
 *
 * @param {import('esbuild').BuildOptions} common
 * @returns {import('esbuild').BuildOptions}
 */
export const browserBuild = (common) => {
  const browser = {
    ...common,
    platform: 'browser',
    target: 'chrome138',
    external: ['vscode'],
    outdir: 'dist/browser',
  };
  const chunks = splitFirst({
    ...browser,
    mainFields: ['browser', 'module', 'main'],
    entryPoints: [{ in: 'src/main.browser.ts', out: 'extension' }],
    splitting: true,
    minifySyntax: true,
    sourcemap: common.sourcemap ? 'inline' : false,
    define: { isBrowser: 'true' },
    inject: ['src/browser/node/globals.ts'],
    plugins: [replaceNodeModules, inBrowser, englishOnly],
  });
  return {
    ...browser,
    format: 'cjs',
    entryPoints: [{ in: 'extension.js', out: 'extension' }],
    outExtension: { '.js': '.cjs' },
    plugins: [chunks],
  };
};
