import * as l10n from '@vscode/l10n';
import { jsonTypeOf } from './jsonSubset.ts';
import { pathText, type Mismatch } from './mismatch.ts';

const MAX_VALUE_LENGTH = 120;

/** Describes a violated expectation in one line, such as `$.output.name: expected "a", but it is "b"`. The values are foreign text. */
export function mismatchWords(mismatch: Mismatch): string {
  return `${pathText(mismatch.path)}: ${withoutPath(mismatch)}`;
}

function withoutPath({ code, expected, actual }: Mismatch): string {
  switch (code) {
    case 'wrongStatus':
      return l10n.t`expected ${String(expected)}, but the job is ${String(actual)}`;
    case 'missingValue':
      return l10n.t`expected ${valueText(expected)}, but there is no value`;
    case 'wrongType':
      return l10n.t`expected ${valueText(expected)}, but it is the ${jsonTypeOf(actual)} ${valueText(actual)}`;
    case 'wrongValue':
      return l10n.t`expected ${valueText(expected)}, but it is ${valueText(actual)}`;
    case 'wrongLength':
      return l10n.t`expected a list of length ${String(expected)}, but its length is ${String(actual)}`;
    case 'wrongError':
      return actual === undefined
        ? l10n.t`expected an error with ${valueText(expected)}, but the job has no error`
        : l10n.t`expected an error with ${valueText(expected)}, but it is ${valueText(actual)}`;
    case 'schemaViolation':
      return l10n.t`violates the JSON schema: ${String(expected)}`;
    case 'unusableSchema':
      return l10n.t`the JSON schema cannot be used: ${String(actual)}`;
    case 'stoppedSchema':
      return l10n.t`the check with the JSON schema was stopped after ${String(actual)} ms`;
    case 'tooSlow':
      return l10n.t`expected at most ${String(expected)} ms, but the job took ${String(actual)} ms`;
    case 'noExecutionTime':
      return l10n.t`expected at most ${String(expected)} ms, but the platform reported no execution time`;
    case 'neverEnded':
      return l10n.t`the job was still ${String(actual)} after ${String(expected)} ms and was canceled`;
  }
}

/** Returns a value as JSON on one line. A long value is cut. */
function valueText(value: unknown): string {
  const text = jsonText(value, 0);
  return text.length <= MAX_VALUE_LENGTH
    ? text
    : `${text.slice(0, MAX_VALUE_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Serializes a value, which can be nested too deeply for `JSON.stringify`. */
export function jsonText(value: unknown, indent = 2): string {
  try {
    return value === undefined ? 'undefined' : JSON.stringify(value, null, indent);
  } catch {
    return l10n.t('(a value that is nested too deeply to be shown)');
  }
}
