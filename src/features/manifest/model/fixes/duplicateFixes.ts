import * as l10n from '@vscode/l10n';
import { documentAt } from '../editing/changesOf.ts';
import { ImpossibleEdit } from '../editing/editedValue.ts';
import { effectiveValue, sameValue } from '../editing/effectiveValue.ts';
import { withoutJsonMember } from '../editing/jsonChanges.ts';
import { withoutYamlMember } from '../editing/yamlChanges.ts';
import type { ManifestFile } from '../manifestFile.ts';
import type { ManifestNode, MapNode, Member } from '../text/node.ts';
import type { ManifestProblem } from '../problem.ts';
import type { ManifestFix } from './fix.ts';

/** Removes one of two members with the same name. The second one is surplus if both have the same value. */
export function duplicateFixes(file: ManifestFile, { part, start }: ManifestProblem): ManifestFix[] {
  const root = file.parts[part]?.root;
  const map = root && mapWithKeyAt(root, start);
  const second = map?.members.find(({ keySpan }) => keySpan.start === start);
  const first = map?.members.find(({ key }) => key === second?.key);
  if (!map || !first || !second || first === second) return [];
  const within = map;
  const isPreferred = sameValue(effectiveValue(first.value), effectiveValue(second.value));
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
