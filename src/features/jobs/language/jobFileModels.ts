import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import { jobFileJsonSchema } from '../../../contract/jobFile.ts';
import type { Log } from '../../../kit/log.ts';
import { OpenDocuments } from '../../../kit/openDocuments.ts';
import { localizedSchema } from '../../../account/contractText.ts';
import { dataSize } from '../../../text/quantities.ts';
import { isJobFile } from '../jobShells.ts';
import type { CheckedJobFile, JobProblem } from '../model/checkJobFile.ts';
import type { JsonLanguage, JsonText, OfferedMember } from '../model/schema/jsonLanguage.ts';
import { SCHEMA_TIME_LIMIT_MS, type InputSchema } from '../model/schema/schemaFiles.ts';
import type { JobSchema, JobSchemas } from './jobSchemas.ts';

/** Delay between a change and its check, in ms. */
const DEBOUNCE_MS = 50;
/** Maximum length of a text that is checked against its input schema, in UTF-16 code units. */
const LONGEST_CHECKED = 2 * 1_048_576;

/** A version of a job file in the editor. */
export interface JobFileRead {
  readonly document: vscode.TextDocument;
  readonly checked: CheckedJobFile;
  readonly schema: JobSchema;
  /** Problems of the file, those of its input schema included. */
  readonly problems: readonly JobProblem[];
}

/** A version of a job file, as the JSON language service reads it. */
export interface JobFileText {
  readonly language: JsonLanguage;
  readonly parsed: JsonText;
}

interface Sources {
  readonly clock: Clock;
  readonly log: Log;
  readonly schemas: JobSchemas;
  /** Returns names for the member `endpoint`. */
  readonly endpoints: () => readonly OfferedMember[];
}

interface Model {
  readonly version: number;
  readonly round: number;
  readonly read: Promise<JobFileRead>;
  text?: Promise<JobFileText | undefined>;
}

/**
 * Reads each version of an open job file once. Diagnostics, completion, and all other services of the editor share the result. The JSON
 * language service is loaded with the first job file.
 */
export class JobFileModels implements vscode.Disposable {
  readonly #sources: Sources;
  readonly #models = new WeakMap<vscode.TextDocument, Model>();
  readonly #open: OpenDocuments<JobFileRead>;
  /** Fired after a new version of an open job file was checked, and after its manifest or schema changed. */
  readonly onDidRead: vscode.Event<JobFileRead>;
  readonly onDidClose: vscode.Event<vscode.TextDocument>;
  readonly #subscriptions: vscode.Disposable;
  #language: Promise<JsonLanguage> | undefined;
  /** Number of changes of manifests and schemas. */
  #round = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
    const { clock, log, schemas } = sources;
    const isOwn = ({ uri }: vscode.TextDocument) => isJobFile(uri);
    const read = (document: vscode.TextDocument) => this.read(document);
    this.#open = new OpenDocuments({ clock, log, isOwn, debounceMs: DEBOUNCE_MS, read });
    this.onDidRead = this.#open.onDidRead;
    this.onDidClose = this.#open.onDidClose;
    this.#subscriptions = vscode.Disposable.from(
      this.#open,
      schemas.onDidChange(() => this.#readAgain()),
    );
    this.#open.readAgain();
  }

  /** Returns the current version of a job file, with all problems. */
  read(document: vscode.TextDocument): Promise<JobFileRead> {
    return this.#model(document).read;
  }

  /** Returns the current version for the JSON language service. Undefined for a file that is too large. */
  text(document: vscode.TextDocument): Promise<JobFileText | undefined> {
    const model = this.#model(document);
    model.text ??= this.#parse(document);
    return model.text;
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #model(document: vscode.TextDocument): Model {
    const known = this.#models.get(document);
    const { version } = document;
    if (known?.version === version && known.round === this.#round) return known;
    const model: Model = { version, round: this.#round, read: this.#check(document) };
    this.#models.set(document, model);
    return model;
  }

  async #check(document: vscode.TextDocument): Promise<JobFileRead> {
    const text = document.getText();
    const { checkJobFile } = await import('../model/checkJobFile.ts');
    const checked = checkJobFile(text);
    const schema = await this.#sources.schemas.of(document.uri, checked.endpoint);
    const problems = [...checked.problems, ...(await this.#schemaProblems(checked, schema))];
    return { document, checked, schema, problems };
  }

  async #schemaProblems({ text, parsed }: CheckedJobFile, { input, problem }: JobSchema): Promise<JobProblem[]> {
    if (!parsed) return [];
    const place = parsed.keyOf(['input']) ?? { start: 0, end: 1 };
    if (text.length > LONGEST_CHECKED) {
      const message = l10n.t`The input is not checked against its schema, because the file is larger than ${dataSize(LONGEST_CHECKED)}`;
      return input || problem ? [{ ...place, code: 'notChecked', severity: 'information', message }] : [];
    }
    const broken: JobProblem[] = problem
      ? [
          {
            ...place,
            code: 'schemaFile',
            severity: 'warning',
            message: l10n.t`The input schema in the manifest cannot be used: ${problem.message}`,
          },
        ]
      : [];
    const language = await this.#languageService();
    const found = await language.check(text, ['input'], input ?? ANY_INPUT);
    return [
      ...broken,
      ...found.map(({ code, message, start, end }): JobProblem => {
        if (code === 'stopped') {
          const limitMs = SCHEMA_TIME_LIMIT_MS;
          const stopped = l10n.t`Checking the input against its schema was stopped after ${limitMs} ms. It is checked again when the schema changes`;
          return { ...place, code, message: stopped, severity: 'warning', limitMs };
        }
        if (code !== 'reference') return { code, message, start, end, severity: 'warning' };
        return { ...place, code, message: l10n.t`The input schema cannot be used: ${message}`, severity: 'warning' };
      }),
    ];
  }

  async #parse(document: vscode.TextDocument): Promise<JobFileText | undefined> {
    const text = document.getText();
    if (text.length > LONGEST_CHECKED) return undefined;
    const { schema } = await this.read(document);
    const language = await this.#languageService();
    return { language, parsed: language.parse(text, schema.input, jobSchemaWith) };
  }

  #languageService(): Promise<JsonLanguage> {
    this.#language ??= import('../model/schema/jsonLanguage.ts').then(({ JsonLanguage }) => {
      const { schemas, endpoints } = this.#sources;
      const offered = (path: readonly (string | number)[]) => (path.join() === 'endpoint' ? endpoints() : []);
      return new JsonLanguage({ files: schemas.files, offered });
    });
    return this.#language;
  }

  #readAgain(): void {
    this.#round++;
    void this.#language?.then((language) => language.reset());
    this.#open.readAgain(DEBOUNCE_MS);
  }
}

/** Schema for a file without an input schema. Its check finds duplicate members. */
const ANY_INPUT: InputSchema = { url: 'any:/input.json', schema: true };

/** Returns the schema of a job file, in which `input` refers to its own schema. */
function jobSchemaWith(input: InputSchema | undefined): object {
  const schema = localizedSchema(jobFileJsonSchema());
  const properties = schema['properties'] as Record<string, Record<string, unknown>>;
  const { $schema, endpoint, input: anyInput, ...others } = properties;
  const { examples, ...named } = endpoint ?? {};
  return {
    ...schema,
    properties: {
      $schema: { ...$schema, doNotSuggest: true },
      endpoint: named,
      input: input ? { type: 'object', description: anyInput?.['description'], $ref: input.url } : anyInput,
      ...others,
    },
  };
}
