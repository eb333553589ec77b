import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { BuildPart } from '../../../contract/imageBuild.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import { VerifyPart } from '../../../contract/verification.ts';
import { fieldError, type FieldError } from '../../../contract/violation.ts';
import { diagnosticAt, rangeOf } from '../../../kit/problems.ts';
import type { ManifestModels, ManifestRead } from '../language/manifestModels.ts';
import { folderOf } from '../manifestFiles.ts';
import type { ManifestPart } from '../model/manifestFile.ts';
import type { ManifestProblem } from '../model/problem.ts';
import type { ImageFinding } from './actions/checkImage.ts';
import { readBuildFiles } from './actions/readBuildFiles.ts';

/** The build of a part, unless `x-build` has errors of its own. */
function buildOf({ value }: Pick<ManifestPart, 'value'>): BuildPart | undefined {
  const { 'x-build': build } = (value ?? {}) as { readonly 'x-build'?: unknown };
  return build === undefined ? undefined : BuildPart.safeParse(build).data;
}

/** Reports the job file or the request file of a part that does not exist. @param folder absolute path of the manifest's folder */
async function testFileErrors(folder: string, { value }: Pick<ManifestPart, 'value'>): Promise<readonly FieldError[]> {
  const { 'x-verify': verify } = (value ?? {}) as { readonly 'x-verify'?: unknown };
  const { job, request } = (verify === undefined ? undefined : VerifyPart.safeParse(verify).data) ?? {};
  const file = job ?? request;
  if (file === undefined) return [];
  const found = await stat(path.resolve(folder, file)).catch(() => undefined);
  if (found?.isFile()) return [];
  return [
    job === undefined
      ? fieldError(['x-verify', 'request'], 'requestFileMissing', { file })
      : fieldError(['x-verify', 'job'], 'jobFileMissing', { file }),
  ];
}

/**
 * Shows the problems of builds and verifications: files that open manifests name, findings about built images, and lines of Dockerfiles that failed. None of
 * them prevents the deployment of an image that is built.
 */
export class BuildProblems implements vscode.Disposable {
  readonly #manifests = vscode.languages.createDiagnosticCollection('cloud-compute-build');
  readonly #dockerfiles = vscode.languages.createDiagnosticCollection('cloud-compute-dockerfile');
  /** Latest read of each open manifest, by its URI. */
  readonly #reads = new Map<string, ManifestRead>();
  /** Findings about built images, by URI and index of the endpoint. */
  readonly #findings = new Map<string, readonly ImageFinding[]>();
  readonly #subscriptions: vscode.Disposable;

  constructor(models: Pick<ManifestModels, 'onDidRead' | 'onDidClose'>) {
    const { workspace } = vscode;
    const readAgain = () => {
      for (const read of this.#reads.values()) void this.#show(read);
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#manifests,
      this.#dockerfiles,
      models.onDidRead((read) => {
        this.#reads.set(read.document.uri.toString(), read);
        void this.#show(read);
      }),
      models.onDidClose(({ uri }) => {
        this.#reads.delete(uri.toString());
        this.#manifests.delete(uri);
      }),
      workspace.onDidChangeTextDocument(({ document }) => this.#dockerfiles.delete(document.uri)),
      workspace.onDidSaveTextDocument(readAgain),
      workspace.onDidCreateFiles(readAgain),
      workspace.onDidDeleteFiles(readAgain),
      workspace.onDidRenameFiles(readAgain),
    );
  }

  /** Replaces the findings about the image of a part. */
  report(uri: vscode.Uri, part: number, findings: readonly ImageFinding[]): void {
    this.#findings.set(`${uri.toString()}#${part}`, findings);
    const read = this.#reads.get(uri.toString());
    if (read) void this.#show(read);
  }

  /** Shows the reason of a failed build at its line, from 1. Without a line, removes the reason. */
  reportLine(file: string, failed?: { readonly line: number; readonly reason: string }): void {
    const uri = vscode.Uri.file(file);
    if (!failed) {
      this.#dockerfiles.delete(uri);
      return;
    }
    const range = new vscode.Range(failed.line - 1, 0, failed.line - 1, Number.MAX_SAFE_INTEGER);
    this.#dockerfiles.set(uri, [diagnosticAt(range, { code: 'build', message: failed.reason, severity: 'error' })]);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #show(read: ManifestRead): Promise<void> {
    const { document, file } = read;
    const folder = folderOf(document.uri);
    const { problemOfViolation } = await import('../model/problem.ts');
    const { buildFileErrors } = await import('../model/build/buildProblems.ts');
    const problems = await Promise.all(
      file.parts.map(async (part): Promise<readonly ManifestProblem[]> => {
        const located = { text: file.text, root: part.root, index: part.index };
        const tests = folder === undefined ? [] : await testFileErrors(folder, part);
        const testProblems = tests.map((error) => problemOfViolation(located, error));
        const build = buildOf(part);
        if (!build) return testProblems;
        const files = folder === undefined ? undefined : await readBuildFiles(folder, build);
        const missing = files ? buildFileErrors(build, part.value as Manifest, files) : [];
        const found = this.#findings.get(`${document.uri.toString()}#${part.index}`) ?? [];
        const ofBuild = [...missing, ...found].map((error) => problemOfViolation(located, error, error.severity));
        return [...ofBuild, ...testProblems];
      }),
    );
    // A later version has been read in the meantime.
    if (this.#reads.get(document.uri.toString()) !== read || document.getText() !== file.text) return;
    const shown = problems.flat().map((problem) => diagnosticAt(rangeOf(document, problem), problem));
    this.#manifests.set(document.uri, shown);
  }
}
