import * as l10n from '@vscode/l10n';
import { formatted, code, type Markdown } from '../../../text/markdown.ts';
import { snippetText } from '../../../text/snippetText.ts';
import type { ResolveContext, RouteEndpoint } from './endpointLookup.ts';
import { HEADER_FACTS, headerFact } from './headerFacts.ts';
import type { HttpFile, ParsedBlock } from './httpFile.ts';
import { placeAt, type Place } from './place.ts';
import { HTTP_METHODS } from './lineSyntax.ts';
import type { Span } from '../../../text/span.ts';
import { SYSTEM_VARIABLES } from './systemVariables.ts';
import { ENDPOINT_PREFIX } from './variables.ts';

/** A proposal at the cursor. The span is the text that it replaces. */
export interface HttpCompletion extends Span {
  readonly label: string;
  readonly kind: 'method' | 'header' | 'value' | 'endpoint' | 'variable' | 'system' | 'path';
  readonly detail?: string;
  readonly documentation?: Markdown;
  /** New text, as a snippet of VS Code. */
  readonly insertText: string;
  readonly sortText: string;
  /** Whether the editor asks for completions again afterwards. */
  readonly retrigger: boolean;
}

type Proposal = Omit<HttpCompletion, 'start' | 'end' | 'sortText'>;

/** Returns the proposals at an offset, in their order. */
export function completionsAt(
  file: HttpFile,
  offset: number,
  context: Pick<ResolveContext, 'endpoints'>,
): HttpCompletion[] {
  const place = placeAt(file, offset);
  if (!place) return [];
  return proposals(file, place, context.endpoints ?? []).map((proposal, index) => ({
    ...proposal,
    start: place.start,
    end: place.end,
    sortText: String(index).padStart(6, '0'),
  }));
}

function proposals(file: HttpFile, place: Place, endpoints: readonly RouteEndpoint[]): Proposal[] {
  switch (place.kind) {
    case 'variable':
      return variables(file, endpoints, place.isClosed ? '' : '}}');
    case 'method':
      return methods(endpoints);
    case 'path':
      return paths(file, place.block);
    case 'headerName':
      return headerNames(place.block, place.hasColon);
    case 'headerValue':
      return headerValues(place.name);
  }
}

function variables(
  { variables: definitions }: HttpFile,
  endpoints: readonly RouteEndpoint[],
  close: string,
): Proposal[] {
  const names = endpoints.map(({ name }) => name);
  const ofEndpoints = endpoints.map((endpoint): Proposal => {
    const isUnique = names.indexOf(endpoint.name) === names.lastIndexOf(endpoint.name);
    const label = ENDPOINT_PREFIX + (isUnique ? endpoint.name : endpoint.id);
    return {
      ...{ label, kind: 'endpoint', detail: isUnique ? endpoint.id : endpoint.name, retrigger: false },
      documentation: endpointMarkdown(endpoint),
      insertText: snippetText(label + close),
    };
  });
  const unique = new Map(definitions.map((one) => [one.name, one.value.text]));
  const ofFile = [...unique].map(([name, value]): Proposal => ({
    label: name,
    kind: 'variable',
    detail: value,
    retrigger: false,
    insertText: snippetText(name + close),
  }));
  const ofSystem = SYSTEM_VARIABLES.map(({ name, description }): Proposal => ({
    ...{ label: name, kind: 'system', retrigger: false, documentation: formatted`${description}` },
    insertText: snippetText(name + close),
  }));
  return [...ofEndpoints, ...ofFile, ...ofSystem];
}

/** Describes an endpoint. */
export function endpointMarkdown({ name, id, type, base }: RouteEndpoint): Markdown {
  const kind = type === 'QUEUE' ? l10n.t('queue') : l10n.t('load-balanced');
  return formatted`**${name}** (${code(id)}), a ${kind} endpoint\n\n${code(base)}\n\nThe connection supplies the key.`;
}

function methods(endpoints: readonly RouteEndpoint[]): Proposal[] {
  const first = endpoints.find(({ type }) => type === 'LOAD_BALANCER') ?? endpoints[0];
  const whole: Proposal[] = first
    ? [
        {
          ...{ label: `GET {{${ENDPOINT_PREFIX}${first.name}}}/`, kind: 'endpoint', retrigger: false },
          ...{
            documentation: endpointMarkdown(first),
            insertText: snippetText(`GET {{${ENDPOINT_PREFIX}${first.name}}}/`),
          },
        },
      ]
    : [];
  const single = HTTP_METHODS.map((label): Proposal => ({
    label,
    kind: 'method',
    retrigger: false,
    insertText: `${label} `,
  }));
  return [...single, ...whole];
}

/** Returns the paths of other requests in the file. */
function paths({ blocks }: HttpFile, own: ParsedBlock): Proposal[] {
  const found = blocks
    .filter((block) => block !== own)
    .map(({ url }) => /^(?:\{\{[^{}]*\}\})?(\/[^\s?#{}]*)/.exec(url)?.[1])
    .filter((path) => path !== undefined && path !== '/');
  return [...new Set(found)].flatMap((label) =>
    label === undefined ? [] : [{ label, kind: 'path', retrigger: false, insertText: snippetText(label) } as const],
  );
}

function headerNames({ headers }: ParsedBlock, hasColon: boolean): Proposal[] {
  const used = new Set(headers.map(({ name }) => name.toLowerCase()));
  return HEADER_FACTS.filter(({ name }) => !used.has(name.toLowerCase())).map(({ name, description, values }) => ({
    ...{
      label: name,
      kind: 'header',
      documentation: formatted`${description}`,
      retrigger: !hasColon && values.length > 0,
    },
    insertText: snippetText(hasColon ? name : `${name}: `),
  }));
}

function headerValues(name: string): Proposal[] {
  return (headerFact(name)?.values ?? []).map(({ value, description }) => ({
    ...{ label: value.trim(), kind: 'value', retrigger: false, insertText: snippetText(value) },
    ...(description !== undefined && { documentation: formatted`${description}` }),
  }));
}
