import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SOURCES, type SourceTexts } from '../model/worker/workerFiles.ts';

/** Reads the source files of new workers. @param root folder of the extension */
export async function readSources(root: string): Promise<SourceTexts> {
  const entries = await Promise.all(
    Object.entries(SOURCES).map(async ([name, file]) => [name, await readFile(path.join(root, file), 'utf8')] as const),
  );
  return Object.fromEntries(entries) as Record<keyof SourceTexts, string>;
}
