import { TEAM_HEADER } from '../../../contract/headers.ts';
import { misspelledHeader } from './headerFacts.ts';
import type { HttpHeader, ParsedBlock, WrittenHeader } from './httpFile.ts';
import type { Variables } from './variables.ts';

/** Maximum length of the headers of a request, in UTF-16 code units. Servers commonly refuse more than 16 KiB. */
const MAX_HEADERS_LENGTH = 65_536;

/** Headers that the transport sets. */
const UNSETTABLE = [
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authenticate', 'proxy-authorization'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
];
/** Headers that a request has once. */
const SINGLE = ['content-type', 'user-agent'];
/** The characters of a value in RFC 9110, with the ones above ASCII that HTTP clients can send. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Resolves the headers of a request without those that the editor or the transport sets. */
export function resolveHeaders({ headers }: Pick<ParsedBlock, 'headers'>, variables: Variables): HttpHeader[] {
  const last = new Map(headers.map((header) => [header.name.toLowerCase(), header]));
  let length = 0;
  return headers.flatMap((header) => {
    if (isDropped(header, last, variables)) return [];
    const meant = misspelledHeader(header.name);
    if (meant !== undefined) variables.add('misspelledHeader', header.nameSpan, { name: header.name, known: [meant] });
    const piece = { text: header.value, start: header.valueSpan.start };
    const value = variables.expand(piece, Math.max(0, MAX_HEADERS_LENGTH - length));
    if (value === undefined) return [];
    length += header.name.length + value.length;
    if (!VALUE.test(value)) {
      variables.add('invalidHeaderValue', header.valueSpan, { name: header.name });
      return [];
    }
    return [{ name: header.name, value }];
  });
}

function isDropped(header: WrittenHeader, last: ReadonlyMap<string, WrittenHeader>, variables: Variables): boolean {
  const { name } = header;
  const key = name.toLowerCase();
  if (key === 'authorization') variables.add('authorizationHeader', header, {});
  else if (key === TEAM_HEADER.toLowerCase()) variables.add('suppliedHeader', header, { name });
  else if (UNSETTABLE.includes(key)) variables.add('unsettableHeader', header, { name });
  else if (SINGLE.includes(key) && last.get(key) !== header) variables.add('duplicateHeader', header, { name });
  else return false;
  return true;
}

/** Returns the value of a header, or undefined. Case is irrelevant. */
export function headerValue(headers: readonly HttpHeader[], name: string): string | undefined {
  return headers.findLast((header) => header.name.toLowerCase() === name.toLowerCase())?.value;
}
