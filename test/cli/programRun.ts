import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { compileCache } from '../../scripts/editor/compileCache.ts';

const PROGRAM = path.join(import.meta.dirname, 'fromSources.ts');

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramRun {
  readonly child: ChildProcess;
  readonly exit: Promise<ProgramResult>;
  /** Resolves once standard output contains the text, or the program has ended. */
  readonly printed: (text: string) => Promise<void>;
}

/** Runs the command line program as a process, without a terminal. */
export function runProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): ProgramRun {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...env },
  });
  const out = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    out.stdout += chunk.toString();
    for (const check of waiting) check();
  });
  child.stderr.on('data', (chunk: Buffer) => (out.stderr += chunk.toString()));
  const exit = new Promise<ProgramResult>((resolve) => child.once('close', (code) => resolve({ code, ...out })));
  const printed = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (out.stdout.includes(text)) resolve();
      };
      waiting.add(check);
      check();
      void exit.then(() => resolve());
    });
  return { child, exit, printed };
}
