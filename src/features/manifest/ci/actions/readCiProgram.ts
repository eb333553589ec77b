import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { CiProgram } from '../model/ciSetup.ts';

const Package = z.object({ version: z.string(), repository: z.object({ url: z.string() }) });

/**
 * Returns the program of this extension: the VSIX file of its release, and the digest of the files, which that VSIX file contains. The digest of
 * the VSIX file itself cannot be in it.
 *
 * @param root folder of the extension
 */
export async function readCiProgram(root: string): Promise<CiProgram> {
  const folder = path.join(root, 'dist');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js')).sort();
  const lines = await Promise.all(
    files.map(async (name) => `${sha256(await readFile(path.join(folder, name)))}  ./${name}\n`),
  );
  const { version, repository } = Package.parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
  const address = repository.url.replace(/\.git$/, '');
  return {
    version,
    vsix: `${address}/releases/download/v${version}/cloud-compute-${version}.vsix`,
    digest: sha256(lines.join('')),
  };
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
