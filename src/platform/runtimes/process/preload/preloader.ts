import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import * as z from 'zod';
import { concernsWorker } from '../../../domain/workerFiles.ts';
import type { Clock } from '../../../time/clock.ts';
import type { Command } from '../runMark.ts';
import { signalProcessGroup, type StartedExit, type StartedProcess } from '../startedProcess.ts';
import { CHANNEL } from './preloadProgram.ts';

/** Time for a fork, in ms. A process with 100 GB needs about a second. */
const FORK_MS = 10_000;

/** A message of the program. See `PRELOAD_PYTHON`. */
const Message = z.union([
  z.object({
    failed: z.boolean(),
    reason: z.string().nullable(),
    files: z.array(z.tuple([z.string(), z.string(), z.number()])),
  }),
  z.object({ forked: z.string(), pid: z.int().min(1) }),
  z.object({ refused: z.string(), reason: z.string() }),
  z.object({ exited: z.int(), code: z.int().nullable(), signal: z.int().nullable(), alone: z.boolean() }),
]);

/** A file that was read, as it was before. */
interface ReadFile {
  readonly file: string;
  readonly mtimeNs: string;
  readonly size: number;
}

/** Result of the preload. */
interface Loaded {
  /** Why no process can be forked. Undefined if processes can. */
  readonly obstacle: string | undefined;
  /** Whether the obstacle remains until a file changes. */
  readonly isLasting: boolean;
}

/** The worker that is preloaded. */
interface Preload {
  /** Identifies the process in its mark. */
  readonly id: string;
  /** The interpreter with the program, and its mark. */
  readonly command: Command;
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
  /** Arguments of the interpreter after its options. */
  readonly target: readonly string[];
  /** Modules, and functions as `module:function`. */
  readonly names: readonly string[];
  /** Variables of `env` that the modules do not see. */
  readonly hidden: readonly string[];
}

interface ForkRequest {
  /** ID of the run. */
  readonly id: string;
  readonly options: readonly string[];
  readonly target: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Mark of the run, see runMark.ts. */
  readonly locks: number | undefined;
}

export interface PreloaderOptions {
  readonly clock: Clock;
  /** Delivers the chunks of a stream. */
  readonly relay: (stream: Readable, onChunk: (chunk: Uint8Array) => void) => void;
}

type OnOutput = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;

interface ForkedProcess {
  readonly pid: number;
  readonly exit: Promise<StartedExit>;
}

type PendingFork = PromiseWithResolvers<ForkedProcess>;

/** Thrown if no process was forked. The message is the reason. */
export class ForkError extends Error {}

/** A process that has loaded what `x-local.preload` names, and forks the processes of workers. It runs no code of their handlers. */
export class Preloader {
  readonly id: string;
  /** IDs of the workers that use it. */
  readonly workers = new Set<string>();
  /** Resolves with the result of the preload. */
  readonly loaded: Promise<Loaded>;
  /** Resolves once the process has ended. */
  readonly ended: Promise<void>;
  readonly #clock: Clock;
  readonly #directory: string;
  readonly #pid: number | undefined;
  /** Undefined if the system could not create it. The start has failed then. */
  readonly #channel: Duplex | undefined;
  readonly #forks = new Map<string, PendingFork>();
  readonly #children = new Map<number, (exit: StartedExit) => void>();
  readonly #onLoaded: (loaded: Loaded) => void;
  #files: readonly ReadFile[] = [];
  #over = false;
  #retired = false;
  #onOutput: OnOutput | undefined;

