import type { CodeHeader, CodeRequest } from './codeRequest.ts';

/** Maximum size of a body in an argument, in bytes. Linux limits one argument to 128 KiB. */
const LONGEST_ARGUMENT = 96 * 1_024;

/** Returns a command for a POSIX shell. A large body is in a here-document, which adds a line end to it. */
export function curlCode({ method, url, headers, body }: CodeRequest): string {
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const isLarge = body !== undefined && Buffer.byteLength(body) > LONGEST_ARGUMENT;
  const words = [
    // Without the option, cURL expands brackets and braces.
    `curl ${/[[\]{}]/.test(url) ? '--globoff ' : ''}${quoted(url)}`,
    ...(isDefault ? [] : [method === 'HEAD' ? '--head' : `--request ${quoted(method)}`]),
    ...headers.map((header) => `--header ${headerWord(header)}`),
    // Unlike --data, the option does not read the file that a leading @ names.
    ...(body === undefined ? [] : [isLarge ? '--data-binary @-' : `--data-raw ${quoted(body)}`]),
  ];
  const command = words.join(words.length > 2 ? ' \\\n  ' : ' ');
  return isLarge ? `${command} ${hereDocument(body)}` : command;
}

function headerWord({ name, value }: CodeHeader): string {
  // cURL removes a header that ends with a colon, and sends an empty one that ends with a semicolon.
  if (typeof value === 'string') return quoted(value === '' ? `${name};` : `${name}: ${value}`);
  return `"${`${name}: ${value.prefix}`.replaceAll(/[\\"$`]/g, '\\$&')}$${value.variable}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function hereDocument(text: string): string {
  const lines = new Set(text.split('\n'));
  let end = 'BODY';
  while (lines.has(end)) end += '_';
  return `<<'${end}'\n${text}\n${end}`;
}
