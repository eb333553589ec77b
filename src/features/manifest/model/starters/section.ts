import { stringify } from 'yaml';
import type { Span } from '../../../../text/span.ts';
import { locate } from '../text/locate.ts';
import { parseManifestFile } from '../text/parse.ts';
import type { ManifestLanguage } from '../text/node.ts';

/* The text of a new manifest: sections of fields with comments, in YAML or JSON. */

/** Fields that belong together, below a comment. */
export interface Section {
  /** Lines of the comment, without the comment sign. */
  readonly comment?: readonly string[];
  /** Fields of the manifest in the order of the text. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields that the text shows as a comment, because the user must complete them. */
  readonly proposed?: Readonly<Record<string, unknown>>;
}

/** Returns the text of a manifest with an empty line between two sections. */
export function manifestText(sections: readonly Section[], language: ManifestLanguage): string {
  return language === 'json' ? jsonText(sections) : sections.map(yamlSection).join('\n');
}

/** Returns the fields of a section in YAML, or its members in JSON, without braces. Every member ends with a comma. */
export function fieldsText(fields: Section['fields'], language: ManifestLanguage): string {
  if (language === 'yaml') return Object.keys(fields).length === 0 ? '' : stringify(fields, { lineWidth: 0 });
  return Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)},\n`)
    .join('');
}

/** Returns the span of the endpoint's name in a manifest. */
export function nameSpan(text: string, language: ManifestLanguage): Span {
  const [part] = parseManifestFile(text, language).parts;
  return locate(part?.root, text, ['name']);
}

function yamlSection({ comment = [], fields, proposed = {} }: Section): string {
  const lines = [...comment, ...linesOf(fieldsText(proposed, 'yaml'))];
  return commented(lines, '#') + fieldsText(fields, 'yaml');
}

function jsonText(sections: readonly Section[]): string {
  const body = sections
    .map(({ comment = [], fields, proposed = {} }) => {
      const lines = [...comment, ...linesOf(fieldsText(proposed, 'json'))];
      return commented(lines, '//') + fieldsText(fields, 'json');
    })
    .join('\n');
  const indented = linesOf(body).map((line) => (line === '' ? '' : `  ${line}`));
  const last = indented.findLastIndex((line) => line !== '' && !line.startsWith('  //'));
  // Many tools reject a comma after the last member.
  if (last >= 0) indented[last] = indented[last]?.replace(/,$/, '') ?? '';
  return `{\n${indented.join('\n')}\n}\n`;
}

function commented(lines: readonly string[], sign: string): string {
  return lines.map((line) => `${sign} ${line}\n`).join('');
}

/** Returns the lines of a text that ends with a line break, or no lines for the empty text. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
