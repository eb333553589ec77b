import type { CommandId } from '../commandIds.ts';
import { foreign, type Showable, type ShownText } from './shownText.ts';

/*
 * Markdown that is safe to show. Foreign text in it means itself: it is no link, not even where it looks like an address, because a tooltip
 * may be trusted to run commands and a link that a server chose has no place beside ours. An address can still be read and copied.
 */

/** The class is not exported: only the functions below make an instance. */
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

/** Markdown in which only what this product wrote is more than text. */
export type Markdown = Safe;

/** A value in Markdown: foreign text, a number, or Markdown already. */
export type MarkdownValue = string | number | ShownText | Markdown;

/** Markdown whose literal parts are ours. Every value in it that is not Markdown is escaped. */
export function formatted(literals: TemplateStringsArray, ...values: readonly MarkdownValue[]): Markdown {
  return concatenated(
    literals.flatMap((literal, index) => (index === 0 ? [literal] : [sourceOf(values[index - 1] ?? ''), literal])),
  );
}

/** Markdown in a row: with "\n\n" as separator these are paragraphs. */
export function joinedMarkdown(parts: readonly MarkdownValue[], separator: string): Markdown {
  return concatenated(parts.flatMap((part, index) => (index === 0 ? [sourceOf(part)] : [separator, sourceOf(part)])));
}

/**
 * Foreign text for a document that people read as its source, where a backslash before every sign would be in the way: no link with a
 * label, image, HTML, or code comes of it. An address becomes a link to itself, which is what it says.
 */
export function prose(text: Showable, longest?: number): Markdown {
  const safeText = typeof text === 'string' ? foreign(text, longest).text : text.text;
  return new Safe(safeText.replaceAll(/[\\`[\]<&]/g, '\\$&'));
}

/** A code span. A fence that is longer than any run of backticks in the text ends it, so nothing in the text does. */
export function code(text: string | ShownText): Markdown {
  // A backslash would take its meaning from the bar after it, which a table escapes.
  const safe = safeText(text).replaceAll('\\|', '\\ |');
  if (safe === '') return new Safe('');
  const longest = (safe.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const fence = '`'.repeat(longest + 1);
  const space = safe.startsWith('`') || safe.endsWith('`') ? ' ' : '';
  return new Safe(`${fence}${space}${safe}${space}${fence}`);
}

/** A link that runs one of our commands, where a tooltip trusts it to. */
export function commandLink(title: string, command: CommandId, argument: unknown): Markdown {
  // Parentheses would end the link.
  const encoded = encodeURIComponent(JSON.stringify([argument]).toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return new Safe(`[${escaped(title)}](command:${command}?${encoded})`);
}

/** Rows of as many cells each. A table without a head has an empty one, as Markdown wants it. */
export function table(rows: readonly (readonly MarkdownValue[])[], head?: readonly string[]): Markdown {
  const columns = head ?? rows[0]?.map(() => '') ?? [];
  const line = (cells: readonly MarkdownValue[]) => `| ${cells.map(cell).join(' | ')} |`;
  return new Safe([line(columns), `|${columns.map(() => ':--|').join('')}`, ...rows.map(line)].join('\n'));
}

/** A bar in escaped text has its backslash; one in a code span needs it here. */
function cell(value: MarkdownValue): string {
  return sourceOf(value).replaceAll(/(?<!\\)\|/g, '\\|');
}

/** The editor looks for icons in what the Markdown becomes: parts that are harmless alone must not be one where they meet. */
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

/** Every sign of ASCII with a backslash before it, so that no extension of Markdown finds anything to read either. */
function escaped(text: string | ShownText): string {
  return safeText(text).replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
}
