import type * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { FieldError } from '../../../contract/violation.ts';
import type { Log } from '../../../kit/log.ts';
import { OpenDocuments } from '../../../kit/openDocuments.ts';
import { isManifest, languageOf } from '../manifestFiles.ts';
import type { CheckOptions, ManifestFile, ReportedViolations } from '../model/manifestFile.ts';
import type { ParsedFile } from '../model/text/node.ts';

/** Delay between a change and its check, in ms. It combines the changes of one command, such as a rename. */
const DEBOUNCE_MS = 10;

interface Model {
  readonly version: number;
  readonly parsed: ParsedFile;
  readonly options: CheckOptions;
  readonly file: ManifestFile;
}

/** A manifest in the editor, and the result of its latest check. */
export interface ManifestRead {
  readonly document: vscode.TextDocument;
  readonly file: ManifestFile;
}

export interface ModelSources {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the platform to check a document for. Equal options are the same object. */
  readonly options: (document: vscode.TextDocument) => CheckOptions;
  /** Fired when `options` returns another object. */
  readonly onDidChangeOptions: vscode.Event<void>;
}

/**
 * Reads each version of an open manifest once. Diagnostics, completion, CodeLenses, and all other services of the editor share the result.
 * The parser is loaded at the first use.
 */
export class ManifestModels implements vscode.Disposable {
  readonly #sources: ModelSources;
  readonly #models = new WeakMap<vscode.TextDocument, Model>();
  /** Reported violations by the index of the endpoint in the file. */
  readonly #reported = new WeakMap<vscode.TextDocument, ReadonlyMap<number, ReportedViolations>>();
  readonly #open: OpenDocuments<ManifestRead>;
  /** Fired after a new version of an open manifest was checked, and after a check for another platform. */
  readonly onDidRead: vscode.Event<ManifestRead>;
  readonly onDidClose: vscode.Event<vscode.TextDocument>;
  readonly #subscription: vscode.Disposable;

  constructor(sources: ModelSources) {
    this.#sources = sources;
    const { clock, log } = sources;
    const read = async (document: vscode.TextDocument) => ({ document, file: await this.read(document) });
    this.#open = new OpenDocuments({ clock, log, isOwn: isManifest, debounceMs: DEBOUNCE_MS, read });
    this.onDidRead = this.#open.onDidRead;
    this.onDidClose = this.#open.onDidClose;
    this.#subscription = sources.onDidChangeOptions(() => this.#open.readAgain());
    this.#open.readAgain();
  }

  /** Returns the current version of a manifest, checked for the platform of the current connection. */
  async read(document: vscode.TextDocument): Promise<ManifestFile> {
    const { checkManifestFile, parseManifestFile } = await import('../model/manifestFile.ts');
    const known = this.#models.get(document);
    const options = this.#sources.options(document);
    const { version } = document;
    const isCurrent = known?.version === version;
    if (isCurrent && known.options === options) return known.file;
    const parsed = isCurrent ? known.parsed : parseManifestFile(document.getText(), languageOf(document.uri));
    const checked = checkManifestFile(parsed, options);
    const reported = [...(this.#reported.get(document)?.values() ?? [])];
    const file = reported.reduce((withProblems, one) => one.addTo(withProblems), checked);
    this.#models.set(document, { version, parsed, options, file });
    return file;
  }

  /**
   * Shows violations that the service reported for an endpoint of a file, in place of the earlier ones. Each disappears when its field
   * changes.
   */
  async report(document: vscode.TextDocument, part: number, violations: readonly FieldError[]): Promise<ManifestFile> {
    const { ReportedViolations } = await import('../model/manifestFile.ts');
    const reported = new ReportedViolations(await this.read(document), part, violations);
    this.#reported.set(document, new Map(this.#reported.get(document)).set(part, reported));
    this.#models.delete(document);
    const file = await this.read(document);
    this.#open.report({ document, file });
    return file;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#open.dispose();
  }
}
