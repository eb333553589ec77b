import type { Environment } from '../../contract/environment.ts';
import type { Span } from '../../text/span.ts';
import { resembles } from '../../text/suggestion.ts';

/*
 * References in values of `env`: `${env:NAME}` is a variable of the editor's environment, and `${secret:NAME}` is a secret of the editor.
 * `$${` stands for a literal `${`. Any other `${…}` is literal text.
 */

export type ReferenceKind = 'env' | 'secret';

/** A name whose value replaces the reference when the manifest is sent. */
export interface EnvReference {
  readonly kind: ReferenceKind;
  readonly name: string;
}

export interface PlacedReference extends EnvReference, Span {}

/** Text that is probably meant as a reference. */
export interface MalformedReference extends Span {
  readonly written: string;
  /** `name`: the name is missing or invalid. `unclosed`: the brace is missing. `kind`: the kind is misspelled. */
  readonly problem: 'name' | 'unclosed' | 'kind';
  readonly instead: string | undefined;
}

/** Returns the value of a reference, or undefined if it has none. */
export type Lookup = (reference: EnvReference) => string | undefined;

const LONGEST_NAME = 128;
const NAMES: Readonly<Record<ReferenceKind, RegExp>> = {
  // Windows has names such as ProgramFiles(x86).
  env: /^[A-Za-z_][\w.()-]*$/,
  secret: /^[A-Za-z_][\w.-]*$/,
};
const KINDS: readonly ReferenceKind[] = ['env', 'secret'];
const TOKEN = /\$\$\{|\$\{([A-Za-z]+):([^${}"'\r\n]*)(\}?)/g;

type Token =
  | ({ readonly kind: 'escape' } & Span)
  | ({ readonly kind: 'reference'; readonly reference: PlacedReference } & Span)
  | ({ readonly kind: 'malformed'; readonly malformed: MalformedReference } & Span);

/** Returns the text of a reference. */
export function referenceText({ kind, name }: EnvReference): string {
  return `\${${kind}:${name}}`;
}

export function isSecretName(name: string): boolean {
  return name.length <= LONGEST_NAME && NAMES.secret.test(name);
}

/** Returns the references in a value of `env`, with their spans in the value. Takes linear time. */
export function referencesIn(text: string): readonly PlacedReference[] {
  return tokensIn(text).flatMap((token) => (token.kind === 'reference' ? [token.reference] : []));
}

/** Returns the malformed references in a value of `env`, with their spans in the value. Takes linear time. */
export function malformedIn(text: string): readonly MalformedReference[] {
  return tokensIn(text).flatMap((token) => (token.kind === 'malformed' ? [token.malformed] : []));
}

/** Returns whether a value contains a reference. */
export function hasReference(text: string): boolean {
  return text.includes('${') && referencesIn(text).length > 0;
}

/** Returns the distinct references in an environment, in order. */
export function referencesOf(env: Readonly<Environment> = {}): readonly EnvReference[] {
  const found = new Map<string, EnvReference>();
  for (const value of Object.values(env))
    for (const { kind, name } of referencesIn(value)) found.set(referenceText({ kind, name }), { kind, name });
  return [...found.values()];
}

/** Replaces the references in an environment. References without a value stay in the text and are listed in `missing`. */
export function resolveEnv(
  env: Readonly<Environment>,
  lookup: Lookup,
): { readonly env: Environment; readonly missing: readonly EnvReference[] } {
  const missing = new Map<string, EnvReference>();
  const valueOf = (reference: EnvReference): string => {
    const value = lookup(reference);
    const text = referenceText(reference);
    if (value === undefined) missing.set(text, { kind: reference.kind, name: reference.name });
    return value ?? text;
  };
  const resolved = Object.entries(env).map(([name, text]): [string, string] => [name, replaced(text, valueOf)]);
  return { env: Object.fromEntries(resolved), missing: [...missing.values()] };
}

/** Escapes a value so that it resolves to itself. Text from a platform is escaped, because it must not read a secret. */
export function literalText(text: string): string {
  return tokensIn(text).length > 0 ? text.replaceAll('${', () => '$${') : text;
}

function replaced(text: string, valueOf: (reference: EnvReference) => string): string {
  let result = '';
  let at = 0;
  for (const token of tokensIn(text)) {
    if (token.kind === 'malformed') continue;
    result += text.slice(at, token.start) + (token.kind === 'escape' ? '${' : valueOf(token.reference));
    at = token.end;
  }
  return result + text.slice(at);
}

function tokensIn(text: string): readonly Token[] {
  return text.includes('${') ? [...text.matchAll(TOKEN)].flatMap((match) => tokenOf(match) ?? []) : [];
}

function tokenOf({
  0: written,
  1: word = '',
  2: name = '',
  3: brace,
  index: start,
}: RegExpMatchArray & { index: number }): Token | undefined {
  const span = { start, end: start + written.length };
  if (written === '$${') return { kind: 'escape', ...span };
  const kind = KINDS.find((one) => one === word);
  const malformed = (problem: MalformedReference['problem'], instead?: string): Token => ({
    kind: 'malformed',
    malformed: { ...span, written, problem, instead },
    ...span,
  });
  if (!kind) {
    const meant = brace === '}' ? KINDS.find((one) => resembles(word, one) && NAMES[one].test(name)) : undefined;
    return meant && malformed('kind', referenceText({ kind: meant, name }));
  }
  const isName = NAMES[kind].test(name) && name.length <= LONGEST_NAME;
  if (brace !== '}') return malformed('unclosed', isName ? referenceText({ kind, name }) : undefined);
  if (!isName) {
    const trimmed = name.trim();
    return malformed('name', NAMES[kind].test(trimmed) ? referenceText({ kind, name: trimmed }) : undefined);
  }
  return { kind: 'reference', reference: { kind, name, ...span }, ...span };
}

/** Supplies the values of references. */
export interface ValueSource {
  variable(name: string): string | undefined | PromiseLike<string | undefined>;
  secret(name: string): PromiseLike<string | undefined>;
}
