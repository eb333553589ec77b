import { operations } from '../../contract/operations.ts';
import { pageOf } from '../domain/page.ts';
import type { Services } from '../services.ts';
import type { App } from './app.ts';
import { route } from './route.ts';

/** Templates, own and public (interface document, rule 7; facts, section 9). */
export function templateRoutes(app: App, { resources: { templates } }: Services): void {
  route(app, operations.listTemplates, ({ query }) => {
    const { page, pagination } = pageOf('templates', templates.list(), query);
    return { templates: page, pagination };
  });
  route(app, operations.createTemplate, ({ body }) => templates.create(body));
  route(app, operations.getTemplate, ({ parameters }) => templates.get(parameters.id));
  route(app, operations.updateTemplate, ({ parameters, body }) => templates.update(parameters.id, body));
  route(app, operations.deleteTemplate, ({ parameters }) => {
    templates.delete(parameters.id);
    return undefined;
  });
  route(app, operations.listPublicTemplates, ({ query }) => ({
    templates: templates.catalog(query.source ?? 'official'),
  }));
}
