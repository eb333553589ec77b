import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PlatformAnnouncement } from '../../src/contract/launch/localPlatform.ts';
import { compileCache } from '../../scripts/editor/compileCache.ts';
import { PLATFORM_PROGRAM } from '../support/programs.ts';
import { afterwards } from './support.ts';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface LaunchOptions {
  /** Entry point. Default: `PLATFORM_PROGRAM`. */
  readonly main?: string;
  readonly nodeArgs?: readonly string[];
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the platform in a separate process. `cleanUp` ends it if it still runs. */
export function launch(
  args: readonly string[],
  { main = PLATFORM_PROGRAM, nodeArgs = [], env: added }: LaunchOptions = {},
) {
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, ...added };
  const child = spawn(process.execPath, [...nodeArgs, main, ...args], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env,
  }) as ChildProcessWithoutNullStreams;
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const firstLine = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const exit = new Promise<Exit>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, ...output })),
  );
  afterwards(async () => {
    // SIGTERM lets the platform end its workers.
    child.kill('SIGTERM');
    await exit;
  });
  const announcement = async (): Promise<PlatformAnnouncement> => {
    const line = await Promise.race([firstLine.then(([text]) => text), exit.then(({ stderr }) => new Error(stderr))]);
    if (line instanceof Error) throw line;
    return PlatformAnnouncement.parse(JSON.parse(line));
  };
  /** Sends a question to a preloaded module. @returns its answer */
  const ask = async <Answer>(question: string): Promise<Answer> => {
    const answered = once(child, 'message') as Promise<[Answer]>;
    child.send(question);
    return (await answered)[0];
  };
  return {
    ...{ announcement, firstLine, exit, ask, stdin: child.stdin },
    stderr: () => output.stderr,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}
