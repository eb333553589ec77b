import { USAGE } from '../../src/platform/daemon/flags.ts';
import { table } from './section.ts';

/** An option in the help: its flag and value, and its text, which begins on the same line or on the next one. */
const OPTION = /^ {2}(--[a-z-]+(?: [A-Z][^ \n]*)?)\s+((?:(?!\n {2}--|\n\n)[\s\S])+)/gm;

/** Returns a table of the options of the platform, from its help. */
export function platformOptions(): string {
  const options = [...USAGE.matchAll(OPTION)].filter(([, flag]) => flag !== '--help');
  return table(
    ['Option', 'Meaning', 'Default'],
    options.map(([, flag = '', text = '']) => {
      const [meaning = '', value = ''] = text.replaceAll(/\s+/g, ' ').replace(/\)$/, '').split(' (default: ');
      return [`\`${flag}\``, marked(`${meaning[0]?.toUpperCase()}${meaning.slice(1)}.`), marked(value)];
    }),
  );
}

/** Marks flags and environment variables as code. */
function marked(text: string): string {
  return text.replaceAll(/(?<!\w)(?:--[a-z-]+|[A-Z]+_[A-Z_]+)/g, '`$&`');
}
