import type { Client } from '../../../client/client.ts';
import type { Pagination } from '../../../contract/pagination.ts';
import type { Template } from '../../../contract/template.ts';

/** `account`: a template of the account. The others are lists of the public catalog. */
export type TemplateSource = 'account' | 'official' | 'verified' | 'community';

export interface FoundTemplate {
  readonly template: Template;
  readonly source: TemplateSource;
}

export interface TemplatePage {
  readonly items: readonly FoundTemplate[];
  /** Whether further pages can exist. */
  readonly more: boolean;
}

const SOURCES: readonly TemplateSource[] = ['account', 'official', 'verified', 'community'];

/** Maximum number of templates per request. */
const PAGE = 100;
/** Number of templates that fills a page of the result. Short lists share a page. */
const ENOUGH = 20;

/**
 * Reads the serverless templates of the account and then those of the public catalog. Each step reads only as much as one page needs.
 *
 * @throws ApiError
 */
export async function* templatePages(
  client: Pick<Client, 'listTemplates' | 'listPublicTemplates'>,
  signal: AbortSignal,
  { pageSize = PAGE, enough = ENOUGH } = {},
): AsyncGenerator<TemplatePage, void> {
  let items: FoundTemplate[] = [];
  for (const source of SOURCES) {
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
      const page =
        source === 'account'
          ? await client.listTemplates({ query }, { signal })
          : await client.listPublicTemplates({ query: { ...query, source } }, { signal });
      items.push(...page.templates.filter(({ serverless }) => serverless).map((template) => ({ template, source })));
      cursor = nextCursor(page.pagination, seen);
      const isLast = cursor === undefined && source === SOURCES.at(-1);
      if (items.length >= enough || isLast) {
        yield { items, more: !isLast };
        items = [];
      }
    } while (cursor !== undefined);
  }
}

/** Returns the cursor of the next page. A repeated cursor ends the list, because it would repeat its pages. */
function nextCursor(pagination: Pagination | undefined, seen: Set<string>): string | undefined {
  const cursor = pagination?.nextCursor ?? undefined;
  if (cursor === undefined || seen.has(cursor)) return undefined;
  seen.add(cursor);
  return cursor;
}
