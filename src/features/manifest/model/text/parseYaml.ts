import { Document, isScalar, LineCounter, parseAllDocuments, type YAMLError } from 'yaml';
import { MAX_PARTS, MAX_PROBLEMS, TOO_DEEP } from './bounds.ts';
import type { ParsedPart } from './parsed.ts';
import { valueOfTree } from './node.ts';
import { lineAt, spanIn } from './locate.ts';
import { firstLine, visible, withCount, type ManifestProblem } from '../problem.ts';
import type { Span } from '../../../../text/span.ts';
import { withoutStackTraces } from '../../../../text/withoutStackTraces.ts';
import { yamlTree } from './yamlTree.ts';

/** Parses each document of a YAML text. Documents without content are left out, unless there is no other. */
export function parseYaml(text: string): ParsedPart[] {
  const lines = new LineCounter();
  const documents = parseDocuments(text, lines);
  const withContent = documents.filter((document) => !isEmpty(document));
  const chosen = withContent.length > 0 ? withContent : documents.slice(0, 1);
  return chosen.slice(0, MAX_PARTS + 1).map((document, index) => parsePart({ document, index, text, lines }));
}

/** Parses a text that can have errors. Returns at least one document. */
export function parseDocuments(text: string, lineCounter = new LineCounter()): readonly Document[] {
  try {
    // `yamlTree` finds duplicate keys. The parser would compare each key with all earlier ones.
    const options = { merge: true, prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;
    // A directive or a tag of YAML 1.1 would add values that JSON does not have, such as dates.
    const schema = { schema: 'core', resolveKnownTags: false } as const;
    const documents = withoutStackTraces(() => parseAllDocuments(text, { ...options, ...schema, lineCounter }));
    return documents.length > 0 ? (documents as Document[]) : [new Document(null)];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const document = new Document(null);
    document.errors.push({ code: 'RESOURCE_EXHAUSTION', pos: [0, 0] } as unknown as (typeof document.errors)[number]);
    return [document];
  }
}

function isEmpty({ contents, errors }: Document): boolean {
  const isNothing =
    contents === null || (isScalar(contents) && contents.value === null && contents.range?.[0] === contents.range?.[1]);
  return isNothing && errors.length === 0;
}

interface Part {
  readonly document: Document;
  readonly index: number;
  readonly text: string;
  readonly lines: LineCounter;
}

function parsePart({ document, index, text, lines }: Part): ParsedPart {
  const error = (code: ManifestProblem['code'], message: string, span: Span): ManifestProblem => ({
    ...visible(firstLine(spanIn(text, span), text), text),
    code,
    message,
    severity: 'error',
    part: index,
  });
  const { contents, errors, warnings } = document;
  const start = contents?.range?.[0] ?? document.range?.[0] ?? 0;
  const part = { index, ...spanIn(text, { start, end: document.range?.[2] ?? text.length }) };

  // The exhausted resource is the parser's stack.
  if (errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION'))
    return { ...part, root: undefined, problems: [error(TOO_DEEP.code, TOO_DEEP.message, lineAt(text, start))] };
  const { root, problems: outOfBounds } = yamlTree(document, text);

  // Reports one problem per line, because one mistake can cause several parser errors on its line.
  const broken = new Map<number, ManifestProblem>();
  for (const mistake of errors) {
    const [from, end] = mistake.pos;
    const { line } = lines.linePos(from);
    if (!broken.has(line)) broken.set(line, error('syntax', syntaxWords(mistake), { start: from, end }));
  }
  if (broken.size > 0)
    return { ...part, root, problems: withCount(broken.size, [...broken.values()].slice(0, MAX_PROBLEMS)) };
  if (outOfBounds.length > 0)
    return { ...part, root, problems: outOfBounds.map(({ code, message, ...span }) => error(code, message, span)) };
  const problems = warnings.slice(0, MAX_PROBLEMS).map((warning): ManifestProblem => {
    const [from, end] = warning.pos;
    return { ...error('syntax', syntaxWords(warning), { start: from, end }), severity: 'warning' };
  });
  // `yamlTree` has already limited the expansion of aliases.
  return { ...part, root, value: root ? valueOfTree(root) : null, problems };
}

/** Returns the parser's message, with a missing space before "quote". */
function syntaxWords({ message }: Pick<YAMLError, 'message'>): string {
  return message.replace('quote', ' quote');
}
