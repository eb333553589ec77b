import * as l10n from '@vscode/l10n';
import { isObject } from '../jobInput.ts';
import { parseCommentedJson } from '../positionedJson.ts';
import { SchemaError, type SchemaFiles } from './schemaFiles.ts';

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
