import * as l10n from '@vscode/l10n';
import { isObject } from '../jobInput.ts';
import { parseCommentedJson } from '../positionedJson.ts';

/* Schema files of a workspace, by URL. */

/** Reads the text of a file. Rejects if the file is missing or unreadable. */
export interface SchemaFiles {
  read(url: string): Promise<string>;
}

/** Reasons why a schema is not usable. Programs decide on the code. */
type SchemaProblemCode = 'remote' | 'outside' | 'unreadable' | 'tooLarge' | 'notJson' | 'notASchema' | 'reference';

export class SchemaError extends Error {
  readonly reason: SchemaProblemCode;

  constructor(reason: SchemaProblemCode, message: string) {
    super(message);
    this.reason = reason;
    this.name = 'SchemaError';
  }
}

/** Maximum length of a schema file, in UTF-16 code units. */
export const LONGEST_SCHEMA = 1_048_576;

/**
 * Limits file access to schemas in the given folders. Schemas on the network are never read.
 *
 * @param folders URLs of folders, each with a slash at the end
 */
export function limitedTo(folders: readonly string[], files: SchemaFiles): SchemaFiles {
  return {
    read: async (url) => {
      if (/^https?:/i.test(url)) throw new SchemaError('remote', l10n.t('schemas on the network are not read'));
      if (!folders.some((folder) => isInside(url, folder)))
        throw new SchemaError('outside', l10n.t('the schema is outside the workspace'));
      let text: string;
      try {
        text = await files.read(url);
      } catch (error) {
        if (error instanceof SchemaError) throw error;
        throw new SchemaError('unreadable', l10n.t('the file cannot be read'));
      }
      if (text.length > LONGEST_SCHEMA) throw schemaTooLarge();
      return text;
    },
  };
}

export function schemaTooLarge(): SchemaError {
  return new SchemaError('tooLarge', l10n.t('the schema is larger than 1 MB'));
}

/** Compares decoded URLs, because the language service decodes them. */
function isInside(url: string, folder: string): boolean {
  const path = decoded(url);
  return path.startsWith(decoded(folder)) && !/[\\/]\.\.([\\/]|$)/.test(path);
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/** Returns the URL of a path that is relative to a file. The path can contain characters that have a meaning in URLs. */
export function relativeUrl(path: string, fileUrl: string): string {
  const encoded = path.split(/[\\/]/).map(encodeURIComponent).join('/');
  return new URL(encoded, fileUrl).href;
}

/** Maximum time of one step of a check with a JSON schema, in ms. The check of a text of 1.5 MB takes about 200 ms. */
export const SCHEMA_TIME_LIMIT_MS = 1_000;

/** A JSON schema, such as the one for the input of an endpoint. */
export interface InputSchema {
  /** Address of the file. Relative references start from it. */
  readonly url: string;
  readonly schema: JsonSchema;
}

export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

/** Reads a schema file: JSON, which can have comments. @throws SchemaError */
export async function readInputSchema(files: SchemaFiles, url: string): Promise<InputSchema> {
  const text = await files.read(url);
  const parsed = parseCommentedJson(text);
  if ('error' in parsed)
    throw new SchemaError(
      'notJson',
      l10n.t`the file is not valid JSON at line ${lineAt(text, parsed.offset)}: ${parsed.error}`,
    );
  const schema = parsed.value;
  if (typeof schema !== 'boolean' && !isObject(schema))
    throw new SchemaError('notASchema', l10n.t('a schema is an object, or true or false'));
  return { url, schema };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
