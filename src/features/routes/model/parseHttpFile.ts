import type { HttpBlock, HttpHeader, HttpMethod } from './httpFile.ts';

/* A minimal parser. The parser of HTTP files replaces this file. */

export interface HttpFile {
  readonly text: string;
  readonly blocks: readonly HttpBlock[];
  readonly problems: readonly { readonly start: number; readonly end: number; readonly message: string }[];
}

export function parseHttpFile(text: string): HttpFile {
  const blocks: HttpBlock[] = [];
  let start = 0;
  for (const part of text.split(/^(?=###)/m)) {
    const [head = '', ...rest] = part.split(/\r?\n\r?\n/);
    const lines = head.split(/\r?\n/);
    const name = lines.map((line) => /^###\s*(.+)$/.exec(line)?.[1]).find((found) => found !== undefined);
    const [request = '', ...headerLines] = lines.filter((line) => line !== '' && !line.startsWith('#'));
    const [method = '', url = ''] = request.split(/\s+/);
    const body = rest.join('\n\n').trim();
    const headers = headerLines.map((line): HttpHeader => {
      const at = line.indexOf(':');
      return { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
    });
    const file = /^< (.+)$/.exec(body)?.[1];
    const lineStart = start + part.indexOf(request);
    if (request !== '')
      blocks.push({
        ...{ start, end: start + part.length, name, method: method as HttpMethod, url, headers },
        requestLine: { start: lineStart, end: lineStart + request.length },
        body:
          body === '' ? undefined : file === undefined ? { kind: 'text', text: body } : { kind: 'file', path: file },
      });
    start += part.length;
  }
  return { text, blocks, problems: [] };
}
