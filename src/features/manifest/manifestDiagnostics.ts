import * as vscode from 'vscode';
import { diagnostic } from '../../vscode/marks.ts';
import type { Services } from '../services.ts';
import type { ManifestProblem } from './manifestDocument.ts';
import { isCheckedElsewhere, isManifest, openManifests, readOptions } from './manifestFiles.ts';

const SOURCE = 'Cloud Compute';
/** Debounce delay after a change, in ms. */
const DEBOUNCE_MS = 200;

const severities: Record<ManifestProblem['severity'], vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  information: vscode.DiagnosticSeverity.Information,
};

/** Checks open manifests while the user types and shows their problems. */
export class ManifestDiagnostics implements vscode.Disposable {
  readonly #services: Pick<Services, 'clock' | 'connections' | 'log'>;
  readonly #shown = vscode.languages.createDiagnosticCollection('cloudCompute.manifest');
  readonly #subscriptions: vscode.Disposable;
  readonly #pending = new Map<string, AbortController>();

  constructor(services: Pick<Services, 'clock' | 'connections' | 'log'>) {
    this.#services = services;
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument((document) => this.#schedule(document, 0)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#schedule(document, DEBOUNCE_MS)),
      vscode.workspace.onDidCloseTextDocument((document) => this.#forget(document)),
      // The rules for a manifest depend on the platform of the connection.
      services.connections.onDidChange(() => openManifests().forEach((document) => this.#schedule(document, 0))),
    );
    for (const document of openManifests()) this.#schedule(document, 0);
  }

  /** Shows problems until the document changes. Also called when creating an endpoint finds problems. */
  show(document: vscode.TextDocument, problems: readonly ManifestProblem[]): void {
    this.#cancel(document);
    this.#shown.set(
      document.uri,
      problems.map((problem) => diagnosticOf(document, problem)),
    );
  }

  dispose(): void {
    for (const pending of this.#pending.values()) pending.abort();
    this.#subscriptions.dispose();
    this.#shown.dispose();
  }

  #schedule(document: vscode.TextDocument, delay: number): void {
    if (!isManifest(document)) return;
    this.#cancel(document);
    const pending = new AbortController();
    this.#pending.set(document.uri.toString(), pending);
    this.#services.clock
      .sleep(delay, pending.signal)
      .then(() => this.#check(document, pending.signal))
      .catch((error: unknown) => {
        if (!pending.signal.aborted) this.#services.log.error(`Could not check ${document.uri.path}`, error);
      });
  }

  async #check(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    // Loads the parser only when a manifest is open.
    const { readManifest } = await import('./manifestDocument.ts');
    if (signal.aborted || document.isClosed) return;
    const report = isCheckedElsewhere(document) ? 'beyondSchema' : 'all';
    const options = { ...readOptions(document, this.#services.connections), report } as const;
    this.show(document, readManifest(document.getText(), options).problems);
  }

  #cancel(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    this.#pending.get(key)?.abort();
    this.#pending.delete(key);
  }

  #forget(document: vscode.TextDocument): void {
    if (!isManifest(document)) return;
    this.#cancel(document);
    this.#shown.delete(document.uri);
  }
}

/** Returns the range of a problem in its document. */
export function rangeOf(document: vscode.TextDocument, { start, end }: ManifestProblem): vscode.Range {
  return new vscode.Range(document.positionAt(start), document.positionAt(end));
}

function diagnosticOf(document: vscode.TextDocument, problem: ManifestProblem): vscode.Diagnostic {
  const found = diagnostic(rangeOf(document, problem), problem.message, severities[problem.severity]);
  found.source = SOURCE;
  return found;
}
