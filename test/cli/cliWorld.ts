import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';
import { compileCache } from '../../scripts/editor/compileCache.ts';
import type { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import type { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { afterwards, fixtures, platformForTest } from '../platform/support.ts';
import { CLI_PROGRAM } from '../support/programs.ts';

/* The command line program as a process, with its own folders. */

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly exit: Promise<Ended>;
  /** Resolves once the program has written this text to standard error. */
  readonly told: (text: string) => Promise<void>;
  /** Resolves once the program has written this text to standard output. */
  readonly printed: (text: string) => Promise<void>;
}

export class CliWorld {
  /** Folder for manifests. */
  readonly folder: string;
  /** Folder of the configuration, with the logins. */
  readonly config: string;
  env: NodeJS.ProcessEnv;

  private constructor(base: string) {
    this.folder = path.join(base, 'manifests');
    this.config = path.join(base, 'config');
    const { PATH, HOME } = process.env;
    this.env = { PATH, HOME, TMPDIR: tmpdir(), XDG_CONFIG_HOME: this.config, NODE_COMPILE_CACHE: compileCache };
  }

  /** Creates folders, until `cleanUp`. */
  static async create(): Promise<CliWorld> {
    const base = await mkdtemp(path.join(tmpdir(), 'cloud-compute-cli-'));
    afterwards(() => rm(base, { recursive: true, force: true }));
    const world = new CliWorld(base);
    await mkdir(world.folder);
    return world;
  }

  /** Creates folders and a platform, which the program uses as a hosted one. */
  static async onPlatform(options?: Parameters<typeof platformForTest>[0]) {
    const world = await CliWorld.create();
    const { api } = await platformForTest(options);
    world.useHosted(api.addresses);
    return { world, api };
  }

  /** Lets the program use a platform as a hosted one, through environment variables. */
  useHosted({ baseUrl, queueUrl, endpointHost, apiKey }: PlatformAnnouncement): void {
    Object.assign(this.env, {
      CLOUD_COMPUTE_BASE_URL: baseUrl,
      CLOUD_COMPUTE_QUEUE_URL: queueUrl,
      CLOUD_COMPUTE_ENDPOINT_HOST: endpointHost,
      CLOUD_COMPUTE_API_KEY: apiKey,
    });
  }

  async write(files: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(this.folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
  }

  /** Starts the program. @param input standard input, which ends after it; null: it stays open */
  start(args: readonly string[], input: string | null = ''): Started {
    const child = spawn(process.execPath, [CLI_PROGRAM, ...args], { env: this.env, cwd: path.dirname(this.folder) });
    afterwards(() => Promise.resolve(child.kill('SIGKILL')));
    if (input !== null) child.stdin.end(input);
    const out = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (out.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (out.stderr += chunk.toString()));
    const exit = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...out })));
    const waitFor = (name: 'stdout' | 'stderr') => (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => out[name].includes(text) && resolve();
        child[name].on('data', look);
        child.once('close', () => reject(new Error(`the program ended without "${text}": ${out.stderr}`)));
        look();
      });
    return { child, exit, told: waitFor('stderr'), printed: waitFor('stdout') };
  }

  run(args: readonly string[], input?: string): Promise<Ended> {
    return this.start(args, input).exit;
  }
}

/** Returns a manifest of a paused endpoint, whose worker is the one of the fixtures. */
export function manifest(name: string, changes: Partial<CreateEndpointBody> = {}): CreateEndpointBody {
  return {
    ...{ name, type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 1 } },
    ...{ workers: { min: 0, max: 0 }, cpu: [{ id: 'cpu3c', vcpuCount: 2 }], disk: 5 },
    ...{ image: `process:${fixtures}`, cmd: [process.execPath, 'worker.mjs'] },
    ...changes,
  };
}

export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Sends the request to the platform. */
  readonly forward: () => Promise<Response>;
}

/** Starts a proxy of a platform, until `cleanUp`. @param pass returns a response; undefined: none */
export async function proxyOf(
  platform: PlatformAnnouncement,
  pass: (request: Passing) => Promise<Response | undefined>,
): Promise<PlatformAnnouncement> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = request;
    const body = (await buffer(request)).toString();
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
    const forward = () =>
      fetch(new URL(url, platform.baseUrl), {
        ...{ method, headers: { authorization, 'content-type': type } },
        ...(body !== '' && { body }),
      });
    const given = await pass({ method, path: url, body, forward });
    if (!given) {
      request.socket.destroy();
      return;
    }
    const contentType = given.headers.get('content-type');
    response.writeHead(given.status, contentType === null ? {} : { 'content-type': contentType });
    response.end(Buffer.from(await given.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { origin } = new URL(platform.baseUrl);
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const through = (address: string) => address.replace(origin, own);
  const { baseUrl, restUrl, queueUrl, endpointHost } = platform;
  return {
    ...platform,
    ...{ baseUrl: through(baseUrl), restUrl: through(restUrl) },
    ...{ queueUrl: through(queueUrl), endpointHost: through(endpointHost) },
  };
}
