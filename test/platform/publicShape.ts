import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/*
 * Checks responses against the public interface in addition to the contract. test/contract/fixtures/publicInterface.json is a copy of the
 * public OpenAPI document without prose.
 */

interface PublicRow {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

const file = new URL('../contract/fixtures/publicInterface.json', import.meta.url);
const document = JSON.parse(await readFile(file, 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublicRow>>>>;
};

const DOCUMENT = 'public';
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// URLs of jobs contain the literal text {job_id}, which is not a valid URI.
ajv.addFormat('uri', (text: string) => URL.canParse(text));
ajv.addSchema(document, DOCUMENT);

const validators = new Map(
  Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).flatMap(validator(path))),
);

function validator(path: string) {
  return ([method, { operationId, responses }]: [string, PublicRow]): [string, ValidateFunction][] => {
    const status = Object.keys(responses).find((name) => name.startsWith('2'));
    if (status === undefined || !responses[status]?.content?.['application/json']) return [];
    const pointer = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
      .map((segment) => encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    return [[operationId, ajv.compile({ $ref: `${DOCUMENT}#/${pointer}` })]];
  };
}

/** Asserts that a response has its public shape. Operations that are not public have none. */
export function assertPublicShape(operationId: string, answer: unknown): void {
  const validate = validators.get(operationId);
  if (validate && !validate(answer)) assert.fail(`${operationId}: ${ajv.errorsText(validate.errors)}`);
}
