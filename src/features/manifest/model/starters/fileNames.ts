import * as l10n from '@vscode/l10n';
import type { ManifestLanguage } from '../text/parsed.ts';

/* Names of new manifest files. */

const SUFFIX = /\.endpoint\.(ya?ml|json)$/;

/** Returns a file name for an endpoint that is not in `taken`. Compares without case, as some file systems do. */
export function newFileName(
  endpointName: string,
  taken: readonly string[],
  language: ManifestLanguage = 'yaml',
): string {
  const stem = stemOf(endpointName);
  const used = new Set(taken.map((name) => name.toLowerCase()));
  const name = (number: number) => `${number === 1 ? stem : `${stem}-${number}`}.endpoint.${language}`;
  let number = 1;
  while (used.has(name(number))) number++;
  return name(number);
}

/** Returns a file name without special characters. */
function stemOf(endpointName: string): string {
  const stem = endpointName
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '');
  return stem === '' || RESERVED.test(stem) ? 'hello' : stem;
}

/** Names that Windows reserves for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns the file name that a text stands for: `mine` and `mine.yaml` become `mine.endpoint.yaml`. */
export function completeFileName(text: string): string {
  const name = text.trim();
  if (SUFFIX.test(name)) return name;
  const [, stem = name, extension = 'yaml'] = /^(.*?)(?:\.endpoint)?(?:\.(ya?ml|json))?\.?$/s.exec(name) ?? [];
  return `${stem}.endpoint.${extension}`;
}

/** Returns the reason why a text does not stand for the name of a manifest file, or undefined. */
export function fileNameProblem(text: string): string | undefined {
  const name = completeFileName(text);
  if (/[\\/:*?"<>|\u0000-\u001f]/.test(name))
    return l10n.t('A file name cannot contain \\ / : * ? " < > | or control characters.');
  const stem = name.replace(SUFFIX, '');
  if (stem === '') return l10n.t('Enter a name before the extension.');
  if (RESERVED.test(stem)) return l10n.t('Windows reserves this name for a device.');
  return name.length > 200 ? l10n.t('The name is too long. Use at most 200 characters.') : undefined;
}

/** Returns the name of the endpoint for a file name. */
export function endpointNameOf(fileName: string): string {
  return completeFileName(fileName).replace(SUFFIX, '');
}

/** Returns the reason why a text cannot name a new worker, its folder, and its endpoint. Undefined if it can. */
export function workerNameProblem(name: string): string | undefined {
  if (name === '') return l10n.t('Enter a name.');
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name))
    return l10n.t('Use letters, digits, hyphens, and underscores, and begin with a letter or a digit.');
  return name.length > MAX_LENGTH ? l10n.t`Use at most ${MAX_LENGTH} characters.` : fileNameProblem(name);
}

const MAX_LENGTH = 60;
