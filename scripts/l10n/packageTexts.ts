import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../editor/build.ts';

/** Texts of package.json by their keys, such as `command.logs.show.title`. */
export type PackageTexts = Readonly<Record<string, string>>;

/** A whole string of package.json that refers to a text, such as `%category%`. */
const REFERENCE = /^%([\w.-]+)%$/;

/** Resolves with package.json. Its texts are in English, or in the given language. */
export async function readManifest(language?: string): Promise<unknown> {
  const texts = await readPackageTexts(language);
  return withTexts(JSON.parse(await read('package.json')), texts);
}

/** Resolves with the texts of package.json in English, or in the given language, such as `zh-cn`. */
export async function readPackageTexts(language?: string): Promise<PackageTexts> {
  return JSON.parse(await read(`package.nls${language === undefined ? '' : `.${language}`}.json`)) as PackageTexts;
}

/** Returns the keys that a part of package.json refers to. */
export function referencesIn(part: unknown): string[] {
  if (typeof part === 'string') return [...(REFERENCE.exec(part)?.slice(1) ?? [])];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(referencesIn) : [];
}

/** Replaces each reference by its text. A reference without a text stays. */
function withTexts(part: unknown, texts: PackageTexts): unknown {
  if (typeof part === 'string') {
    const key = REFERENCE.exec(part)?.[1];
    return key === undefined ? part : (texts[key] ?? part);
  }
  if (Array.isArray(part)) return part.map((one) => withTexts(one, texts));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withTexts(value, texts)]));
}

function read(file: string): Promise<string> {
  return readFile(path.join(repository, file), 'utf8');
}
