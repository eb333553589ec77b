import { keyKind, keyPatterns } from './keyPatterns.ts';

/* Recognizes values that look like secrets. Such values are not stored. */

const MARK = '…';
/** Headers that hold credentials. */
const CREDENTIALS =
  /^(?:(?:proxy-)?authorization|cookie|set-cookie|x-api-key|api-key|x-auth-token|.*-(?:token|secret|password))$/i;
const SECRET_NAME =
  /^(?:(?:api|access|auth|secret|private)?[-_]?(?:key|token)|secret|password|passwd|signature|sig|credentials?|auth)$/i;

/** A member of an object in JSON. */
const MEMBER = /"([^"\\\n]{1,100})"\s{0,20}:\s{0,20}"([^"\\\n]{1,4096})"/g;

/** Returns a path with a mark in place of query values that look like secrets. */
export function withoutSecretValues(path: string): string {
  const [start, query] = splitOnce(path, '?');
  if (query === undefined) return path;
  const parts = query.split('&').map((part) => {
    const [name, value] = splitOnce(part, '=');
    if (value === undefined) return part;
    return isSecret(decoded(name), decoded(value)) ? `${name}=${MARK}` : part;
  });
  return `${start}?${parts.join('&')}`;
}

/** Returns whether a text contains a key that is recognizable by its form, or a JSON member whose name and value look like a key. */
export function hasSecret(text: string): boolean {
  if (keyPatterns.some(({ pattern }) => pattern.test(text))) return true;
  for (const [, name = '', value = ''] of text.matchAll(MEMBER)) if (isSecret(name, value)) return true;
  return false;
}

/** Returns the parts of a text because of which `hasSecret` is true. Of a private key, this is its first line. */
export function secretParts(text: string): readonly string[] {
  const keys = keyPatterns.flatMap(({ pattern }) => text.match(new RegExp(pattern, 'g')) ?? []);
  const members = [...text.matchAll(MEMBER)].flatMap(([, name = '', value = '']) =>
    isSecret(name, value) ? [value] : [],
  );
  return [...keys, ...members];
}

export function isSecretHeader({ name, value }: Readonly<Record<'name' | 'value', string>>): boolean {
  return CREDENTIALS.test(name) || isSecret(name, value);
}

/** Returns whether a named value is a secret, by its name or its form. */
export function isSecret(name: string, value: string): boolean {
  if (SECRET_NAME.test(name) && value !== '') return true;
  return keyKind(name.replaceAll(/[-.]/g, '_'), value) !== undefined;
}

function splitOnce(text: string, sign: string): [string, string?] {
  const at = text.indexOf(sign);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
