import { PageQuery } from '../pagination.ts';
import { CreateTemplateBody, Template, TemplateList, UpdateTemplateBody } from '../template.ts';
import { operation } from '../operation.ts';
import { management } from './common.ts';

const group = { ...management, tag: 'Templates' } as const;

export const templateOperations = {
  listTemplates: operation({
    ...group,
    method: 'GET',
    path: '/v2/templates',
    summary: 'List the templates of the account',
    query: PageQuery,
    success: { status: 200, body: TemplateList },
    errors: [403, 422],
  }),
  createTemplate: operation({
    ...group,
    method: 'POST',
    path: '/v2/templates',
    summary: 'Create a template',
    body: CreateTemplateBody,
    success: { status: 201, body: Template },
    errors: [400, 403, 422],
  }),
  getTemplate: operation({
    ...group,
    method: 'GET',
    path: '/v2/templates/{id}',
    summary: 'Get a template of the account or a public one',
    success: { status: 200, body: Template },
    errors: [403, 404],
  }),
  updateTemplate: operation({
    ...group,
    method: 'PATCH',
    path: '/v2/templates/{id}',
    summary: 'Update a template; endpoints created from it do not change',
    body: UpdateTemplateBody,
    success: { status: 200, body: Template },
    errors: [400, 403, 404, 422],
  }),
  deleteTemplate: operation({
    ...group,
    method: 'DELETE',
    path: '/v2/templates/{id}',
    summary: 'Delete a template that is not in use',
    success: { status: 204 },
    errors: [400, 403, 404],
  }),
} as const;
