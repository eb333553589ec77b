import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { secretHider } from '../../../account/withoutSecrets.ts';
import { isSecretName } from '../../../account/secrets/envReferences.ts';
import {
  FILE_REFERENCE,
  LITERAL_OBJECT,
  SECRET_REFERENCE,
  type SecretReference,
} from '../../../contract/recordedJob.ts';
import { SHORTEST_SECRET } from '../../../text/keyPatterns.ts';
import { hasSecret, isSecret, secretParts } from '../../../text/secretText.ts';
import { UserError } from '../../../kit/userError.ts';
import { looksLikeSecret } from '../../manifest/model/starters/fromEndpoint.ts';

/* The JSON of a job as a recording keeps it: without secrets, and with its large parts in files. */

/** Length from which a text is a file of its own, in UTF-16 code units. */
const LARGE_TEXT = 4_096;
const MAX_DEPTH = 200;
/** Length from which a found secret is also recognized at another place, in UTF-16 code units. */
const SHORTEST_FOUND = 4;
const LONGEST_NAME = 60;

export type JsonPath = readonly (string | number)[];

/** A file beside a recording. */
export interface RecordedFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** A value that a reference replaces. */
export interface Replacement {
  readonly path: JsonPath;
  /** Name of the secret or the file. */
  readonly name: string;
  /**
   * - `known`: the value is a known secret, or contains one.
   * - `form`: the value has the form of a key.
   * - `member`: the member has a name that secrets have. Only this kind can be kept.
   * - `file`: the value is large.
   */
  readonly reason: 'known' | 'form' | 'member' | 'file';
}

export interface RecordOptions {
  /** Known secrets and their names. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Start of the names of files. */
  readonly name: string;
  /** Paths of values that are no secrets, although their names look like it, as `pathKey` returns them. */
  readonly kept?: ReadonlySet<string> | undefined;
}

/** Returns a path as one string. */
export function pathKey(path: JsonPath): string {
  return JSON.stringify(path);
}

interface FoundSecret {
  readonly name: string;
  readonly reason: 'known' | 'form' | 'member';
}

/** Replaces the secrets and the large parts of the values of one job. */
export class ValueRecorder {
  #replacements: Replacement[] = [];
  #files: RecordedFile[] = [];
  readonly #options: RecordOptions;
  /** Secrets by their values: the known ones, and those that were found. */
  readonly #secrets: Map<string, FoundSecret>;
  /** Names of found secrets by their paths. */
  readonly #names = new Map<string, string>();
  /** Secrets that are recognized inside of texts. */
  readonly #long: string[];
  /** Number of the secrets in `#long` with which a name was compared. */
  readonly #compared = new Map<string, number>();
  readonly #taken: Set<string>;
  /** Highest number at the end of names with the same start. */
  readonly #numbers = new Map<string, number>();
  #hide: ((text: string) => string) | undefined;

  constructor(options: RecordOptions) {
    this.#options = options;
    const known = [...options.secrets].filter(([, value]) => isLong(value));
    this.#secrets = new Map(known.map(([name, value]) => [value, { name, reason: 'known' }]));
    this.#long = [...this.#secrets.keys()];
    this.#taken = new Set(options.secrets.keys());
  }

  get replacements(): readonly Replacement[] {
    return this.#replacements;
  }

  get files(): readonly RecordedFile[] {
    return this.#files;
  }

