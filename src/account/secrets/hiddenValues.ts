import type { Environment } from '../../contract/environment.ts';
import { literalText, referenceText, type EnvReference } from './envReferences.ts';
import type { NameStorage, SecretStore } from './secretStore.ts';

/** A value that is shown as its reference. */
export interface HiddenValue {
  readonly reference: EnvReference;
  readonly value: string;
}

/** Length from which a value is also recognized as a part of another, in UTF-16 code units. */
const SHORTEST_PART = 8;

/**
 * Replaces values in the environment of a deployed endpoint by their references, so that no secret is shown. A platform controls the
 * remaining text, so `literal` escapes it for a manifest.
 */
export function withReferences(
  env: Readonly<Environment>,
  hidden: readonly HiddenValue[],
  literal: (text: string) => string = literalText,
): Environment {
  const longestFirst = hidden.filter(({ value }) => value !== '').sort((a, b) => b.value.length - a.value.length);
  const parts = longestFirst.filter(({ value }) => value.length >= SHORTEST_PART);
  const written = (text: string): string => {
    const whole = longestFirst.find(({ value }) => value === text);
    return whole ? referenceText(whole.reference) : withParts(text, parts, literal);
  };
  return Object.fromEntries(Object.entries(env).map(([name, text]): [string, string] => [name, written(text)]));
}

/** @param hidden the longest value first */
function withParts(text: string, hidden: readonly HiddenValue[], literal: (text: string) => string): string {
  const index = hidden.findIndex(({ value }) => text.includes(value));
  const part = hidden[index];
  if (!part) return literal(text);
  const shorter = hidden.slice(index + 1);
  return text
    .split(part.value)
    .map((piece) => withParts(piece, shorter, literal))
    .join(referenceText(part.reference));
}

/** Global-state key of the names of environment variables whose values were sent. Their values are hidden like secrets. */
const SENT = 'cloudCompute.manifest.sentVariables';
const MAX_NAMES = 200;

interface Sources {
  readonly globalState: NameStorage;
  readonly secrets: Pick<SecretStore, 'values'>;
}

/** Remembers that the value of a variable is sent, so that documents of endpoints hide it. */
export async function rememberSent(globalState: NameStorage, name: string): Promise<void> {
  const names = sentNames(globalState);
  if (!names.includes(name)) await globalState.update(SENT, [...names, name].slice(-MAX_NAMES));
}

/** Returns the values that documents of endpoints hide: those of all secrets, and those of sent variables. */
export async function hiddenValues({ globalState, secrets }: Sources): Promise<readonly HiddenValue[]> {
  const hidden: HiddenValue[] = [...(await secrets.values())].map(([name, value]) => ({
    reference: { kind: 'secret', name },
    value,
  }));
  for (const name of sentNames(globalState)) {
    const value = variableOf(name);
    if (value !== undefined) hidden.push({ reference: { kind: 'env', name }, value });
  }
  return hidden;
}

/** Returns the value of a variable in the environment of the extension host. */
export function variableOf(name: string): string | undefined {
  return Object.hasOwn(process.env, name) ? process.env[name] : undefined;
}

function sentNames(storage: NameStorage): readonly string[] {
  const stored = storage.get(SENT);
  return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
}
