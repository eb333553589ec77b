import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { messagesIn } from './messages.ts';

/** Folder of the sources whose texts are translated. */
const SOURCES = /^src\/.*\.ts$/;

/**
 * Writes the texts of each page next to its script, such as `billing.texts.json`. They are the keys of the translations that the document of
 * the page contains.
 */
export async function writePageTexts({ outputs }: Metafile): Promise<void> {
  for (const [file, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint === undefined || !file.endsWith('.js')) continue;
    const texts = `${file.slice(0, -'.js'.length)}.texts.json`;
    await mkdir(path.dirname(texts), { recursive: true });
    await writeFile(texts, JSON.stringify(await textsOf(sourcesOf(file, outputs))));
  }
}

/** Returns the source files of a script and of the chunks that it imports. */
function sourcesOf(script: string, outputs: Metafile['outputs']): string[] {
  const files = new Set([script]);
  for (const file of files) for (const { path: imported } of outputs[file]?.imports ?? []) files.add(imported);
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
}

/** Resolves with the texts of source files, sorted, each once. */
async function textsOf(files: readonly string[]): Promise<string[]> {
  const sources = await Promise.all(files.filter((file) => SOURCES.test(file)).map((file) => readFile(file, 'utf8')));
  return [...new Set(sources.flatMap(messagesIn))].sort();
}
