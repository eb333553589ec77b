import { changesOf } from '../editing/changesOf.ts';
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

function fixOf(
  { text, language, parts }: ManifestFile,
  { part }: ManifestProblem,
  { title, edits, isPreferred }: Proposal,
): ManifestFix[] {
  const changes = changesOf({ text, language, root: parts[part]?.root }, edits);
  return changes && changes.length > 0 ? [{ title, changes, isPreferred }] : [];
}
