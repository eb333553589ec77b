import * as l10n from '@vscode/l10n';
import { fieldError } from '../../../../contract/violation.ts';
import { similarNames } from '../../../../text/suggestion.ts';
import { fieldAt, selectedFields } from '../fields/fieldSchema.ts';
import { locate, nodeAt } from '../text/locate.ts';
import { problemOfViolation, visible, type Located, type ManifestProblem } from '../problem.ts';
import type { ManifestNode } from '../text/node.ts';
import { valueOfTree } from '../text/node.ts';
import { membersOf } from './mergePatch.ts';
import { ENVIRONMENTS, type ManifestEnvironment } from './environmentsOf.ts';

/** The problems of a manifest in one environment. */
export interface EnvironmentCheck {
  readonly environment: ManifestEnvironment;
  readonly problems: readonly ManifestProblem[];
}

/**
 * Returns the problems that only environments have, each with the names of its environments.
 *
 * @param base problems of the manifest itself, which its environments repeat
 */
export function problemsInEnvironments(
  base: readonly ManifestProblem[],
  checks: readonly EnvironmentCheck[],
): readonly ManifestProblem[] {
  const known = new Set(base.map(keyOf));
  const all = checks.flatMap(({ environment: { name }, problems }) => problems.map((problem) => ({ name, problem })));
  const own = Map.groupBy(
    all.filter(({ problem }) => !known.has(keyOf(problem))),
    ({ problem }) => keyOf(problem),
  );
  return [...own.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const names = [...new Set(same.map(({ name }) => name))];
    const { problem } = first;
    return { ...problem, environments: names, message: l10n.t`${names.join(', ')}: ${problem.message}` };
  });
}

function keyOf({ start, end, code, message }: ManifestProblem): string {
  return JSON.stringify([start, end, code, message]);
}

/** Moves the problem of a missing field to the null of a patch that removes the field. @param patched the manifest in the environment */
export function atRemoval(patched: Located, problem: ManifestProblem, { patch }: ManifestEnvironment): ManifestProblem {
  const { violation } = problem;
  if (!violation || !patch || nodeAt(patched.root, violation.path) || !nodeAt(patch, violation.path)) return problem;
  return { ...problem, ...visible(locate(patch, patched.text, violation.path), patched.text) };
}

/** Returns the fields of a patch that null cannot remove, because the manifest does not have them. */
export function removalProblems(located: Located, { name, patch }: ManifestEnvironment): readonly ManifestProblem[] {
  const path = [ENVIRONMENTS, name, 'patch'];
  return patch ? nothingToRemove(located.root, patch, []) : [];

  function nothingToRemove(
    base: ManifestNode | undefined,
    node: ManifestNode,
    inner: readonly string[],
  ): readonly ManifestProblem[] {
    if (node.kind !== 'map') return [];
    const own = base?.kind === 'map' ? membersOf(base) : new Map<string, never>();
    return [...membersOf(node)].flatMap(([key, { value }]) => {
      const before = own.get(key)?.value;
      const isNull = value.kind === 'scalar' && value.value === null;
      if (!isNull) return nothingToRemove(before, value, [...inner, key]);
      if (before) return [];
      const field = fieldAt(inner, valueOfTree(located.root));
      const fields = field ? selectedFields(field.schema, undefined).map((one) => one.name) : [];
      const names = [...new Set([...own.keys(), ...fields])];
      // A field with this name exists, but the manifest does not set it.
      const known = names.includes(key) ? [] : similarNames(key, names);
      const violation = fieldError([...path, ...inner, key], 'nothingToRemove', { name: key, known });
      return [problemOfViolation(located, violation, 'warning')];
    });
  }
}
