/** A fenced block of a document. */
export interface Block {
  readonly language: string;
  /** Words after the language, such as `background`, `file=call.py`, and `needs=cluster`. GitHub shows none of them. */
  readonly marks: ReadonlyMap<string, string>;
  readonly text: string;
  /** Line of the document, from 1. */
  readonly line: number;
}

/** Needs of commands that a clone with Node.js does not meet. The tests skip blocks with such a need. */
export const NEEDS = ['cluster', 'editor', 'engine', 'registry'];

/** Returns the fenced blocks of a document. */
export function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  for (const { 1: indent = '', 2: info = '', 3: body = '', index } of document.matchAll(
    /^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm,
  )) {
    const [language = '', ...marks] = info.trim().split(/\s+/);
    blocks.push({
      language,
      marks: new Map(marks.map((mark) => mark.split('=', 2) as [string, string])),
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: document.slice(0, index).split('\n').length,
    });
  }
  return blocks;
}

/**
 * Returns a script that runs the commands of a document in order, in one shell, and stops at the first failure. A block with the mark
 * `background` keeps running, as in a terminal of its own, and the next block starts once its port answers HTTP.
 *
 * @param port replaces the port 8787 of the documents, which another program can use
 */
export function scriptOf(blocks: readonly Block[], port: number): string {
  const steps = blocks.flatMap(({ language, marks, text, line }, index) => {
    const file = marks.get('file');
    const end = `END_OF_BLOCK_${index}`;
    if (file !== undefined) return [`cat > ${file} <<'${end}'\n${text}${end}`];
    if (language !== 'sh') return [];
    const commands = text.replaceAll('8787', String(port));
    if (!marks.has('background')) return [`echo "--- line ${line}"\n${commands}`];
    // A bare connection is not enough: the system can choose the same port for its own end, and connect it to itself.
    const answers = `curl --silent --output /dev/null --max-time 1 http://127.0.0.1:${port}/`;
    return [`echo "--- line ${line}"\n(\n${commands}) &\nuntil ${answers}; do sleep 0.1; done`];
  });
  // At the end, also the programs in the background end.
  const begin = `set -e -o pipefail\ntrap 'code=$?; trap "" TERM; kill 0; exit $code' EXIT`;
  return [begin, ...steps].join('\n');
}
