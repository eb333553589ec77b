import { snippetText } from '../../../../text/snippetText.ts';

/* Host blocks of the configuration of OpenSSH. */

/** Stands for the address until the user replaces it. It resolves nowhere. */
const ADDRESS = 'address-in-the-console';

/** Returns an alias for a worker, or for any worker of an endpoint. It is a word of every shell, and never an option. */
export function sshAlias(endpointName: string, workerId?: string): string {
  const words = `${endpointName} ${workerId ?? ''}`.split(/[^A-Za-z0-9._]+/);
  return words.filter((word) => word !== '').join('-') || 'worker';
}

/** Returns the words of each line: the lower-case keyword, and its arguments. Comments have no keyword. */
function linesOf(config: string): (readonly [keyword: string, ...words: string[]])[] {
  return config.split(/\r?\n/).map((line) => {
    const [keyword = '', ...words] = line.trim().split(/[\s="]+/);
    return [keyword.startsWith('#') ? '' : keyword.toLowerCase(), ...words];
  });
}

/** Returns the line of the host with this alias, from 0; undefined if there is none. */
export function lineOfHost(config: string, alias: string): number | undefined {
  const line = linesOf(config).findIndex(([keyword, ...words]) => keyword === 'host' && words.includes(alias));
  return line === -1 ? undefined : line;
}

export interface SshHost {
  readonly alias: string;
  /** One line that explains the host. */
  readonly comment: string;
  readonly identityFile: string;
}

/** A snippet, and the line before which it belongs. */
export interface Insertion {
  /** From 0. Undefined: at the end of the file. */
  readonly line: number | undefined;
  readonly snippet: string;
}

/**
 * Returns the block of a host. It precedes blocks for several hosts, such as `Host *`, because OpenSSH uses the first value of an option.
 * Lines before all blocks apply to all hosts, and stay first.
 */
export function insertHost(config: string, { alias, comment, identityFile }: SshHost): Insertion {
  const block = [
    `# ${snippetText(comment)}`,
    `Host ${snippetText(alias)}`,
    `    HostName \${1:${ADDRESS}}`,
    '    User ${2:root}',
    '    Port ${3:22}',
    `    IdentityFile \${4:${snippetText(identityFile)}}$0`,
  ].join('\n');
  const texts = config.split(/\r?\n/);
  const isBlank = (text: string | undefined): boolean => (text ?? '').trim() === '';
  let line = linesOf(config).findIndex(
    ([keyword, ...words]) =>
      keyword === 'match' || (keyword === 'host' && words.some((word) => word.includes('*') || word.includes('?'))),
  );
  if (line === -1) {
    const hasEnd = texts.at(-1) === '';
    const gap = isBlank(config) || (hasEnd && isBlank(texts.at(-2))) ? '' : hasEnd ? '\n' : '\n\n';
    return { line: undefined, snippet: `${gap}${block}\n` };
  }
  // Comments above a block belong to it.
  while (texts[line - 1]?.trimStart().startsWith('#')) line--;
  return { line, snippet: `${isBlank(texts[line - 1]) ? '' : '\n'}${block}\n\n` };
}
