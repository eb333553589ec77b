import assert from 'node:assert/strict';
import { Roster } from '../../src/platform/roster.ts';

describe('Roster', () => {
  it('lists its members in the order of their arrival', () => {
    const roster = new Roster<{ name: string }>();
    const [first, middle, last] = ['first', 'middle', 'last'].map((name) => roster.add({ name }));
    assert.ok(first && middle && last);
    const names = () => roster.members().map(({ name }) => name);
    assert.deepEqual(names(), ['first', 'middle', 'last']);
    roster.remove(middle);
    assert.deepEqual(names(), ['first', 'last']);
    roster.remove(first);
    roster.remove(last);
    assert.deepEqual(names(), []);
    roster.add({ name: 'next' });
    assert.deepEqual(names(), ['next']);
  });

  it('removes a member only once', () => {
    const roster = new Roster<object>();
    const [place, other] = [roster.add({}), {}];
    roster.remove(place);
    roster.add(other);
    roster.remove(place);
    assert.deepEqual(roster.members(), [other]);
  });

  it('does not keep removed members in memory', () => {
    const roster = new Roster<object>();
    const [place] = [roster.add({}), roster.add({}), roster.add({})];
    roster.remove(place);
    assert.deepEqual(
      Object.values(place).filter((value) => value !== undefined),
      [],
    );
  });
});
