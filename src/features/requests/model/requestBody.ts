import { parsePositionedJson } from '../../jobs/model/positionedJson.ts';
import { looksLikeJson } from './bodyReader.ts';
import { spanOf, type HttpBody, type HttpHeader, type ParsedBlock, type Piece } from './httpFile.ts';
import { headerValue } from './requestHeaders.ts';
import type { Variables } from './variables.ts';

/** Maximum length of a body after its variables are replaced, in UTF-16 code units. */
export const MAX_BODY = 4 * 1_048_576;

const JSON_TYPE = 'application/json';

/** Reports the problems of a body. Returns the content type that the request does not have yet. */
export function checkBody(
  block: ParsedBlock,
  headers: readonly HttpHeader[],
  variables: Variables,
): string | undefined {
  const { body, bodyPieces, method } = block;
  const [first] = bodyPieces;
  if (!body || !first) return undefined;
  if (method === 'GET') variables.add('bodyOnGet', firstLine(first), {});
  if (body.kind === 'file' || method === 'GET') return undefined;
  const type = headerValue(headers, 'Content-Type');
  const isJson = type === undefined ? looksLikeJson(body.text) : isJsonType(type);
  if (!isJson || method === 'WEBSOCKET') return undefined;
  checkJson(bodyPieces, variables);
  if (type !== undefined) return undefined;
  variables.add('contentTypeAdded', { start: first.start, end: first.start + 1 }, { type: JSON_TYPE });
  return JSON_TYPE;
}

/** Replaces the variables of a body. Returns undefined without a body, and after a problem. */
export function resolveBody(
  block: ParsedBlock,
  headers: readonly HttpHeader[],
  variables: Variables,
): HttpBody | undefined {
  const { body, bodyPieces, method } = block;
  if (!body || method === 'GET') return undefined;
  const texts = bodyPieces.map((piece) => variables.expand(piece, MAX_BODY));
  if (texts.includes(undefined)) return undefined;
  const text = texts.join('');
  if (body.kind === 'file') return { ...body, path: text };
  return { kind: 'text', text: isForm(headers) ? withJoinedFields(text) : text };
}

function isJsonType(type: string): boolean {
  return /^[^;]*\bjson\s*(?:;|$)/i.test(type.slice(0, 200));
}

function isForm(headers: readonly HttpHeader[]): boolean {
  return headerValue(headers, 'Content-Type')?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false;
}

/** Joins the lines of a form, in which a line that begins with & continues the line before. */
function withJoinedFields(text: string): string {
  const lines = text.split(/\r\n|\n|\r/).map((line) => line.trim());
  return lines.reduce(
    (joined, line) => (line.startsWith('&') || joined === '' ? joined + line : `${joined}\n${line}`),
    '',
  );
}

/** Reports the first mistake. A variable counts as a number, because it can be a value or a part of a string. */
function checkJson(pieces: readonly Piece[], variables: Variables): void {
  const written = pieces.map(({ text }) => text).join('');
  const text = written.replaceAll(/\{\{[^{}\r\n]*\}\}/g, (reference) => '0'.padEnd(reference.length));
  const parsed = parsePositionedJson(text);
  if ('value' in parsed) return;
  const start = placeOf(pieces, parsed.offset);
  variables.add('invalidJson', { start, end: start + 1 }, { reason: parsed.error });
}

/** Returns the offset in the file of an offset in the joined pieces. The end of the text counts as its last character. */
function placeOf(pieces: readonly Piece[], offset: number): number {
  let rest = offset;
  for (const { text, start } of pieces) {
    if (rest < text.length) return start + rest;
    rest -= text.length;
  }
  const last = pieces.at(-1);
  return last ? last.start + Math.max(0, last.text.length - 1) : 0;
}

function firstLine(piece: Piece): { start: number; end: number } {
  const end = piece.text.search(/[\r\n]/);
  return end === -1 ? spanOf(piece) : { start: piece.start, end: piece.start + end };
}
