import type { Manifest } from '../../../../src/contract/manifest.ts';
import type { FieldError } from '../../../../src/contract/violation.ts';
import { readManifestFile, type ReadOptions } from '../../../../src/features/manifest/model/manifestFile.ts';
import { problemOfViolation, type ManifestProblem } from '../../../../src/features/manifest/model/problem.ts';

export const hostedYaml: ReadOptions = { language: 'yaml', target: 'hosted' };

interface One {
  readonly manifest: Manifest | undefined;
  readonly problems: readonly ManifestProblem[];
  problemOf(violation: FieldError): ManifestProblem;
}

/** Reads a file with one endpoint. */
export function readOne(text: string, options: Partial<ReadOptions> = {}): One {
  const file = readManifestFile(text, { ...hostedYaml, ...options });
  const [part, ...others] = file.parts;
  if (!part || others.length > 0) throw new Error(`the file has ${file.parts.length} endpoints`);
  return {
    manifest: part.manifest,
    problems: file.problems,
    problemOf: (violation) => problemOfViolation({ text, root: part.root, index: part.index }, violation),
  };
}
