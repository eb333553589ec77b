// Builds the extension, the local platform, the command line program, and the webviews.
//   node esbuild.js               development build with source maps
//   node esbuild.js --production  minified, without source maps
//   node esbuild.js --watch       development build that repeats on each change
import { existsSync } from 'node:fs';
import { glob, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { writeNotices } from './esbuild.notices.js';
import { writePageTexts } from './scripts/l10n/pageTexts.ts';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** Defines `require` for bundled CommonJS packages that load Node's built-in modules. */
const requireBanner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** @type {esbuild.BuildOptions} */
const common = {
  bundle: true,
  format: 'esm',
  minify: production,
  sourcemap: production ? false : 'linked',
  sourcesContent: false,
  metafile: true,
  // With 'info', a watch reports each rebuild.
  logLevel: watch ? 'info' : 'warning',
  legalComments: 'none',
};

/** @type {esbuild.BuildOptions} */
const node = {
  ...common,
  platform: 'node',
  target: 'node22',
  mainFields: ['module', 'main'],
  banner: { js: requireBanner },
  outdir: 'dist',
};

/**
 * Replaces imports of node:http by `require`. An import reads all exports, and some of them load Node's fetch, which takes about a tenth
 * of the platform's startup time. `require` reads only the exports that are used.
 *
 * @type {esbuild.Plugin}
 */
const requireHttp = {
  name: 'require-http',
  setup(build) {
    build.onResolve({ filter: /^node:http$/ }, ({ kind, path: name }) =>
      kind === 'import-statement' ? { path: name, namespace: 'required' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path: name }) => ({
      contents: `module.exports = require(${JSON.stringify(name)});`,
    }));
  },
};

/**
 * Leaves out the validator for JSON schemas of the MCP library, which is a third of its size. The server validates arguments with zod, and
 * forms that a client has filled in by itself.
 *
 * @type {esbuild.Plugin}
 */
const withoutSchemaValidator = {
  name: 'without-schema-validator',
  setup(build) {
    build.onLoad({ filter: /@modelcontextprotocol.server.dist.shimsNode\.mjs$/ }, () => ({
      contents: `export { default as process } from 'node:process';
        export class DefaultJsonSchemaValidator { getValidator() { throw new Error('This build validates no JSON schemas.'); } }`,
    }));
  },
};

/**
 * Makes undici smaller. Its HTTP parser for processors without SIMD is left out, because VS Code runs only on processors with SIMD. The other
 * one is compressed. HTTP/2 is left out, because workers are called without TLS.
 *
 * @type {esbuild.Plugin}
 */
const smallUndici = {
  name: 'small-undici',
  setup(build) {
    build.onLoad({ filter: /undici.lib.llhttp.llhttp-wasm\.js$/ }, () => ({
      contents: "module.exports = require('./llhttp_simd-wasm.js');",
    }));
    build.onLoad({ filter: /undici.lib.llhttp.llhttp_simd-wasm\.js$/ }, async ({ path: file }) => {
      const { default: parser } = await import(pathToFileURL(file).href);
      return {
        contents: `const { brotliDecompressSync } = require('node:zlib');
          module.exports = brotliDecompressSync(Buffer.from('${brotliCompressSync(parser).toString('base64')}', 'base64'));`,
      };
    });
    build.onLoad({ filter: /undici.lib.dispatcher.client-h2\.js$/ }, () => ({
      contents: "module.exports = () => { throw new Error('This build has no HTTP/2.'); };",
    }));
  },
};

/**
 * Leaves out the protobuf format of the quantile sketch, which needs a package that its library does not name. Nothing writes that format.
 *
 * @type {esbuild.Plugin}
 */
const withoutSketchFormat = {
  name: 'without-sketch-format',
  setup(build) {
    build.onLoad({ filter: /sketches-js.dist.ddsketch.proto.compiled\.js$/ }, () => ({
      contents: 'module.exports = {};',
    }));
  },
};

/**
 * Leaves out the programs that find the ID of the machine, which traces do not contain. esbuild would write a file for each operating system.
 *
 * @type {esbuild.Plugin}
 */
const withoutMachineId = {
  name: 'without-machine-id',
  setup(build) {
    build.onLoad({ filter: /@opentelemetry.resources.*machine-id.getMachineId\.js$/ }, () => ({
      contents: 'export const getMachineId = () => Promise.resolve(undefined);',
    }));
  },
};

/**
 * Removes the banner from files without the word `require`, which are almost all of the several hundred ones. The line remains, because
 * source maps count it.
 *
 * @type {esbuild.Plugin}
 */
const bannerWhereUsed = {
  name: 'banner-where-used',
  setup(build) {
    build.onEnd(async ({ metafile }) => {
      const files = Object.keys(metafile?.outputs ?? {}).filter((file) => file.endsWith('.js'));
      for (const file of files) {
        const code = (await readFile(file, 'utf8')).replace(requireBanner, '');
        if (!/\brequire\b/.test(code)) await writeFile(file, code);
      }
    });
  },
};

