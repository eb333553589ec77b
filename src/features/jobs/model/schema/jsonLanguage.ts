import * as l10n from '@vscode/l10n';
import {
  getLanguageService,
  type ASTNode,
  type CompletionItem,
  type Diagnostic,
  type JSONDocument,
  type JSONSchema,
  type JSONWorkerContribution,
  type LanguageService,
} from 'vscode-json-languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { Path } from '../../../../contract/violation.ts';
import { TimeLimitExceeded, withTimeLimit } from '../../../../machine/timeLimit.ts';
import type { Span } from '../../../../text/span.ts';
import { SCHEMA_TIME_LIMIT_MS, type InputSchema, type SchemaFiles } from './schemaFiles.ts';

/*
 * The JSON language service. This file is large with its libraries, so callers load it with import(). Schemas are foreign: their patterns and
 * alternatives can take exponential time, so all work with them has a time limit.
 */

/** A value that a member can have, for completion. */
export interface OfferedMember {
  readonly value: string;
  readonly detail: string;
}

export interface JsonLanguageOptions {
  /** Files that references of schemas can name. */
  readonly files: SchemaFiles;
  /** Returns values for a member of the document, such as `endpoint`. */
  readonly offered?: (path: Path) => readonly OfferedMember[];
}

/** A parsed text. */
export interface JsonText {
  readonly source: TextDocument;
  readonly json: JSONDocument;
  readonly input: InputSchema | undefined;
}

/** A part of a value that breaks its schema, or a schema that cannot be used. */
export interface SchemaViolation extends Span {
  /** `stopped`: the check took longer than SCHEMA_TIME_LIMIT_MS. */
  readonly code: 'inputSchema' | 'reference' | 'duplicateKey' | 'stopped';
  readonly path: Path;
  readonly message: string;
}

/** Description of the value at an offset, from its schemas. */
export interface Description extends Span {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly values: readonly unknown[];
  readonly defaultValue?: unknown;
}

export interface Completions {
  readonly items: readonly (CompletionItem & Span)[];
}

/** Codes of the service. Codes between them are those of syntax errors; most violations of a schema have no code. */
const FIRST_SYNTAX_ERROR = 0x101;
const DUPLICATE_KEY = 0x208;
const FIRST_SCHEMA_ERROR = 0x301;
const LENIENT = { comments: 'ignore', trailingCommas: 'ignore' } as const;
/** Maximum number of reported violations. */
const MAX_VIOLATIONS = 100;

