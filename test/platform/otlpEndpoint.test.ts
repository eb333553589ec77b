import assert from 'node:assert/strict';
import { otlpTracesUrl } from '../../src/platform/daemon/otlpEndpoint.ts';

describe('The address for traces', () => {
  it('is none by default', () => assert.equal(otlpTracesUrl(undefined, {}), undefined));

  it('is below the address of the flag, or else of the environment', () => {
    assert.equal(otlpTracesUrl('http://127.0.0.1:4318', {}), 'http://127.0.0.1:4318/v1/traces');
    assert.equal(otlpTracesUrl('https://collector/otlp/', {}), 'https://collector/otlp/v1/traces');
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    assert.equal(otlpTracesUrl(undefined, environment), 'http://collector:4318/v1/traces');
    assert.equal(otlpTracesUrl('http://other', environment), 'http://other/v1/traces');
  });

  it('is that for traces alone as it is', () => {
    const own = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/in',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x',
    };
    assert.equal(otlpTracesUrl(undefined, own), 'http://collector:4318/in');
  });

  it('is none if the environment disables OpenTelemetry, or its address is invalid', () => {
    const disabled = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    assert.equal(otlpTracesUrl(undefined, disabled), undefined);
    assert.equal(otlpTracesUrl(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }), undefined);
  });

  it('must be an HTTP address without credentials', () => {
    for (const flag of ['', 'collector', 'ftp://collector', 'http://me:secret@collector', 'http://collector?key=1'])
      assert.throws(() => otlpTracesUrl(flag, {}), { reason: 'badFlag' }, flag);
  });
});
