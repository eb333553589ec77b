import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';

/** The root of this repository. */
export const repository = path.join(import.meta.dirname, '..', '..');

/** Set by whoever runs several stages and has built already. */
export const builtVariable = 'CLOUD_COMPUTE_BUILT';

/** Builds the extension unless our caller just did. Rejects with what the build said. */
export async function build(): Promise<void> {
  if (process.env[builtVariable] !== undefined) {
    return;
  }
  const result = await execa(process.execPath, ['esbuild.js'], {
    cwd: repository,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  if (result.failed) {
    throw new Error(`The build failed; "npm run build" shows the same:\n${result.all}`);
  }
}
