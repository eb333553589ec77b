import * as l10n from '@vscode/l10n';

/* Patterns of keys that do not belong in a file. Every pattern takes linear time. */

export interface KeyPattern {
  /** Kind of key with its article, for a message. */
  readonly looksLike: string;
  readonly pattern: RegExp;
}

/** Keys that a prefix identifies. The patterns match a whole word of the value. */
export const keyPatterns: readonly KeyPattern[] = [
  { looksLike: l10n.t('a private key'), pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/ },
  { looksLike: l10n.t('an AWS access key'), pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])/ },
  { looksLike: l10n.t('a GitHub token'), pattern: /(?<![\w-])gh[pousr]_[A-Za-z0-9]{36,255}(?![\w-])/ },
  { looksLike: l10n.t('a GitHub token'), pattern: /(?<![\w-])github_pat_\w{22,255}(?![\w-])/ },
  { looksLike: l10n.t('a GitLab token'), pattern: /(?<![\w-])glpat-[\w-]{20,255}(?![\w-])/ },
  { looksLike: l10n.t('a Hugging Face token'), pattern: /(?<![\w-])hf_[A-Za-z0-9]{30,255}(?![\w-])/ },
  { looksLike: l10n.t('a Slack token'), pattern: /(?<![\w-])xox[abeoprs]-[A-Za-z0-9-]{20,255}(?![\w-])/ },
  { looksLike: l10n.t('a Stripe key'), pattern: /(?<![\w-])[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}(?![\w-])/ },
  { looksLike: l10n.t('a Google API key'), pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/ },
  { looksLike: l10n.t('an npm token'), pattern: /(?<![\w-])npm_[A-Za-z0-9]{36}(?![\w-])/ },
  { looksLike: l10n.t('a PyPI token'), pattern: /(?<![\w-])pypi-[\w-]{50,255}(?![\w-])/ },
  { looksLike: l10n.t('a Replicate token'), pattern: /(?<![\w-])r8_[A-Za-z0-9]{37}(?![\w-])/ },
  { looksLike: l10n.t('a SendGrid key'), pattern: /(?<![\w-])SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/ },
  {
    looksLike: l10n.t('a JSON Web Token'),
    pattern: /(?<![\w-])eyJ[\w-]{10,8192}\.eyJ[\w-]{10,8192}\.[\w-]{10,2048}(?![\w-])/,
  },
  // The digit and the long word exclude names of models and packages, such as sk-learn-v2-compatible.
  {
    looksLike: l10n.t('an API key'),
    pattern: /(?<![\w-])sk-(?=[\w-]{0,255}\d)(?:[a-z0-9]{2,8}-){0,3}\w{16,255}[\w-]{0,255}(?![\w-])/,
  },
];

/** Names of variables that usually hold a key. */
const KEY_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;
const PUBLIC_NAME = /(?:^|_)PUBLIC(?:_|$)/i;
const PLACEHOLDER =
  /<[^<>]{0,100}>|\*{3}|\.{3}|…|x{4}|change.?me|replace.?me|placeholder|example|dummy|your[-_ ]|insert[-_ ]|todo|redacted/i;

const SHORTEST_KEY = 16;
/** Longest value that is examined, in UTF-16 code units. */
const LONGEST_KEY = 16_384;
const LOWEST_BITS = 3;
const LOWEST_CHANGES = 0.2;

/** Returns the kind of key that the literal value of a variable looks like, with its article. Undefined if it does not look like a key. */
export function keyKind(variable: string, value: string): string | undefined {
  const text = value.trim().slice(0, LONGEST_KEY);
  if (text.length < SHORTEST_KEY || PLACEHOLDER.test(text)) return undefined;
  const known = keyPatterns.find(({ pattern }) => pattern.test(text));
  if (known) return known.looksLike;
  const isNamed = KEY_NAME.test(variable) && !PUBLIC_NAME.test(variable);
  return isNamed && isRandom(text) ? l10n.t('a key') : undefined;
}

/** Returns whether a text resembles random characters rather than words, an address, or a path. */
function isRandom(text: string): boolean {
  if (!/^[\w.~+/=:!@#$%^&*()-]+$/.test(text) || /^(?:\.{0,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(text)) return false;
  return bitsPerCharacter(text) >= LOWEST_BITS && changesOf(text) >= LOWEST_CHANGES * text.length;
}

/** Returns the Shannon entropy of a text, in bits per character. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - (count / text.length) * Math.log2(count / text.length), 0);
}

/** Counts the changes between letters, capitals, and digits. A capital at the start of a word does not count twice. */
function changesOf(text: string): number {
  return (text.match(/(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[0-9]|(?<=[0-9])[A-Za-z]/g) ?? []).length;
}

/** Shortest value of a secret, in UTF-16 code units. Shorter values occur in ordinary text. */
export const SHORTEST_SECRET = 6;

/** Returns the values of an environment that are keys by their names or their form. */
export function secretValues(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value.trim().length < SHORTEST_SECRET) return [];
    const isNamed = KEY_NAME.test(name) && !PUBLIC_NAME.test(name);
    return isNamed || keyKind(name, value) !== undefined ? [value] : [];
  });
}
