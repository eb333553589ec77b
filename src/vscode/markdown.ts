/* Names come from a person and from a service; in Markdown they must mean themselves. */

export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, '\\$&').replaceAll(/\s+/g, ' ');
}

/** A code span that also fits a table cell: a backtick would end the one, a bar the other. */
export function code(text: string): string {
  return `\`${text.replaceAll('`', '').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')}\``;
}
