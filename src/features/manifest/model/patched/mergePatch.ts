import { isDeepStrictEqual } from 'node:util';
import { isFields, type Fields } from '../editing/editedValue.ts';
import type { ManifestNode, MapNode, Member } from '../text/node.ts';

/* JSON merge patches (RFC 7396). They apply to trees, so that each node of the result keeps its place in the text. */

/** Applies a patch to a tree. Each node of the result is one of the target or of the patch. */
export function mergePatch(target: ManifestNode | undefined, patch: ManifestNode): ManifestNode {
  if (patch.kind !== 'map') return patch;
  const base = target?.kind === 'map' ? target : undefined;
  const members = base ? membersOf(base) : new Map<string, Member>();
  for (const [key, member] of membersOf(patch)) {
    if (isNull(member.value)) members.delete(key);
    else members.set(key, { ...member, value: mergePatch(members.get(key)?.value, member.value) });
  }
  return { ...patch, members: [...members.values()], merged: [] };
}

function isNull(node: ManifestNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** Returns the members that a map has after YAML merged others into it. Of several equal keys, the last own one counts. */
export function membersOf({ members, merged }: MapNode): Map<string, Member> {
  const all = [...merged.toReversed(), ...members.filter(({ merge }) => !merge)];
  return new Map(all.map((member) => [member.key, member]));
}

/**
 * Returns a patch that turns a value into the wanted one. Where it can, it keeps the members of the present patch and their order, also
 * those that change nothing.
 */
export function patchFor(base: Fields, wanted: Fields, present: Fields): Fields {
  const names = new Set([...Object.keys(present), ...Object.keys(wanted), ...Object.keys(base)]);
  return Object.fromEntries(
    [...names].flatMap((name): [string, unknown][] => {
      const [before, after, own] = [member(base, name), member(wanted, name), member(present, name)];
      if (after === undefined) return before === undefined ? [] : [[name, null]];
      if (own === undefined && isDeepStrictEqual(before, after)) return [];
      if (!isFields(after)) return [[name, after]];
      return [[name, patchFor(isFields(before) ? before : {}, after, isFields(own) ? own : {})]];
    }),
  );
}

function member(value: Fields, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
