// npm run build:image: writes a container image of the platform to an archive.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { repository } from '../editor/build.ts';
import { UsageError } from '../startOptions.ts';
import { buildImage } from './buildImage.ts';
import { help, readImageBuildOptions } from './imageBuildOptions.ts';

const MB = 1_000_000;

async function main(): Promise<void> {
  const { version } = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as { version: string };
  const folder = path.join(repository, 'artifacts');
  const options = readImageBuildOptions(process.argv.slice(2), { version, folder });
  if (options === 'help') {
    console.log(help);
    return;
  }
  const built = await buildImage({ ...options, dist: path.join(repository, 'dist'), node: process.execPath });
  const megabytes = (size: number): string => `${(size / MB).toFixed(0)} MB`;
  console.log(`${options.output}

  image   ${options.name}
  id      ${built.id}
  digest  ${built.digest}
  size    ${megabytes(built.size)}, unpacked ${megabytes(built.unpackedSize)}`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof UsageError ? error.message : `The image cannot be built: ${(error as Error).message}`);
  process.exitCode = 1;
});
