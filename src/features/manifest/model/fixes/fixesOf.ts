import type { TextChange } from '../../../../text/span.ts';
import { changesOf, isInPlace, documentAt } from '../editing/changesOf.ts';
import type { ManifestFile } from '../manifestFile.ts';
import type { ManifestProblem } from '../problem.ts';
import type { ManifestFix, Proposal } from './fix.ts';
import { proposalsFor } from './proposals.ts';
import * as l10n from '@vscode/l10n';
import { ImpossibleEdit } from '../editing/editedValue.ts';
import { withoutJsonMember } from '../editing/jsonChanges.ts';
import { withoutYamlMember } from '../editing/yamlChanges.ts';
import { type ManifestNode, type MapNode, type Member, valueOfTree } from '../text/node.ts';
import { isDeepStrictEqual } from 'node:util';

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

/** Removes one of two members with the same name. The second one is surplus if both have the same value. */
export function duplicateFixes(file: ManifestFile, { part, start }: ManifestProblem): ManifestFix[] {
  const root = file.parts[part]?.root;
  const map = root && mapWithKeyAt(root, start);
  const second = map?.members.find(({ keySpan }) => keySpan.start === start);
  const first = map?.members.find(({ key }) => key === second?.key);
  if (!map || !first || !second || first === second) return [];
  const within = map;
  const isPreferred = isDeepStrictEqual(valueOfTree(first.value), valueOfTree(second.value));
  return [
    ...fix(l10n.t`Remove this '${second.key}'`, second, isPreferred),
    ...fix(l10n.t`Remove the first '${first.key}'`, first, false),
  ];

  function fix(title: string, member: Member, preferred: boolean): ManifestFix[] {
    try {
      const changes =
        file.language === 'json'
          ? withoutJsonMember(file.text, within, member)
          : withoutYamlMember(file.text, documentAt(file.text, root?.start), member.keySpan);
      return [{ title, changes, isPreferred: preferred }];
    } catch (error) {
      if (error instanceof ImpossibleEdit) return [];
      throw error;
    }
  }
}

function mapWithKeyAt(node: ManifestNode, start: number): MapNode | undefined {
  if (node.kind === 'scalar' || node.alias) return undefined;
  const isHere = node.kind === 'map' && node.members.some(({ keySpan }) => keySpan.start === start);
  if (isHere) return node;
  const children = node.kind === 'map' ? node.members.map(({ value }) => value) : node.items;
  for (const child of children) {
    const found = mapWithKeyAt(child, start);
    if (found) return found;
  }
  return undefined;
}
