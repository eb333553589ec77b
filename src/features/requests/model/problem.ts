import * as l10n from '@vscode/l10n';
import { similarNames } from '../../../text/suggestion.ts';
import type { Span } from '../../../text/span.ts';

/* Problems of HTTP files. Programs decide on `code` and `data`. The messages are for people. */

/** Data of each problem. */
export interface HttpProblemData {
  /** The file is longer than the limit, in UTF-16 code units. */
  readonly tooLarge: { readonly max: number };
  /** The request has problems that are not listed, because the file has too many. */
  readonly tooManyProblems: Nothing;
  readonly tooManyRequests: { readonly max: number };
  readonly unknownMethod: { readonly name: string; readonly known: readonly string[] };
  readonly missingUrl: Nothing;
  /** A line among the headers has no colon. */
  readonly invalidHeader: Nothing;
  readonly invalidHeaderName: { readonly name: string };
  readonly invalidHeaderValue: { readonly name: string };
  readonly tooManyHeaders: { readonly max: number };
  /** The editor supplies this header. */
  readonly suppliedHeader: { readonly name: string };
  /** The transport sets this header. */
  readonly unsettableHeader: { readonly name: string };
  /** A later header replaces this one. */
  readonly duplicateHeader: { readonly name: string };
  readonly authorizationHeader: Nothing;
  readonly invalidVariable: Nothing;
  /** A later definition replaces this one. */
  readonly duplicateVariable: { readonly name: string };
  readonly unclosedVariable: Nothing;
  readonly invalidExpectation: Nothing;
  readonly unknownVariable: { readonly name: string; readonly known: readonly string[] };
  readonly unknownSystemVariable: { readonly name: string; readonly known: readonly string[] };
  readonly invalidArguments: { readonly name: string };
  readonly environmentVariable: { readonly name: string };
  /** A reference to the response of another request. */
  readonly responseVariable: { readonly name: string };
  readonly cyclicVariable: { readonly name: string };
  readonly nestedTooDeep: { readonly max: number };
  /** A part of the request is longer than the limit, in UTF-16 code units. */
  readonly tooLong: { readonly max: number };
  readonly notRun: { readonly kind: 'script' | 'output' };
  readonly unclosedScript: Nothing;
  readonly mixedBody: Nothing;
  readonly unsupportedEncoding: { readonly name: string };
  readonly bodyOnGet: Nothing;
  readonly contentTypeAdded: { readonly type: string };
  readonly invalidJson: { readonly reason: string };
  readonly endpointNotNamed: { readonly known: readonly string[] };
  readonly misspelledHeader: { readonly name: string; readonly known: readonly string[] };
  /** The endpoints of the connection have not been read, or there is no connection. */
  readonly endpointsNotRead: { readonly name: string };
  readonly unknownEndpoint: { readonly name: string; readonly known: readonly string[] };
  readonly ambiguousEndpoint: { readonly name: string; readonly ids: readonly string[] };
  readonly foreignUrl: { readonly url: string };
  readonly invalidPath: { readonly path: string };
  readonly pathOutside: { readonly path: string };
  readonly queueWebSocket: { readonly name: string };
}

type Nothing = Readonly<Record<string, never>>;

export type HttpProblemCode = keyof HttpProblemData;
export type Severity = 'error' | 'warning' | 'information' | 'hint';

export type HttpProblemOf<Code extends HttpProblemCode> = Span & {
  readonly code: Code;
  readonly data: HttpProblemData[Code];
  readonly severity: Severity;
  readonly message: string;
};

/** A problem at a place in the text of an HTTP file. */
export type HttpProblem = { [Code in HttpProblemCode]: HttpProblemOf<Code> }[HttpProblemCode];

export function problem<Code extends HttpProblemCode>(
  code: Code,
  { start, end }: Span,
  data: HttpProblemData[Code],
): HttpProblem {
  const { severity = 'error', message } = words[code];
  return { code, data, start, end, severity, message: message(data) } as HttpProblem;
}

export function isError({ severity }: Pick<HttpProblem, 'severity'>): boolean {
  return severity === 'error';
}

/** Longest name that the search for similar names compares, in UTF-16 code units. */
const LONGEST_COMPARED = 100;

/** Returns the known names that resemble a misspelled name, the nearest first. */
export function namesLike(name: string, known: readonly string[]): string[] {
  return name.length > LONGEST_COMPARED
    ? []
    : similarNames(
        name,
        known.filter(({ length }) => length <= LONGEST_COMPARED),
      );
}

function guess({ name, known }: { readonly name: string; readonly known: readonly string[] }): string {
  const [nearest] = namesLike(name, known);
  return nearest === undefined ? '' : l10n.t`; did you mean '${nearest}'?`;
}

const short = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

interface Words<Code extends HttpProblemCode> {
  /** Default: error. */
  readonly severity?: Exclude<Severity, 'error'>;
  readonly message: (data: HttpProblemData[Code]) => string;
}

