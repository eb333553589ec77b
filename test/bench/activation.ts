import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { measureInTurns, report } from './compare.ts';
import { startNode } from './node.ts';

const ROUNDS = 15;
const ALLOWED_MS = 10;
const host = path.join(import.meta.dirname, 'activationHost.mjs');

interface Times {
  readonly load: number;
  readonly activate: number;
}

/** Measures how long the extension takes to load and activate in a new process, with a fake editor that does nothing. */
export async function run(): Promise<void> {
  const names = await editorNames();
  const loads: number[] = [];
  const activations: number[] = [];
  const { total } = await measureInTurns(
    {
      total: async () => {
        const { load, activate } = await activationTimes(names);
        loads.push(load);
        activations.push(activate);
        return load + activate;
      },
    },
    ROUNDS,
  );
  const allowed = (times: readonly number[]) => times.map(() => ALLOWED_MS);
  report({ name: 'activate() / limit', unit: 'ms', ours: activations, alternative: allowed(activations) });
  report({ name: 'load the bundle', unit: 'ms', ours: loads });
  report({ name: 'both', unit: 'ms', ours: total });
}

async function activationTimes(names: readonly string[]): Promise<Times> {
  const node = startNode([host, path.resolve('dist/extension.js'), names.join()]);
  try {
    return JSON.parse(await node.firstLine) as Times;
  } finally {
    await node.stop();
  }
}

/** Resolves with the names of the exports of the module `vscode`. */
async function editorNames(): Promise<string[]> {
  const types = createRequire(import.meta.url).resolve('@types/vscode/index.d.ts');
  const text = await readFile(types, 'utf8');
  const exported = /^\t(?:export )?(?:abstract )?(?:class|enum|namespace|const|function) (\w+)/gm;
  return [...new Set(Array.from(text.matchAll(exported), ([, name = '']) => name))];
}