const LATER_IMPORT = /\bimport\('(\.[^']+)'\)/g;

/**
 * The programs that load code with `import()`, with the files that belong to one of them alone, the module that is loaded by then, and the
 * name of the bundle that contains an imported file.
 */
const PROGRAMS = [
  {
    // Without the parts of the features that the command line program shares.
    files: /^src\/(features|agents)\/(?!.*(actions|model)\/)/,
    loaded: './src/extension.ts',
    bundleOf: (/** @type {string} */ file) =>
      /^src\/features\/(manifest|endpoints|jobs|requests|logs)/.exec(file)?.[1] ?? 'shared',
  },
  {
    files: /^src\/cli\/(?!main\.ts)/,
    loaded: './src/cli/run.ts',
    bundleOf: (/** @type {string} */ file) => (file.startsWith('src/cli/mcp/') ? 'mcp' : 'verbs'),
  },
  {
    files: /^src\/platform\//,
    loaded: './src/platform/daemon/start.ts',
    // The entry point loads several files together. Others have bundles of their own, because most users never need them.
    bundleOf: (/** @type {string} */ file) =>
      /^src\/platform\/daemon\/(?!attach)/.test(file) ? 'start' : path.basename(file, '.ts'),
  },
];

/**
 * Bundles the modules that these programs load with `import()`: one file for each large feature, and one for the others. A file for each
 * module would be several hundred small ones, which take a tenth more space in the package, because esbuild also splits what they share by
 * the files that need it. Each bundle depends on the code that is loaded by then, which is not split.
 *
 * @type {esbuild.Plugin}
 */
const laterBundles = {
  name: 'later-bundles',
  setup(build) {
    /** @type {Map<string, { files: Set<string>, loaded: string }>} */
    const bundles = new Map();
    build.onStart(async () => {
      bundles.clear();
      for (const { file, text } of await programFiles())
        for (const { name, target, loaded } of laterImports(file, text)) {
          const bundle = bundles.get(name) ?? { files: new Set(), loaded };
          bundles.set(name, bundle);
          bundle.files.add(target);
        }
    });
    build.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const imports = laterImports(relative(file), text);
      if (imports.length === 0) return undefined;
      const members = imports.map(
        ({ name, target }) => `import('later:${name}').then((all) => all[${JSON.stringify(target)}])`,
      );
      return { contents: text.replaceAll(LATER_IMPORT, () => members.shift() ?? ''), loader: 'ts', watchFiles: [file] };
    });
    build.onResolve({ filter: /^later:/ }, ({ path: name }) => ({ path: name.slice(6), namespace: 'later' }));
    build.onLoad({ filter: /.*/, namespace: 'later' }, ({ path: name }) => {
      const { files = [], loaded } = bundles.get(name) ?? {};
      const modules = Array.from(files, (file) => `export * as ${JSON.stringify(file)} from './${file}';`);
      return { contents: [`import '${loaded}';`, ...modules].join('\n'), resolveDir: import.meta.dirname };
    });
  },
};

/** Returns the source files of the programs. */
async function programFiles() {
  const files = (await Array.fromAsync(glob('src/**/*.ts'))).map(relative);
  const ofPrograms = files.filter((file) => PROGRAMS.some(({ files }) => files.test(file))).sort();
  return Promise.all(ofPrograms.map(async (file) => ({ file, text: await readFile(file, 'utf8') })));
}

/**
 * Returns what a source file loads with `import()`, in its order: the file, and the name of its bundle.
 *
 * @param {string} file
 * @param {string} text
 */
function laterImports(file, text) {
  const program = PROGRAMS.find(({ files }) => files.test(file));
  if (!program) return [];
  return Array.from(text.matchAll(LATER_IMPORT), ([, imported = '']) => {
    const target = path.posix.join(path.posix.dirname(file), imported);
    return { target, name: program.bundleOf(target), loaded: program.loaded };
  });
}

/**
 * Returns the path of a file in this folder, with slashes.
 *
 * @param {string} file
 */
const relative = (file) => path.relative(import.meta.dirname, file).replaceAll('\\', '/');

/**
 * Writes the texts of each page, which its document contains in the language of the editor.
 *
 * @type {esbuild.Plugin}
 */
const pageTexts = {
  name: 'page-texts',
  setup(build) {
    build.onEnd(async ({ metafile }) => metafile && (await writePageTexts(metafile)));
  },
};

/** Returns one entry point for each folder of src/webviews that contains a main.ts. */
async function webviewEntries() {
  const folders = await readdir('src/webviews');
  return folders
    .map((name) => ({ in: `src/webviews/${name}/main.ts`, out: name }))
    .filter((entry) => existsSync(entry.in));
}

