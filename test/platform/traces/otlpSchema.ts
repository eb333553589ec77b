import assert from 'node:assert/strict';
import path from 'node:path';
import protobuf from 'protobufjs';

/*
 * Validates OTLP/JSON with the published protobuf schema (open-telemetry/opentelemetry-proto, ac2c4b5). JSON differs from the usual mapping
 * of protobuf: IDs are hexadecimal, and enumerations are numbers.
 */

const directory = path.join(import.meta.dirname, 'opentelemetry-proto');
const schema = new protobuf.Root();
schema.resolvePath = (_, file) => path.join(directory, file);
schema.loadSync('opentelemetry/proto/collector/trace/v1/trace_service.proto').resolveAll();

const Request = schema.lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest');

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly flags: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface OtlpRequest {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
}

/** Returns the spans of a request. @throws AssertionError if it does not match the schema */
export function validSpans(body: string): OtlpSpan[] {
  const request = JSON.parse(body) as OtlpRequest;
  const message = messageOf(Request, request, 'request');
  assert.equal(Request.verify(message), null);
  // Encodes and decodes, which proves that the schema has a place for each value.
  const decoded = Request.toObject(Request.decode(Request.encode(Request.fromObject(message)).finish()), OBJECTS);
  assert.equal(count(decoded as unknown as OtlpRequest), count(request));
  const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  for (const span of spans) {
    assert.match(span.traceId, /^(?!0+$)[0-9a-f]{32}$/);
    assert.match(span.spanId, /^(?!0+$)[0-9a-f]{16}$/);
    if (span.parentSpanId !== undefined) assert.match(span.parentSpanId, /^(?!0+$)[0-9a-f]{16}$/);
    assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano));
    assert.ok(span.name !== '');
  }
  return spans;
}

const OBJECTS = { defaults: true, arrays: true } as const;

const count = ({ resourceSpans }: OtlpRequest): number =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).length;

/** Converts JSON to the values of a message. @throws AssertionError for an unknown member or a value of another type */
function messageOf(type: protobuf.Type, value: unknown, at: string): Record<string, unknown> {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${at} is an object`);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = type.fields[name];
      assert.ok(field, `${at} has the unknown member ${name}`);
      if (!field.repeated) return [name, valueOf(field, member, `${at}.${name}`)];
      assert.ok(Array.isArray(member), `${at}.${name} is a list`);
      return [name, member.map((item, index) => valueOf(field, item, `${at}.${name}[${index}]`))];
    }),
  );
}

function valueOf({ name, type, resolvedType }: protobuf.Field, value: unknown, at: string): unknown {
  if (resolvedType instanceof protobuf.Type) return messageOf(resolvedType, value, at);
  if (resolvedType instanceof protobuf.Enum) {
    assert.ok(
      typeof value === 'number' && value in resolvedType.valuesById,
      `${at} is a number of ${resolvedType.name}`,
    );
    return value;
  }
  if (type === 'bytes') {
    const encoding = name.endsWith('Id') ? 'hex' : 'base64';
    assert.ok(typeof value === 'string', `${at} is text`);
    return Buffer.from(value, encoding);
  }
  if (type === 'fixed64') {
    assert.match(String(value), /^\d+$/, `${at} is a decimal number`);
    const bits = BigInt(String(value));
    return new protobuf.util.Long(Number(bits & 0xffffffffn), Number(bits >> 32n), true);
  }
  return value;
}
