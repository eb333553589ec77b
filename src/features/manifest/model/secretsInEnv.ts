import type { Environment } from '../../../contract/environment.ts';
import { literalText, referenceText } from './envReferences.ts';

/** Length from which a secret is also recognized as a part of a value, in UTF-16 code units. */
const SHORTEST_PART = 8;

/**
 * Replaces the values of secrets in the environment of a deployed endpoint by their references, so that no secret is shown. A platform
 * controls the remaining text, so `literal` escapes it for a manifest.
 *
 * @param secrets values by name
 */
export function withSecretReferences(
  env: Readonly<Environment>,
  secrets: ReadonlyMap<string, string>,
  literal: (text: string) => string = literalText,
): Environment {
  const known = [...secrets].filter(([, value]) => value !== '').sort(([, a], [, b]) => b.length - a.length);
  return Object.fromEntries(
    Object.entries(env).map(([name, text]): [string, string] => [name, withReferences(text, known, literal)]),
  );
}

/** @param secrets names and values, the longest value first */
function withReferences(
  text: string,
  secrets: readonly (readonly [string, string])[],
  literal: (text: string) => string,
): string {
  const whole = secrets.find(([, value]) => value === text);
  if (whole) return referenceText({ kind: 'secret', name: whole[0] });
  const part = secrets.find(([, value]) => value.length >= SHORTEST_PART && text.includes(value));
  if (!part) return literal(text);
  const [name, value] = part;
  const rest = secrets.slice(secrets.indexOf(part) + 1);
  return text
    .split(value)
    .map((piece) => (piece === '' ? '' : withParts(piece, rest, literal)))
    .join(referenceText({ kind: 'secret', name }));
}

function withParts(
  text: string,
  secrets: readonly (readonly [string, string])[],
  literal: (text: string) => string,
): string {
  return withReferences(
    text,
    secrets.filter(([, value]) => value.length >= SHORTEST_PART),
    literal,
  );
}
