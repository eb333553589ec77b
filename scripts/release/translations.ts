import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { extensionTexts } from '../l10n/extensionTexts.ts';

/**
 * Resolves with a line for each text without a translation. Such a text appears in English, so only a release needs all translations.
 *
 * @param folder of a repository
 */
export async function missingTranslations(folder: string): Promise<string[]> {
  const keysIn = async (file: string) =>
    Object.keys(JSON.parse(await readFile(path.join(folder, file), 'utf8')) as object);
  /** Patterns of the files of translations, and the keys that each of them needs. */
  const sources: readonly (readonly [pattern: string, keys: () => Promise<readonly string[]>])[] = [
    ['package.nls.*.json', () => keysIn('package.nls.json')],
    ['l10n/bundle.l10n.*.json', extensionTexts],
  ];
  const missing: string[] = [];
  for (const [pattern, keys] of sources)
    for await (const file of glob(pattern, { cwd: folder })) {
      const translated = new Set(await keysIn(file));
      for (const key of await keys()) if (!translated.has(key)) missing.push(`${file} has no translation of "${key}".`);
    }
  return missing;
}
