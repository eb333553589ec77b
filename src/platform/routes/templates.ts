import { operations } from '../../contract/operations.ts';
import { pageOf } from '../domain/page.ts';
import type { Services } from './services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Routes for private and public templates. */
export function templateRoutes(app: App, { resources }: Services): void {
  route(app, operations.listTemplates, ({ accountId, query }) => {
    const { page, pagination } = pageOf('templates', resources.of(accountId).templates.list(), query);
    return { templates: page, pagination };
  });
  route(app, operations.createTemplate, ({ accountId, body }) => resources.of(accountId).templates.create(body));
  route(app, operations.getTemplate, ({ accountId, parameters }) =>
    resources.of(accountId).templates.get(parameters.id),
  );
  route(app, operations.updateTemplate, ({ accountId, parameters, body }) =>
    resources.of(accountId).templates.update(parameters.id, body),
  );
  route(app, operations.deleteTemplate, ({ accountId, parameters }) => {
    resources.of(accountId).templates.delete(parameters.id);
    return undefined;
  });
  route(app, operations.listPublicTemplates, ({ accountId, query }) => ({
    templates: resources.of(accountId).templates.catalog(query.source ?? 'official'),
  }));
}