/** A promise whose callbacks have a time limit. The service works with schemas only in callbacks of its promises. */
class LimitedPromise<Value> extends Promise<Value> {
  override then<Result = Value, Other = never>(
    fulfilled?: ((value: Value) => Result | PromiseLike<Result>) | null,
    rejected?: ((reason: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<Result | Other> {
    return super.then(fulfilled && limited(fulfilled), rejected && limited(rejected));
  }
}

function limited<Value, Result>(callback: (value: Value) => Result): (value: Value) => Result {
  return (value) => withTimeLimit(SCHEMA_TIME_LIMIT_MS, () => callback(value));
}

/** Reasons why a schema is not applied. */
type Failure = Pick<SchemaViolation, 'code' | 'message'>;

/** Schemas of documents in one language service, and the results of applying them to texts. */
export class JsonLanguage {
  readonly #options: JsonLanguageOptions;
  #service: LanguageService;
  /** Schemas of whole documents, and the input schemas that they refer to. */
  readonly #documents = new Map<InputSchema | undefined, JSONSchema>();
  readonly #inputs = new Set<InputSchema>();
  /** Schemas that could not be applied. They are not tried again, because each try would block other work until its limit. */
  readonly #failed = new Map<InputSchema, Failure>();

  constructor(options: JsonLanguageOptions) {
    this.#options = options;
    this.#service = this.#newService();
    this.reset();
  }

  /** Forgets all schemas. Called after a schema file changed. */
  reset(): void {
    this.#documents.clear();
    this.#inputs.clear();
    this.#failed.clear();
    this.#configure();
  }

  /**
   * Parses a text whose whole value has a schema.
   *
   * @param schemaOf creates the schema of the document, which can refer to the URL of the input schema
   */
  parse(text: string, given: InputSchema | undefined, schemaOf: (input: InputSchema | undefined) => object): JsonText {
    const input = given && this.#failed.has(given) ? undefined : given;
    if (!this.#documents.has(input)) {
      this.#documents.set(input, schemaOf(input));
      if (input) this.#inputs.add(input);
      this.#configure();
    }
    return this.#parsed(documentUrl([...this.#documents.keys()].indexOf(input)), withoutSchemaReference(text), input);
  }

  /** Checks the value at a path of a text against a schema. The text has no syntax errors. */
  async check(text: string, path: readonly string[], input: InputSchema): Promise<readonly SchemaViolation[]> {
    const parsed = this.#parsed('check:/value.json', text, input);
    if (!this.#inputs.has(input)) {
      this.#inputs.add(input);
      this.#configure();
    }
    const draft = typeof input.schema === 'object' ? input.schema['$schema'] : undefined;
    const schema: JSONSchema = {
      ...path.reduceRight<JSONSchema>((inner, name) => ({ properties: { [name]: inner } }), { $ref: input.url }),
      id: 'check:/document.json',
      ...(typeof draft === 'string' && { $schema: draft }),
    };
    const settings = { ...LENIENT, schemaValidation: 'warning', schemaRequest: 'warning' } as const;
    const found = await this.#apply(input, () =>
      this.#service.doValidation(parsed.source, parsed.json, settings, schema),
    );
    if ('code' in found) return [{ ...found, start: 0, end: 1, path }];
    return found.flatMap((diagnostic) => violationOf(diagnostic, parsed, path)).slice(0, MAX_VIOLATIONS);
  }

  async complete({ source, json, input }: JsonText, offset: number): Promise<Completions> {
    const list = await this.#apply(input, () => this.#service.doComplete(source, source.positionAt(offset), json));
    const items = (list && 'items' in list ? list.items : []).map((item) => {
      const range = item.textEdit && 'range' in item.textEdit ? item.textEdit.range : undefined;
      const start = range ? source.offsetAt(range.start) : offset;
      return { ...item, start, end: range ? source.offsetAt(range.end) : offset };
    });
    return { items };
  }

  /** Describes the key or the value at an offset, from its schemas. */
  async describe({ source, json, input }: JsonText, offset: number): Promise<Description | undefined> {
    const at = json.getNodeFromOffset(offset);
    if (!at) return undefined;
    const isContainer = at.type === 'object' || at.type === 'array';
    if (isContainer && offset > at.offset + 1 && offset < at.offset + at.length - 1) return undefined;
    const property = at.parent?.type === 'property' && at.parent.keyNode === at ? at.parent : undefined;
    const node = property ? property.valueNode : at;
    if (!node) return undefined;
    const applied = await this.#apply(input, () => this.#service.getMatchingSchemas(source, json));
    if ('code' in applied) return undefined;
    const matching = applied.filter((one) => one.node === node).map(({ schema }) => schema);
    const textOf = (name: 'title' | 'description') =>
      matching.map((schema) => schema[name]).find((text) => typeof text === 'string' && text !== '');
    const description: Description = {
      start: at.offset,
      end: at.offset + at.length,
      title: textOf('title'),
      description: textOf('description'),
      values: matching.find(({ enum: values }) => Array.isArray(values))?.enum ?? [],
      defaultValue: matching.find((schema) => schema.default !== undefined)?.default,
    };
    const { title, description: words, values, defaultValue } = description;
    const isEmpty = (title ?? words) === undefined && values.length === 0 && defaultValue === undefined;
    return isEmpty ? undefined : description;
  }

  symbols({ source, json }: JsonText, limit: number) {
    return this.#service.findDocumentSymbols2(source, json, { resultLimit: limit });
  }

  folds({ source }: JsonText) {
    return this.#service.getFoldingRanges(source);
  }

  selections({ source, json }: JsonText, offsets: readonly number[]) {
    const positions = offsets.map((offset) => source.positionAt(offset));
    return this.#service.getSelectionRanges(source, positions, json);
  }

  #parsed(uri: string, text: string, input: InputSchema | undefined): JsonText {
    const source = TextDocument.create(uri, 'jsonc', 1, text);
    return { source, json: this.#service.parseJSONDocument(source), input };
  }

  /** Applies a schema to a text. Returns the reason if the schema cannot be applied. */
  async #apply<Result>(schema: InputSchema | undefined, work: () => PromiseLike<Result>): Promise<Result | Failure> {
    const known = schema && this.#failed.get(schema);
    if (known) return known;
    try {
      return await work();
    } catch (error) {
      const failure = failureOf(error);
      if (!failure) throw error;
      if (schema) this.#failed.set(schema, failure);
      // The service may have been changing its own state.
      this.#service = this.#newService();
      this.#configure();
      return failure;
    }
  }

  #newService(): LanguageService {
    const { files, offered } = this.#options;
    return getLanguageService({
      schemaRequestService: (url) => files.read(url),
      workspaceContext: { resolveRelativePath: (path, base) => new URL(path, base).href },
      contributions: offered ? [contributionOf(offered)] : [],
      promiseConstructor: LimitedPromise,
    });
  }

