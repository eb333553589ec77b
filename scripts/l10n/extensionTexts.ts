import { glob, readFile } from 'node:fs/promises';
import { repository } from '../editor/build.ts';
import { contractTexts } from './contractTexts.ts';
import { messagesIn } from './messages.ts';

/** Folders of src whose texts the editor shows. */
const ROOMS = ['account', 'agents', 'contract', 'features', 'kit', 'text', 'webviews'] as const;

/** Resolves with the English texts of the extension, which are the keys of their translations. Sorted, each once. */
export async function extensionTexts(): Promise<string[]> {
  const texts = new Set(contractTexts());
  for await (const file of glob(`src/{${ROOMS.join()}}/**/*.ts`, { cwd: repository }))
    for (const message of messagesIn(await readFile(`${repository}/${file}`, 'utf8'))) texts.add(message);
  return [...texts].sort();
}
