import * as l10n from '@vscode/l10n';
import {
  ToHost,
  type JobFormField,
  type JobFormProblem,
  type JobFormView,
  type JobFormToHost,
} from '../../../webviews/jobForm/messages.ts';
import { formValues, missingValues, shortInput } from '../model/form/formValues.ts';
import { isObject, lineAndColumn } from '../model/jobInput.ts';
import { parseCommentedJson } from '../model/positionedJson.ts';
import type { SchemaViolation } from '../model/schema/jsonLanguage.ts';
import { SCHEMA_TIME_LIMIT_MS } from '../model/schema/schemaFiles.ts';
import type { WebviewPage } from '../../../kit/webviewPage.ts';

export const JOB_FORM_PAGE: WebviewPage<JobFormToHost> = {
  name: 'jobForm',
  iconName: 'job-form',
  title: l10n.t('Run Job'),
  showsPictures: true,
  messages: ToHost,
};

type Input = Readonly<Record<string, unknown>>;

/** The input in the text of a job file, or the reason why a form cannot edit it. */
export type ReadInput = { readonly input: Input } | { readonly blocked: string };

/** Reads the input of a job file, which can have other problems. */
export function readInput(text: string): ReadInput {
  const parsed = parseCommentedJson(text);
  if ('error' in parsed) {
    const { line } = lineAndColumn(text, parsed.offset);
    return { blocked: l10n.t`The JSON has an error in line ${line}: ${parsed.error}.` };
  }
  const { value } = parsed;
  if (!isObject(value)) return { blocked: l10n.t('The JSON is not an object.') };
  const input = value['input'];
  if (input === undefined) return { input: {} };
  return isObject(input) ? { input } : { blocked: l10n.t('The input in the JSON is not an object.') };
}

/** The content of a form that depends on its text. */
export type FormContent = Pick<JobFormView, 'values' | 'problems' | 'blocked'> & {
  readonly input: Input | undefined;
  /** Whether the values should be changed before they are sent. */
  readonly hasProblems: boolean;
};

/** @param check checks the text of an input against its schema, in bounded time */
export async function formContent(
  text: string,
  fields: readonly JobFormField[],
  check: (text: string) => Promise<readonly SchemaViolation[]>,
): Promise<FormContent> {
  const read = readInput(text);
  if ('blocked' in read)
    return { input: undefined, values: [], problems: [], blocked: read.blocked, hasProblems: true };
  const { input } = read;
  const missing = missingValues(fields, input);
  const { input: short, shortened } = shortInput(input);
  const found = await check(JSON.stringify(short));
  const isOpen = new Set(missing.map((path) => JSON.stringify(path.slice(0, -1))));
  const problems = [
    ...missing.map((path): JobFormProblem => ({ path, message: l10n.t('Required.'), isMissing: true })),
    ...found.flatMap(({ code, path, message }): JobFormProblem[] => {
      const at = JSON.stringify(path);
      // The object of a missing value has a problem, too.
      if (shortened.includes(at) || isOpen.has(at)) return [];
      return [
        { path: [...path], message: code === 'inputSchema' ? message : notChecked(code, message), isMissing: false },
      ];
    }),
  ];
  const hasProblems = missing.length > 0 || found.some(({ code }) => code === 'inputSchema');
  return { input, values: formValues(fields, input), problems, hasProblems: hasProblems && problems.length > 0 };
}

function notChecked(code: SchemaViolation['code'], message: string): string {
  return code === 'stopped'
    ? l10n.t`The values are not checked: the check was stopped after ${SCHEMA_TIME_LIMIT_MS} ms.`
    : l10n.t`The values are not checked: ${message}.`;
}
