import * as l10n from '@vscode/l10n';

/* The effects of one run of a job, and their difference from those of undisturbed runs. */

/** A call that changes something: any method but GET, HEAD, OPTIONS, and TRACE. */
export interface Call {
  readonly method: string;
  /** Path and query; for a call through the proxy, the whole URL. */
  readonly path: string;
  readonly body: string;
  /** Value of the header `Idempotency-Key`. */
  readonly key: string | undefined;
}

export interface FileState {
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
  /** Number of lines. Undefined for a file that is not text. */
  readonly lines: number | undefined;
}

/** What one run did. IDs of the run are replaced by names, so that two runs can be equal. */
export interface Effects {
  /** Status of the job at its end. */
  readonly status: string;
  readonly calls: readonly Call[];
  /** By path, which begins with the variable of its directory. Only files that the run has added, changed, or removed. */
  readonly files: ReadonlyMap<string, FileState | 'removed'>;
  /** Lines that the command printed after the run and not before. */
  readonly lines: readonly string[];
}

/** How precisely two undisturbed runs agree: with the bodies of calls, without them, or only in their number. */
type CallLevel = 'body' | 'path' | 'method';

/** What every undisturbed run does. */
export interface Baseline {
  readonly status: string;
  readonly callLevel: CallLevel | undefined;
  readonly calls: ReadonlyMap<string, number>;
  /** `undefined`: the file exists, and its content differs between runs. */
  readonly files: ReadonlyMap<string, FileState | 'removed' | { readonly lines: number | undefined }>;
  /** Files that only some runs have. They are not compared. */
  readonly unstableFiles: ReadonlySet<string>;
  readonly lineLevel: 'text' | 'count' | undefined;
  readonly lines: ReadonlyMap<string, number>;
  /** What differs between undisturbed runs and is therefore compared less precisely, as sentences. */
  readonly notes: readonly string[];
}

/** A difference between a disturbed run and the undisturbed ones. */
export type Difference =
  | { readonly kind: 'status'; readonly expected: string; readonly actual: string }
  | { readonly kind: 'call' | 'line'; readonly name: string; readonly expected: number; readonly actual: number }
  | { readonly kind: 'callBody' | 'fileMissing' | 'fileLeft' | 'fileContent'; readonly name: string }
  | { readonly kind: 'fileLines'; readonly name: string; readonly expected: number; readonly actual: number };

const LEVELS: readonly CallLevel[] = ['body', 'path', 'method'];

/** Returns what two undisturbed runs have in common. */
export function baselineOf(first: Effects, second: Effects): Baseline {
  const notes: string[] = [];
  const callLevel = LEVELS.find((level) => sameCounts(callCounts(first, level), callCounts(second, level)));
  if (callLevel === 'path')
    notes.push(l10n.t('The bodies of HTTP calls differ from run to run. Their paths are compared.'));
  if (callLevel === 'method')
    notes.push(l10n.t('The paths of HTTP calls differ from run to run. Their number is compared.'));
  if (callLevel === undefined)
    notes.push(l10n.t('The number of HTTP calls differs from run to run. They are not compared.'));
  const files = new Map<string, FileState | 'removed' | { readonly lines: number | undefined }>();
  const unstableFiles = new Set<string>();
  for (const name of new Set([...first.files.keys(), ...second.files.keys()])) {
    const one = first.files.get(name);
    const other = second.files.get(name);
    if (one === undefined || other === undefined || (one === 'removed') !== (other === 'removed')) {
      unstableFiles.add(name);
      notes.push(l10n.t`Not every run writes the file ${name}. It is not compared.`);
    } else if (one === 'removed' || other === 'removed' || one.hash === other.hash) files.set(name, one);
    else {
      const lines = one.lines === other.lines ? one.lines : undefined;
      files.set(name, { lines });
      notes.push(
        lines === undefined
          ? l10n.t`The content of the file ${name} differs from run to run. Only its existence is compared.`
          : l10n.t`The content of the file ${name} differs from run to run. Its number of lines is compared.`,
      );
    }
  }
  const [firstLines, secondLines] = [counted(first.lines), counted(second.lines)];
  const lineLevel = sameCounts(firstLines, secondLines)
    ? 'text'
    : first.lines.length === second.lines.length
      ? 'count'
      : undefined;
  if (lineLevel === 'count')
    notes.push(l10n.t('The lines of the command differ from run to run. Their number is compared.'));
  if (lineLevel === undefined)
    notes.push(l10n.t('The number of lines of the command differs from run to run. They are not compared.'));
  return {
    status: first.status,
    ...{ callLevel, calls: callCounts(first, callLevel ?? 'method'), files, unstableFiles, lineLevel },
    lines: lineLevel === 'text' ? firstLines : new Map([[EVERY_LINE, first.lines.length]]),
    notes,
  };
}

