/* Names of saved images. */

export const DEFAULT_FILE_NAME = '${name}-edited-${index}';

/** Values of the variables in a file name pattern. */
export interface NameValues {
  /** Name of the source, with or without an extension. */
  readonly name: string;
  /** Time of the edit, in ms since the epoch. */
  readonly time: number;
  readonly seed: number | undefined;
  readonly prompt: string;
  /** ID of the request. */
  readonly id: string;
}

const VARIABLE = /\$\{(name|date|time|seed|prompt|id|index)\}/g;
/** Maximum length of a name without its extension, in UTF-16 code units. */
const MAX_LENGTH = 120;
const MAX_PROMPT_LENGTH = 40;
/** Characters that file systems or shells do not allow in names, and invisible characters. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}\p{Cf}\u2028\u2029]+/gu;
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * Returns the names to try, in order, for one edit. Each has a higher index than the one before it. A pattern without the index gets it
 * at its end from the second name on.
 *
 * @param extension extension of the file, without the dot
 */
export function* fileNames(pattern: string, values: NameValues, extension: string): Generator<string, never> {
  const hasIndex = pattern.includes('${index}');
  for (let index = 1; ; index++) {
    const suffix = hasIndex || index === 1 ? '' : `-${index}`;
    const filled = pattern.replaceAll(VARIABLE, (_, name: keyof NameValues | 'index' | 'date') =>
      name === 'index' ? String(index) : valueOf(name, values),
    );
    // A long name is shortened before the index, because names that differ only in the index must stay different.
    const end = hasIndex ? `-${index}` : suffix;
    const isLong = filled.length + suffix.length > MAX_LENGTH;
    const whole = isLong ? `${filled.slice(0, MAX_LENGTH - end.length)}${end}` : `${filled}${suffix}`;
    yield `${safeName(whole)}.${extension}`;
  }
}

function valueOf(variable: keyof NameValues | 'date', { name, time, seed, prompt, id }: NameValues): string {
  const [date, clock] = localTime(time);
  switch (variable) {
    case 'name':
      return nameOf(name);
    case 'date':
      return date;
    case 'time':
      return clock;
    case 'seed':
      return seed === undefined ? 'random' : String(seed);
    case 'prompt':
      return slug(prompt);
    case 'id':
      return id;
  }
}

/** Returns the name of a file without its folder and extension. */
function nameOf(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  return base.replace(/(?<=.)\.[A-Za-z0-9]{1,5}$/, '') || 'image';
}

/** Returns lowercase words with hyphens, such as `make-it-gray`. */
function slug(text: string): string {
  const words =
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  let joined = '';
  for (const word of words) {
    if (joined.length + word.length + 1 > MAX_PROMPT_LENGTH) break;
    joined = joined === '' ? word : `${joined}-${word}`;
  }
  return joined || 'edit';
}

/** Returns the local date and time, such as `2026-03-01` and `14-05-09`. */
function localTime(time: number): readonly [date: string, time: string] {
  const at = new Date(time);
  const two = (number: number): string => String(number).padStart(2, '0');
  const date = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return [date, [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join('-')];
}

/** Returns a name that is valid on all operating systems and is no path. */
function safeName(text: string): string {
  const name = text
    .toWellFormed()
    .replaceAll(FORBIDDEN, '-')
    .replace(/^[.\s]+/, '')
    .replace(/[.\s]+$/, '');
  if (name === '') return 'image';
  return DEVICE.test(name) ? `_${name}` : name;
}

/** Returns the segments of a folder relative to the workspace folder, or undefined if it could be outside of it. */
export function folderSegments(folder: string): readonly string[] | undefined {
  if (/^([/\\]|[A-Za-z]:)/.test(folder) || folder.includes('\0')) return undefined;
  const segments = folder.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.');
  return segments.some((segment) => segment.trim() === '..' || /^\.+\s*$/.test(segment)) ? undefined : segments;
}
