import { withoutControlSequences } from './controlSequences.ts';

/*
 * Text that is safe to show. Names, ids, errors, and files come from a server or a workspace. VS Code turns some of their characters into
 * more than text: `[label](command:id)` is a link that runs a command, and `$(name)` is an icon. Everything that is shown is a
 * `ShownText`, and foreign text becomes one only here.
 */

/** The longest text that one foreign value shows, in UTF-16 code units. */
export const LONGEST = 300;

/** The class is not exported: only the functions below make an instance. */
class Shown {
  /** Makes the type nominal: an object that only looks like one is not assignable. */
  declare protected readonly nominal: never;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For an error's message and for tests. The result is a plain string again. */
  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** Text that the editor shows as it is: it holds no link, icon, or control character that this product did not write. */
export type ShownText = Shown;

/** No text at all. */
export const NO_TEXT: ShownText = new Shown('');

/**
 * Makes foreign text safe to show, on one line. The result cannot contain a link or an icon, cannot reorder or hide the text around it, and
 * ends with "…" where it is cut. The work is linear in the length of the text, and making a safe text safe again changes nothing.
 */
export function foreign(text: string, longest = LONGEST): ShownText {
  return new Shown(cut(inert(text.slice(0, longest * LOOK_AHEAD)), longest, text.length > longest * LOOK_AHEAD));
}

/** How many times the shown length is examined: some of it may be removed. */
const LOOK_AHEAD = 8;

/** What a place that shows text takes. A string counts as foreign: text is safe even where its origin was forgotten. */
export type Showable = string | ShownText;

/** The string for such a place. */
export function safe(text: Showable): string {
  return typeof text === 'string' ? foreign(text).text : text.text;
}

/** The same for an optional text. */
export function safeIfAny(text: Showable | undefined): string | undefined {
  return text === undefined ? undefined : safe(text);
}

/** A value of a text: foreign, a number, or safe already. */
export type ShownValue = Showable | number;

/** A text whose literal parts are ours, with icons and line breaks where they are meant. Every value in it is made safe. */
export function shown(literals: TemplateStringsArray, ...values: readonly ShownValue[]): ShownText {
  return concatenated(
    literals.flatMap((literal, index) => (index === 0 ? [literal] : [textOf(values[index - 1] ?? ''), literal])),
  );
}

/** Texts in a row, such as the lines of a question. The separator is ours. */
export function joined(texts: readonly ShownValue[], separator: string): ShownText {
  return concatenated(texts.flatMap((text, index) => (index === 0 ? [textOf(text)] : [separator, textOf(text)])));
}

function textOf(value: ShownValue): string {
  return typeof value === 'number' ? String(value) : safe(value);
}

/** Parts that are harmless alone must not become a link or an icon where they meet. */
function concatenated(parts: readonly string[]): ShownText {
  let text = '';
  for (const part of parts) text += startsAlive(text, part) ? ` ${part}` : part;
  return new Shown(text);
}

function startsAlive(before: string, after: string): boolean {
  return after.startsWith('(') && (before.endsWith(']') || before.endsWith('$'));
}

/** All but those that are white space, which becomes a space. */
const CONTROLS = /(?!\s)\p{Cc}/gu;
/** Invisible characters, among them all that change the direction of the text; without joiners and variation selectors. */
const INVISIBLE = /(?![\u200c\u200d\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
/** A variation selector or a joiner after a Latin letter, a sign, or another one changes nothing that can be seen. */
const IDLE_SELECTORS = /(?<=^|[\0-\u024f\s\u2800\u200c\u200d\ufe00-\ufe0f])[\ufe00-\ufe0f]+/g;
const IDLE_JOINERS = /(?<=^|[\0-\u024f\s\u2800\u200c\u200d])[\u200c\u200d]+/g;

/** A text without what only a terminal reads, and without invisible characters; its line breaks and tabs stay. Linear. */
export function withoutControls(text: string): string {
  return withoutControlSequences(text.toWellFormed().replaceAll('\x85', '\n'))
    .replaceAll(CONTROLS, '')
    .replaceAll(INVISIBLE, '')
    .replaceAll(IDLE_SELECTORS, '')
    .replaceAll(IDLE_JOINERS, '');
}

/** Foreign text on one line, whole, for a file or the clipboard: what is pasted into a terminal there does nothing by itself. */
export function oneLine(text: string): string {
  return withoutControls(text).replaceAll(/\s+/g, ' ');
}

function inert(text: string): string {
  return withoutControls(text)
    .replaceAll(/[\s\u2800]+/g, ' ')
    .replaceAll('](', '] (')
    .replaceAll('$(', '$ (');
}

function cut(text: string, longest: number, isCut: boolean): string {
  if (text.length <= longest && !isCut) return text;
  // A pair of surrogates is one character.
  return `${text
    .slice(0, longest - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}
