import { createRequire } from 'node:module';

/** An element as `xml2js` returns it with `explicitChildren` and `preserveChildrenOrder`. */
export interface Xml {
  readonly '#name': string;
  readonly $?: Readonly<Record<string, string>>;
  readonly $$?: readonly Xml[];
  readonly _?: string;
}

const { parseStringPromise } = createRequire(import.meta.url)('xml2js') as {
  readonly parseStringPromise: (text: string, options: object) => Promise<Xml>;
};

/** Parses XML strictly. Rejects text that is not well-formed. */
export async function parseXml(text: string): Promise<Xml> {
  const options = { explicitRoot: false, explicitChildren: true, preserveChildrenOrder: true };
  // The parser's objects have no prototype.
  return JSON.parse(JSON.stringify(await parseStringPromise(text, options))) as Xml;
}