const EVERY_LINE = '';

/** Returns what a run did more or less than the undisturbed ones, the most important difference first. */
export function differencesOf(baseline: Baseline, effects: Effects): readonly Difference[] {
  const found: Difference[] = [];
  const { callLevel, lineLevel } = baseline;
  if (callLevel !== undefined) {
    const actual = callCounts(effects, callLevel);
    const repeated = countDifferences('call', named(baseline.calls), named(actual));
    found.push(...repeated);
    if (repeated.length === 0)
      for (const key of actual.keys())
        if (!baseline.calls.has(key)) found.push({ kind: 'callBody', name: nameIn(key) });
  }
  if (lineLevel === 'text') found.push(...countDifferences('line', baseline.lines, counted(effects.lines)));
  if (lineLevel === 'count' && baseline.lines.get(EVERY_LINE) !== effects.lines.length)
    found.push({
      kind: 'line',
      name: '',
      expected: baseline.lines.get(EVERY_LINE) ?? 0,
      actual: effects.lines.length,
    });
  found.push(...fileDifferences(baseline, effects));
  if (effects.status !== baseline.status)
    found.push({ kind: 'status', expected: baseline.status, actual: effects.status });
  return found;
}

/** Names of files that a worker renames once they are complete. A killed worker leaves them. */
const INCOMPLETE = /(?:^|\/)\.[^/]*$|\.(?:tmp|temp|part|partial)$/;

function fileDifferences({ files, unstableFiles }: Baseline, effects: Effects): Difference[] {
  const found: Difference[] = [];
  for (const [name, expected] of files) {
    const actual = effects.files.get(name);
    if (expected === 'removed') {
      if (actual !== 'removed') found.push({ kind: 'fileLeft', name });
    } else if (actual === undefined || actual === 'removed') found.push({ kind: 'fileMissing', name });
    else if (expected.lines !== undefined && actual.lines !== undefined && expected.lines !== actual.lines)
      found.push({ kind: 'fileLines', name, expected: expected.lines, actual: actual.lines });
    else if ('hash' in expected && expected.hash !== actual.hash) found.push({ kind: 'fileContent', name });
  }
  const isTemporary = unstableFiles.size > 0;
  for (const name of effects.files.keys())
    // Files with random names cannot be told from those of other runs, and incomplete files have names of their own.
    if (!files.has(name) && !isTemporary && !INCOMPLETE.test(name)) found.push({ kind: 'fileLeft', name });
  return found;
}

/** Counts calls. Repetitions that the receiver recognizes count once: those with the same key, and the same PUT or DELETE. */
function callCounts({ calls }: Effects, level: CallLevel): Map<string, number> {
  const recognized = new Set<string>();
  const names: string[] = [];
  for (const { method, path, body, key } of calls) {
    const identity = key === undefined ? (IDEMPOTENT.has(method) ? body : undefined) : `key ${key}`;
    if (identity !== undefined) {
      const all = JSON.stringify([method, path, identity]);
      if (recognized.has(all)) continue;
      recognized.add(all);
    }
    const name = level === 'method' ? method : `${method} ${path}`;
    names.push(level === 'body' && body !== '' ? `${name}${SEPARATOR}${body}` : name);
  }
  return counted(names);
}

const IDEMPOTENT = new Set(['PUT', 'DELETE']);
const SEPARATOR = '\n';

function nameIn(key: string): string {
  return key.split(SEPARATOR, 1)[0] ?? '';
}

/** Returns counts by method and path, without bodies. */
function named(counts: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, count] of counts) {
    const name = nameIn(key);
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums;
}

function countDifferences(
  kind: 'call' | 'line',
  expected: ReadonlyMap<string, number>,
  actual: ReadonlyMap<string, number>,
): Difference[] {
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((name) => {
    const [before, after] = [expected.get(name) ?? 0, actual.get(name) ?? 0];
    return before === after ? [] : [{ kind, name, expected: before, actual: after }];
  });
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function sameCounts(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  return one.size === other.size && [...one].every(([name, count]) => other.get(name) === count);
}
