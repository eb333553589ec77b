import * as l10n from '@vscode/l10n';

/*
 * Templates in the language of the editor. A translation can put the values in another order. Template tags use this module instead of
 * `l10n.t`, because they make each value safe before it becomes part of a text.
 */

/** A part of a template: literal text, or the index of a value. */
export type TemplatePart = string | number;

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
