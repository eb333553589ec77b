import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { onPath } from '../../scripts/editor/onPath.ts';
import { fillNode, importImage, linkLibraries } from './images.ts';

/** An image with Node.js, a shell, and the programs that a shell needs in tests. */
export const SHELL_IMAGE = 'cloud-compute-test/shell:1';

const PROGRAMS = ['sh', 'bash', 'cat', 'grep', 'sleep', 'stty', 'env', 'head'];

/** Adds `SHELL_IMAGE` to an engine. Its programs are those of this machine. @param files files of this machine for `/app` */
export async function importShellImage(engine: EngineApi, files: readonly string[] = []): Promise<void> {
  await importImage(engine, SHELL_IMAGE, {
    fill: async (root) => {
      await fillNode(root);
      const programs = PROGRAMS.map((name) => onPath(name) ?? '');
      await Promise.all(programs.map((file) => symlink(file, path.join(root, 'usr/bin', path.basename(file)))));
      await linkLibraries(root, programs);
      await mkdir(path.join(root, 'app'), { recursive: true });
      await Promise.all(files.map((file) => symlink(file, path.join(root, 'app', path.basename(file)))));
    },
    instructions: ['ENTRYPOINT ["/usr/bin/node"]', 'ENV PATH=/usr/bin', 'WORKDIR /app'],
  });
}
