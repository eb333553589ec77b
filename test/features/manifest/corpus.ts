import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fixesOf } from '../../../src/features/manifest/model/fixes/fixesOf.ts';
import {
  checkManifestFile,
  parseManifestFile,
  type ManifestFile,
  type ManifestPart,
} from '../../../src/features/manifest/model/manifestFile.ts';
import type { ParsedFile } from '../../../src/features/manifest/model/text/parsed.ts';
import type { ManifestProblem } from '../../../src/features/manifest/model/problem.ts';
import { HARDWARE_CATALOG } from '../../../src/platform/domain/hardwareCatalog.ts';

/*
 * The corpus: manifests that show what the editor and the platform accept and reject. Next to each manifest, a file with the extension
 * `.expected` lists its problems, and the answers of the platform that the editor cannot predict.
 */

export const corpusFolder = path.join(import.meta.dirname, 'corpus');

/** Rewrites the `.expected` files. Review the changes before you commit them. */
const UPDATES = process.env['CLOUD_COMPUTE_UPDATE_CORPUS'] === '1';

export const targets = ['hosted', 'local'] as const;
export type Target = (typeof targets)[number];

/** Parts of an `.expected` file. The lines of a section start with its words. */
const sections = {
  problems: /^(?!platform )/,
  platform: /^platform /,
} as const;
type Section = keyof typeof sections;

class CorpusManifest {
  readonly name: string;
  readonly text: string;
  readonly parsed: ParsedFile;

  constructor(name: string) {
    this.name = name;
    this.text = readFileSync(path.join(corpusFolder, name), 'utf8');
    this.parsed = parseManifestFile(this.text, name.endsWith('.json') ? 'json' : 'yaml');
  }

  /** Checks the manifest with the hardware catalog of the local platform. */
  check(target: Target): ManifestFile {
    return checkManifestFile(this.parsed, { target, catalog: HARDWARE_CATALOG });
  }

  /** Returns the lines of a section. With CLOUD_COMPUTE_UPDATE_CORPUS, replaces them by the actual lines before. */
  expected(section: Section, actual: readonly string[]): readonly string[] {
    if (!UPDATES) return this.#lines(section);
    const lines = (one: Section) => (one === section ? actual : this.#lines(one));
    const text = [...lines('problems'), ...lines('platform')].map((line) => `${line}\n`).join('');
    writeFileSync(this.#expectedFile, text);
    return this.#lines(section);
  }

  get #expectedFile(): string {
    return path.join(corpusFolder, `${this.name.replace(/\.endpoint\.(\w+)$/, '.$1')}.expected`);
  }

  #lines(section: Section): readonly string[] {
    const text = existsSync(this.#expectedFile) ? readFileSync(this.#expectedFile, 'utf8') : '';
    return text.split('\n').filter((line) => line !== '' && sections[section].test(line));
  }
}

export const corpus: readonly CorpusManifest[] = readdirSync(corpusFolder)
  .filter((name) => /\.endpoint\.(ya?ml|json)$/.test(name))
  .map((name) => new CorpusManifest(name));

/** Merges the entries of both targets. Entries of one target end with its name. Returns `none` if there are no entries. */
export function linesOf(
  entriesOf: (target: Target) => readonly string[],
  ...none: readonly string[]
): readonly string[] {
  const entries = { hosted: entriesOf('hosted'), local: entriesOf('local') };
  const line = (entry: string, target: Target) => {
    const [first = '', ...rest] = entry.split('\n');
    return [
      entries[target === 'hosted' ? 'local' : 'hosted'].includes(entry) ? first : `${first}, ${target} only`,
      ...rest,
    ];
  };
  const lines = [
    ...entries.hosted.flatMap((entry) => line(entry, 'hosted')),
    ...entries.local.filter((entry) => !entries.hosted.includes(entry)).flatMap((entry) => line(entry, 'local')),
  ];
  return lines.length > 0 ? lines : none;
}

/**
 * Describes a problem: its severity, its code, its place, and the underlined text. The next lines are its message and the titles of its
 * corrections. A star marks the preferred correction.
 */
export function describeProblem(file: ManifestFile, problem: ManifestProblem): string {
  const { text, parts } = file;
  const { start, end, severity, code, message, part } = problem;
  const before = text.slice(0, start).split('\n');
  const place = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  const fixes = fixesOf(file, problem).map(({ title, isPreferred }) => `  fix: ${isPreferred ? '*' : ''}${title}`);
  const lines = [`  ${message}`, ...fixes];
  const endpoint = parts.length > 1 ? `, endpoint ${part + 1}` : '';
  return `${severity} ${code} at ${place} ${JSON.stringify(text.slice(start, end))}${endpoint}\n${lines.join('\n')}`;
}

/** Names a part of a file with several parts. */
export function nameOfPart(
  { parts }: { readonly parts: readonly unknown[] },
  { index }: Pick<ManifestPart, 'index'>,
): string {
  return parts.length > 1 ? ` for endpoint ${index + 1}` : '';
}
