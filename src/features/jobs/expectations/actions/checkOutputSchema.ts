import type { JSONSchema } from 'vscode-json-languageservice';
import type { Job } from '../../../../contract/job.ts';
import type { Expectation } from '../../../../contract/jobFile.ts';
import { jsonText } from '../model/mismatchWords.ts';
import { MAX_MISMATCHES, type JsonPath, type Mismatch } from '../model/mismatch.ts';

/** Reads the text of a file on this machine or in the workspace. */
export type ReadText = (uri: string) => Promise<string>;

export interface SchemaSource {
  /** URI of the job file, the base of relative paths and references. */
  readonly uri: string;
  readonly readText: ReadText;
}

/** Thrown for a reference that would leave the file system. */
class RemoteSchemaError extends Error {
  constructor(uri: string) {
    super(`${uri} is not a file; schemas are never downloaded`);
    this.name = 'RemoteSchemaError';
  }
}

const MEMBER: JsonPath = ['expect', 'schema'];
const OUTPUT_URI = 'output.json';

/**
 * Checks the output of a job with the JSON schema of its file. References to files are read, and no other reference is followed. A schema
 * that cannot be used is a mismatch, because its rules were not checked.
 */
export async function checkOutputSchema(
  { schema }: Expectation,
  { output }: Pick<Job, 'output'>,
  source: SchemaSource,
): Promise<readonly Mismatch[]> {
  if (schema === undefined) return [];
  if (output === undefined)
    return [{ code: 'missingValue', path: ['output'], member: MEMBER, expected: schema, actual: undefined }];
  try {
    return await validated(schema, output, source);
  } catch (error) {
    return [unusable(schema, (error as Error).message)];
  }
}

function unusable(schema: unknown, reason: string): Mismatch {
  return { code: 'unusableSchema', path: ['output'], member: MEMBER, expected: schema, actual: reason };
}

async function validated(
  schema: NonNullable<Expectation['schema']>,
  output: unknown,
  { uri, readText }: SchemaSource,
): Promise<readonly Mismatch[]> {
  const { getLanguageService, getLocation, isUnusableSchema, TextDocument } = await import('./jsonService.ts');
  const service = getLanguageService({
    schemaRequestService: async (wanted) => {
      if (/^https?:/i.test(wanted)) throw new RemoteSchemaError(wanted);
      // The service decodes URIs, and rejects a byte order mark.
      return (await readText(new URL(wanted).href)).replace(/^\ufeff/, '');
    },
    workspaceContext: { resolveRelativePath: (relative, base) => new URL(relative, base).href },
  });
  // The service changes the schema that it resolves.
  const inline = typeof schema === 'string' ? undefined : (structuredClone(schema) as JSONSchema);
  const schemaUri = typeof schema === 'string' ? new URL(encodedPath(schema), uri).href : uri;
  service.configure({ schemas: [{ uri: schemaUri, fileMatch: ['*'], ...(inline && { schema: inline }) }] });
  const text = jsonText(output);
  const document = TextDocument.create(OUTPUT_URI, 'json', 1, text);
  const settings = { schemaValidation: 'error', schemaRequest: 'error' } as const;
  const problems = await service.doValidation(document, service.parseJSONDocument(document), settings);
  return problems.slice(0, MAX_MISMATCHES).map(({ code, message, range }): Mismatch => {
    const rule = typeof message === 'string' ? message : message.value;
    if (isUnusableSchema(code)) return unusable(schema, rule);
    const { start, end } = range;
    const path = ['output', ...getLocation(text, document.offsetAt(start)).path];
    const actual = actualAt(text.slice(document.offsetAt(start), document.offsetAt(end)));
    return { code: 'schemaViolation', path, member: MEMBER, expected: rule, actual };
  });
}

/** Returns the violating value, or its text if the problem concerns another part of the JSON, such as a key. */
function actualAt(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns a path as the path of a URI. */
function encodedPath(path: string): string {
  return path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
}
