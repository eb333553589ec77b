import { fieldError, type FieldError } from '../../../../contract/violation.ts';
import { MAX_PROBLEMS } from '../text/bounds.ts';
import {
  malformedIn,
  referencesIn,
  type MalformedReference,
  type PlacedReference,
  type ReferenceKind,
} from '../../../../account/secrets/envReferences.ts';
import { keyKind } from '../../../../text/keyPatterns.ts';
import { nodeAt } from '../text/locate.ts';
import type { Span } from '../../../../text/span.ts';
import { problemOfViolation, visible, withCount, type Located, type ManifestProblem } from '../problem.ts';

/** The names that references can have. */
export interface KnownNames {
  readonly secrets: ReadonlySet<string>;
  /** Names in the editor's environment. In upper case if `ignoreCase` is set, as on Windows. */
  readonly variables: ReadonlySet<string>;
  readonly ignoreCase?: boolean;
}

/** Returns the names that references can have. The environment is that of the extension host. */
export function knownNames(
  secrets: ReadonlySet<string>,
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): KnownNames {
  const ignoreCase = platform === 'win32';
  const variables = Object.keys(environment).map((name) => (ignoreCase ? name.toUpperCase() : name));
  return { secrets, variables: new Set(variables), ignoreCase };
}

interface Finding {
  readonly violation: FieldError;
  readonly severity: ManifestProblem['severity'];
  readonly spanIn?: (source: string) => Span | undefined;
}

/** Returns the problems of references and literal keys in the `env` of a parsed manifest. Never throws. */
export function envProblems(located: Located, value: unknown, names: KnownNames | undefined): ManifestProblem[] {
  const { env } = value as { readonly env?: unknown };
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return [];
  const known = [...(names?.secrets ?? [])];
  const findings = Object.entries(env as Readonly<Record<string, unknown>>).flatMap(([variable, text]) =>
    typeof text === 'string' ? findingsIn(variable, text, names, known) : [],
  );
  return withCount(
    findings.length,
    findings.slice(0, MAX_PROBLEMS).map((finding) => problemOf(located, finding)),
  );
}

function findingsIn(
  variable: string,
  text: string,
  names: KnownNames | undefined,
  known: readonly string[],
): Finding[] {
  const path = ['env', variable];
  const references = referencesIn(text);
  const malformed = malformedIn(text);
  const found: Finding[] = malformed.map(({ written, problem, instead }, index) => ({
    violation: fieldError(path, 'malformedReference', { written, problem, instead }),
    // Text with another kind is valid, but it is sent literally.
    severity: problem === 'kind' ? 'warning' : 'error',
    spanIn: sameTokenIn(malformedIn, malformed, index),
  }));
  references.forEach(({ kind, name }, index) => {
    if (!names || isKnown(names, kind, name)) return;
    found.push({
      violation:
        kind === 'secret'
          ? fieldError(path, 'unresolvedSecret', { name, known })
          : fieldError(path, 'unresolvedVariable', { name }),
      severity: 'error',
      spanIn: sameTokenIn(referencesIn, references, index),
    });
  });
  const looksLike = references.length + malformed.length === 0 ? keyKind(variable, text) : undefined;
  if (looksLike !== undefined)
    found.push({ violation: fieldError(path, 'literalKey', { variable, looksLike }), severity: 'warning' });
  return found;
}

function isKnown({ secrets, variables, ignoreCase = false }: KnownNames, kind: ReferenceKind, name: string): boolean {
  return kind === 'secret' ? secrets.has(name) : variables.has(ignoreCase ? name.toUpperCase() : name);
}

function problemOf({ text, root, index }: Located, { violation, severity, spanIn }: Finding): ManifestProblem {
  const problem = problemOfViolation({ text, root, index }, violation, severity);
  const node = nodeAt(root, violation.path);
  const span = node && spanIn?.(text.slice(node.start, node.end));
  return node && span
    ? { ...problem, ...visible({ start: node.start + span.start, end: node.start + span.end }, text) }
    : problem;
}

/**
 * Finds a token of a value in the source of the value. The source of a quoted value can contain escapes, so its tokens can differ; then the
 * result is undefined.
 */
function sameTokenIn<Token extends PlacedReference | MalformedReference>(
  tokensIn: (text: string) => readonly Token[],
  tokens: readonly Token[],
  index: number,
): (source: string) => Span | undefined {
  return (source) => {
    const candidates = tokensIn(source);
    const [wanted, found] = [tokens[index], candidates[index]];
    const isSame = wanted && found && candidates.length === tokens.length && textOf(wanted) === textOf(found);
    return isSame ? { start: found.start, end: found.end } : undefined;
  };
}

function textOf(token: PlacedReference | MalformedReference): string {
  return 'written' in token ? token.written : `${token.kind}:${token.name}`;
}