const words: { readonly [Code in HttpProblemCode]: Words<Code> } = {
  tooLarge: { message: ({ max }) => l10n.t`The file is longer than ${max} characters, so its requests are not read` },
  tooManyProblems: { message: () => l10n.t('The file has too many problems') },
  tooManyRequests: { message: ({ max }) => l10n.t`The file has more than ${max} requests; the rest is not read` },
  unknownMethod: {
    message: (data) =>
      l10n.t`'${short(data.name)}' is not a supported method${guess(data) || l10n.t`; use ${data.known.join(', ')}`}`,
  },
  missingUrl: { message: () => l10n.t('The URL is missing, such as {{endpoint:NAME}}/path') },
  invalidHeader: {
    message: () => l10n.t('This line is not a header, such as Name: value; a body starts after an empty line'),
  },
  invalidHeaderName: { message: ({ name }) => l10n.t`'${short(name)}' is not a valid header name` },
  invalidHeaderValue: {
    message: ({ name }) => l10n.t`The value of ${short(name)} contains a character that headers cannot contain`,
  },
  tooManyHeaders: { message: ({ max }) => l10n.t`A request can have ${max} headers` },
  suppliedHeader: {
    severity: 'warning',
    message: ({ name }) => l10n.t`The connection supplies ${name}, so this header is not sent`,
  },
  unsettableHeader: {
    severity: 'warning',
    message: ({ name }) => l10n.t`The transport sets ${name}, so this header is not sent`,
  },
  duplicateHeader: {
    severity: 'warning',
    message: ({ name }) => l10n.t`A later ${short(name)} header replaces this one`,
  },
  authorizationHeader: {
    severity: 'warning',
    message: () => l10n.t('The connection supplies the key, so this header is not sent; do not store keys in files'),
  },
  invalidVariable: {
    message: () => l10n.t('A variable is defined as @name = value; a name has letters, digits, _, -, and .'),
  },
  duplicateVariable: {
    severity: 'warning',
    message: ({ name }) => l10n.t`A later definition replaces this value of '${short(name)}'`,
  },
  invalidExpectation: {
    message: () =>
      l10n.t('An expectation is a status, such as @expect status 200, or JSON, such as @expect body {"a": 1}'),
  },
  unclosedVariable: { message: () => l10n.t('The closing }} is missing') },
  unknownVariable: { message: (data) => l10n.t`The variable '${short(data.name)}' is not defined${guess(data)}` },
  unknownSystemVariable: { message: (data) => l10n.t`'${short(data.name)}' is not a system variable${guess(data)}` },
  invalidArguments: {
    message: ({ name }) => l10n.t`${name} takes two integers, the smaller one first, such as {{$randomInt 1 100}}`,
  },
  environmentVariable: {
    message: ({ name }) =>
      l10n.t`${name} is not available: a file must not read the environment and send it; define a variable in the file`,
  },
  responseVariable: {
    message: ({ name }) =>
      l10n.t`'${short(name)}' refers to a response, and responses of other requests are not available`,
  },
  cyclicVariable: { message: ({ name }) => l10n.t`The variable '${short(name)}' refers to itself` },
  nestedTooDeep: { message: ({ max }) => l10n.t`Variables can refer to each other through at most ${max} levels` },
  tooLong: {
    message: ({ max }) => l10n.t`This text is longer than ${max} characters after its variables are replaced`,
  },
  notRun: {
    severity: 'information',
    message: ({ kind }) =>
      kind === 'script' ? l10n.t('Scripts are not run') : l10n.t('The response is not written to this file'),
  },
  unclosedScript: { message: () => l10n.t('The closing %} of this script is missing') },
  mixedBody: { message: () => l10n.t('A body is either text or one file') },
  unsupportedEncoding: {
    message: ({ name }) => l10n.t`The encoding '${short(name)}' is not supported; files are read as UTF-8`,
  },
  bodyOnGet: { severity: 'warning', message: () => l10n.t('A GET request has no body, so this text is not sent') },
  contentTypeAdded: { severity: 'hint', message: ({ type }) => l10n.t`The request is sent with Content-Type: ${type}` },
  invalidJson: { severity: 'warning', message: ({ reason }) => l10n.t`This JSON is invalid: ${reason}` },
  misspelledHeader: {
    severity: 'warning',
    message: ({ name, known }) => l10n.t`'${short(name)}' is not a common header; did you mean '${known[0] ?? ''}'?`,
  },
  endpointNotNamed: {
    message: () =>
      l10n.t('The request names no endpoint: write {{endpoint:NAME}} before the path, or define @endpoint = NAME'),
  },
  endpointsNotRead: {
    message: ({ name }) => l10n.t`It is not known yet whether the endpoint '${short(name)}' exists`,
  },
  unknownEndpoint: { message: (data) => l10n.t`The connection has no endpoint '${short(data.name)}'${guess(data)}` },
  ambiguousEndpoint: {
    message: ({ name, ids }) =>
      l10n.t`${ids.length} endpoints have the name '${short(name)}'; use an ID, such as ${short(ids[0] ?? '')}`,
  },
  foreignUrl: {
    message: ({ url }) =>
      l10n.t`'${short(url)}' does not belong to an endpoint of this connection, so the key is not sent there`,
  },
  invalidPath: { message: ({ path }) => l10n.t`The path '${short(path)}' must start with /` },
  pathOutside: { message: ({ path }) => l10n.t`The path '${short(path)}' leaves the endpoint` },
  queueWebSocket: { message: ({ name }) => l10n.t`The queue endpoint '${short(name)}' accepts no WebSocket` },
};

/** Maximum number of problems that are kept. The validity of a request does not depend on it. */
export const MAX_PROBLEMS = 1000;

/** Collects problems in the order of the text. */
export class ProblemList {
  readonly problems: HttpProblem[] = [];
  #errors = 0;

  /** Number of errors, those included that are not kept. */
  get errors(): number {
    return this.#errors;
  }

  add<Code extends HttpProblemCode>(code: Code, span: Span, data: HttpProblemData[Code]): void {
    const found = problem(code, span, data);
    if (isError(found)) this.#errors++;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(found);
  }
}
