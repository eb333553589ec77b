/** Returns a Markdown table. Its columns are aligned as Prettier aligns them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(cell));
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [titles = [], ...body] = all;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Replaces the generated section with this name. @throws Error if the document does not contain the section */
export function withSection(document: string, name: string, content: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the document has no section ${begin} … ${end}`);
  return `${document.slice(0, from)}${begin}\n\n${content}\n\n${document.slice(to)}`;
}