  /** Starts the process. @param onOutput called with its output until `mute` */
  constructor(preload: Preload, { clock, relay }: PreloaderOptions, onOutput: OnOutput) {
    const { id, command, env, directory, target, names, hidden } = preload;
    this.id = id;
    this.#clock = clock;
    this.#directory = directory;
    const { promise, resolve } = Promise.withResolvers<Loaded>();
    this.loaded = promise;
    this.#onLoaded = resolve;
    this.#onOutput = onOutput;
    // The last one is the channel, whose descriptor is CHANNEL.
    const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
    const child = spawn(command.file, command.args, { cwd: directory, env, detached: true, stdio: [...stdio] });
    this.#pid = child.pid;
    // Without free descriptors, the process has no streams.
    for (const stream of ['stdout', 'stderr'] as const) {
      const output = child[stream] as Readable | undefined;
      if (output) relay(output, (chunk) => this.#onOutput?.(stream, chunk));
    }
    this.#channel = (child.stdio as typeof child.stdio | undefined)?.[CHANNEL] as unknown as Duplex | undefined;
    if (this.#channel) {
      // The end of the process reports what failed. The interface repeats errors of its input.
      this.#channel.on('error', () => undefined);
      const lines = createInterface({ input: this.#channel }).on('error', () => undefined);
      lines.on('line', (line) => this.#read(line));
    }
    this.ended = new Promise((ended) => {
      const end = (reason: string): void => {
        this.#end(reason);
        ended();
      };
      child.once('error', ({ message }) => end(message));
      child.once('exit', (code, signal) => end(`the process that loads them ended with ${signal ?? `code ${code}`}`));
    });
    this.#send({ directory, target, preload: names, hidden });
  }

  /** Drops further output, because the log entries of its start are complete. */
  mute(): void {
    this.#onOutput = undefined;
  }

  /** Returns a file that has changed since the preload read it. */
  async changedFile(): Promise<string | undefined> {
    const changed = await Promise.all(this.#files.map(hasChanged));
    return this.#files.find((_, index) => changed[index])?.file;
  }

  /** Forks the process of a run. @throws ForkError. If the process does not respond, it has ended then. */
  async fork({ id, env, locks, options, target }: ForkRequest): Promise<StartedProcess> {
    // A program outside cannot connect, because the folder belongs to this user alone.
    const folder = await mkdtemp(path.join(os.tmpdir(), 'cloud-compute-'));
    const outputs = ['1', '2'].map((name) => receive(path.join(folder, name)));
    const pending = Promise.withResolvers<ForkedProcess>();
    pending.promise.catch(() => undefined);
    this.#forks.set(id, pending);
    const cancel = this.#clock.after(FORK_MS, () => {
      pending.reject(new ForkError(`the fork took longer than ${FORK_MS / 1_000} s`));
      this.kill();
    });
    try {
      if (this.#over) throw new ForkError('the process with the loaded modules has ended');
      await Promise.race([pending.promise, Promise.all(outputs.map(({ listening }) => listening))]);
      const request = { id, env, options, target, locks: locks ?? null };
      this.#send({ ...request, outputs: outputs.map(({ address }) => address) });
      const { pid, exit } = await pending.promise;
      // The connections were made before the fork.
      const [stdout, stderr] = await Promise.all(outputs.map(({ socket }) => socket));
      if (!stdout || !stderr) throw new ForkError('it has no output');
      const closed = Promise.all(
        [stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve))),
      );
      return { pid, stdout, stderr, exit, closed, preloader: this.id };
    } finally {
      cancel();
      this.#forks.delete(id);
      for (const { close } of outputs) close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Forks no more processes, and ends once those that were forked have ended. */
  retire(): void {
    this.#retired = true;
    if (this.#children.size === 0) this.kill();
  }

  kill(): void {
    if (this.#pid !== undefined && !this.#over) signalProcessGroup(this.#pid, 'SIGKILL');
  }

  #send(message: object): void {
    if (this.#channel?.writable === true) this.#channel.write(`${JSON.stringify(message)}\n`);
  }

  #read(line: string): void {
    const { data: message } = Message.safeParse(parsed(line));
    if (!message) this.kill();
    else if ('failed' in message) {
      const { failed, reason, files } = message;
      this.#files = files
        .map(([file, mtimeNs, size]) => ({ file, mtimeNs, size }))
        .filter(({ file }) => isOutside(this.#directory, file) || concernsWorker(this.#directory, file));
      this.#onLoaded({ obstacle: reason ?? undefined, isLasting: !failed });
    } else if ('forked' in message) this.#hasForked(message);
    else if ('refused' in message) this.#forks.get(message.refused)?.reject(new ForkError(message.reason));
    else {
      const { exited, code, signal, alone } = message;
      this.#children.get(exited)?.({ code, signal: signal === null ? null : signalName(signal), isAlone: alone });
      this.#children.delete(exited);
      if (this.#retired && this.#children.size === 0) this.kill();
    }
  }

  #hasForked({ forked: id, pid }: { readonly forked: string; readonly pid: number }): void {
    const pending = this.#forks.get(id);
    if (!pending || this.#over) {
      signalProcessGroup(pid, 'SIGKILL');
      return;
    }
    // Set at once, because the next message can report the end of the process.
    const exit = new Promise<StartedExit>((resolve) => this.#children.set(pid, resolve));
    pending.resolve({ pid, exit });
  }

  #end(reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#onLoaded({ obstacle: reason, isLasting: false });
    for (const { reject } of this.#forks.values()) reject(new ForkError(reason));
    for (const [pid, report] of this.#children) {
      // The kernel ends them on Linux.
      signalProcessGroup(pid, 'SIGKILL');
      report({ code: null, signal: 'SIGKILL' });
    }
    this.#children.clear();
  }
}

/** Listens for one connection of a forked process, which carries one of its outputs. */
function receive(address: string) {
  const connected = Promise.withResolvers<Socket>();
  const listening = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    // A killed process can reset its connection. Its output has arrived by then.
    socket.on('error', () => undefined);
    connected.resolve(socket);
  });
  server.once('error', ({ message }) => listening.reject(new ForkError(message)));
  server.listen(address, listening.resolve);
  return { address, socket: connected.promise, listening: listening.promise, close: () => void server.close() };
}

async function hasChanged({ file, mtimeNs, size }: ReadFile): Promise<boolean> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found?.mtimeNs.toString() !== mtimeNs || Number(found.size) !== size;
}

function isOutside(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative.startsWith('..') || path.isAbsolute(relative);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function signalName(number: number): string {
  return Object.entries(os.constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}
