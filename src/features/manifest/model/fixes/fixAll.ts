import { applyChanges, ComposedChanges } from '../editing/textChanges.ts';
import type { TextChange } from '../../../../text/span.ts';
import { readManifestFile, type CheckOptions, type ManifestFile } from '../manifestFile.ts';
import type { ManifestProblem } from '../problem.ts';
import { preferredFix, preferredReplacements } from './fixesOf.ts';

/** Maximum number of characters that one run parses, so that it never blocks the editor for long. */
const MAX_PARSED = 500_000;
/** Maximum number of corrections of the same field for the same reason. */
const MAX_REPEATS = 20;

/** Codes of missing fields. */
const ABSENT: readonly ManifestProblem['code'][] = ['missingField', 'imageMissing', 'hardwareMissing'];

/**
 * Applies the preferred correction of each problem until no problem has one. A correction can cause the next problem, such as a missing
 * field. Returns the changes of the original text.
 */
export function fixAll(file: ManifestFile, options: CheckOptions): readonly TextChange[] {
  const all = new ComposedChanges(file.text.length);
  const attempts = new Map<string, number>();
  let current = file;
  let parsed = 0;
  while (parsed < MAX_PARSED) {
    const changes = nextChanges(current, attempts);
    if (!changes) break;
    all.add(changes);
    const text = applyChanges(current.text, changes);
    current = readManifestFile(text, { ...options, language: file.language });
    parsed += text.length;
  }
  return all.changes;
}

/** Returns whether *Fix All* corrects problems of this kind. Information depends on the platform, not on the manifest. */
export function isFixedByAll({ severity }: ManifestProblem): boolean {
  return severity !== 'information';
}

function keyOf({ part, code, violation }: ManifestProblem): string {
  return JSON.stringify([part, code, violation?.path]);
}

function isAbsence({ code }: ManifestProblem): boolean {
  return ABSENT.includes(code);
}

function nextChanges(file: ManifestFile, attempts: Map<string, number>): readonly TextChange[] | undefined {
  // A misspelt field is renamed before the missing one would be added.
  const problems = file.problems.filter(isFixedByAll).toSorted((a, b) => Number(isAbsence(a)) - Number(isAbsence(b)));
  const [next] = problems.filter((problem) => !attempts.has(keyOf(problem)));
  const fresh = problems.filter((problem) => problem.part === next?.part && !attempts.has(keyOf(problem)));
  const together = preferredReplacements(file, fresh);
  if (together && together.length > 0) {
    fresh.forEach((problem) => attempts.set(keyOf(problem), 1));
    return together;
  }
  for (const problem of problems) {
    const key = keyOf(problem);
    const count = attempts.get(key) ?? 0;
    if (count >= MAX_REPEATS) continue;
    attempts.set(key, count + 1);
    const fix = preferredFix(file, problem);
    if (fix) return fix.changes;
  }
  return undefined;
}
