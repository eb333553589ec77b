import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';

export type App = Hono<{ Bindings: HttpBindings }>;
export type RequestContext = Context<{ Bindings: HttpBindings }>;
