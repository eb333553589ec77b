import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';

/**
 * Bundles the suite for the extension host, because the Node.js of desktop VS Code does not run TypeScript. The output is ES modules,
 * because the extension has type "module".
 *
 * @param names test files to bundle, without their extension. Default: all
 * @returns the path of the entry point, for `extensionTestsPath`
 */
export async function bundleTests(source: string, outdir: string, names: readonly string[] = []): Promise<string> {
  await rm(outdir, { recursive: true, force: true });
  const files = (await readdir(source)).filter((name) => name.endsWith('.test.ts'));
  const chosen = files.filter((name) => names.length === 0 || names.includes(path.basename(name, '.test.ts')));
  await esbuild.build({
    entryPoints: [path.join(source, 'index.ts'), ...chosen.map((name) => path.join(source, name))],
    outdir,
    bundle: true,
    // Mocha loads only .mjs files with import(). With require(), the extension host of older versions would wait forever for `vscode`.
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    external: ['vscode'],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return path.join(outdir, 'index.mjs');
}
