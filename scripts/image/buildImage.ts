import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeDocument, writeLayer, type Blob } from './blobs.ts';
import { blobPath, configDocument, manifestDocument, rootDocuments, type ImageBlobs } from './documents.ts';
import { programFiles, systemFiles } from './imageFiles.ts';
import { tarOf, type TarEntry } from './tar.ts';

export interface ImageOptions {
  /** Folder of a build. */
  readonly dist: string;
  /** Program of Node.js. */
  readonly node: string;
  /** Full name of the image, with its registry and tag. */
  readonly name: string;
  /** File of the archive. */
  readonly output: string;
}

export interface BuiltImage {
  /** ID of the image in an engine: the digest of its configuration. */
  readonly id: string;
  /** Digest of the image in a registry. */
  readonly digest: string;
  /** Size of the archive, in bytes. */
  readonly size: number;
  /** Size of the files in the image, in bytes. */
  readonly unpackedSize: number;
}

/**
 * Writes an image of the platform to an archive that Docker, Podman, and containerd can load. It needs neither an engine nor a registry,
 * because it consists of files of this machine. Equal files give an equal archive.
 *
 * @throws Error if this machine does not run Linux, the build is missing, or a library is missing
 */
export async function buildImage({ dist, node, name, output }: ImageOptions): Promise<BuiltImage> {
  if (process.platform !== 'linux') {
    throw new Error(
      'the image would consist of files of this machine, which does not run Linux: use deploy/Dockerfile instead',
    );
  }
  await mkdir(path.dirname(output), { recursive: true });
  const folder = await mkdtemp(`${output}.`);
  try {
    const layers = [
      await writeLayer(folder, 'system', await systemFiles(node)),
      await writeLayer(folder, 'program', await programFiles(dist)),
    ];
    const config = await writeDocument(folder, 'config', configDocument(layers, process.arch));
    const manifest = await writeDocument(folder, 'manifest', manifestDocument(config, layers));
    // Renamed once it is complete, so that an interrupted build leaves no part of an archive.
    const archive = path.join(folder, 'archive');
    const entries = archiveEntries(name, { config, manifest, layers });
    await pipeline(Readable.from(tarOf(entries)), createWriteStream(archive));
    await rename(archive, output);
    const unpackedSize = layers.reduce((sum, layer) => sum + layer.unpackedSize, 0);
    return { id: config.digest, digest: manifest.digest, size: (await stat(output)).size, unpackedSize };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function archiveEntries(name: string, blobs: ImageBlobs): TarEntry[] {
  const { config, manifest, layers } = blobs;
  return [
    directory('blobs'),
    directory('blobs/sha256'),
    ...[config, manifest, ...layers].map(copy),
    ...Object.entries(rootDocuments(name, blobs)).map(([file, document]) => text(file, JSON.stringify(document))),
  ];
}

function directory(folder: string): TarEntry {
  return { kind: 'directory', path: folder, mode: 0o755, owner: 0 };
}

function text(file: string, content: string): TarEntry {
  return { kind: 'file', path: file, content, mode: 0o644, owner: 0 };
}

function copy(blob: Blob): TarEntry {
  return { kind: 'copy', path: blobPath(blob), file: blob.file, size: blob.size, mode: 0o644, owner: 0 };
}
