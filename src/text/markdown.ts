import { foreign, withoutControls, type Showable, type ShownText, localizedParts } from './shownText.ts';

/*
 * Markdown that is safe to show. Foreign text in it stays plain text, and a web address in it does not become a link. A trusted tooltip
 * can run commands, so it must not contain a link from a server. The address can still be read and copied.
 */

/** Not exported, so only the functions below create an instance. */
class Safe {
  declare protected readonly nominal: never;
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toString(): string {
    return this.source;
  }

  toJSON(): string {
    return this.source;
  }
}

/** Markdown whose markup comes only from this extension. */
export type Markdown = Safe;

/** A value in Markdown: foreign text, a number, or Markdown. */
export type MarkdownValue = string | number | ShownText | Markdown;

/** Template tag for Markdown in the language of the editor. Literal parts keep their markup, and values that are not Markdown are escaped. */
export function formatted(literals: TemplateStringsArray, ...values: readonly MarkdownValue[]): Markdown {
  return concatenated(
    localizedParts(literals).map((part) => (typeof part === 'string' ? part : sourceOf(values[part] ?? ''))),
  );
}

/** Joins Markdown with a separator. The separator "\n\n" creates paragraphs. */
export function joinedMarkdown(parts: readonly MarkdownValue[], separator: string): Markdown {
  return concatenated(parts.flatMap((part, index) => (index === 0 ? [sourceOf(part)] : [separator, sourceOf(part)])));
}

/**
 * Escapes foreign text with few backslashes, for a document that is read as source. The result cannot contain a labeled link, an image,
 * HTML, or code. A web address becomes a link to itself.
 */
export function prose(text: Showable, longest?: number): Markdown {
  const safeText = typeof text === 'string' ? foreign(text, longest).text : text.text;
  return new Safe(safeText.replaceAll(/[\\`[\]<&]/g, '\\$&'));
}

/** Creates a code span. Its fence is longer than any run of backticks in the text, so the text cannot end the span. */
export function code(text: string | ShownText): Markdown {
  // A table escapes the bar with a backslash, and a backslash before it would cancel the escape.
  const safe = safeText(text).replaceAll('\\|', '\\ |');
  if (safe === '') return new Safe('');
  const longest = (safe.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const fence = '`'.repeat(longest + 1);
  const space = safe.startsWith('`') || safe.endsWith('`') ? ' ' : '';
  return new Safe(`${fence}${space}${safe}${space}${fence}`);
}

/** Creates a block of code. Its fence is longer than any run of backticks in the lines, so no line can end the block. */
export function codeBlock(lines: readonly string[]): Markdown {
  const text = withoutControls(lines.join('\n'));
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return new Safe(`${fence}text\n${text}\n${fence}`);
}

/** Creates a link that runs one of the extension's commands. It works only in a tooltip that trusts the command. */
export function commandLink(title: string, command: `cloudCompute.${string}`, argument: unknown): Markdown {
  // Encodes parentheses, because they would end the link.
  const encoded = encodeURIComponent(JSON.stringify([argument]).toWellFormed()).replaceAll(/[!'()*]/g, hexadecimal);
  return new Safe(`[${escaped(title)}](command:${command}?${encoded})`);
}

const hexadecimal = (sign: string): string => `%${sign.charCodeAt(0).toString(16)}`;

/** Creates a link to a file. @param file path in the first folder of the workspace, with slashes */
export function fileLink(title: string, file: string, line?: number): Markdown {
  const address = file
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()).replaceAll(/[!'()*]/g, hexadecimal));
  return new Safe(`[${escaped(title)}](/${address.join('/')}${line === undefined ? '' : `#L${line}`})`);
}

/** Creates a table. All rows have the same number of cells. Without `head` the header row is empty, because Markdown requires one. */
export function table(rows: readonly (readonly MarkdownValue[])[], head?: readonly string[]): Markdown {
  const columns = head ?? rows[0]?.map(() => '') ?? [];
  const line = (cells: readonly MarkdownValue[]) => `| ${cells.map(cell).join(' | ')} |`;
  return new Safe([line(columns), `|${columns.map(() => ':--|').join('')}`, ...rows.map(line)].join('\n'));
}

/** Escapes the bars of code spans. Bars in escaped text already have a backslash. */
function cell(value: MarkdownValue): string {
  return sourceOf(value).replaceAll(/(?<!\\)\|/g, '\\|');
}

/** Joins parts so that no icon or link forms across their boundary. The editor searches for icons in the rendered Markdown. */
function concatenated(parts: readonly string[]): Markdown {
  let source = '';
  for (const part of parts) source += /[\]$]$/.test(source.slice(-1)) && /^\\?\(/.test(part) ? ` ${part}` : part;
  return new Safe(source);
}

function sourceOf(value: MarkdownValue): string {
  if (typeof value === 'number') return String(value);
  return value instanceof Safe ? value.source : escaped(value);
}

function safeText(text: string | ShownText): string {
  return typeof text === 'string' ? foreign(text).text : foreign(text.text).text;
}

/** Puts a backslash before every ASCII punctuation mark, so that the text contains no markup of Markdown extensions either. */
function escaped(text: string | ShownText): string {
  return safeText(text).replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
}
