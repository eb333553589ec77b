import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startChild } from './children.ts';

/** Starts a Node process that exits when its standard input ends. `firstLine` resolves with its first line of output. */
export function startNode(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = startChild(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    env: { ...process.env, ...env },
  });
  const line = once(createInterface({ input: child.process.stdout }), 'line').then(([text]) => String(text));
  const died = child.ended.then(() =>
    Promise.reject<string>(new Error(`${args.join(' ').slice(0, 60)} exited before it printed a line`)),
  );
  return { pid: child.process.pid ?? 0, firstLine: Promise.race([line, died]), stop: child.stop };
}
