import type { TemplateResult } from 'lit';

/** Language of the texts, the numbers, and the times, as a BCP 47 tag. English outside of a page. */
export let language = 'en';

/** Sets the language. Modules create formatters while they are evaluated, so the language has to be set before. */
export function setLanguage(tag: string): void {
  language = tag;
}

type Part = TemplateResult | string;

/**
 * Returns a localized text with elements at its placeholders, so that a translation can move them: `{0}` is the first element.
 *
 * @param literal renders the text between the placeholders, which is plain by default
 */
export function withElements(
  text: string,
  elements: readonly Part[],
  literal: (part: string) => Part = (part) => part,
): Part[] {
  return text
    .split(/\{(\d+)\}/)
    .map((part, index) => (index % 2 === 1 ? (elements[Number(part)] ?? '') : part === '' ? '' : literal(part)));
}
