import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';

export interface Activation {
  /** Time, in ms, to load the code of the extension. */
  readonly load: number;
  /** Time of `activate()`, in ms. */
  readonly activate: number;
  /** Processor time that the main thread needs for `activate()`, in ms. Other processes do not extend it. */
  readonly cpu: number;
  /** Processor time that the main thread of the same process needs to load zod, in ms. */
  readonly reference: number;
  /** Functions of the API that registered something, such as `commands.registerCommand`, each with its first argument. */
  readonly registered: readonly (readonly [string, string])[];
}

const host = path.join(import.meta.dirname, 'activationHost.mjs');

/** Loads and activates an extension in a new process, with a fake editor that does nothing. @param bundle file of the entry point */
export async function activateOnce(bundle: string): Promise<Activation> {
  const args = ['--disable-warning=ExperimentalWarning', host, path.resolve(bundle), (await editorNames()).join()];
  const { stdout } = await execa(process.execPath, args);
  return JSON.parse(stdout) as Activation;
}

/** Resolves with the names of the exports of the module `vscode`. */
async function editorNames(): Promise<string[]> {
  const types = createRequire(import.meta.url).resolve('@types/vscode/index.d.ts');
  const text = await readFile(types, 'utf8');
  const exported = /^\t(?:export )?(?:abstract )?(?:class|enum|namespace|const|function) (\w+)/gm;
  return [...new Set(Array.from(text.matchAll(exported), ([, name = '']) => name))];
}
