import { formatPath, type FieldError } from '../../../contract/violation.ts';
import type { ManifestFile, ManifestPart } from './manifestFile.ts';
import { nodeAt } from './text/locate.ts';
import { valueOfTree } from './text/jsonTree.ts';
import { problemOfViolation, problemsOf } from './problem.ts';

/** Violations that the service reported for one endpoint of a file. Each one applies until the value of its field changes. */
export class ReportedViolations {
  readonly #part: number;
  readonly #violations: readonly { readonly violation: FieldError; readonly value: string }[];

  /** @param file the file that was sent */
  constructor(file: ManifestFile, part: number, violations: readonly FieldError[]) {
    this.#part = part;
    this.#violations = violations.map((violation) => ({ violation, value: fieldText(file.parts[part], violation) }));
  }

  /** Adds the violations of unchanged fields to the problems of a later version of the file. */
  addTo(file: ManifestFile): ManifestFile {
    const part = file.parts[this.#part];
    if (!part) return file;
    // An error of the editor's own check of the same field already states the reason.
    const own = new Set(
      part.problems.flatMap(({ violation, severity }) =>
        severity === 'error' && violation ? [formatPath(violation.path)] : [],
      ),
    );
    const current = this.#violations.filter(
      ({ violation, value }) => !own.has(formatPath(violation.path)) && fieldText(part, violation) === value,
    );
    if (current.length === 0) return file;
    const located = { text: file.text, root: part.root, index: part.index };
    const reported = problemsOf(
      current.map(({ violation }) => violation),
      (violation) => problemOfViolation(located, violation),
    );
    const parts = file.parts.map((one) => (one === part ? { ...one, problems: [...one.problems, ...reported] } : one));
    return { ...file, parts, problems: parts.flatMap(({ problems }) => problems) };
  }
}

/** Returns the value of the field as text. A missing field has no text. */
function fieldText(part: ManifestPart | undefined, { path }: FieldError): string {
  const node = nodeAt(part?.root, path);
  return node
    ? JSON.stringify(valueOfTree(node), (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
    : '';
}
