import { code, formatted, type Markdown } from '../../../text/markdown.ts';
import { keyKind } from '../../../text/keyPatterns.ts';
import { endpointMarkdown } from './completionsAt.ts';
import { endpointNamed, type ResolveContext } from './endpointLookup.ts';
import { headerFact } from './headerFacts.ts';
import { blockAt, type HttpFile, type Piece } from './httpFile.ts';
import { lineEndAt, lineStartAt } from './lineSyntax.ts';
import type { Span } from '../../../text/span.ts';
import { SYSTEM_VARIABLES, systemValue } from './systemVariables.ts';
import { referencesIn, type Reference } from './template.ts';
import { endpointIn, Variables } from './variables.ts';

export interface HttpHover extends Span {
  readonly markdown: Markdown;
}

/** Names of variables that probably hold a secret, whose values are not shown. */
const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/** Returns the description of the variable or header at an offset. */
export function hoverAt(file: HttpFile, offset: number, context: ResolveContext): HttpHover | undefined {
  const reference = referencesIn(lineAt(file.text, offset)).find(({ start, end }) => start <= offset && offset < end);
  if (reference) {
    const markdown = describe(reference, file, context);
    return markdown && { start: reference.start, end: reference.end, markdown };
  }
  const header = blockAt(file, offset)?.headers.find(
    ({ nameSpan }) => nameSpan.start <= offset && offset < nameSpan.end,
  );
  const fact = header && headerFact(header.name);
  return fact && { ...header.nameSpan, markdown: formatted`**${fact.name}**\n\n${fact.description}` };
}

function describe(reference: Reference, file: HttpFile, context: ResolveContext): Markdown | undefined {
  const { content } = reference;
  const endpoint = endpointIn(reference);
  if (endpoint) {
    const found = endpointNamed(endpoint.name, context, endpoint);
    return 'endpoint' in found ? endpointMarkdown(found.endpoint) : undefined;
  }
  if (content.startsWith('$')) {
    const fact = SYSTEM_VARIABLES.find(({ name }) => name === content.split(/\s/, 1)[0]);
    const example = systemValue(content, context);
    return fact && 'value' in example
      ? formatted`${fact.description} Each request has a new value, such as ${code(example.value)}.`
      : undefined;
  }
  const variables = new Variables(file, context);
  if (!variables.definition(content)) return undefined;
  const value = variables.value(content);
  if (SECRET_NAME.test(content) || (value !== undefined && keyKind(content, value) !== undefined))
    return formatted`Variable of this file. It looks like a secret, so its value is not shown.`;
  return value === undefined
    ? formatted`Variable of this file with a problem.`
    : formatted`Variable of this file: ${code(value)}`;
}

function lineAt(text: string, offset: number): Piece {
  const start = lineStartAt(text, offset);
  return { start, text: text.slice(start, lineEndAt(text, offset)) };
}
