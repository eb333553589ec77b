import type { ManifestProblem } from '../problem.ts';

interface Checked {
  readonly problems: readonly ManifestProblem[];
  readonly environment?: { readonly name: string } | undefined;
}

/** Returns the problems that a part has in the chosen environment. */
export function problemsOfChosen({ problems, environment }: Checked): readonly ManifestProblem[] {
  return problems.filter(({ environments }) => !environments || environments.includes(environment?.name ?? ''));
}
