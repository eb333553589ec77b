import * as l10n from '@vscode/l10n';

/* Terminal control sequences (ECMA-48) in foreign text, such as log lines from a worker or a host. */

const ESC = '\u001b';
/** Introducers of control strings: DCS, SOS, OSC, PM, and APC, as one character or as two. */
const STRING = `(?:${ESC}[PX\\]^_]|[\u0090\u0098\u009d\u009e\u009f])`;
/** The content of a control string. It excludes all characters that can begin or end one, so no text is searched twice. */
const STRING_TEXT = `[^${ESC}\u0007\u0080-\u009f]*`;
const STRING_END = `(?:${ESC}\\\\|[\u0007\u009c])`;
const CSI = `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
/** An introducer without an end, which is removed by itself. */
const SINGLE = `${ESC}[ -/]*[0-~]|[\u0080-\u009f]`;

/** Matches every control sequence of a text. Takes linear time. */
export const CONTROL_SEQUENCE = new RegExp(`${STRING}${STRING_TEXT}${STRING_END}|${CSI}|${SINGLE}`, 'g');

/** Removes control sequences, such as colors, cursor movements, window titles, and links. Takes linear time. */
export function withoutControlSequences(text: string): string {
  return text.replace(CONTROL_SEQUENCE, '');
}

/*
 * Templates in the language of the editor. A translation can put the values in another order. Template tags use this module instead of
 * `l10n.t`, because they make each value safe before it becomes part of a text.
 */

/** A part of a template: literal text, or the index of a value. */
type TemplatePart = string | number;

/** A template literal is the same array at each call, so its translation is looked up once. */
const known = new WeakMap<TemplateStringsArray, readonly TemplatePart[]>();

/** Returns the parts of a template literal in the language of the editor, in the order in which they are shown. */
export function localizedParts(literals: TemplateStringsArray): readonly TemplatePart[] {
  let parts = known.get(literals);
  if (!parts) {
    parts = partsOf(l10n.t(templateKey(literals)));
    known.set(literals, parts);
  }
  return parts;
}

/** Returns the text under which a template is translated, such as `Delete “{0}”?`. */
function templateKey(literals: readonly string[]): string {
  return literals.reduce((key, literal, index) => `${key}{${index - 1}}${literal}`);
}

/** A capturing group makes `split` return the indexes too, at the odd positions. */
function partsOf(template: string): readonly TemplatePart[] {
  return template.split(/\{(\d+)\}/).map((part, position) => (position % 2 === 0 ? part : Number(part)));
}

/*
 * Text that is safe to show. Names, IDs, errors, and files come from a server or a workspace; this module calls their text foreign.
 * VS Code renders `[label](command:id)` as a link that runs a command, and `$(name)` as an icon. The editor's own functions receive only
 * `ShownText`, and only this module turns foreign text into it.
 */

/** Maximum length of one foreign value, in UTF-16 code units. */
export const LONGEST = 300;

/** Not exported, so only the functions below create an instance. */
class Shown {
  /** Makes the type nominal: an object with the same shape is not assignable. */
  declare protected readonly nominal: never;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Used for error messages and in tests. The result is a plain string, so it counts as foreign again. */
  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** Text that the editor can show unchanged. Its links, icons, and control characters come only from this extension. */
export type ShownText = Shown;

/** Empty text. */
export const NO_TEXT: ShownText = new Shown('');

/**
 * Makes foreign text safe to show on one line. The result contains no link or icon and cannot reorder or hide the text around it. Text
 * over `longest` UTF-16 code units is cut and ends with "…". Takes linear time. A second call does not change the result.
 */
export function foreign(text: string, longest = LONGEST): ShownText {
  return new Shown(truncate(inert(text.slice(0, longest * LOOK_AHEAD)), longest, text.length > longest * LOOK_AHEAD));
}

/** The examined length as a multiple of the shown length, because some characters are removed. */
const LOOK_AHEAD = 8;

/** Text for any place in the editor. A plain string counts as foreign, so text of unknown origin is safe too. */
export type Showable = string | ShownText;

/** Returns the string to show. */
export function safe(text: Showable): string {
  return typeof text === 'string' ? foreign(text).text : text.text;
}

/** Returns the string to show for optional text, or undefined. */
export function safeIfAny(text: Showable | undefined): string | undefined {
  return text === undefined ? undefined : safe(text);
}

/** A value in a text: foreign or safe text, or a number. */
export type ShownValue = Showable | number;

/**
 * Template tag for safe text in the language of the editor. Literal parts keep their icons and line breaks, and every value is made safe.
 */
export function shown(literals: TemplateStringsArray, ...values: readonly ShownValue[]): ShownText {
  return concatenated(
    localizedParts(literals).map((part) => (typeof part === 'string' ? part : textOf(values[part] ?? ''))),
  );
}

/** Joins texts, such as the lines of a question. The separator is used unchanged. */
export function joined(texts: readonly ShownValue[], separator: string): ShownText {
  return concatenated(texts.flatMap((text, index) => (index === 0 ? [textOf(text)] : [separator, textOf(text)])));
}

/** Returns the first names. If there are more, a last entry counts the others. */
export function namedAtMost(names: readonly ShownText[], bullet = '', most = 10): readonly ShownText[] {
  const more = names.length - most;
  return more > 0 ? [...names.slice(0, most), shown`${bullet}and ${more} more`] : names;
}

function textOf(value: ShownValue): string {
  return typeof value === 'number' ? String(value) : safe(value);
}

/** Joins parts so that no link or icon forms across their boundary. */
function concatenated(parts: readonly string[]): ShownText {
  let text = '';
  for (const part of parts) text += formsLinkOrIcon(text, part) ? ` ${part}` : part;
  return new Shown(text);
}

function formsLinkOrIcon(before: string, after: string): boolean {
  return after.startsWith('(') && (before.endsWith(']') || before.endsWith('$'));
}

/** Control characters except white space, which `inert` turns into spaces. */
const CONTROLS = /(?!\s)\p{Cc}/gu;
/** Invisible characters, including those that change text direction, except joiners and variation selectors. */
const INVISIBLE = /(?![\u200c\u200d\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** Variation selectors and joiners without a visible effect: after Latin letters, punctuation, or another such character. */
const IDLE_SELECTORS = /(?<=^|[\0-\u024f\s\u2800\u200c\u200d\ufe00-\ufe0f])[\ufe00-\ufe0f]+/g;
const IDLE_JOINERS = /(?<=^|[\0-\u024f\s\u2800\u200c\u200d])[\u200c\u200d]+/g;

/** Removes terminal control sequences, control characters, and invisible characters. Line breaks and tabs stay. Takes linear time. */
export function withoutControls(text: string): string {
  return withoutControlSequences(text.toWellFormed().replaceAll('\x85', '\n'))
    .replaceAll(CONTROLS, '')
    .replaceAll(INVISIBLE, '')
    .replaceAll(IDLE_SELECTORS, '')
    .replaceAll(IDLE_JOINERS, '');
}

/** Puts foreign text on one line without cutting it, for a file or the clipboard. Pasting it into a terminal runs no command. */
export function oneLine(text: string): string {
  return withoutControls(text).replaceAll(/\s+/g, ' ');
}

function inert(text: string): string {
  return withoutControls(text)
    .replaceAll(/[\s\u2800]+/g, ' ')
    .replaceAll('](', '] (')
    .replaceAll('$(', '$ (');
}

function truncate(text: string, longest: number, isCut: boolean): string {
  if (text.length <= longest && !isCut) return text;
  // Keeps surrogate pairs whole.
  return `${text
    .slice(0, longest - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

/** Letters of scripts that run from right to left. */
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * Isolates text that contains letters from right to left, so that it does not reorder the text next to it, such as the numbers after a name.
 * Returns other text unchanged.
 */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

const MAX_LINES = 200;
const LONGEST_LINE = 2_000;
const INDENT = '    ';

/**
 * Makes text safe for a log. Lines after the first are indented, so they cannot look like separate entries. Lines over 2,000 characters
 * are cut, and lines after the first 200 are removed; "…" marks each cut.
 */
export function logText(text: string): string {
  const most = MAX_LINES * LONGEST_LINE;
  const lines = withoutControls(text.slice(0, most)).split(/\r\n|[\n\r\v\f\u2028\u2029]/);
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  if (lines.length > MAX_LINES || text.length > most) shown.push('…');
  return shown.join(`\n${INDENT}`);
}
