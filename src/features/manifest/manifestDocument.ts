import { Document, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { checkCreateEndpoint } from '../../contract/endpointRules.ts';
import { checkManifest, hostedCreateBody, PROCESS_IMAGE_PREFIX, type Manifest } from '../../contract/manifest.ts';
import { fieldError, type FieldError, type Path, type ViolationCode } from '../../contract/violation.ts';
import { shapeWords } from '../../contract/violations/shapeWords.ts';
import { parsePositionedJson } from '../jobs/positionedJson.ts';
import { boundProblems, LONGEST_MANIFEST, MOST_PROBLEMS, TOO_DEEP } from './manifestBounds.ts';
import { suggestion } from './suggestion.ts';
import { lineAt, locate, type Span } from './sourceMap.ts';

/** A problem at a place in the text of a manifest. */
export interface ManifestProblem extends Span {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'information';
}

export interface ManifestOptions {
  readonly language: 'yaml' | 'json';
  /**
   * Which problems to report. `beyondSchema` limits them to those that the manifest's JSON Schema cannot express. It is for editors in
   * which another extension already checks the schema.
   */
  readonly report: 'all' | 'beyondSchema';
  /** Kind of platform on which the endpoint would be created. */
  readonly target: 'local' | 'hosted';
}

export interface ManifestDocument {
  /** The manifest, or undefined if it has errors, including errors that are not reported. */
  readonly manifest: Manifest | undefined;
  readonly problems: readonly ManifestProblem[];
  /** Converts a violation found elsewhere, such as by the service, to a problem at its place. */
  problemOf(violation: FieldError): ManifestProblem;
}

/** Parses the YAML or JSON text of a manifest and finds its problems. */
export function readManifest(text: string, options: ManifestOptions): ManifestDocument {
  const lineCounter = new LineCounter();
  const document = parse(text, lineCounter);
  const problemOf = (violation: FieldError) => problemAt(document, text, violation);
  const schemaSeen = options.report === 'beyondSchema';

  const { value, problems } = valueOf(document, lineCounter, text, options.language);
  if (problems.some(({ severity }) => severity === 'error') || typeof value !== 'object' || value === null)
    return { manifest: undefined, problems: schemaSeen ? [] : problems, problemOf };

  const checked = checkManifest(value);
  if (checked.manifest === undefined) {
    const violations = schemaSeen ? checked.violations.filter(isBeyondSchema) : checked.violations;
    return { manifest: undefined, problems: [...problems, ...firstProblems(violations, problemOf)], problemOf };
  }
  const { manifest } = checked;
  const forTarget =
    options.target === 'hosted'
      ? firstProblems(checkCreateEndpoint(hostedCreateBody(manifest)), problemOf)
      : localHints(manifest, problemOf);
  const isRefused = forTarget.some(({ severity }) => severity === 'error');
  return { manifest: isRefused ? undefined : manifest, problems: [...problems, ...forTarget], problemOf };
}

/** Parses text. Returns an empty document for text that is too long or too deeply nested; `valueOf` reports the reason. */
function parse(text: string, lineCounter: LineCounter): Document {
  if (text.length > LONGEST_MANIFEST) return new Document();
  try {
    // `boundProblems` finds duplicate keys. The parser would compare each key with all earlier ones.
    return parseDocument(text, {
      lineCounter,
      merge: true,
      prettyErrors: false,
      logLevel: 'error',
      uniqueKeys: false,
    });
  } catch (error) {
    if (error instanceof RangeError) return new Document();
    throw error;
  }
}

/** Converts the first violations to problems and adds a last problem that counts the rest. */
export function firstProblems(
  violations: readonly FieldError[],
  problemOf: ManifestDocument['problemOf'],
): ManifestProblem[] {
  return atMost(violations.length, violations.slice(0, MOST_PROBLEMS).map(problemOf));
}

/** Returns the given problems and, if `count` is higher, a last problem that counts the missing ones. */
function atMost(count: number, problems: readonly ManifestProblem[]): ManifestProblem[] {
  const last = problems.at(-1);
  if (count <= problems.length || !last) return [...problems];
  const { start, end } = last;
  const message = `${count - problems.length} more problems are not shown`;
  return [...problems, { start, end, message, severity: 'error' }];
}

interface Parsed {
  readonly value?: unknown;
  readonly problems: readonly ManifestProblem[];
}

/** Returns the value of the document, or the problems that prevent one. */
function valueOf(document: Document, lines: LineCounter, text: string, language: ManifestOptions['language']): Parsed {
  const error = (message: string, place: Span): ManifestProblem => ({ ...place, message, severity: 'error' });
  if (text.length > LONGEST_MANIFEST) {
    const message = `This manifest has ${text.length} characters; the limit is ${LONGEST_MANIFEST}`;
    return { problems: [error(message, lineAt(text, 0))] };
  }
  if (language === 'json') {
    const broken = jsonError(text);
    if (broken) return { problems: [broken] };
  }
  // Reports one problem per line, because one mistake can cause several parser errors on its line.
  const broken = new Map<number, ManifestProblem>();
  for (const mistake of document.errors) {
    const [start, end] = mistake.pos;
    // The exhausted resource is the parser's stack.
    if (mistake.code === 'RESOURCE_EXHAUSTION') return { problems: [error(TOO_DEEP, lineAt(text, start))] };
    const { line } = lines.linePos(start);
    if (!broken.has(line)) broken.set(line, error(syntaxWords(mistake), visible({ start, end }, text)));
  }
  if (broken.size > 0) return { problems: atMost(broken.size, [...broken.values()].slice(0, MOST_PROBLEMS)) };
  if (document.contents === null && text.trim() !== '' && document.range === undefined)
    return { problems: [error(TOO_DEEP, lineAt(text, 0))] };
  const outOfBounds = boundProblems(document);
  if (outOfBounds.length > 0)
    return { problems: outOfBounds.map(({ message, start, end }) => error(message, visible({ start, end }, text))) };
  // `boundProblems` has already limited the expansion of aliases.
  const value: unknown = document.toJS({ maxAliasCount: -1 });
  const start = document.contents?.range?.[0] ?? 0;
  if (value == null)
    return {
      problems: [error('The file is empty: an endpoint needs at least name, type, and scaling', lineAt(text, 0))],
    };
  if (typeof value !== 'object' || Array.isArray(value)) {
    const kind = Array.isArray(value) ? 'a list' : 'a single value';
    return {
      problems: [error(`A manifest must contain "name: value" lines, but this is ${kind}`, lineAt(text, start))],
    };
  }
  const warnings = document.warnings.slice(0, MOST_PROBLEMS).map((warning): ManifestProblem => ({
    ...visible({ start: warning.pos[0], end: warning.pos[1] }, text),
    message: syntaxWords(warning),
    severity: 'warning',
  }));
  return { value, problems: warnings };
}

/** Returns the parser's message. Replaces the message that names a function, and inserts a missing space before "quote". */
function syntaxWords({ code, message }: Pick<YAMLError, 'code' | 'message'>): string {
  if (code === 'MULTIPLE_DOCS') return 'A file can contain only one endpoint: remove the second ---';
  return message.replace('quote', ' quote');
}

/** Returns the syntax error of a JSON text. YAML accepts comments and bare words that JSON does not. `valueOf` reports empty text. */
function jsonError(text: string): ManifestProblem | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as SyntaxError;
    const mistake = parsePositionedJson(text);
    const start = 'error' in mistake ? mistake.offset : 0;
    return { ...visible({ start, end: start }, text), message: `Not JSON: ${message}`, severity: 'error' };
  }
}

