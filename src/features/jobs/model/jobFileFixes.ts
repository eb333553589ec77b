import * as l10n from '@vscode/l10n';
import { similarNames } from '../../../text/suggestion.ts';
import type { CheckedJobFile, JobProblem } from './checkJobFile.ts';
import { changesAt } from './jobFileChanges.ts';
import { isObject } from './jobInput.ts';
import { valueAt } from './positionedJson.ts';
import type { Span, TextChange } from '../../../text/span.ts';

/* Corrections of problems in job files. They depend on the code and the data of a violation, never on its message. */

export interface JobFileFix {
  readonly title: string;
  readonly changes: readonly TextChange[];
  readonly isPreferred: boolean;
}

/** Maximum number of similar names that are offered. */
const MAX_NAMES = 3;

/** Returns the corrections of a problem. The preferred one comes first. */
export function fixesOf({ text, parsed }: CheckedJobFile, { violation }: JobProblem): readonly JobFileFix[] {
  if (!violation || !parsed) return [];
  const { code, path, data } = violation;
  switch (code) {
    case 'unknownField': {
      const parent = valueAt(parsed.value, path.slice(0, -1));
      const free = data.known.filter((name) => !isObject(parent) || !Object.hasOwn(parent, name));
      const key = parsed.keyOf(path);
      const renamed = similarNames(data.name, free)
        .slice(0, MAX_NAMES)
        .flatMap((name) => (key ? [fix(l10n.t`Change to '${name}'`, [{ ...key, text: JSON.stringify(name) }])] : []));
      return firstPreferred([...renamed, fix(l10n.t`Remove '${data.name}'`, changesAt(text, path, undefined))]);
    }
    case 'notOneOf': {
      const wanted = data.values.filter((value) => typeof value === 'string');
      const given = text.slice(...bounds(parsed.spanOf(path))).replaceAll('"', '');
      const ordered = [...new Set([...similarNames(given, wanted), ...wanted])];
      return firstPreferred(
        ordered.map((value) =>
          fix(l10n.t`Change to '${value}'`, [{ ...parsed.spanOf(path), text: JSON.stringify(value) }]),
        ),
        similarNames(given, wanted).length > 0,
      );
    }
    case 'missingField':
      return path.length === 1 && path[0] === 'input' && isObject(parsed.value)
        ? [fix(l10n.t(`Add 'input'`), changesAt(text, path, {}))]
        : [];
    default:
      return [];
  }
}

function fix(title: string, edits: JobFileFix['changes'], isPreferred = false): JobFileFix {
  return { title, changes: edits, isPreferred };
}

function firstPreferred(fixes: readonly JobFileFix[], isSure = true): JobFileFix[] {
  return fixes.map((one, index) => ({ ...one, isPreferred: isSure && index === 0 }));
}

function bounds({ start, end }: Span): [number, number] {
  return [start, end];
}
