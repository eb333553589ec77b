import { readFile, writeFile } from 'node:fs/promises';
import { INSTRUCTIONS } from '../src/platform/images/instructions/table.ts';

/* Writes the README's table of what the image-editing model understands. A test says when that is due. */

const [BEGIN, END] = ['<!-- instructions -->', '<!-- /instructions -->'];

/** The README with the table as it should be. */
export function withInstructions(readme: string): string {
  const [before, rest = ''] = readme.split(BEGIN);
  const after = rest.split(END)[1] ?? '';
  return `${before}${BEGIN}\n\n${instructionTable()}\n\n${END}${after}`;
}

function instructionTable(): string {
  const rows = INSTRUCTIONS.map(({ name, takes, example }) => [name, takes, `*${example}*`]);
  const all = [['Instruction', 'What it takes', 'Example'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

if (import.meta.main) await writeFile('README.md', withInstructions(await readFile('README.md', 'utf8')));
