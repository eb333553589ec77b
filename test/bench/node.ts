import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** A Node process that prints where it is and ends with its standard input. */
export function startNode(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'close');
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text));
  const died = ended.then(() => Promise.reject<string>(new Error(`${args.join(' ').slice(0, 60)} ended at once`)));
  return {
    pid: child.pid ?? 0,
    firstLine: Promise.race([line, died]),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
