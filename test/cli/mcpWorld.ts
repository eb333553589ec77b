import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Client, type ElicitRequest, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { compileCache } from '../../scripts/editor/compileCache.ts';
import { livingProcesses } from '../../scripts/editor/processTable.ts';
import { CLI_PROGRAM } from '../support/programs.ts';

/* A public client of the Model Context Protocol, connected to the server over its standard input and output. */

/** The protocol of the client: the one from 2026, or the older one with an `initialize` request. */
export type Era = 'modern' | 'legacy';

export interface ClientSetup {
  readonly era?: Era;
  /** Answers the questions of the server. Undefined: the client cannot ask. */
  readonly onQuestion?: (question: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;
  /** Folders that the client reports. Undefined: none. */
  readonly roots?: () => readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export const ALLOW: ElicitResult = { action: 'accept', content: { decision: 'allow' } };

/** An outcome of a tool. */
export interface Answer {
  readonly isError: boolean;
  readonly value: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export class McpWorld {
  /** A folder for the workspace of a test. */
  readonly folder: string;
  readonly dataDirectory: string;
  readonly #ends: (() => Promise<unknown>)[] = [];

  private constructor(base: string) {
    this.folder = path.join(base, 'workspace');
    this.dataDirectory = path.join(base, 'data');
  }

  static async create(): Promise<McpWorld> {
    const world = new McpWorld(await mkdtemp(path.join(tmpdir(), 'cloud-compute-mcp-')));
    await mkdir(world.folder, { recursive: true });
    return world;
  }

  /** Ends all servers, and removes the files. */
  async remove(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end();
    await rm(path.dirname(this.folder), { recursive: true, force: true });
  }

  async write(name: string, content: unknown): Promise<string> {
    const file = path.join(this.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    return file;
  }

  args(flags: readonly string[] = []): string[] {
    return [CLI_PROGRAM, 'mcp', '--data-dir', this.dataDirectory, ...flags];
  }

  /** Starts a server, and connects a client to it. */
  async connect({ era = 'legacy', onQuestion, roots, flags, env = {}, cwd }: ClientSetup = {}): Promise<McpClient> {
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities: { ...(onQuestion && { elicitation: {} }), ...(roots && { roots: { listChanged: true } }) },
        versionNegotiation: era === 'modern' ? { mode: 'auto' } : { mode: 'legacy' },
      },
    );
    if (onQuestion) client.setRequestHandler('elicitation/create', ({ params }) => onQuestion(params));
    if (roots)
      client.setRequestHandler('roots/list', () => ({ roots: roots().map((uri) => ({ uri, name: 'folder' })) }));
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: this.args(flags ?? ['--workspace', this.folder]),
      env: { ...environment(), ...env },
      cwd: cwd ?? this.folder,
      stderr: 'pipe',
    });
    let stderr = '';
    transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await client.connect(transport);
    this.#ends.push(() => client.close());
    return new McpClient(client, () => stderr);
  }

  /** Starts a server without a client. */
  start(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(process.execPath, this.args(flags), { env: { ...environment(), ...env }, cwd: this.folder });
    this.#ends.push(() => Promise.resolve(child.kill('SIGKILL')));
    return child;
  }

  /** Starts a server behind another process, as its client. */
  startBehind(flags: readonly string[] = []): ChildProcess {
    const behind = `const { spawn } = require('node:child_process');
      const server = spawn(process.execPath, process.argv.slice(1), { stdio: 'pipe' });
      process.stdin.pipe(server.stdin);
      server.stdout.pipe(process.stdout);`;
    const child = spawn(process.execPath, ['-e', behind, '--', ...this.args(flags)], {
      env: environment(),
      cwd: this.folder,
    });
    this.#ends.push(() => Promise.resolve(child.kill('SIGKILL')));
    return child;
  }

  /** Processes whose command contains the folder of this world. */
  async leftProcesses(): Promise<string[]> {
    const base = path.dirname(this.folder);
    const commands = livingProcesses().map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
    return (await Promise.all(commands)).filter((command) => command.includes(base));
  }
}

function environment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE: compileCache };
}

export class McpClient {
  readonly client: Client;
  readonly #stderr: () => string;

  constructor(client: Client, stderr: () => string) {
    this.client = client;
    this.#stderr = stderr;
  }

  /** Text that the server has written for people. */
  get stderr(): string {
    return this.#stderr();
  }

  async call(
    name: string,
    args: Record<string, unknown> = {},
    options: Parameters<Client['callTool']>[1] = {},
  ): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args }, options);
    const [content] = result.content;
    const text = content?.type === 'text' ? content.text : '';
    return {
      isError: result.isError === true,
      value: result.structuredContent as Answer['value'],
      text,
    };
  }
}

/** Code of the error in an answer. */
export function codeOf({ value }: Answer): unknown {
  return (value['error'] as { readonly code?: unknown } | undefined)?.code;
}
