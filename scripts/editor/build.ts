import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';

/** Root folder of this repository. */
export const repository = path.join(import.meta.dirname, '..', '..');

/** Environment variable that is set if the extension is already built. */
export const builtVariable = 'CLOUD_COMPUTE_BUILT';

let built: Promise<void> | undefined;

/** Builds the extension once in this process, unless `builtVariable` is set. Rejects with the output of a failed build. */
export async function build(): Promise<void> {
  if (process.env[builtVariable] === undefined) await (built ??= runBuild());
}

async function runBuild(): Promise<void> {
  const result = await execa(process.execPath, ['esbuild.js'], {
    cwd: repository,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  if (result.failed) {
    throw new Error(`The build failed. To repeat it, run "npm run build".\n${result.all}`);
  }
}
