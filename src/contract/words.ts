/*
 * English text that an editor can show in another language. The contract does not know other languages: it keeps the template of a text
 * and its values apart, and an editor looks up the template.
 */

export type WordsValue = string | number | bigint | Words;

/** A text and its values. The template has `{0}` in place of the first value. */
export class Words {
  readonly template: string;
  readonly values: readonly WordsValue[];

  constructor(template: string, values: readonly WordsValue[]) {
    this.template = template;
    this.values = values;
  }

  /** Returns the text in English. */
  toString(): string {
    return this.template.replace(/\{(\d+)\}/g, (placeholder, index: string) =>
      String(this.values[Number(index)] ?? placeholder),
    );
  }
}

/** Template tag for a text. `scripts/l10n` finds the texts of an editor by the name of this tag. */
export function words(literals: TemplateStringsArray, ...values: readonly WordsValue[]): Words {
  return new Words(
    literals.reduce((template, literal, index) => `${template}{${index - 1}}${literal}`),
    values,
  );
}

/** Text that is looked up as a whole, such as the message of a schema. */
export function phrase(text: string): Words {
  return new Words(text, []);
}

/** Text in the language of its author, such as the message of a service. It is not looked up. */
export function verbatim(text: string): Words {
  return new Words('{0}', [text]);
}

/**
 * Creates the message of a code from its data. A message that only a platform sends is a string, because an editor receives it as text.
 * Messages that ignore the data are cast to this type, which declares the data.
 */
export type Wording<Data> = (data: Data) => Words | string;
