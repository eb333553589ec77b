/** Language of the texts, the numbers, and the times, as a BCP 47 tag. English outside of a page. */
export let language = 'en';

/** Sets the language. Modules create formatters while they are evaluated, so the language has to be set before. */
export function setLanguage(tag: string): void {
  language = tag;
}
