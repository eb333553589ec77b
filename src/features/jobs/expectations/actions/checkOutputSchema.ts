import * as l10n from '@vscode/l10n';
import type { Job } from '../../../../contract/job.ts';
import type { Expectation } from '../../../../contract/jobFile.ts';
import { checkInput } from '../../model/schema/checkInput.ts';
import {
  readInputSchema,
  SCHEMA_TIME_LIMIT_MS,
  type InputSchema,
  relativeUrl,
  SchemaError,
  type SchemaFiles,
} from '../../model/schema/schemaFiles.ts';
import { valueAt } from '../../model/positionedJson.ts';
import { MAX_MISMATCHES, type JsonPath, type Mismatch } from '../../model/expectations/mismatch.ts';

/** Reads the text of a file on this machine or in the workspace. */
export type ReadText = (uri: string) => Promise<string>;

export interface SchemaSource {
  /** URI of the job file, the base of relative paths and references. */
  readonly uri: string;
  readonly readText: ReadText;
}

const MEMBER: JsonPath = ['expect', 'schema'];

/**
 * Checks the output of a job with the JSON schema of its file. References to files are read, and no other reference is followed. A schema
 * that cannot be used is a mismatch, because its rules were not checked.
 */
export async function checkOutputSchema(
  { schema }: Expectation,
  { output }: Pick<Job, 'output'>,
  { uri, readText }: SchemaSource,
): Promise<readonly Mismatch[]> {
  if (schema === undefined) return [];
  if (output === undefined)
    return [{ code: 'missingValue', path: ['output'], member: MEMBER, expected: schema, actual: undefined }];
  const files: SchemaFiles = {
    read: async (url) => {
      if (/^https?:/i.test(url))
        throw new SchemaError('remote', l10n.t`${url} is not a file; schemas are never downloaded`);
      // The language service decodes URLs, and rejects a byte order mark.
      return (await readText(new URL(url).href)).replace(/^\ufeff/, '');
    },
  };
  const unusable = (reason: string): Mismatch => {
    return { code: 'unusableSchema', path: ['output'], member: MEMBER, expected: schema, actual: reason };
  };
  let given: InputSchema;
  try {
    given = typeof schema === 'string' ? await readInputSchema(files, schemaUrl(schema, uri)) : { url: uri, schema };
  } catch (error) {
    return [unusable((error as Error).message)];
  }
  const violations = await checkInput(given, { value: output }, files);
  return violations.slice(0, MAX_MISMATCHES).map(({ code, path, message }): Mismatch => {
    if (code === 'stopped')
      return {
        code: 'stoppedSchema',
        path: ['output'],
        member: MEMBER,
        expected: schema,
        actual: SCHEMA_TIME_LIMIT_MS,
      };
    if (code !== 'inputSchema') return unusable(message);
    const actual = valueAt(output, path);
    return { code: 'schemaViolation', path: ['output', ...path], member: MEMBER, expected: message, actual };
  });
}

/** Returns the URL of a schema file. An address of a server stays unchanged, so that it is rejected. */
function schemaUrl(schema: string, uri: string): string {
  return /^https?:/i.test(schema) ? schema : relativeUrl(schema, uri);
}