  #configure(): void {
    this.#service.configure({
      validate: true,
      schemas: [
        ...[...this.#documents.values()].map((schema, index) => ({
          uri: `job-schema:/${index}.json`,
          fileMatch: [documentUrl(index)],
          // The service changes the schemas that it receives.
          schema: structuredClone(schema),
        })),
        ...[...this.#inputs].map((input) => ({ uri: input.url, schema: schemaObject(input) })),
      ],
    });
  }
}

function failureOf(error: unknown): Failure | undefined {
  if (error instanceof TimeLimitExceeded)
    return { code: 'stopped', message: l10n.t`the check was stopped after ${SCHEMA_TIME_LIMIT_MS} ms` };
  // The stack is exhausted.
  if (error instanceof RangeError)
    return { code: 'reference', message: l10n.t('the schema is nested too deeply, or refers to itself') };
  return undefined;
}

function documentUrl(index: number): string {
  return `job:/${index}.json`;
}

/** Returns a schema as an object. The service accepts no boolean as the content of a file. */
function schemaObject({ schema }: InputSchema): JSONSchema {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} };
  return structuredClone(schema);
}

function violationOf(
  { range, message: words, code }: Diagnostic,
  { source, json }: JsonText,
  under: Path,
): SchemaViolation[] {
  const message = typeof words === 'string' ? words : words.value;
  const start = source.offsetAt(range.start);
  const span = { start, end: Math.max(source.offsetAt(range.end), start + 1) };
  const path = pathOf(json.getNodeFromOffset(start));
  const number = typeof code === 'number' ? code : 0;
  if (number === DUPLICATE_KEY) return [{ ...span, code: 'duplicateKey', path, message }];
  if (number >= FIRST_SCHEMA_ERROR) return [{ ...span, code: 'reference', path: under, message }];
  return number >= FIRST_SYNTAX_ERROR ? [] : [{ ...span, code: 'inputSchema', path, message }];
}

function pathOf(node: ASTNode | undefined): Path {
  if (!node) return [];
  const { parent } = node;
  if (parent?.type === 'array') return [...pathOf(parent), parent.items.indexOf(node)];
  return node.type === 'property' ? [...pathOf(parent), node.keyNode.value] : pathOf(parent);
}

/** Blanks the value of `$schema` in the root, because the service would use it in place of the schema of job files. */
function withoutSchemaReference(text: string): string {
  if (!text.includes('"$schema"')) return text;
  const root = parseTree(text, [], { allowTrailingComma: true });
  const value = root && findNodeAtLocation(root, ['$schema']);
  if (value?.type !== 'string' || value.length < 2) return text;
  const { offset, length } = value;
  return `${text.slice(0, offset)}0${' '.repeat(length - 1)}${text.slice(offset + length)}`;
}

function contributionOf(offered: (path: Path) => readonly OfferedMember[]): JSONWorkerContribution {
  const none = Promise.resolve();
  return {
    getInfoContribution: () => Promise.resolve([]),
    collectPropertyCompletions: () => none,
    collectDefaultCompletions: () => none,
    collectValueCompletions: (_, location, key, result) => {
      for (const { value, detail } of offered([...location, key])) {
        const quoted = JSON.stringify(value);
        const insertText = quoted.replaceAll(/[$}\\]/g, '\\$&');
        result.add({ label: quoted, kind: 12, insertText, insertTextFormat: 2, filterText: quoted, detail });
      }
      return none;
    },
  };
}
