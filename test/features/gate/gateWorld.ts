import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterwards, repository } from '../../platform/support.ts';

/* A git repository with a worker, its manifest, and recorded jobs. */

const SERVERLESS = path.join(repository, 'samples/hello-queue/hello/serverless.mjs');

/** Returns the source of a worker that answers in this way. @param body statements that return the output of `input` */
export const worker = (body: string): string =>
  `import { serve } from ${JSON.stringify(SERVERLESS)};\nawait serve(async ({ input }) => { ${body} });\n`;

export const GREETING = worker('return { greeting: `Hello, ${input.name}!`, length: input.name.length };');

export class GateWorld {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Creates a repository with a first commit, until `cleanUp`. */
  static async create(gate: object = {}): Promise<GateWorld> {
    const root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-gate-test-')));
    afterwards(() => rm(root, { recursive: true, force: true }));
    const world = new GateWorld(root);
    await world.git('init', '--quiet');
    await world.write('.gitignore', 'node_modules/\n');
    await world.write('hello/handler.mjs', GREETING);
    await world.write('hello.endpoint.json', JSON.stringify(manifest({ 'x-gate': gate })));
    await world.commit();
    return world;
  }

  get manifest(): string {
    return path.join(this.root, 'hello.endpoint.json');
  }

  async write(name: string, content: string): Promise<void> {
    const file = path.join(this.root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  async commit(): Promise<void> {
    await this.git('add', '-A');
    await this.git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'Change');
  }

  async git(...args: readonly string[]): Promise<string> {
    return (await promisify(execFile)('git', ['-C', this.root, ...args])).stdout.trim();
  }

  /** Writes recorded jobs with these inputs. */
  async record(...inputs: readonly object[]): Promise<void> {
    for (const [index, input] of inputs.entries())
      await this.recordAs(`job${index + 1}`, { request: { input } }, index);
  }

  async recordAs(name: string, changes: object, index = 0): Promise<void> {
    const recorded = {
      ...{ version: 1, endpoint: 'hello', submittedAt: new Date(index * 1_000).toISOString() },
      result: { status: 'COMPLETED' },
      worker: { image: 'process:hello', environment: [], volumes: [] },
      ...changes,
    };
    await this.write(`hello.recordings/${name}.recording.json`, JSON.stringify(recorded));
  }

  /** Names of checked out revisions that are left. */
  async worktrees(): Promise<readonly string[]> {
    const listed = await this.git('worktree', 'list', '--porcelain');
    const known = listed.split('\n').filter((line) => line.startsWith('worktree ') && line !== `worktree ${this.root}`);
    const folders = await readdir(os.tmpdir());
    return [...known, ...folders.filter((name) => /^cloud-compute-gate-[A-Za-z0-9]{6}$/.test(name))];
  }
}

export function manifest(changes: object = {}): object {
  return {
    name: 'hello',
    type: 'QUEUE',
    scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
    workers: { min: 0, max: 2 },
    cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    'x-local': { directory: 'hello', command: [process.execPath, 'handler.mjs'] },
    ...changes,
  };
}
