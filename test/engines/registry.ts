import { execFile, execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pipeline, Transform } from 'node:stream';
import { promisify } from 'node:util';
import { startGroup, type ProcessGroup } from '../../scripts/editor/processes.ts';
import { registryAuth } from '../../src/platform/runtimes/container/imagePulls.ts';
import type { RegistryCredentials } from '../../src/platform/domain/registry.ts';
import type { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { parseImageReference } from '../../src/contract/imageReference.ts';
import { afterwards, eventually } from '../platform/support.ts';

const API = '/v1.41';

/** A real registry on this machine, which requires a password. */
export interface TestRegistry {
  /** Host and port. */
  readonly address: string;
  readonly credentials: RegistryCredentials;
  /** Makes an image of one new file, pushes it, and removes it from the engine. @param name with tag, below the registry */
  push(engine: EngineApi, name: string, bytes?: number): Promise<void>;
  /** Pushes an image that the engine has under the registry's name, and removes it from the engine. @param image with registry and tag */
  publish(engine: EngineApi, image: string): Promise<void>;
  /** Sends at most this number of bytes from now on, until the returned function is called. */
  hold(bytes: number): () => void;
  stop(): Promise<void>;
  /** Starts the registry again, with the same address and contents. */
  start(): Promise<void>;
}

/** Starts a registry. `cleanUp` stops it. */
export async function startRegistry(): Promise<TestRegistry> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'registry-'));
  afterwards(() => rm(directory, { recursive: true, force: true }));
  const credentials = { username: 'puller', password: `secret-${randomUUID()}` };
  const { username, password } = credentials;
  const upstream = await freePort();
  const gate = await startGate(upstream);
  const address = `127.0.0.1:${gate.port}`;
  // The password is on standard input, so that it is not in the process list.
  const entry = execFileSync('htpasswd', ['-niB', username], { input: password });
  await writeFile(path.join(directory, 'htpasswd'), entry, { mode: 0o600 });
  const file = path.join(directory, 'config.yml');
  await writeFile(
    file,
    `version: 0.1
log: { level: error, accesslog: { disabled: true } }
storage: { filesystem: { rootdirectory: ${directory}/data }, delete: { enabled: true } }
http: { addr: "127.0.0.1:${upstream}" }
auth: { htpasswd: { realm: tests, path: ${directory}/htpasswd } }
`,
  );
  let group: ProcessGroup | undefined;
  const start = async (): Promise<void> => {
    group = startGroup('docker-registry', ['serve', file], { commandMarker: directory });
    await eventually('the registry answers', async () => {
      const answer = await fetch(`http://127.0.0.1:${upstream}/v2/`).catch(() => undefined);
      return answer?.status === 401;
    });
    await gate.open();
  };
  const stop = async (): Promise<void> => {
    // The engine finds a closed port, as it does without a gate.
    await gate.close();
    await group?.stop();
  };
  afterwards(stop);
  await start();
  const publish = async (engine: EngineApi, image: string): Promise<void> => {
    const reference = parseImageReference(image);
    if (!reference) throw new Error(`${image} is not a reference`);
    const headers = registryAuth(reference, credentials);
    const { tag } = reference;
    const query = { tag };
    const at = `${API}/images/${address}/${reference.repository}/push`;
    for await (const line of engine.lines<{ error?: string }>({ method: 'POST', path: at, query, headers }))
      if (line.error !== undefined) throw new Error(`the push failed: ${line.error}`);
    await engine.json({ method: 'DELETE', path: `${API}/images/${image}` });
  };
  return {
    ...{ address, credentials, start, stop, publish, hold: (bytes) => gate.hold(bytes) },
    push: async (engine, name, bytes = 64) => {
      const image = `${address}/${name}`;
      await importFile(engine, image, bytes);
      await publish(engine, image);
    },
  };
}

/** Makes an image that contains one file with random content, so that each image has another ID. */
export async function importFile(engine: EngineApi, name: string, bytes = 64): Promise<void> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'image-'));
  try {
    await mkdir(path.join(root, 'files'));
    await writeFile(path.join(root, 'files/content'), randomBytes(bytes));
    const args = ['--create', '-C', path.join(root, 'files'), '.'];
    const { stdout } = await promisify(execFile)('tar', args, { encoding: 'buffer', maxBuffer: 2 * bytes + 1_048_576 });
    // Podman ignores the parameter `tag`.
    const query = { fromSrc: '-', repo: name };
    const headers = { 'Content-Type': 'application/x-tar' };
    const request = { method: 'POST', path: `${API}/images/create`, query, body: stdout, headers } as const;
    for await (const line of engine.lines<{ error?: string }>(request))
      if (line.error !== undefined) throw new Error(`the image cannot be made: ${line.error}`);
  } finally {
    await rm(root, { recursive: true });
  }
}

/** Forwards connections to a port, and delays what the server sends while its bytes are limited. */
async function startGate(upstream: number) {
  let allowed = Infinity;
  const opened = new EventEmitter().setMaxListeners(0);
  const sockets = new Set<net.Socket>();
  const limited = () =>
    new Transform({
      transform(chunk: Buffer, _, done) {
        const pass = () => {
          allowed -= chunk.length;
          done(null, chunk);
        };
        if (chunk.length > allowed) opened.once('open', pass);
        else pass();
      },
    });
  const server = net.createServer((caller) => {
    const registry = net.connect(upstream, '127.0.0.1');
    for (const socket of [caller, registry]) {
      sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined));
    }
    // Not a pipeline, which would end the caller with the registry, before the caller has received all that the registry sent.
    caller.pipe(registry);
    caller.once('close', () => registry.destroy());
    pipeline(registry, limited(), caller, () => [caller, registry].map((socket) => socket.destroy()));
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.once('listening', resolve).listen(port, '127.0.0.1'));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** Listens at the same port again after `close`. */
    open: async (): Promise<void> => {
      if (!server.listening) await listen(port);
    },
    hold: (bytes: number) => {
      allowed = bytes;
      return () => {
        allowed = Infinity;
        opened.emit('open');
      };
    },
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
