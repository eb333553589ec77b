// Clauses of the interface: Endpoints 7; Versioning 1 and 2.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/contract/openapi.ts';

/*
 * Compares the OpenAPI document with the public one. fixtures/publicInterface.json is a copy of the public document without its prose.
 * It contains the operations that both documents have.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
  readonly explode?: boolean;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Row {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Row>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const KEYWORDS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'pattern',
  'uniqueItems',
  'default',
] as const;

/** Properties of a field at a path, such as `gpu.pools[]`. */
interface Member {
  required?: boolean;
  values?: readonly unknown[];
  constraints: Record<string, unknown>;
}

class Reader {
  readonly document: Document;

  constructor(document: Document) {
    this.document = document;
  }

  rows(): Map<string, Row & { readonly method: string; readonly path: string }> {
    const rows = Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== 'servers' && method !== 'parameters')
        .map(([method, row]) => [row.operationId, { ...row, method, path }] as const),
    );
    return new Map(rows);
  }

  resolve<T extends { readonly $ref?: string }>(value: T): T {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? '') ?? [];
    if (name === '') return value;
    const { $ref, ...beside } = value;
    return { ...this.resolve(this.document.components[kind]?.[name] as T), ...beside };
  }

  parameters(row: Row): Map<string, Parameter> {
    const all = (row.parameters ?? []).map((parameter) => this.resolve(parameter));
    return new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  }

  body(row: Row): Schema | undefined {
    return row.requestBody?.content['application/json']?.schema;
  }

  answer(row: Row): [status: string, schema: Schema | undefined] {
    const [status = '', { content } = {}] = Object.entries(row.responses).find(([name]) => name.startsWith('2')) ?? [];
    return [status, content && Object.values(content)[0]?.schema];
  }

  /** Returns every field of a schema, including those of composed schemas. */
  members(schema: Schema, at = '', found = new Map<string, Member>()): Map<string, Member> {
    const { allOf = [], anyOf = [], oneOf = [], ...own } = this.resolve(schema);
    const member = found.get(at) ?? { constraints: {} };
    found.set(at, member);
    for (const keyword of KEYWORDS) if (own[keyword] !== undefined) member.constraints[keyword] = own[keyword];
    const values = own.enum ?? (own.const === undefined ? own.examples : [own.const]);
    if (values) member.values = [...new Set([...(member.values ?? []), ...values])].sort();
    for (const part of [...allOf, ...anyOf, ...oneOf]) this.members(part, at, found);
    if (own.items) this.members(own.items, `${at}[]`, found);
    for (const [name, property] of Object.entries(own.properties ?? {})) {
      const path = at === '' ? name : `${at}.${name}`;
      this.members(property, path, found);
    }
    for (const name of own.required ?? []) {
      const required = found.get(at === '' ? name : `${at}.${name}`);
      if (required) required.required = true;
    }
    return found;
  }
}

const file = new URL('fixtures/publicInterface.json', import.meta.url);
const theirs = new Reader(JSON.parse(await readFile(file, 'utf8')) as Document);
const ours = new Reader(JSON.parse(JSON.stringify(openApiDocument())) as Document);

describe('the public interface', () => {
  const ourRows = ours.rows();
  for (const [id, their] of theirs.rows()) {
    describe(id, () => {
      const our = ourRows.get(id);
      assert.ok(our, `${id} is missing`);

      it('has the same method, path, and statuses', () => {
        assert.deepEqual([our.method, our.path], [their.method, their.path]);
        assert.equal(ours.answer(our)[0], theirs.answer(their)[0]);
        const missing = Object.keys(their.responses).filter((status) => !(status in our.responses));
        assert.deepEqual(missing, []);
      });

      it('has the same parameters, bounds, and values', () => {
        const parameters = ours.parameters(our);
        for (const [name, { schema, explode }] of theirs.parameters(their)) {
          const parameter = parameters.get(name);
          assert.ok(parameter, `${name} is missing`);
          assert.equal(parameter.explode, explode, name);
          assertSame(`${id} ${name}`, ours.members(parameter.schema), theirs.members(schema));
        }
      });

      const body = theirs.body(their);
      it(body ? 'has the same body, bounds, and values' : 'has no body', () => {
        const sent = ours.body(our);
        assert.equal(sent === undefined, body === undefined);
        if (sent && body) assertSame(id, ours.members(sent), theirs.members(body));
      });

      it('has every field of the public response, with its values', () => {
        const [, answer] = theirs.answer(their);
        const [, ourAnswer] = ours.answer(our);
        // The public document describes event streams only as text.
        if (!answer || our.responses['200']?.content?.['text/event-stream']) return;
        assert.ok(ourAnswer);
        const members = ours.members(ourAnswer);
        for (const [path, { values }] of theirs.members(answer)) {
          assert.ok(members.has(path), `${path} is missing`);
          if (values) assert.deepEqual(members.get(path)?.values, values, path);
        }
      });
    });
  }
});

/** Asserts that `mine` has every field of `public_` with the same constraints. Additional fields are allowed. */
function assertSame(what: string, mine: Map<string, Member>, public_: Map<string, Member>): void {
  for (const [path, member] of public_) {
    const own = mine.get(path);
    assert.ok(own, `${what}: ${path} is missing`);
    if (member.values) assert.deepEqual(own.values, member.values, `${what}: values of ${path}`);
    assert.equal(own.required, member.required, `${what}: ${path} required`);
    for (const [keyword, value] of Object.entries(member.constraints)) {
      assert.deepEqual(own.constraints[keyword], value, `${what}: ${keyword} of ${path}`);
    }
  }
}
