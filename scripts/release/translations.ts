import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

/** English texts of a repository. The files of their translations have the code of a language before `.json`. */
const SOURCES = ['package.nls.json', 'l10n/bundle.l10n.json'];

/**
 * Resolves with a line for each text without a translation. Such a text appears in English, so only a release needs all translations.
 *
 * @param folder of a repository
 */
export async function missingTranslations(folder: string): Promise<string[]> {
  const read = async (file: string) => JSON.parse(await readFile(path.join(folder, file), 'utf8')) as object;
  const missing: string[] = [];
  for (const source of SOURCES)
    for await (const file of glob(source.replace(/json$/, '*.json'), { cwd: folder })) {
      const translations = await read(file);
      for (const key of Object.keys(await read(source)))
        if (!(key in translations)) missing.push(`${file} has no translation of "${key}".`);
    }
  return missing;
}