  /** The known secrets, and those that were found. */
  get secrets(): readonly string[] {
    return [...this.#secrets.keys()];
  }

  /**
   * Returns the input of a job with references. Call it before `result`, so that a result contains no secret of the input.
   *
   * @throws UserError if the input is nested too deeply, or the name of a member contains a secret
   */
  input(value: unknown): unknown {
    return this.#untilKnown(() => this.#recorded(value, ['input'], false));
  }

  /** Returns a part of a result with references. A mark replaces a secret in a longer text. @throws UserError as `input` */
  result(value: unknown, path: JsonPath): unknown {
    return this.#untilKnown(() => this.#recorded(value, path, false));
  }

  /** Repeats a pass until it finds no further secret, because a secret can occur before the member that names it. */
  #untilKnown(pass: () => unknown): unknown {
    const [replacements, files] = [this.#replacements, this.#files];
    for (;;) {
      const before = this.#secrets.size;
      [this.#replacements, this.#files] = [[...replacements], [...files]];
      // Not renewed with each secret, because an input can have thousands.
      this.#hide = undefined;
      const recorded = pass();
      if (this.#secrets.size === before) return recorded;
    }
  }

  /** Returns a text with a mark in place of each secret. */
  hidden(text: string): string {
    this.#hide ??= secretHider(this.#long);
    return this.#hide(text);
  }

  /** @param isNamed whether a member that contains the value has a name that secrets have */
  #recorded(value: unknown, path: JsonPath, isNamed: boolean): unknown {
    if (path.length > MAX_DEPTH) throw new UserError(l10n.t('the job is nested too deeply to be recorded'));
    if (typeof value === 'string') return this.#text(value, path, isNamed);
    if (typeof value === 'number') return this.#number(value, path, isNamed);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.#recorded(item, [...path, index], isNamed));
    const members = Object.entries(value).map(([name, content]): [string, unknown] => {
      if (hasSecret(name) || this.#containsSecret(name))
        throw new UserError(l10n.t('the job cannot be recorded, because the name of a member contains a secret'));
      return [name, this.#recorded(content, [...path, name], isNamed || isNameOfSecret(name, content))];
    });
    const object = Object.fromEntries(members);
    return REFERENCES.some((name) => Object.hasOwn(object, name)) ? { [LITERAL_OBJECT]: object } : object;
  }

  /** Compares a name only with secrets that are new since its last occurrence. */
  #containsSecret(name: string): boolean {
    const known = this.#compared.get(name) ?? 0;
    this.#compared.set(name, this.#long.length);
    for (let index = known; index < this.#long.length; index++)
      if (name.includes(this.#long[index] ?? name)) return true;
    return false;
  }

  #text(text: string, path: JsonPath, isNamed: boolean): unknown {
    const known = this.#secrets.get(text);
    if (known) return this.#replaced(text, path, known);
    const hasForm = hasSecret(text) || passwordIn(text).length > 0 || hasSecretContent(text);
    if (hasForm || this.hidden(text) !== text) {
      const found: FoundSecret = { name: this.#nameFor(path), reason: hasForm ? 'form' : 'known' };
      if (path[0] === 'input' || hasSecretContent(text)) return this.#replaced(text, path, found);
      if (hasForm) this.#add(secretsIn(text, path, 'form'), found);
      return this.#withoutLarge(this.hidden(text), path);
    }
    if (isNamed && text !== '' && !this.#isKept(path))
      return this.#replaced(text, path, { name: this.#nameFor(path), reason: 'member' });
    return this.#withoutLarge(text, path);
  }

  #number(value: number, path: JsonPath, isNamed: boolean): unknown {
    const text = String(value);
    const named = isNamed && !this.#isKept(path);
    const found = this.#secrets.get(text) ?? (named && { name: this.#nameFor(path), reason: 'member' as const });
    return found ? { ...this.#replaced(text, path, found), type: 'number' } : value;
  }

  #replaced(value: string, path: JsonPath, found: FoundSecret): SecretReference {
    this.#replacements.push({ path, ...found });
    this.#add(secretsIn(value, path, found.reason), found);
    return { [SECRET_REFERENCE]: found.name };
  }

  #add(secrets: readonly string[], found: FoundSecret): void {
    for (const secret of secrets) {
      if (secret.length < SHORTEST_FOUND || this.#secrets.has(secret)) continue;
      this.#secrets.set(secret, found);
      if (isLong(secret)) this.#long.push(secret);
    }
  }

  #isKept(path: JsonPath): boolean {
    return this.#options.kept?.has(pathKey(path)) === true;
  }

  /** Returns a name for the secret at a path that no other secret has, such as `HEADERS_AUTHORIZATION`. */
  #nameFor(path: JsonPath): string {
    const key = pathKey(path);
    const name = this.#names.get(key) ?? this.#newName(path);
    this.#names.set(key, name);
    return name;
  }

  #newName(path: JsonPath): string {
    const words = path
      .slice(1)
      .join('_')
      .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .toUpperCase()
      .slice(0, LONGEST_NAME);
    const start = isSecretName(words) ? words : `SECRET_${words}`.replace(/_$/, '');
    for (let number = (this.#numbers.get(start) ?? 0) + 1; ; number++) {
      const name = number === 1 ? start : `${start}_${number}`;
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      this.#numbers.set(start, number);
      return name;
    }
  }

  #withoutLarge(text: string, path: JsonPath): unknown {
    const file = fileOf(text);
    if (!file) return text;
    const { mediaType, extension, content } = file;
    const sha256 = createHash('sha256').update(content).digest('hex');
    const known = this.#files.find((other) => other.name.endsWith(`.${extension}`) && content.equals(other.content));
    const name = known?.name ?? `${this.#options.name}.${this.#files.length + 1}.${extension}`;
    if (!known) this.#files.push({ name, content });
    this.#replacements.push({ path, name, reason: 'file' });
    return { [FILE_REFERENCE]: name, sha256, ...(mediaType !== undefined && { mediaType }) };
  }
}

const REFERENCES = [SECRET_REFERENCE, FILE_REFERENCE, LITERAL_OBJECT];

function isLong(value: string): boolean {
  return value.trim().length >= SHORTEST_SECRET;
}

/** Returns whether a member is probably a secret. An object in it can have secrets of any name. */
function isNameOfSecret(name: string, content: unknown): boolean {
  return looksLikeSecret(name) || isSecret(name, typeof content === 'string' ? content : '…');
}

/** Returns the password of an address, as it is written. */
function passwordIn(text: string): readonly string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? (URL.parse(text)?.password ?? '') : '';
  return password === '' ? [] : [password];
}

const DATA_URI = /^data:([\w.+-]{1,100}\/[\w.+-]{1,100});base64,/;
const EXTENSIONS: Readonly<Record<string, string>> = {
  ...{ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp', 'image/svg+xml': 'svg' },
  ...{ 'audio/mpeg': 'mp3', 'audio/wav': 'wav', 'video/mp4': 'mp4', 'application/pdf': 'pdf', 'text/plain': 'txt' },
};

interface Content {
  readonly mediaType?: string;
  readonly extension: string;
  readonly content: Buffer;
}

/** Returns the secrets that a replaced text consists of, or that are a part of it. */
function secretsIn(text: string, path: JsonPath, reason: FoundSecret['reason']): readonly string[] {
  if (reason === 'form') {
    const parts = [...secretParts(text), ...passwordIn(text)];
    // Only the beginning of a private key has a recognizable form.
    return parts.length > 0 && !parts.some((part) => part.startsWith('-----BEGIN')) ? parts : [text];
  }
  // A value such as `password` is a placeholder, and the name of its member is kept.
  const isPlaceholder = path.some((segment) => String(segment).toLowerCase().includes(text.toLowerCase()));
  return reason === 'member' && !isPlaceholder ? [text] : [];
}

/** Returns whether a data URI contains a text with a secret. */
function hasSecretContent(text: string): boolean {
  const [start] = DATA_URI.exec(text.slice(0, 300)) ?? [];
  return start !== undefined && hasSecret(Buffer.from(text.slice(start.length), 'base64').toString('latin1'));
}

/** Returns the file of a large text, or of the content of a data URI. Undefined for a short text, and for one that a file cannot keep. */
function fileOf(text: string): Content | undefined {
  const [start, mediaType = ''] = DATA_URI.exec(text.slice(0, 300)) ?? [];
  if (start !== undefined) {
    const content = Buffer.from(text.slice(start.length), 'base64');
    // Another spelling of the same content is kept as text.
    if (`${start}${content.toString('base64')}` === text)
      return { mediaType, extension: EXTENSIONS[mediaType] ?? 'bin', content };
  }
  if (text.length < LARGE_TEXT || !text.isWellFormed()) return undefined;
  return { extension: 'txt', content: Buffer.from(text) };
}
