import * as l10n from '@vscode/l10n';
import { wordsOf, type BrokenRule } from '../contract/violation.ts';
import { Words } from '../contract/words.ts';

/*
 * Texts of the contract in the language of the editor. The contract itself is English, because a platform sends its texts. `scripts/l10n`
 * lists them for translators.
 */

/** Returns the message of a broken rule. */
export function ruleMessage(rule: BrokenRule): string {
  return localized(wordsOf(rule));
}

/** Returns a text of the contract. */
export function contractText(text: Words): string {
  return localized(text);
}

function localized(text: Words | string): string {
  if (typeof text === 'string') return text;
  const values = text.values.map((value) => (value instanceof Words ? localized(value) : String(value)));
  return l10n.t(text.template, ...values);
}

/** Keywords whose values are data, and not schemas. */
const DATA = ['const', 'default', 'enum', 'examples'];

/** Returns a copy of a JSON schema in which titles and descriptions are localized. */
export function localizedSchema<Schema extends object>(schema: Schema): Schema {
  return localizedValue(schema) as Schema;
}

function localizedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(localizedValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (DATA.includes(name)) return [name, member];
      const isText = (name === 'title' || name === 'description') && typeof member === 'string';
      return [name, isText ? l10n.t(member) : localizedValue(member)];
    }),
  );
}
