import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';

/* Images for tests. They consist of files of this machine, so no registry is necessary. */

/** An image with the Node.js of the tests, whose entrypoint is Node.js. */
export const NODE_IMAGE = 'cloud-compute-test/node:1';

const API = '/v1.41';

/** Adds `NODE_IMAGE` to an engine. */
export function importNodeImage(engine: EngineApi): Promise<void> {
  return importImage(engine, NODE_IMAGE, {
    fill: fillNode,
    instructions: ['ENTRYPOINT ["/usr/bin/node"]', 'ENV PATH=/usr/bin', 'WORKDIR /app'],
  });
}

export interface ImportedImage {
  /** Writes the files of the image to a directory. Links stand for their targets. */
  readonly fill: (root: string) => Promise<void>;
  /** Instructions of a Dockerfile, without files. */
  readonly instructions: readonly string[];
  /** Names of files and folders that are left out, as patterns of a shell. */
  readonly without?: readonly string[];
}

/** Adds an image without layers to an engine. */
export async function importImage(
  engine: EngineApi,
  name: string,
  { fill, instructions, without = [] }: ImportedImage,
): Promise<void> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'image-'));
  try {
    await fillSystem(root);
    await fill(root);
    // Podman ignores the parameter `tag`.
    const query = new URLSearchParams({ fromSrc: '-', repo: name });
    for (const change of instructions) query.append('changes', change);
    const headers = { 'Content-Type': 'application/x-tar' };
    // The files are links, so nothing is copied.
    const excluded = without.map((pattern) => `--exclude=${pattern}`);
    const archive = tar(['--dereference', '--numeric-owner', ...excluded, '-C', root, '.']);
    const path_ = `${API}/images/create?${query.toString()}`;
    await finish(engine, { path: path_, body: archive.stdout, headers });
    await archive.done;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Builds an image from `NODE_IMAGE` with these files and instructions of a Dockerfile. @param files contents by path */
export async function buildImage(
  engine: EngineApi,
  name: string,
  { files = {}, instructions = [] }: { files?: Readonly<Record<string, string>>; instructions?: readonly string[] },
): Promise<void> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'image-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(root, 'files', file)), { recursive: true });
      await writeFile(path.join(root, 'files', file), text);
    }
    await mkdir(path.join(root, 'files'), { recursive: true });
    await writeFile(path.join(root, 'Dockerfile'), [`FROM ${NODE_IMAGE}`, 'COPY files /', ...instructions].join('\n'));
    await build(engine, name, root);
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Builds the image of a folder with a Dockerfile, whose base is replaced by `NODE_IMAGE`, because no registry is in reach. */
export async function buildFolder(engine: EngineApi, name: string, folder: string): Promise<void> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'image-'));
  try {
    await cp(folder, root, { recursive: true });
    const dockerfile = await readFile(path.join(folder, 'Dockerfile'), 'utf8');
    const local = dockerfile.replace(/^FROM .+$/m, `FROM ${NODE_IMAGE}`);
    await writeFile(path.join(root, 'Dockerfile'), local);
    await build(engine, name, root);
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Adds a copy of `NODE_IMAGE` that claims to be built for another architecture. Its programs still run. */
export async function copyForArchitecture(engine: EngineApi, name: string, architecture: string): Promise<void> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'image-'));
  try {
    const saved = await engine.stream({ path: `${API}/images/${NODE_IMAGE}/get` });
    const extract = spawn('tar', ['--extract', '-C', root], { stdio: ['pipe', 'ignore', 'inherit'] });
    const extracted = once(extract, 'close');
    await pipeline(saved, extract.stdin);
    await extracted;
    const manifestFile = path.join(root, 'manifest.json');
    const [manifest] = JSON.parse(await readFile(manifestFile, 'utf8')) as [{ Config: string; Layers: string[] }];
    const config = JSON.parse(await readFile(path.join(root, manifest.Config), 'utf8')) as object;
    await writeFile(path.join(root, 'config.json'), JSON.stringify({ ...config, architecture }));
    await writeFile(
      manifestFile,
      JSON.stringify([{ ...manifest, Config: 'config.json', RepoTags: [`docker.io/${name}`] }]),
    );
    const archive = tar(['-C', root, 'manifest.json', 'config.json', ...manifest.Layers]);
    const headers = { 'Content-Type': 'application/x-tar' };
    await finish(engine, { path: `${API}/images/load`, body: archive.stdout, headers });
    await archive.done;
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Builds the image of a directory with a Dockerfile. */
async function build(engine: EngineApi, name: string, directory: string): Promise<void> {
  const archive = tar(['-C', directory, '.']);
  const query = new URLSearchParams({ t: name, rm: 'true', forcerm: 'true' });
  const headers = { 'Content-Type': 'application/x-tar' };
  await finish(engine, { path: `${API}/build?${query.toString()}`, body: archive.stdout, headers });
  await archive.done;
}

/** Sends a request, and reads its report to the end. Rejects with the error of the report. */
async function finish(engine: EngineApi, request: { path: string; body: unknown; headers: Record<string, string> }) {
  for await (const line of engine.lines<{ error?: string }>({ method: 'POST', ...request })) {
    if (line.error !== undefined) throw new Error(`the engine cannot make the image: ${line.error}`);
  }
}

/** Writes the files that programs expect on every system. */
async function fillSystem(root: string): Promise<void> {
  const directories = ['etc', 'usr/bin', 'app', 'proc', 'sys', 'dev', 'root', 'tmp'];
  await Promise.all(directories.map((one) => mkdir(path.join(root, one), { recursive: true })));
  await chmod(root, 0o755);
  await chmod(path.join(root, 'tmp'), 0o1777);
  await writeFile(path.join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nworker:x:1000:1000::/app:/bin/sh\n');
  await writeFile(path.join(root, 'etc/group'), 'root:x:0:\nworker:x:1000:\n');
  await writeFile(path.join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}

export async function fillNode(root: string): Promise<void> {
  await symlink(process.execPath, path.join(root, 'usr/bin/node'));
  await linkLibraries(root, [process.execPath]);
}

/** Adds links to the shared libraries of programs and libraries of this machine. */
export async function linkLibraries(root: string, files: readonly string[]): Promise<void> {
  for (const library of await librariesOf(files)) {
    await mkdir(path.join(root, path.dirname(library)), { recursive: true });
    const link = path.join(root, library);
    if (!existsSync(link)) await symlink(await realpath(library), link);
  }
}

async function librariesOf(files: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ldd', [...files], { maxBuffer: 64 * 1_048_576 });
  return [...new Set([...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)].map(([, library = '']) => library))];
}

function tar(args: readonly string[]) {
  const child = spawn('tar', ['--create', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const done = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`tar ended with code ${code}`))));
  });
  return { stdout: child.stdout, done };
}
