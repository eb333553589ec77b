import * as l10n from '@vscode/l10n';
import type { Path } from '../../../../contract/violation.ts';
import type { Span } from '../../../../text/span.ts';
import { parseCommentedJson } from '../positionedJson.ts';
import { type InputSchema, type JsonSchema, SchemaError, type SchemaFiles } from './schemaFiles.ts';

/** A part of a value that breaks its schema. */
export interface InputViolation extends Span {
  /** `reference` is a problem of the schema itself, `syntax` one of the text, and `stopped` a check that took too long. */
  readonly code: 'inputSchema' | 'reference' | 'syntax' | 'stopped';
  readonly path: Path;
  readonly message: string;
}

/** A schema in a file, or one without an address, which refers to no other files. */
export type GivenSchema = InputSchema | { readonly schema: JsonSchema; readonly url?: undefined };

/** A value, or its JSON text, which can have comments. The offsets of violations are those of the text, or of indented JSON. */
export type GivenValue = { readonly text: string } | { readonly value: unknown };

const NO_FILES: SchemaFiles = {
  read: () => Promise.reject(new SchemaError('outside', l10n.t('the schema refers to another file'))),
};

/**
 * Checks a value against a JSON schema. Resolves with the violations, an empty list for a valid value.
 *
 * @param files files that the schema can refer to. Default: none
 */
export async function checkInput(
  given: GivenSchema,
  value: GivenValue,
  files = NO_FILES,
): Promise<readonly InputViolation[]> {
  const text = 'text' in value ? value.text : (JSON.stringify(value.value, null, 2) as string | undefined);
  if (text === undefined) throw new TypeError('The value is not a JSON value');
  const parsed = parseCommentedJson(text);
  if ('error' in parsed)
    return [{ code: 'syntax', path: [], message: parsed.error, start: parsed.offset, end: parsed.offset + 1 }];
  const { JsonLanguage } = await import('./jsonLanguage.ts');
  const input: InputSchema = given.url === undefined ? { url: 'inline:/schema.json', schema: given.schema } : given;
  const found = await new JsonLanguage({ files }).check(text, [], input);
  return found.flatMap(({ code, ...violation }) => (code === 'duplicateKey' ? [] : [{ code, ...violation }]));
}