/** @type {(entries: { in: string, out: string }[]) => esbuild.BuildOptions[]} */
const builds = (entries) => [
  // The programs share chunks, because each of them needs zod, the contract, and the client. Modules that are loaded on first use are chunks
  // too. All files are in one folder, where their code expects the other programs. Small entry points let Node.js cache the compiled chunks.
  {
    ...node,
    entryPoints: [
      { in: 'src/main.ts', out: 'extension' },
      { in: 'src/platform/daemon/main.ts', out: 'platform' },
      { in: 'src/cli/main.ts', out: 'cli' },
      // The worker thread that edits images. The platform starts it for the first edit.
      { in: 'src/platform/images/imageThread.ts', out: 'imageThread' },
      // The process that writes a snapshot.
      { in: 'src/platform/store/sqlite/snapshotProcess.ts', out: 'snapshotProcess' },
      // The process that simulates an endpoint, and its threads.
      { in: 'src/platform/simulation/main.ts', out: 'simulation' },
      // The worker thread that parses large bodies. The platform starts it for the first one.
      { in: 'src/platform/http/jsonThread.ts', out: 'jsonThread' },
    ],
    external: ['vscode'],
    splitting: true,
    chunkNames: '[name]-[hash]',
    // Leaves out the experimental HTTP parser of undici, as the build of Node.js does. It has 150 kB.
    define: { esbuildDetection: '"bundle"' },
    plugins: [
      ...[requireHttp, withoutSchemaValidator, withoutSketchFormat, withoutMachineId, smallUndici],
      ...[laterBundles, bannerWhereUsed],
    ],
  },
  {
    ...common,
    platform: 'browser',
    target: 'chrome138',
    entryPoints: entries,
    outdir: 'dist/webviews',
    // The pages share chunks, because they have the same libraries.
    splitting: true,
    chunkNames: '[name]-[hash]',
    plugins: [pageTexts],
  },
];

async function printSizes() {
  for (const folder of ['dist', 'dist/webviews']) {
    const files = await readdir(folder).catch(() => []);
    for (const file of files.filter((name) => /\.(js|css)$/.test(name)).sort()) {
      const { size } = await stat(path.join(folder, file));
      console.log(`${(size / 1024).toFixed(1).padStart(9)} KB  ${path.posix.join(folder, file)}`);
    }
  }
}

/**
 * Deletes the chunks of earlier builds, whose names contain other hashes.
 *
 * @param {esbuild.BuildResult<{ metafile: true }>[]} results
 */
async function removeStaleChunks(results) {
  const current = new Set(results.flatMap(({ metafile }) => Object.keys(metafile.outputs)));
  for (const folder of ['dist', 'dist/webviews']) {
    const files = (await readdir(folder).catch(() => [])).map((file) => path.posix.join(folder, file));
    const stale = files.filter((file) => /-[A-Z\d]{8}\.js(\.map)?$/.test(file) && !current.has(file));
    await Promise.all(stale.map((file) => rm(file)));
  }
}

/**
 * Rejects chunks of CommonJS packages that are loaded with `import()`. Unlike the source, such a chunk has no named exports.
 *
 * @param {esbuild.BuildResult<{ metafile: true }>[]} results
 */
function rejectChunksWithoutNames(results) {
  for (const { entryPoint = '', exports } of results.flatMap(({ metafile }) => Object.values(metafile.outputs))) {
    if (!entryPoint.startsWith('node_modules/') || exports.join() !== 'default') continue;
    throw new Error(
      `${entryPoint} is loaded with import(). Instead, import a file of this repository that re-exports its names.`,
    );
  }
}

/**
 * Rejects an activation that loads zod. It is nearly as large as the rest of the activated code, and the first request loads it. Stored
 * state that an activation reads has the schemas of src/kit/smallSchema.ts.
 *
 * @param {esbuild.Metafile['inputs']} inputs
 */
function rejectActivatedSchemas(inputs) {
  /** Each file that an activation loads, with the files whose imports lead to it. */
  const chains = new Map([['src/extension.ts', ['src/extension.ts']]]);
  for (const [file, chain] of chains) {
    if (file.startsWith('node_modules/zod/')) throw new Error(`An activation loads zod: ${chain.join(' → ')}`);
    for (const { path: imported, kind } of inputs[file]?.imports ?? [])
      if (kind !== 'dynamic-import' && !chains.has(imported)) chains.set(imported, [...chain, imported]);
  }
}

const contexts = await Promise.all(builds(await webviewEntries()).map((options) => esbuild.context(options)));
const results = await Promise.all(contexts.map((context) => context.rebuild()));
rejectChunksWithoutNames(results);
rejectActivatedSchemas(results[0]?.metafile.inputs ?? {});
await removeStaleChunks(results);
await writeNotices(
  'dist/THIRD_PARTY_NOTICES.txt',
  results.map(({ metafile }) => metafile),
);
await printSizes();
if (watch) {
  await Promise.all(contexts.map((context) => context.watch()));
  console.log('Watching for changes. Press Ctrl-C to stop.');
} else {
  await Promise.all(contexts.map((context) => context.dispose()));
}
