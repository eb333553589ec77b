/* Schema files of a workspace, by URL. */

/** Reads the text of a file. Rejects if the file is missing or unreadable. */
export interface SchemaFiles {
  read(url: string): Promise<string>;
}

/** Reasons why a schema is not usable. Programs decide on the code. */
export type SchemaProblemCode =
  'remote' | 'outside' | 'unreadable' | 'tooLarge' | 'notJson' | 'notASchema' | 'reference';

export class SchemaError extends Error {
  readonly reason: SchemaProblemCode;

  constructor(reason: SchemaProblemCode, message: string) {
    super(message);
    this.reason = reason;
    this.name = 'SchemaError';
  }
}

/** Maximum length of a schema file, in UTF-16 code units. */
const LONGEST_SCHEMA = 1_048_576;

/**
 * Limits file access to schemas in the given folders. Schemas on the network are never read.
 *
 * @param folders URLs of folders, each with a slash at the end
 */
export function limitedTo(folders: readonly string[], files: SchemaFiles): SchemaFiles {
  return {
    read: async (url) => {
      if (/^https?:/i.test(url)) throw new SchemaError('remote', 'schemas on the network are not read');
      // An encoded slash would leave the folder after it is decoded.
      if (!folders.some((folder) => url.startsWith(folder)) || /%(2f|5c)/i.test(url))
        throw new SchemaError('outside', 'the schema is outside of the workspace');
      let text: string;
      try {
        text = await files.read(url);
      } catch {
        throw new SchemaError('unreadable', 'the file cannot be read');
      }
      if (text.length > LONGEST_SCHEMA) throw new SchemaError('tooLarge', 'the schema is larger than 1 MB');
      return text;
    },
  };
}

/** Returns the URL of a path that is relative to a file. The path can contain characters that have a meaning in URLs. */
export function relativeUrl(path: string, fileUrl: string): string {
  const encoded = path.split(/[\\/]/).map(encodeURIComponent).join('/');
  return new URL(encoded, fileUrl).href;
}
