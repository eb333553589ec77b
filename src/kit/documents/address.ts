import { idPart } from '../../text/ids.ts';
import { foreign } from '../../text/shownText.ts';
import type { ObjectSchema } from '../smallSchema.ts';

/** The parts of a URI that identify a document. A document has no authority, and its fragment has no meaning. */
export interface DocumentUri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
  readonly authority?: string;
}

/** Maximum length of a document's name without its suffix, in UTF-16 code units. Tabs and breadcrumbs contain the name. */
const LONGEST_NAME = 160;
/** Starts a value that is not a string. Encoded strings do not contain this character. */
const JSON_MARK = '~';

/**
 * Addresses of the documents of a scheme. The path is the name of the file, because breadcrumbs show each folder of a path. The query
 * contains the fields of the address, in the order of the schema: `/hello.yaml?local/e1`. A URI that `uri` does not return is not an
 * address, such as that of another file in the document's folder.
 */
export class DocumentAddresses<Address extends object> {
  readonly scheme: string;
  readonly #schema: ObjectSchema<Address>;
  readonly #suffix: (address: Address) => string;

  /**
   * @param schema fields of the address, in their order in the path. They are JSON values, and the last ones can be optional.
   * @param suffix end of the file name, with the extension
   */
  constructor(scheme: string, schema: ObjectSchema<Address>, suffix: (address: Address) => string) {
    this.scheme = scheme;
    this.#schema = schema;
    this.#suffix = suffix;
  }

  /** Returns the URI of a document. @param name shown name of the document, without its suffix */
  uri(address: Address, name: string): DocumentUri {
    const values = this.#fields.map((field) => (address as Record<string, unknown>)[field]);
    const last = values.findLastIndex((value) => value !== undefined);
    const segments = values.slice(0, last + 1).map(segmentOf);
    return { scheme: this.scheme, path: `/${plain(name)}${this.#suffix(address)}`, query: segments.join('/') };
  }

  /** Parses the URI of a document. Returns undefined for any other URI. */
  parse(uri: DocumentUri): Address | undefined {
    return this.#read(uri)?.address;
  }

  /** Returns the URI of another document with the same name. Undefined if the first URI is not an address. */
  sibling(uri: DocumentUri, change: Partial<Address>): DocumentUri | undefined {
    const read = this.#read(uri);
    return read && this.uri({ ...read.address, ...change }, read.name);
  }

  #read({ scheme, authority = '', path, query }: DocumentUri): { address: Address; name: string } | undefined {
    if (scheme !== this.scheme || authority !== '') return undefined;
    const fields = this.#fields;
    const values = query
      .split('/')
      .map((one, at) => [fields[at], valueOf(one)])
      .filter(([, value]) => value !== undefined);
    const address = this.#schema.safeParse(Object.fromEntries(values)).data;
    if (!address) return undefined;
    const name = path.slice(1, Math.max(path.length - this.#suffix(address).length, 1));
    const written = this.uri(address, name);
    return written.path === path && written.query === query ? { address, name } : undefined;
  }

  get #fields(): readonly string[] {
    return Object.keys(this.#schema.shape);
  }
}

/** Encodes a field, which can come from a service. */
function segmentOf(value: unknown): string {
  if (value === undefined) return JSON_MARK;
  if (typeof value !== 'string' || value === '') return JSON_MARK + encoded(JSON.stringify(value));
  return encoded(value);
}

function encoded(text: string): string {
  return idPart(text).replaceAll(JSON_MARK, '%7E');
}

/** Returns undefined also for a segment that cannot be decoded. */
function valueOf(segment: string): unknown {
  try {
    const text = decodeURIComponent(segment);
    return segment.startsWith(JSON_MARK) ? JSON.parse(text.slice(JSON_MARK.length)) : text;
  } catch {
    return undefined;
  }
}

/** Replaces the characters that cannot be in the name of a file. */
function plain(name: string): string {
  const text = foreign(name.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-'), LONGEST_NAME).text;
  return text.replace(/^(?:\.|$)/, '-');
}
