import * as l10n from '@vscode/l10n';
import { LONGEST_MANIFEST, MAX_PARTS } from './bounds.ts';
import { lineAt } from './locate.ts';
import { parseJson } from './parseJson.ts';
import { parseYaml } from './parseYaml.ts';
import type { ManifestLanguage, ParsedFile, ParsedPart } from './node.ts';
import type { ManifestProblem } from '../problem.ts';

/** Parses the text of a manifest file. Never throws, and takes time that is linear in the length of the text. */
export function parseManifestFile(text: string, language: ManifestLanguage): ParsedFile {
  if (text.length > LONGEST_MANIFEST) {
    const message = l10n.t`This file has ${text.length} characters; the limit is ${LONGEST_MANIFEST}`;
    return { text, language, parts: [rejected(text, 'tooLong', message)] };
  }
  const parts = language === 'json' ? [parseJson(text)] : parseYaml(text);
  if (parts.length > MAX_PARTS)
    return {
      text,
      language,
      parts: [rejected(text, 'tooManyParts', l10n.t`A file can have at most ${MAX_PARTS} endpoints`)],
    };
  return { text, language, parts };
}

function rejected(text: string, code: 'tooLong' | 'tooManyParts', message: string): ParsedPart {
  const problem: ManifestProblem = { ...lineAt(text, 0), code, message, severity: 'error', part: 0 };
  return { index: 0, start: 0, end: text.length, root: undefined, problems: [problem] };
}

/** Fields of an endpoint as they are written. Nothing has checked their types. */
export type WrittenEndpoint = Readonly<Record<string, unknown>>;

/**
 * Returns the endpoints in the text of a manifest. An endpoint with errors counts if its text can be parsed.
 *
 * @param path path or name of the file, which tells its language
 */
export function writtenEndpoints(text: string, path: string): readonly WrittenEndpoint[] {
  const { parts } = parseManifestFile(text, path.endsWith('.json') ? 'json' : 'yaml');
  return parts.map(({ value }) => value).filter(isMap);
}

function isMap(value: unknown): value is WrittenEndpoint {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