/** Widens a span of at most one character to the word at its start, so that the underline is visible. */
function visible({ start, end }: Span, text: string): Span {
  if (end > start + 1) return { start, end };
  if (start >= text.length) return { start: Math.max(0, text.length - 1), end: text.length };
  const word = /^[\w-]+/.exec(text.slice(start))?.[0] ?? ' ';
  return { start, end: start + word.length };
}

/** Returns whether the manifest's JSON Schema cannot express the rule. */
function isBeyondSchema({ code }: FieldError): boolean {
  return !(code in shapeWords);
}

function localHints(manifest: Manifest, problemOf: ManifestDocument['problemOf']): ManifestProblem[] {
  const { image, 'x-local': local } = manifest;
  if (local || image === undefined || image.startsWith(PROCESS_IMAGE_PREFIX)) return [];
  const hint = fieldError(['image'], 'containerImageLocally', {});
  return [{ ...problemOf(hint), severity: 'information', message: hint.message }];
}

function problemAt(document: Document, text: string, violation: FieldError): ManifestProblem {
  const { start, end, missing } = locate(document, text, violation.path, violation.code === 'unknownField');
  return { ...visible({ start, end }, text), message: sentence(violation, missing), severity: 'error' };
}

/** Codes for missing members. Their messages begin with "missing". */
const ABSENT: readonly ViolationCode[] = ['missingField', 'imageMissing', 'hardwareMissing'];

/** @param missing part of the violation's path that the document does not have */
function sentence(violation: FieldError, missing: Path): string {
  const { code, data, path, message } = violation;
  if (code === 'unknownField') return capital(message) + suggestion(data.name, data.known);
  if (missing.length > 0) return `'${missing.join('.')}'${ABSENT.includes(code) ? ' is' : ':'} ${message}`;
  const name = path.at(-1);
  if (code === 'wrongType' && data.expected === 'string' && isBareWord(data.received))
    return `${name ?? ''}: ${message}; put it in quotes`;
  return name === undefined ? capital(message) : `${name}: ${message}`;
}

/** Returns whether values of this type are single words, which become strings if quoted. */
function isBareWord(type: string): boolean {
  return ['number', 'boolean', 'null'].includes(type);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
