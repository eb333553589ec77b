import type { TextChange } from '../../../../text/span.ts';
import { changesOf, isInPlace } from '../editing/changesOf.ts';
import type { ManifestFile } from '../manifestFile.ts';
import type { ManifestProblem } from '../problem.ts';
import { duplicateFixes } from './duplicateFixes.ts';
import type { ManifestFix, Proposal } from './fix.ts';
import { proposalsFor } from './proposals.ts';

export type { ManifestFix } from './fix.ts';

/** Returns the corrections of a problem that the text allows. The preferred one comes first. */
export function fixesOf(file: ManifestFile, problem: ManifestProblem): readonly ManifestFix[] {
  if (problem.code === 'duplicateProperty') return duplicateFixes(file, problem);
  const fixes = proposalsFor(file, problem).flatMap((proposal) => fixOf(file, problem, proposal));
  return fixes.sort((a, b) => Number(b.isPreferred) - Number(a.isPreferred));
}

/** Returns the preferred correction, or undefined. */
export function preferredFix(file: ManifestFile, problem: ManifestProblem): ManifestFix | undefined {
  if (problem.code === 'duplicateProperty') return duplicateFixes(file, problem).find(({ isPreferred }) => isPreferred);
  const proposal = proposalsFor(file, problem).find(({ isPreferred }) => isPreferred);
  return proposal && fixOf(file, problem, proposal)[0];
}

/**
 * Returns the changes of all preferred corrections that only replace single values, which do not affect each other. Returns undefined for
 * fewer than two.
 *
 * @param problems problems of one endpoint
 */
export function preferredReplacements(
  file: ManifestFile,
  problems: readonly ManifestProblem[],
): readonly TextChange[] | undefined {
  const { text, language, parts } = file;
  const root = parts[problems[0]?.part ?? 0]?.root;
  const edits = problems
    .map((problem) => proposalsFor(file, problem).find(({ isPreferred }) => isPreferred)?.edits ?? [])
    .filter((one) => one.every((edit) => isInPlace(root, edit)))
    .flat();
  return edits.length > 1 ? changesOf({ text, language, root }, edits) : undefined;
}

/** Returns whether a problem has a preferred correction. Unlike `preferredFix`, it does not check whether the text allows it. */
export function isFixable(file: ManifestFile, problem: ManifestProblem): boolean {
  if (problem.code === 'duplicateProperty') return preferredFix(file, problem) !== undefined;
  return proposalsFor(file, problem).some(({ isPreferred }) => isPreferred);
}

function fixOf(
  { text, language, parts }: ManifestFile,
  { part }: ManifestProblem,
  { title, edits, isPreferred }: Proposal,
): ManifestFix[] {
  const changes = changesOf({ text, language, root: parts[part]?.root }, edits);
  return changes && changes.length > 0 ? [{ title, changes, isPreferred }] : [];
}
